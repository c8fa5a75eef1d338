import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_common.params import updated
from sbot_sim.dynamics.motion import drive_wheels, move
from sbot_sim.sensors.odometry import (
    OdometryParameters,
    draw_slip,
    draw_wheel_scale,
    measure,
)
from sbot_sim.world.bodies import S_BOT, body_arrays

DT = 0.1


SEED = 5


def drive(parameters, wheels, steps, dt=DT):
    n = len(wheels)
    bodies, pose = body_arrays([S_BOT] * n), np.zeros((n, 3))
    scale = draw_wheel_scale(np.full(n, parameters.odometry_noise_radius), SEED, 2)
    noise_slip = np.full(n, parameters.odometry_noise_slip)
    for tick in range(steps):
        slip = draw_slip(noise_slip, SEED, tick, 2)
        pose, _ = measure(bodies, pose, scale, drive_wheels(bodies, wheels), slip, noise_slip, dt)
    return pose


def test_without_noise_it_is_the_motion_to_the_bit():
    wheels = np.random.default_rng(0).uniform(-6, 6, (20, 2))
    bodies, pose = body_arrays([S_BOT] * 20), np.zeros((20, 3))
    for _ in range(50):
        pose = move(bodies, pose, drive_wheels(bodies, wheels), np.zeros((20, 2)), DT)
    np.testing.assert_array_equal(drive(OdometryParameters(), wheels, 50), pose)


def test_slip_grows_with_the_square_root_of_the_way_whatever_the_tick():
    parameters = OdometryParameters(odometry_noise_slip=0.01)
    wheels = np.full((2000, 2), 4.0)  # 0.08 m/s for 10 s: 0.8 m
    for dt in (0.1, 0.5):
        pose = drive(parameters, wheels, round(10 / dt), dt)
        # The yaw is the difference of two wheels over their distance.
        expected = 0.01 * np.sqrt(2 * 0.8) / S_BOT.wheel_distance
        assert np.std(pose[:, 2]) == pytest.approx(expected, rel=0.1)


def test_radius_error_is_constant():
    parameters = OdometryParameters(odometry_noise_radius=0.02)
    scale = draw_wheel_scale(np.full(4000, 0.02), SEED, 2)
    assert np.std(scale - 1.0) == pytest.approx(0.02, rel=0.05)
    once = drive(parameters, np.full((3, 2), 1.0), 1)
    twice = drive(parameters, np.full((3, 2), 1.0), 2)
    np.testing.assert_allclose(twice[:, 2], 2 * once[:, 2], rtol=1e-12)


def test_same_seed_same_bits():
    parameters = OdometryParameters(odometry_noise_slip=0.1, odometry_noise_radius=0.1)
    wheels = np.full((3, 2), 2.0)
    first, second = drive(parameters, wheels, 10), drive(parameters, wheels, 10)
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(first[:, 0])) == 3


def test_bad_noise_is_refused():
    with pytest.raises(InputError, match='odometry_noise_slip'):
        updated(OdometryParameters(), {'odometry_noise_slip': -1.0})
