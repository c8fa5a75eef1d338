"""One world stepped from Python: commands, observations, and the run that it equals."""

import numpy as np
from s_bots import S_BOTS

import sbot


def test_poses_are_those_of_a_run_of_the_scenario():
    class Circling:
        def step(self, observation, rng):
            return 0.07, 0.5

    data = {**S_BOTS, 'duration': 2.0,
            'robots': [{'count': 5, 'body': 's-bot', 'controller': Circling}]}
    run = sbot.run(data, seed=11)
    world = sbot.World(S_BOTS, seed=11)
    for tick in range(20):
        np.testing.assert_array_equal(world.observe().pose, run.poses[tick])
        world.step(np.tile([0.07, 0.5], (5, 1)))
    np.testing.assert_array_equal(world.observe().pose, run.poses[20])


def test_wheel_speeds_are_commands_too():
    one, other = sbot.World(S_BOTS), sbot.World(S_BOTS)
    wheels = np.tile([1.0, 2.0], (5, 1))  # rad/s; radius 0.02 m, distance 0.095 m
    moved = one.step(wheels, wheels=True)
    same = other.step(np.tile([0.03, 0.02 / 0.095], (5, 1)))
    np.testing.assert_allclose(moved.pose, same.pose, atol=1e-15)


def test_an_episode_has_no_axis_of_worlds():
    arena = {'rate': 10, 'world': {'bounds': [0, 0, 3, 3]},
             'robots': [{'pose': [1, 1, 0], 'controller': 'none'},
                        {'pose': [2, 2, 0], 'controller': 'none'}]}
    network = sbot.network('perceptron', ['twist'])
    episode = sbot.World(arena).run(network, np.zeros(network.weight_count), 3,
                                    keep=['pose', 'collided'])
    assert episode.pose.shape == (3, 2, 3)
    assert episode.collided.shape == (3, 2)
    assert episode.wind is None
    assert repr(episode) == '<Episode: 2 robots, 3 ticks of 0.1 s; pose, collided>'
    assert repr(episode._replace(pose=None)).startswith('<Episode: 2 robots, 3 ticks')
