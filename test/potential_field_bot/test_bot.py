import itertools
import math

import numpy as np
import pytest
from scipy import stats

from potential_field_bot.bot import Followers, PotentialField
from potential_field_bot.controller import _angle_of_draw
from potential_field_bot.parameters import Parameters
from sbot_common.errors import InputError
from sbot_common.observation import Observation, Scan
from sbot_common.params import updated
from sbot_common.random import CONTROLLER, TickGenerator, generator

SCAN = Scan(np.full(8, 5.0, np.float32), -1.0, 0.25, 0.0, 10.0)


def see(tick=0, robot_id=0, pose=(0.0, 0.0, 0.0), goal=None, scan=SCAN, dt=1 / 30):
    poses = np.array([pose, (2.0, 2.0, 0.0)])
    if robot_id == 1:
        poses = poses[::-1]
    return Observation(robot_id, 2, tick, tick + 1, dt, poses, scan, goal, None, None, (0.0, 0.0),
                       (0.0, 0.0, 0.0))


class Counting:
    """A generator that counts."""

    def __init__(self):
        self.drawn = 0

    def random(self):
        self.drawn += 1
        return 0.3


def test_the_same_seed_gives_the_same_commands_after_a_reset():
    bot = PotentialField(goal=(5.0, 5.0), rate_hz=30.0)

    def run():
        rng = generator(1, 0, CONTROLLER)
        return [bot.step(see(k, pose=(0.1 * k, 0.0, 0.0)), rng) for k in range(20)]

    first = run()
    assert run() != first
    bot.reset()
    assert run() == first
    assert bot.goal == (5.0, 5.0)


def test_random_walk_draws_goals_for_the_leader_only():
    constants = {'on_random_walk': True, 'goal_regeneration_frequency_hz': 10.0, 'rate_hz': 30.0}
    leader, rng = PotentialField(**constants), Counting()
    seen = []
    for k in range(7):
        leader.step(see(k, pose=(k, 0.0, 0.0)), rng)
        seen.append(leader.goal)
    assert rng.drawn == 2 + 7 + 2 * 2
    assert [a != b for a, b in itertools.pairwise(seen)] == [
        False, True, False, False, True, False]
    assert all(0.5 <= math.dist(goal, (k, 0.0)) <= 1.5 for k, goal in
               [(0, seen[0]), (2, seen[2]), (5, seen[5])])
    assert leader.state[:2] != (6.0, 0.0)  # the average restarted at x = 5
    follower, rng = PotentialField(**constants), Counting()
    for k in range(7):
        follower.step(see(k, robot_id=1), rng)
    assert rng.drawn == 7


def test_a_new_goal_restarts_the_average_and_keeps_the_count():
    bot, rng = PotentialField(goal=(5.0, 5.0)), Counting()
    for k in range(5):
        bot.step(see(k, pose=(k, 0.0, 0.0)), rng)
    assert bot.state.ema_x < 1.0
    bot.set_goal(-3.0, 1.0)
    assert bot.goal == (5.0, 5.0)  # until the next turn
    bot.step(see(5, pose=(5.0, 0.0, 0.0)), rng)
    assert bot.goal == (-3.0, 1.0)
    assert bot.state[:2] == (5.0, 0.0)
    assert (bot.state.tick_counter, bot.goals) == (6, 2)


def test_the_goal_of_an_observation_goes_first():
    bot, rng = PotentialField(goal=(5.0, 5.0)), Counting()
    bot.step(see(0, goal=(1.0, 2.0)), rng)
    bot.step(see(1, goal=(1.0, 2.0)), rng)
    assert (bot.goal, bot.goals) == ((1.0, 2.0), 1)
    bot.step(see(2, goal=(4.0, 2.0)), rng)
    assert (bot.goal, bot.goals) == ((4.0, 2.0), 2)


def test_a_goal_is_reached_once():
    bot, rng = PotentialField(goal=(1.0, 0.0)), Counting()
    reached = []
    for k in range(4):
        bot.step(see(k), rng)
        reached.append(bot.just_reached)
    bot.set_goal(0.0, 1.0)
    bot.step(see(4), rng)
    assert reached == [(1.0, 0.0), None, None, None]
    assert bot.just_reached == (0.0, 1.0)
    follower = PotentialField(goal=(0.0, 0.0))
    follower.step(see(0, robot_id=1), rng)
    assert follower.just_reached is None


def test_parameters_change_at_the_next_turn():
    bot, rng = PotentialField(goal=(50.0, 0.0)), Counting()
    for k in range(3):
        bot.step(see(k, pose=(0.1 * k, 0.0, 0.0), scan=None), rng)
    assert bot.turn.v == 2.0
    bot.set_parameters(forward_speed_mps=0.5)
    assert bot.step(see(3, pose=(0.3, 0.0, 0.0), scan=None), rng)[0] == 0.5
    with pytest.raises(InputError, match='forward_speed_mps'):
        bot.set_parameters(forward_speed_mps=-1.0, rotate_speed_radps=0.1)
    assert bot.parameters.forward_speed_mps == 0.5
    assert bot.parameters.rotate_speed_radps == math.pi


def test_an_unknown_place_is_waited_out():
    bot, rng = PotentialField(goal=(5.0, 5.0)), Counting()
    lost = see(0, pose=(math.nan, 0.0, 0.0))
    assert bot.step(lost, rng) == (0.0, 0.0)
    assert bot.state is None
    bot.step(see(1), rng)
    bot.set_goal(1.0, 1.0)
    assert bot.step(lost, rng) == (0.0, 0.0)
    assert (bot.goal, bot.invalid_turns) == ((5.0, 5.0), 1)
    bot.step(see(2), rng)
    assert (bot.goal, bot.turn.valid) == ((1.0, 1.0), True)


@pytest.mark.parametrize('goal', [(math.nan, 0.0), (0.0, math.inf), ('a', 0.0)])
def test_goals_are_finite(goal):
    with pytest.raises(InputError, match='goal'):
        PotentialField(goal=goal)
    with pytest.raises(InputError, match='goal'):
        PotentialField().set_goal(*goal)


def test_goals_of_a_random_walk_and_random_angles_have_their_distributions():
    """Document 001 sections 11 and 16: 0.5 to 1.5 m away, in any direction; ticks differ."""
    bot = PotentialField(goal=(0.0, 0.0), rate_hz=30.0, on_random_walk=True,
                         goal_regeneration_frequency_hz=30.0)
    numbers = TickGenerator(4, 0, CONTROLLER)
    goals, angles = [], []
    for tick in range(3000):
        bot.step(see(tick), numbers.at(tick))
        goals.append(bot.goal)
        angles.append(_angle_of_draw(numbers.generator.random()))
    x, y = np.array(goals).T
    distance, direction = np.hypot(x, y) - 0.5, np.arctan2(y, x) / (2 * np.pi) + 0.5
    drawn = [distance, direction, np.array(angles) / (2 * np.pi) + 0.5]
    for numbers_drawn in drawn:
        assert stats.kstest(numbers_drawn, 'uniform').pvalue > 1e-3
        assert abs(np.corrcoef(numbers_drawn[1:], numbers_drawn[:-1])[0, 1]) < 4 / np.sqrt(3000)
    assert np.abs(np.corrcoef(drawn) - np.eye(3)).max() < 4 / np.sqrt(3000)


@pytest.mark.parametrize('threads', [1, 3])
@pytest.mark.parametrize('leader_filter', ['as_written', 'geometric'])
def test_followers_equal_single_robots(threads, leader_filter):
    robots, beams, turns = 24, 20, 12
    ids = [i for i in range(1, robots) if i != 5]  # robot 5 has another controller
    constants = {'leader_filter': leader_filter, 'loop_rate': 30.0}
    swarm = Followers(ids, updated(Parameters(), constants), threads)
    bots = {i: PotentialField(goal=(0.0, 0.0), **constants) for i in ids}
    swarm_generators = [generator(3, i, CONTROLLER) for i in ids]
    generators = {i: generator(3, i, CONTROLLER) for i in ids}
    rng = np.random.default_rng(1)
    poses = rng.uniform(-12, 12, (robots, 3))
    for tick in range(turns):
        poses += rng.normal(0, 0.03, poses.shape)
        ranges = rng.uniform(0.5, 12, (robots, beams)).astype(np.float32)
        draws = np.array([g.random() for g in swarm_generators])
        commands = swarm.step(poses, ranges, -1.5, 0.15, draws)
        for row, i in enumerate(ids):
            observation = Observation(
                i, robots, tick, 0, 1 / 30, poses, Scan(ranges[i], -1.5, 0.15, 0.0, 10.0), None,
                None, None, (0.0, 0.0), (0.0, 0.0, 0.0))
            assert bots[i].step(observation, generators[i]) == tuple(commands[row])
