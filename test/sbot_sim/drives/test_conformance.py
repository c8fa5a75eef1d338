"""What holds for every drive: its limits, its wheels' equations, its odometry, in any company."""

import math

import numpy as np
import pytest

from sbot_common.compiled.jit import njit
from sbot_common.errors import InputError
from sbot_common.observation import OMEGA, VX, VY
from sbot_common.params import specs_of
from sbot_sim.drives.registry import COUNTED, DRIVES, WHEELS, own_specs, wheel_equation
from sbot_sim.dynamics.motion import drive, driven_twists, move
from sbot_sim.sensors.odometry import (
    OdometryCovariances,
    OdometryParameters,
    draw_slip,
    draw_wheel_scale,
    measure,
    most_wheels,
)
from sbot_sim.world.bodies import (
    ROBOT,
    Body,
    body_arrays,
    body_in_words,
    select_bodies,
    updated_body,
)

DT, MANY = 0.1, 6000
CALM = np.zeros((1, 2))
NOISE = OdometryParameters(0.002, 0.001)
RIM = ROBOT.max_wheel_speed * ROBOT.wheel_radius  # m/s
each = pytest.mark.parametrize('kind', DRIVES, ids=[kind.name for kind in DRIVES])


@njit
def equation(bodies, i, k):
    return wheel_equation(bodies, i, k)


def body_of(kind, **keys):
    return updated_body(ROBOT, {'drive': kind.name, **keys})


def bodies_of(kind, count=1):
    return body_arrays([body_of(kind)] * count)


def equations(kind):
    """The speeds of the wheels by the twist (W, 3), and its pseudo-inverse (3, W)."""
    bodies = bodies_of(kind)
    rows = np.array([equation(bodies, 0, k) for k in range(kind.wheels)])
    inverse = rows[:, 3:6].copy()
    inverse[:, 2] /= rows[:, 6]
    return rows[:, :3], inverse.T


def commands(count, seed=3):
    """Twists of all sizes, from a crawl to more than any wheel can."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (count, 3)) * 10.0 ** rng.uniform(-3, 1, (count, 1))


def driven(kind, twists):
    return driven_twists(bodies_of(kind, len(twists)), twists)


def moved(bodies, pose, twists, velocity):
    return move(bodies, pose, drive(bodies, twists), velocity, DT)


@each
def test_its_keys_are_no_other_bodys_and_say_the_same_in_all_drives(kind):
    names = [spec.name for spec in own_specs()]
    for spec in specs_of(type(kind.keys)):
        assert names.count(spec.name) == 1
        assert spec.name not in Body._fields
        assert body_in_words(body_of(kind))[spec.name] == spec.default
        with pytest.raises(InputError, match=spec.name):
            body_of(kind, **{spec.name: math.nan})
    words = body_in_words(body_of(kind))
    assert updated_body(ROBOT, {key: words[key] for key in words}) == body_of(kind)


@each
def test_its_wheels_tell_the_twist(kind):
    """Who knows the speeds of all wheels knows the twist: the two matrices are inverse."""
    by_twist, by_wheels = equations(kind)
    moves = [VX, VY, OMEGA] if kind.sideways else [VX, OMEGA]
    np.testing.assert_allclose((by_wheels @ by_twist)[np.ix_(moves, moves)], np.eye(len(moves)),
                               atol=1e-12)
    assert kind.sideways or not by_wheels[VY].any()
    # The pseudo-inverse is that with the least errors of the twist.
    np.testing.assert_allclose(by_wheels, np.linalg.pinv(by_twist), atol=1e-12)


@each
def test_no_wheel_is_faster_than_it_can_and_nobody_is_taken_aback(kind):
    twists, by_twist = commands(2000), equations(kind)[0]
    got = driven(kind, twists)
    assert np.isfinite(got).all()
    assert np.abs(got @ by_twist.T).max() <= RIM * (1.0 + 1e-9)
    assert kind.sideways or not got[:, VY].any()
    for column in (VX, VY, OMEGA):
        slow = np.abs(twists @ by_twist.T).max(axis=1) <= RIM
        assert (got[slow, column] * twists[slow, column] >= 0.0).all()


@each
def test_a_slow_straight_line_is_driven_as_commanded(kind):
    for vx in (-0.5, 1e-3, 1.0):
        np.testing.assert_allclose(driven(kind, np.array([[vx, 0.0, 0.0]]))[0], [vx, 0.0, 0.0],
                                   rtol=1e-12)


@each
def test_a_scene_that_is_turned_and_moved_moves_alike(kind):
    count = 200
    twists, velocity = commands(count), np.random.default_rng(5).uniform(-1, 1, (count, 2))
    pose = np.random.default_rng(4).uniform(-3, 3, (count, 3))
    angle, way = 0.7, np.array([30.0, -20.0])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    other = np.column_stack([pose[:, :2] @ turn.T + way, pose[:, 2] + angle])
    bodies = bodies_of(kind, count)
    one = moved(bodies, pose, twists, velocity)
    two = moved(bodies, other, twists, velocity @ turn.T)
    np.testing.assert_allclose(two[:, :2], one[:, :2] @ turn.T + way, atol=1e-12)
    np.testing.assert_allclose(np.cos(two[:, 2] - one[:, 2] - angle), 1.0, atol=1e-12)
    assert (two[:, 2] >= -math.pi).all()
    assert (two[:, 2] < math.pi).all()


def measured(bodies, twists, ticks, parameters):
    """Yield the odometry's poses (N, 3) and twists (N, 3) at each tick."""
    n, wheels = len(twists), most_wheels(bodies)
    scale = draw_wheel_scale(np.full(n, parameters.odometry_noise_radius), 3, wheels)
    noise, pose = np.full(n, parameters.odometry_noise_slip), np.zeros((n, 3))
    for tick in range(ticks):
        pose, twist = measure(bodies, pose, scale, drive(bodies, twists),
                              draw_slip(noise, 3, tick, wheels), noise, DT)
        yield pose, twist


@each
def test_without_noise_odometry_is_the_way_driven_to_the_bit(kind):
    bodies, pose, twists = bodies_of(kind), np.zeros((1, 3)), np.array([[0.7, -0.6, 0.4]])
    for odometry, twist in measured(bodies, twists, 20, OdometryParameters()):
        if not kind.carried:
            pose = moved(bodies, pose, twists, CALM)
            np.testing.assert_array_equal(odometry, pose)
        np.testing.assert_array_equal(twist, driven(kind, twists))


@each
@pytest.mark.parametrize('parameters', [NOISE._replace(odometry_noise_slip=0.0),
                                        NOISE._replace(odometry_noise_radius=0.0), NOISE])
def test_the_covariance_of_its_odometry_is_the_spread_of_many_runs(kind, parameters):
    bodies, twists = bodies_of(kind, MANY), np.tile((0.06, 0.05, 0.1), (MANY, 1))
    covariances = OdometryCovariances(parameters, bodies, DT)
    for tick, (pose, twist) in enumerate(measured(bodies, twists, 60, parameters), 1):
        of_pose, of_twist = covariances.at(tick, pose, twist)
    for got, samples, names in ((of_pose, pose, [0, 1, 2]),
                                (of_twist, twist, [VX, VY, OMEGA] if kind.sideways
                                 else [VX, OMEGA])):
        spread = np.cov(samples[:, names].T)
        scale = np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
        np.testing.assert_allclose(got.mean(axis=0)[np.ix_(names, names)] / scale, spread / scale,
                                   atol=0.06)


@each
def test_in_any_company_it_does_the_same_to_the_bit(kind):
    """Neither ways nor draws nor covariances depend on what others drive."""
    everybody = [body_of(other) for other in DRIVES for _ in range(3)]
    bodies, twists = body_arrays(everybody), np.repeat(commands(3), len(DRIVES), axis=0)
    rows = np.flatnonzero(bodies.drive == DRIVES.index(kind))
    own, alone = select_bodies(bodies, rows), twists[rows]
    pose, velocity = commands(len(twists), 7), commands(len(twists), 8)[:, :2]
    np.testing.assert_array_equal(moved(bodies, pose, twists, velocity)[rows],
                                  moved(own, pose[rows], alone, velocity[rows]))
    quiet = OdometryParameters()
    (odometry, twist), = measured(bodies, twists, 1, quiet)
    (of_own, twist_of_own), = measured(own, alone, 1, quiet)
    np.testing.assert_array_equal(odometry[rows], of_own)
    np.testing.assert_array_equal(twist[rows], twist_of_own)
    many, few = OdometryCovariances(NOISE, bodies, DT), OdometryCovariances(NOISE, own, DT)
    for tick in range(3):
        for got, expected in zip(many.at(tick, odometry, twist),
                                 few.at(tick, of_own, twist_of_own), strict=True):
            np.testing.assert_array_equal(got[rows], expected)


@each
def test_its_noise_does_not_depend_on_others(kind):
    bodies = body_arrays([body_of(kind), *(body_of(other) for other in DRIVES)])
    twists = np.tile((0.5, 0.4, 0.3), (len(bodies.drive), 1))
    alone, company = select_bodies(bodies, np.array([0])), measured(bodies, twists, 5, NOISE)
    for (pose, twist), (own, own_twist) in zip(company, measured(alone, twists[:1], 5, NOISE),
                                               strict=True):
        np.testing.assert_array_equal(pose[:1], own)
        np.testing.assert_array_equal(twist[:1], own_twist)


def test_numbers_of_wheels():
    assert len(WHEELS) == len(COUNTED) == len(DRIVES)
    assert all(count in (0, wheels) for count, wheels in zip(COUNTED, WHEELS, strict=True))
    assert DRIVES[0].name == 'wheels'
