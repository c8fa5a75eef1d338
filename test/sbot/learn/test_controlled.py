"""Robots in environments that controllers of the scenario drive: the same bits as in a run."""

import pickle
from typing import ClassVar

import numpy as np
import pytest

from sbot.learn.proof.comparison import _play_runs

pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

import sbot
from sbot import learn
from sbot.learn.evaluation import measured, play
from sbot.learn.proof.training import _Judge
from sbot_common.errors import InputError

SHARES = np.array([0.8, 0.25])


class Circle:
    """What the learner is in runs: always the same shares of 0.5 m/s and 1 rad/s."""

    def step(self, observation, rng):
        return 0.4, 0.25


class Wander:
    """A controller with a state of its own, which draws numbers."""

    def __init__(self, first=0):
        self.first = self.turns = first

    def reset(self):
        self.turns = self.first

    def step(self, observation, rng):
        self.turns += 1
        return 0.3 + 0.1 * rng.random(), 0.2 * self.turns % 1.0 - float(observation.infrared.max())


SCENARIO = {
    'rate': 20, 'duration': 3, 'world': {'bounds': [0, 0, 8, 8]},
    'sensors': {'scan_beams': 32, 'infrared': True},
    'robots': [{'count': 1, 'controller': Circle}, {'count': 1, 'controller': Wander},
               {'pose': [6, 6, 3], 'goal': [1, 1], 'controller': 'navigate'},
               {'pose': [1, 6, 0], 'controller': Wander(7)}]}


class Pass(learn.Task):
    inputs, outputs, max_speed, turn, seconds, hold = ('scan:4',), 'twist', 0.5, 1.0, 3.0, 3
    scripted = (1, 2, 3)

    def reward(self, before, now):
        return now.commands[..., 0]


class Cross(learn.Scene):
    """Robot 0 learns to reach a goal; a robot with navigate comes towards it."""

    inputs, outputs, max_speed, turn, seconds = ('goal',), 'twist', 0.5, 1.0, 4.0
    team, scripted = 2, (1,)
    arena: ClassVar = {'rate': 20, 'world': {'bounds': [0, 0, 6, 6]},
                       'robots': [{}, {'controller': 'navigate'}]}

    def start(self, rng):
        return np.array([[1, rng.uniform(2.5, 3.5), 0], [5, 3, np.pi]])

    def aims(self, rng, start):
        return start[::-1, :2]

    def reward(self, before, now):
        return now.commands[..., 0]


ENTRY = learn.Entry('cross', 'Cross', Cross, Cross, learn.Metric(
    'x', 'm', 'final x', 'our own', lambda track: track.pose[-1, :, 0, 0]))


def worlds(count=3):
    return learn.vector_env(SCENARIO, count, task=Pass(), autoreset='disabled')


def poses(envs, steps):
    for _ in range(steps):
        envs.step(np.tile(SHARES, (envs.num_envs, 1)))
        yield envs.episodes.now.seen.pose


def test_worlds_in_which_the_learner_does_the_same_are_runs_to_the_bit():
    envs = worlds()
    assert envs.single_observation_space.shape == (4,)
    for seeds in ([3, 4, 5], [9, 8, 3]):
        envs.reset(seed=seeds)
        runs = [sbot.run(SCENARIO, seed=seed) for seed in seeds]
        for step, found in enumerate(poses(envs, 20), 1):
            assert np.array_equal(found, [run.poses[3 * step] for run in runs])
        commands = envs.episodes.now.commands
        assert np.array_equal(commands, [run.commands[59] for run in runs])
        assert (commands[:, 1:, 0] > 0).all()


def test_copies_and_saved_worlds_go_on_with_the_same_controllers():
    envs = worlds()
    envs.reset(seed=1)
    for _ in poses(envs, 5):
        pass
    saved, copy = envs.save(), pickle.loads(pickle.dumps(envs))
    first = list(poses(envs, 10))
    assert np.array_equal(first, list(poses(copy, 10)))
    for _ in range(2):  # a state can be restored again
        envs.restore(saved)
        assert np.array_equal(first, list(poses(envs, 10)))
    task = Pass()
    task.scripted = (1, 2)
    with pytest.raises(InputError, match=r'controllers of the robots \(1, 2, 3\)'):
        learn.vector_env(SCENARIO, 3, task=task).restore(saved)


def test_only_robots_that_learn_are_agents():
    env = learn.parallel_env(SCENARIO, task=Pass())
    assert env.possible_agents == ['robot_0']


def test_scenes_are_those_of_runs_whoever_plays_them():
    seeds = [1, 2]
    policy, weights = sbot.network(inputs=('goal',), outputs='twist', max_speed=0.5,
                                   turn=1.0), np.array([0.3, 1.0, 0.2, -0.1, 0.0, 0.4, 0.5, 0.1])
    track = play(ENTRY, seeds, policy, weights)
    envs = learn.vector_env(None, 2, task=Cross(), autoreset='disabled')
    envs.reset(seed=seeds)
    for t in range(1, len(track.pose)):
        outputs = track.command[t - 1, :, 0] / [0.5, 1.0, 1.0]
        envs.step(outputs[:, [0, 2]])
        assert np.array_equal(envs.episodes.now.seen.pose, track.pose[t])
    value, _, clean = measured(ENTRY, track)
    assert clean.shape == (2,)
    judge = _Judge(ENTRY, 2, 2, 1, policy)
    assert np.array_equal(judge(np.tile(weights, (2, 1)), seeds), np.full(2, value.mean()))
    runs = _play_runs(ENTRY, seeds, 'navigate', {})
    assert (runs.pose[-1, :, 1, 0] < 3).all()


def test_a_robot_without_a_controller_is_named():
    task = Cross()
    task.arena = {**Cross.arena, 'robots': [{}, {}]}
    with pytest.raises(InputError, match='controller none drives no robots of worlds'):
        learn.env(task=task)
