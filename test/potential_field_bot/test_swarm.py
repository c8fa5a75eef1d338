"""Many robots in one call are equal, to the bit, to one at a time."""


import numpy as np
import pytest

from potential_field_bot.bot import PotentialField
from potential_field_bot.parameters import Parameters
from potential_field_bot.swarm import Followers
from sbot_common.observation import Observation, Scan
from sbot_common.params import updated
from sbot_common.random.generators import generator
from sbot_common.random.purposes import CONTROLLER


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


def test_reset_begins_again():
    swarm = Followers([1, 2], Parameters())
    poses = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0]])
    scans = np.zeros((3, 0), np.float32)

    def run() -> list:
        draws = np.random.default_rng(0).random((3, 2))
        return [swarm.step(poses + k, scans, 0.0, 0.0, draws[k]).tolist() for k in range(3)]

    first = run()
    swarm.reset()
    assert run() == first


def test_the_leader_is_no_follower():
    with pytest.raises(ValueError, match='leader'):
        Followers([0, 1], Parameters())
