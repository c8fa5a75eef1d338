#!/usr/bin/env python3
"""Train a leader to reach its goal in gusts, by PPO of Stable-Baselines3.

    pip install '.[train]'
    python examples/train_leader.py -o leader

It writes pictures of training and of a run, and `leader.json` for `controller: network`. It
prints on how many of 20 fresh seeds the leader arrives before and after training, and the same for
the potential field, `navigate` and a rule.
"""

import argparse
import math
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np

import sbot
from sbot_common.errors import install_command

mpl.use('Agg')
import matplotlib.pyplot as plt

NAME = 'leader_in_gusts'
FRESH_SEEDS = range(8001, 8021)
WORLDS = 64
TOLERANCE = 1.25  # m, the goal radius of document 001
WIDTH, HEIGHT = 24.0, 16.0  # m
SPEED, TURN = 1.5, 1.5  # m/s, rad/s, of the network and of the rule
POTENTIAL_FIELD = {'controller': 'potential_field', 'parameters': {'linear_scaler_lambda': 0.25}}


class Rule:
    """Ten lines by hand: at the goal, against the wind, away from what is near."""

    def step(self, observation, rng):
        """Return (speed in m/s, turn rate in rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        scan = observation.scan
        way = np.array(observation.goal) - [x, y]
        way = SPEED * way / np.linalg.norm(way) - np.array(observation.wind)
        angles = yaw + scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        near = np.clip(1.5 - scan.ranges, 0, None)  # m, within 1.5 m of the laser
        push = np.stack([np.cos(angles), np.sin(angles)]) * near
        way = way - 0.1 * push.sum(axis=1)
        turn = math.remainder(math.atan2(way[1], way[0]) - yaw, math.tau)
        return SPEED * max(0.0, math.cos(turn)), float(np.clip(3 * turn, -TURN, TURN))


OTHERS = {  # beside the trained leader; `navigate` also with its speeds
    'potential field': POTENTIAL_FIELD, 'rule': {'controller': 'train_leader:Rule'},
    'navigate': {'controller': 'navigate'},
    'navigate, as fast': {'controller': 'navigate', 'parameters': {
        'forward_speed_mps': SPEED, 'rotate_speed_radps': TURN}}}


class Weather(NamedTuple):
    """A steady wind and a gust."""

    wind: Any  # (2,) m/s
    gust: Any  # (2,) m/s
    begins: float  # s
    lasts: float  # s


def draw_weather(rng):
    """Return a steady wind of at most 0.4 m/s, and a gust of up to 1.2 m/s."""
    speeds, angles = rng.uniform([0.0, 0.4], [0.4, 1.2]), rng.uniform(-math.pi, math.pi, 2)
    wind, gust = speeds[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Weather(wind, gust, rng.uniform(1.0, 8.0), rng.uniform(3.0, 8.0))


def draw_place(rng, circles, away=None):
    """Return a point that is 1 m clear of pillars and walls, and 8 m away from another one."""
    while True:
        point = rng.uniform([1.3, 1.3], [WIDTH - 1.3, HEIGHT - 1.3])
        clear = all(math.dist(point, circle.center) > circle.radius + 1.0 for circle in circles)
        if clear and (away is None or math.dist(point, away) > 8.0):
            return point


class LeaderInGusts(sbot.learn.ReachGoal):
    """Reach a goal from anywhere, in wind and gusts from anywhere."""

    inputs = ('goal', 'wind', 'scan:12')
    outputs, max_speed, turn = 'twist', SPEED, TURN
    seconds, hold = 30.0, 6

    def reward(self, before, now):
        """Return metres nearer, 1 for arriving, less for contacts and for less than 0.5 m room."""
        room = now.seen.scan.min(axis=2) - 0.3  # m beyond the robot's rim
        close = np.clip(1.0 - room / 0.5, 0.0, 1.0)
        return super().reward(before, now) - 0.3 * now.seen.collided - 0.2 * close

    def begin(self, worlds, world, rng):
        """Draw the start and the weather."""
        weather = draw_weather(rng)
        worlds.wind_velocity[world, :2] = weather.wind
        worlds.gust_velocity[world, :2] = weather.gust
        begins, ends = weather.begins, weather.begins + weather.lasts
        worlds.gust_ticks[world] = round(begins / worlds.dt), round(ends / worlds.dt)
        x, y = draw_place(rng, worlds.scenarios[world].world.circles)
        return np.array([[x, y, rng.uniform(-math.pi, math.pi)]])

    def goals(self, worlds, world, rng):
        """Draw the goal."""
        return draw_place(rng, worlds.scenarios[world].world.circles, worlds.start[world, 0, :2])


def make_env(threads):
    """Return many worlds of the leader alone."""
    alone = {'pose': [3, 8, 0], 'goal': [21, 9], 'controller': 'none'}
    return sbot.learn.sb3_env(NAME, WORLDS, task=LeaderInGusts(), threads=threads, robots=[alone])


def make_model(env, seed):
    """Return PPO with a small network and the default activation, tanh."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecMonitor

    torch.set_num_threads(1)  # the network is small; and sums keep their order
    return PPO('MlpPolicy', VecMonitor(env), n_steps=32, batch_size=8 * WORLDS, n_epochs=6,
               gamma=0.98, learning_rate=lambda left: 1e-3 * left, seed=seed, device='cpu',
               policy_kwargs={'net_arch': {'pi': [16, 16], 'vf': [32, 32]}, 'log_std_init': -0.5})


def train(steps, seed, threads):
    """Return (network, weights) before and after, and rows (rollouts, 3) of the learning curve.

    A row has the steps so far, and the return and the share of arrivals of the last 100 episodes.
    """
    env = make_env(threads)
    model, rows = make_model(env, seed), []
    longest = env.episodes.ticks // env.episodes.task.hold  # decisions of an episode

    def note(names, _):
        if not names['n_steps']:  # a rollout begins
            last = model.ep_info_buffer
            if len(last) == last.maxlen:
                rows.append((model.num_timesteps, np.mean([episode['r'] for episode in last]),
                             np.mean([episode['l'] < longest for episode in last])))
        return True

    before = sbot.learn.sb3_network(model)
    model.learn(steps, callback=note)
    return before, sbot.learn.sb3_network(model), np.array(rows)


def drive(robot, seed):
    """Return the run of a leader (controller and parameters) on a fresh seed."""
    rng = np.random.default_rng(seed)
    circles = sbot.load(NAME).world.circles
    start = draw_place(rng, circles)
    goal, weather = draw_place(rng, circles, start), draw_weather(rng)
    pose = [*start.tolist(), rng.uniform(-math.pi, math.pi)]
    wind = {'wind_direction': [*weather.wind.tolist(), 0],
            'wind_speed_mean': float(np.linalg.norm(weather.wind)),
            'wind_gust_direction': [*weather.gust.tolist(), 0],
            'wind_gust_speed_mean': float(np.linalg.norm(weather.gust)),
            'wind_gust_start': weather.begins, 'wind_gust_duration': weather.lasts}
    robots = [{'pose': pose, 'goal': goal.tolist(), 'goal_tolerance': TOLERANCE, **robot}]
    return sbot.run(NAME, seed=seed, robots=robots, wind=wind, until='goal_reached',
                    python_path=[str(Path(__file__).parent)])


def examine(robot):
    """Return the times of arrival (20,) s, NaN: none, and the ticks in contact (20,)."""
    rows = [drive(robot, seed).summary['robots'][0] for seed in FRESH_SEEDS]
    times = [np.nan if row['goal_reached_s'] is None else row['goal_reached_s'] for row in rows]
    return np.array(times), np.array([row['collisions'] for row in rows])


def neural(path):
    """Return a leader that the network of a file drives."""
    return {'controller': 'network', 'parameters': {'network': str(path.resolve())}}


def draw(rows, path):
    """Draw return and arrivals over steps."""
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7.0, 3.8),
                                          layout='constrained')
    steps, returns, arrived = rows.T
    above.plot(steps / 1000, 100 * arrived, color='C1')
    above.set(ylabel='arrived (%)', ylim=(-2, 102))
    below.plot(steps / 1000, returns, color='C0')
    below.set(ylabel='episode return', xlabel='decisions (thousands)', xlim=(0, None))
    above.set_title('One training of PPO: means of the last 100 episodes, '
                    f'in {WORLDS} worlds', loc='left')
    figure.align_ylabels()
    for each in (above, below):
        each.spines[['top', 'right']].set_visible(False)
        each.grid(alpha=0.3, linewidth=0.4)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments=None):
    """Read the command line, train, write, and print what it brought."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.splitlines()[0])
    parser.add_argument('-o', '--output', type=Path, default=Path('leader'),
                        help='folder for the network and its learning curve (default: leader)')
    parser.add_argument('--steps', type=int, default=250_000,
                        help='decisions in all worlds together (default: 250000)')
    parser.add_argument('--seed', type=int, default=1, help='seed of the training (default: 1)')
    parser.add_argument('--threads', type=int, default=2, help='(default: 2)')
    given = parser.parse_args(arguments)
    if find_spec('stable_baselines3') is None:
        sys.exit(f"train_leader.py needs stable-baselines3: {install_command('train')}")
    given.output.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter(), time.process_time()
    before, after, rows = train(given.steps, given.seed, given.threads)
    wall, used = time.perf_counter() - began[0], time.process_time() - began[1]
    print(f'{given.steps} decisions in {wall:.0f} s, {used:.0f} s of processor time')
    files = [given.output / 'untrained.json', given.output / 'leader.json']
    for path, network in zip(files, (before, after), strict=True):
        sbot.save_network(path, *network)
    if len(rows):
        draw(rows, given.output / 'training.png')
    run = sbot.run(NAME, **{'robots.0.parameters.network': str(files[1].resolve())})
    sbot.plot(run, given.output / 'run.png')
    found = {}
    for name, robot in (('untrained', neural(files[0])), ('trained', neural(files[1])),
                        *OTHERS.items()):
        times, contacts = found[name] = examine(robot)
        there = np.isfinite(times)
        mean = f', in {times[there].mean():.1f} s on average' if there.any() else ''
        print(f'{name:17}  {there.sum():2} of {len(times)} fresh seeds arrive, '
              f'{(there & (contacts == 0)).sum():2} touch nothing{mean}')
    print(f'wrote {given.output}/: leader.json, untrained.json, training.png, run.png')
    return found


if __name__ == '__main__':
    main()
