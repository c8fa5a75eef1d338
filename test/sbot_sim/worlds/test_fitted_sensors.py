"""What sensors draw once, at the start of an episode, does not depend on the episode before."""

import numpy as np

import sbot

SCENE = {'world': {'bounds': [0, 0, 9, 9]}, 'duration': 2,
         'robots': [{'pose': [2, 2, 0], 'controller': 'none'}],
         'sensors': {'imu': True, 'imu_bias_turn_rate': 0.1}}


def test_a_bias_is_that_of_the_seed_however_long_the_episode_before_was():
    worlds = sbot.Worlds(sbot.load(SCENE), 2, seeds=[3, 4], sense=['imu'])
    first = np.array(worlds.observe().imu)
    for _ in range(5):
        worlds.step(np.full((2, 1, 2), 0.3))
    worlds.reset([3, 4])
    np.testing.assert_array_equal(worlds.observe().imu, first)
    for _ in range(3):
        worlds.step(np.full((2, 1, 2), 0.3))
    worlds.reset([3, 4], worlds=[1])
    np.testing.assert_array_equal(worlds.observe().imu[1], first[1])
