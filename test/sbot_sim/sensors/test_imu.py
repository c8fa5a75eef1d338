"""IMU against the mechanics of known motions, and its noise against its parameters."""

import math

import numpy as np
import pytest
from views import view

import sbot
from sbot_sim.sensors.imu import (
    FORWARDS,
    LEFT,
    SENSOR,
    TURN_RATE,
    YAW,
    _accelerations,
    _ImuSettings,
    _variances,
)

DT = 0.05
ALL = _ImuSettings(imu=True, imu_noise_yaw=0.02, imu_noise_turn_rate=0.001,
                   imu_noise_acceleration=0.01, imu_bias_turn_rate=0.03, imu_bias_acceleration=0.2)


def driven(commands, wind=None, pose=(10, 10, 0.4), drive='wheels', **sensors):
    """Return the readings (T + 1, 4) of a robot that is given commands, one a tick."""
    class Given:
        def step(self, observation, rng):
            return commands[min(observation.tick, len(commands) - 1)]

    run = sbot.run({
        'rate': 20, 'duration': len(commands) * DT, 'world': {'bounds': [0, 0, 20, 20]},
        'bodies': {'robot': {'drive': drive}}, 'wind': wind or {},
        'sensors': {'imu': True, 'scan_beams': 1, **sensors},
        'robots': [{'pose': list(pose), 'controller': Given}]}, sense=['imu'])
    return run.imu[:, 0]


def test_at_rest_and_at_constant_speed_nothing_is_felt():
    readings = driven([(0.0, 0.0)] * 3 + [(1.0, 0.0)] * 5)
    np.testing.assert_allclose(readings[:4, 1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(readings[5:, 1:], 0.0, atol=1e-10)
    np.testing.assert_array_equal(readings[:, YAW], 0.4)


def test_a_change_of_speed_is_felt_for_a_tick_forwards():
    readings = driven([(0.5, 0.0)] * 3 + [(0.25, 0.0)] * 3)
    assert readings[1, FORWARDS] == pytest.approx(0.5 / DT)
    assert readings[4, FORWARDS] == pytest.approx(-0.25 / DT)
    np.testing.assert_allclose(readings[:, LEFT], 0.0, atol=1e-10)


@pytest.mark.parametrize(('v', 'omega'), [(1.0, 1.5), (0.5, -2.0), (-0.7, 0.9)])
def test_on_a_circle_the_centre_pulls(v, omega):
    readings = driven([(v, omega)] * 6)[2:]
    np.testing.assert_allclose(readings[:, TURN_RATE], omega, rtol=1e-12)
    np.testing.assert_allclose(readings[:, FORWARDS], 0.0, atol=1e-10)
    # The mean over a tick of what v * omega turns through.
    mean = math.sin(0.5 * omega * DT) / (0.5 * omega * DT)
    np.testing.assert_allclose(readings[:, LEFT], v * omega * mean * mean, rtol=1e-9)


def test_a_smooth_motion_is_differentiated():
    """Against the second derivative of a known path, in the frame half a tick ago."""
    t = np.arange(0.0, 2.0, 1e-3)
    x, y, yaw = np.sin(t), 0.5 * np.cos(2 * t), 0.3 * t * t
    velocity = np.column_stack([np.diff(x), np.diff(y)]) / 1e-3

    def twist(k):  # of the tick that ends at sample k, in the frame at sample k
        c, s = math.cos(yaw[k]), math.sin(yaw[k])
        vx, vy = velocity[k - 1]
        return np.array([[c * vx + s * vy, c * vy - s * vx, 0.0]])

    for k in (5, 700, 1900):
        got = _accelerations(twist(k), yaw[k:k + 1], twist(k + 1), yaw[k + 1:k + 2], 1e-3)[0]
        ax, ay = -math.sin(t[k]), -2 * math.cos(2 * t[k])
        c, s = math.cos(yaw[k]), math.sin(yaw[k])
        np.testing.assert_allclose(got, [c * ax + s * ay, c * ay - s * ax], atol=1e-5)


def read_many(settings, dt, n=20_000, yaw=0.0):
    views = [view(n, seed=5, tick=tick, dt=dt, yaw=yaw) for tick in range(2)]
    memory = SENSOR.kernel.start(settings, views[0])
    return memory[:, :4], [SENSOR.kernel.read(settings, each, memory) for each in views]


@pytest.mark.parametrize('dt', [0.01, 0.1])
def test_noise_has_the_spread_of_the_parameters_and_of_the_covariance(dt):
    bias, readings = read_many(ALL, dt)
    white = [0.02, 0.001 / math.sqrt(dt), 0.01 / math.sqrt(dt), 0.01 / math.sqrt(dt)]
    for reading in readings:
        np.testing.assert_allclose(np.std(reading - bias, axis=0), white, rtol=0.03)
        np.testing.assert_allclose(np.var(reading, axis=0), _variances(ALL, dt), rtol=0.05)
    np.testing.assert_allclose(np.std(bias, axis=0), [0.0, 0.03, 0.2, 0.2], rtol=0.03)
    both = np.corrcoef(np.hstack([bias[:, 1:], *(reading - bias for reading in readings)]).T)
    assert np.abs(both - np.eye(len(both))).max() < 0.04


def test_headings_stay_in_their_interval():
    _, (reading, _) = read_many(ALL, 0.1, yaw=-math.pi)
    assert reading[:, YAW].min() >= -math.pi
    assert reading[:, YAW].max() < math.pi
    assert np.any(reading[:, YAW] > 3.0)
