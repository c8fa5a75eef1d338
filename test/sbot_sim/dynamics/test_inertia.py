import math

import numpy as np
import pytest

import sbot
from sbot.scenario.assemble import _make_inertia
from sbot_sim.dynamics.inertia import (
    Momentum,
    _approach,
    effective_wind,
    follow,
    impulse_velocity,
    sum_impulses,
)
from sbot_sim.engine.many import _inertia_of_worlds
from sbot_sim.world.bodies import ROBOT, BodyArrays


def test_the_documents_numbers():
    # Document 000 section 4.1: m = 0.08 kg, v = 10 cm/s at 60 degrees, w = 20 cm/s, r = 0.4.
    wind = effective_wind(np.array([[0.20, 0.0]]), np.array([0.4]))
    assert np.allclose(wind, [[0.12, 0.0]], rtol=1e-15)
    impulse = sum_impulses(np.array([0.08]), wind, np.zeros((1, 2)), np.array([0.10]),
                           np.array([math.radians(60)]), 0.1)
    assert np.round(impulse, 5).tolist() == [[0.0136, 0.00693]]


def test_a_reduction_beyond_one_leaves_no_wind_rather_than_the_opposite():
    wind = effective_wind(np.array([[1.0, -2.0]] * 3), np.array([0.0, 1.0, 1.5]))
    assert wind.tolist() == [[1, -2], [0, 0], [0, 0]]


def test_arguments_are_left_alone_and_forces_act_on_everybody():
    rng = np.random.default_rng(0)
    mass, yaw, drive = rng.uniform(0.1, 2, 5), rng.uniform(-3, 3, 5), rng.uniform(0, 1, 5)
    wind, force, dt = rng.normal(size=(5, 2)), np.array([[0.3, -0.7]] * 5), 0.04
    kept = [a.copy() for a in (mass, wind, force, drive, yaw)]
    impulse = sum_impulses(mass, wind, force, drive, yaw, dt)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (mass, wind, force, drive, yaw),
                                                     strict=True))
    heading = np.column_stack([np.cos(yaw), np.sin(yaw)])
    expected = mass[:, None] * (wind + drive[:, None] * heading) + force * dt
    assert np.allclose(impulse, expected, rtol=1e-13, atol=1e-15)
    assert np.allclose(impulse_velocity(impulse, mass), expected / mass[:, None], rtol=1e-13)


LIMITS = {'max_speed': 1.2, 'max_angular_speed': 2.0, 'max_acceleration': 0.5,
          'max_deceleration': 0.8, 'max_angular_acceleration': 1.5, 'command_delay': 0.2}


def scenario(drive='wheels', *, controller='none', rate=10, **limits):
    return sbot.load({
        'name': 'inertia', 'duration': 6.0, 'rate': rate, 'seed': 3,
        'world': {'bounds': [0, 0, 20, 20], 'circles': [{'center': [9, 8], 'radius': 0.5}]},
        'bodies': {'heavy': {'drive': drive, **limits}},
        'sensors': {'odometry_noise_slip': 0.01, 'scan_beams': 30},
        'wind': {'wind_speed_mean': 0.05},
        'robots': [{'pose': [3, 5, 0.3], 'body': 'heavy', 'controller': controller,
                    'goal': [15, 8]},
                   {'pose': [6, 12, -2.0], 'controller': controller, 'goal': [12, 4]}]})


def trapezoid(t, top, acceleration, deceleration, stop):
    """The speed of a robot that is told ``top`` at 0, and 0 at ``stop``."""
    reached = min(top, acceleration * stop)
    return np.where(t <= stop, np.minimum(acceleration * t, top),
                    np.maximum(reached - deceleration * (t - stop), 0.0))


@pytest.mark.parametrize('rate', [10, 100])
def test_speed_is_the_trapezoidal_profile_at_every_tick(rate):
    # 1.1 m/s is not a whole number of ticks away at 0.5 m/s^2.
    speed = np.zeros(rate * 5 + 1)
    for k in range(1, len(speed)):
        speed[k], _ = _approach(speed[k - 1], 0.0, 1.1 if k <= 3 * rate else 0.0, 0.0, 0.5, 0.8,
                               1 / rate)
    t = np.arange(len(speed)) / rate
    np.testing.assert_allclose(speed, trapezoid(t, 1.1, 0.5, 0.8, 3.0), atol=1e-12)


def test_reversing_slows_down_by_one_limit_and_speeds_up_by_the_other():
    # 0.1 m/s forwards is gone after 0.125 s; the other 0.075 s make 0.0375 m/s backwards.
    assert _approach(0.1, 0.0, -1.0, 0.0, 0.5, 0.8, 0.2) == pytest.approx((-0.0375, 0.0))


def test_with_equal_limits_it_is_limit_acceleration_of_navground():
    rng = np.random.default_rng(0)
    for now, wanted in rng.uniform(-2, 2, (50, 2)):
        expected = now + np.clip((wanted - now) / 0.1, -0.7, 0.7) * 0.1
        assert _approach(now, 0.0, wanted, 0.0, 0.7, 0.7, 0.1)[0] == pytest.approx(expected)


def test_speeds_to_the_side_are_limited_as_a_vector_whatever_its_direction():
    rng = np.random.default_rng(1)
    for row in rng.uniform(-2, 2, (20, 4)):
        x, y = _approach(*row, 0.5, 0.8, 0.1)
        turned = _approach(-row[1], row[0], -row[3], row[2], 0.5, 0.8, 0.1)
        assert turned == pytest.approx((-y, x), abs=1e-15)
        assert math.hypot(x - row[0], y - row[1]) <= 0.08 + 1e-12


def test_no_limit_of_acceleration_beside_one_of_deceleration():
    assert _approach(0.05, 0.0, -1.0, 0.0, math.inf, 0.5, 0.1) == (-1.0, 0.0)
    assert _approach(0.05, 0.0, -1.0, 0.0, math.inf, 0.1, 0.1)[0] == pytest.approx(0.04)


def test_bodies_without_limits_have_no_state():
    assert _make_inertia([ROBOT, ROBOT], 0.1) is None
    assert len(_inertia_of_worlds([None, None], 2).limited) == 0
    both = _inertia_of_worlds([None, _make_inertia([ROBOT, ROBOT._replace(command_delay=0.26)],
                                                   0.1)], 2)
    assert both.limited.tolist() == [False, False, False, True]
    assert both.delay.tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize('drive', ['wheels', 'omnidirectional', 'ackermann', 'impulse'])
def test_a_robot_gains_speed_by_its_limits_with_every_drive(drive):
    world = sbot.World(scenario(drive, **LIMITS), sense=['twist'])
    world.worlds.wind_velocity[:] = 0.0
    world.reset()
    twist = np.array([world.step([[1.0, 0.2], [0.0, 0.0]]).twist[0] for _ in range(15)])
    late = 3 if drive == 'impulse' else 2  # the impulse of a tick moves in the next
    expected = np.minimum(0.05 * np.maximum(np.arange(15) + 1 - late, 0), 1.0)
    np.testing.assert_allclose(np.hypot(twist[:, 0], twist[:, 1]), expected, atol=2e-3)
    np.testing.assert_allclose(twist[-1, 2], 0.2 * (0.65 if drive == 'ackermann' else 1.0),
                               rtol=1e-6)


def test_a_command_arrives_after_its_delay_and_at_once_without_limits():
    world = sbot.World(scenario(command_delay=0.3), sense=['twist'])
    world.worlds.wind_velocity[:] = 0.0
    world.reset()
    forwards = [world.step([[0.1 * k, 0.0], [0.0, 0.0]]).twist[0, 0] for k in range(1, 8)]
    np.testing.assert_allclose(forwards, [0, 0, 0, 0.1, 0.2, 0.3, 0.4], atol=1e-12)


def test_a_reset_world_has_forgotten_what_it_was_told():
    world = sbot.World(scenario(**LIMITS))
    first = [world.step([[1.0, 0.5], [0.0, 0.0]]).pose.copy() for _ in range(6)]
    world.reset()
    again = [world.step([[1.0, 0.5], [0.0, 0.0]]).pose.copy() for _ in range(6)]
    assert np.array_equal(first, again)


def test_a_delay_below_half_a_tick_is_warned_of(caplog):
    scenario(command_delay=0.04)
    assert 'bodies.heavy.command_delay: has no effect below half a tick, 0.05 s' in caplog.text


def test_a_steered_robot_told_to_crawl_drives_on_afterwards():
    limited = scenario('ackermann', max_acceleration=0.5)
    crawled, good = (sbot.Worlds(limited, 1) for _ in range(2))
    for k in range(20):
        for worlds in (crawled, good):
            vx = 1e-310 if k == 5 and worlds is crawled else 0.3
            worlds.step(np.array([[(vx, 0.0, 0.0), (0.0, 0.0, 0.0)]]))
    pose = crawled.observe().pose
    assert np.isfinite(pose).all()
    assert np.hypot(*(pose - good.observe().pose)[0, 0, :2]) < 0.1


def test_a_command_that_is_no_number_ends_with_its_tick():
    body, dt = ROBOT._replace(max_acceleration=0.5), 0.1
    inertia, bodies = _make_inertia([body], dt), BodyArrays.of([body])
    momentum, out = Momentum.at_rest(1, inertia), np.empty((1, 3))
    for k, vx in enumerate([math.nan, 0.3, 0.3]):
        follow(bodies, inertia, momentum, np.array([[vx, 0.0, 0.0]]), k, dt, out)
    assert out[0].tolist() == pytest.approx([0.1, 0.0, 0.0])
