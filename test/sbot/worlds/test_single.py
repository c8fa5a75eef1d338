"""One world stepped from Python: commands, observations, and the run that it equals."""

import numpy as np

import sbot

ARENA = {'bounds': [0, 0, 3, 3], 'circles': [{'center': [2, 2], 'radius': 0.3}],
         'rectangles': [{'center': [1, 2], 'size': [0.4, 0.2], 'yaw': 0.3}],
         'segments': [[0.5, 0.5, 1.5, 0.7]],
         'polygons': [{'corners': [[2.2, 0.4], [2.8, 0.4], [2.8, 1.2], [2.5, 0.7]]}]}
S_BOTS = {'name': 's_bots', 'rate': 10, 'world': ARENA,
          'robots': [{'count': 5, 'body': 's-bot', 'controller': 'none'}],
          'sensors': {'infrared': True, 'scan_beams': 19, 'scan_range_max': 2.0,
                      'scan_noise_std': 0.01, 'odometry_noise_slip': 0.02,
                      'odometry_noise_radius': 0.01, 'laser_x': 0.02, 'laser_yaw': 0.3},
          'wind': {'wind_speed_mean': 0.05, 'wind_gust_force_mean': 0.2,
                   'wind_gust_speed_mean': 0.03, 'wind_gust_start': 0.5,
                   'wind_gust_duration': 0.6}}


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


def test_two_numbers_are_vx_and_omega():
    one, other = sbot.World(S_BOTS), sbot.World(S_BOTS)
    one.step(np.tile([0.03, 0.0, 0.2], (5, 1)))
    other.step(np.tile([0.03, 0.2], (5, 1)))
    np.testing.assert_array_equal(one.observe().pose, other.observe().pose)
