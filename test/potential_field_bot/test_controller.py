"""Properties of a whole turn, for any input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from potential_field_bot import controller
from potential_field_bot.controller import Scans, State, Turn, _add_readings, take_turns
from potential_field_bot.forces import one_cell
from potential_field_bot.parameters import Parameters
from sbot_common.params import updated

AS_WRITTEN = Parameters()
GEOMETRIC = updated(Parameters(), {'leader_filter': 'geometric'})


def pushed(parameters, bearing: float, heading: float = 0.0, distance: float = 3.0) -> bool:
    """Whether one reading of 3 m pushes a follower whose leader is 3 m to the east."""
    poses = np.array([[3.0, 0.0, 0.0], [0.0, 0.0, heading]])
    first = controller._laser_angle_min(heading, bearing - heading)
    force = _add_readings(parameters, 1, poses, np.array([distance], np.float32), first, 0.0, 0.0,
                          0.0)
    return force[:2] != (0.0, 0.0)


def test_as_written_drops_readings_opposite_the_leader():
    assert pushed(AS_WRITTEN, 0.0)
    # Hit to sensor: the reading towards the west has the angle -pi + pi, the leader's bearing.
    assert not pushed(AS_WRITTEN, -math.pi)
    # ... but not under the same direction's other name, as nothing wraps.
    assert pushed(AS_WRITTEN, math.pi)


@pytest.mark.parametrize('turns', [-1, 0, 1])
@pytest.mark.parametrize('heading', [0.0, 2.0, -3.0])
def test_geometric_drops_readings_of_the_leader(heading, turns):
    half = math.asin(0.3 / 3)
    for bearing, expected in [(0.0, False), (0.99 * half, False), (-0.99 * half, False),
                              (1.01 * half, True), (-1.01 * half, True), (math.pi, True)]:
        assert pushed(GEOMETRIC, bearing + turns * 2 * math.pi, heading) is expected


@pytest.mark.parametrize('parameters', [AS_WRITTEN, GEOMETRIC])
def test_obstacles_before_the_leader_push(parameters):
    bearing = 0.0 if parameters == GEOMETRIC else -math.pi
    threshold = 3 - 0.3 - 0.03125
    assert pushed(parameters, bearing, distance=threshold - 0.01)
    assert not pushed(parameters, bearing, distance=threshold + 0.01)


def test_half_angles_differ():
    listed = controller._locate_leader(1.0, 0.0, 0.0, 0.0, 0.5, 0.0)
    disc = controller._locate_leader_disc(1.0, 0.0, 0.0, 0.0, 0.5, 0.0)
    assert listed.theta_max == math.atan2(0.5, 1.0)
    assert disc.half_angle == math.asin(0.5)
    assert controller._locate_leader_disc(0.1, 0.0, 0.0, 0.0, 0.5, 0.0).half_angle == math.pi


@given(st.floats(0.4, 20), st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi))
def test_the_disc_is_what_a_ray_hits(distance, bearing, ray):
    x, y = distance * math.cos(bearing), distance * math.sin(bearing)
    disc = controller._locate_leader_disc(x, y, 0.0, 0.0, 0.3, 0.0)
    aside = abs(x * math.sin(ray) - y * math.cos(ray))
    ahead = x * math.cos(ray) + y * math.sin(ray) > 0
    if abs(aside - 0.3) > 1e-6:
        hit = controller._check_for_leader_disc(disc, distance, ray + math.pi)
        assert hit == (ahead and aside < 0.3)


DOCUMENT = Parameters()
# Without the random force, and with the filter that does not depend on where angles wrap.
CALM = updated(Parameters(), {'conversion_constant_zeta': 0.0, 'leader_filter': 'geometric'})

anything = st.floats(allow_nan=True, allow_infinity=True)
any_range = st.floats(width=32, allow_nan=True, allow_infinity=True)
small = st.floats(-20, 20)


def turn_of(parameters, state, robot_id, poses, ranges=(), draw=0.5, angle_min=0.0, increment=0.0):
    """State and turn of a batch of one."""
    states, turns = np.array([state[:4]]), np.empty((1, len(Turn._fields)))
    scans = Scans(np.array([ranges], np.float32), poses[[robot_id], 2], angle_min, increment)
    take_turns(0, 1, parameters, np.array([robot_id]), states, np.array([draw]), poses, scans,
               one_cell(len(poses)), turns)
    return State(*states[0].tolist(), state.tick_counter + 1), Turn(*turns[0].tolist())


def initial_state(goal, pose):
    return State(*pose[:2].tolist(), *goal, 0)


def total(parameters, robot_id, poses, ranges, goal, average, angle_min=-1.5, increment=0.1):
    state = State(*average, *goal, 0)
    _, turn = turn_of(parameters, state, robot_id, poses, ranges, 0.58, angle_min, increment)
    return np.array([turn.total_x, turn.total_y]), turn


@settings(max_examples=300)
@given(st.data())
def test_commands_are_finite_and_within_limits(data):
    robots = data.draw(st.integers(1, 4))
    poses = data.draw(arrays(np.float64, (robots, 3), elements=anything))
    ranges = data.draw(arrays(np.float32, st.integers(0, 9), elements=any_range))
    state = State(*[data.draw(anything) for _ in range(4)], 3)
    parameters = data.draw(st.sampled_from([DOCUMENT, CALM]))
    robot_id = data.draw(st.integers(0, robots - 1))
    _, turn = turn_of(parameters, state, robot_id, poses, ranges,
                      data.draw(st.floats(0.0, 1.0, exclude_max=True)), data.draw(anything),
                      data.draw(anything))
    assert 0 <= turn.v <= parameters.forward_speed_mps
    assert abs(turn.omega) <= parameters.rotate_speed_radps
    if not turn.valid:
        assert (turn.v, turn.omega) == (0, 0)


@st.composite
def scenes(draw):
    robots = draw(st.integers(1, 6))
    poses = draw(arrays(np.float64, (robots, 3), elements=small))
    gaps = np.hypot(*(poses[:, None, :2] - poses[None, :, :2]).transpose(2, 0, 1))
    # Apart from each other: close to a boundary or a centre, rounding decides.
    poses[:, 0] += 0 if robots == 1 or gaps[np.triu_indices(robots, 1)].min() > 0.1 else (
        41.0 * np.arange(robots))
    ranges = draw(arrays(np.float32, 16, elements=st.floats(1.0, 7.0, width=32)))
    return poses, ranges, (draw(small), draw(small)), draw(st.integers(0, robots - 1))


@settings(max_examples=200)
@given(scenes(), st.floats(-7, 7), small, small)
def test_moving_the_scene_moves_the_force(scene, angle, dx, dy):
    poses, ranges, goal, robot_id = scene
    cos, sin = math.cos(angle), math.sin(angle)
    rotation = np.array([[cos, -sin], [sin, cos]])
    average = poses[robot_id, :2] + 1.0
    force, turn = total(CALM, robot_id, poses, ranges, goal, average)

    moved = np.column_stack([poses[:, :2] @ rotation.T + [dx, dy], poses[:, 2] + angle])
    moved_force, moved_turn = total(CALM, robot_id, moved, ranges, rotation @ goal + [dx, dy],
                                    rotation @ average + [dx, dy])
    if near_a_boundary(poses, robot_id, ranges):
        return
    scale = 1 + np.abs(force).max()
    np.testing.assert_allclose(moved_force, rotation @ force, atol=1e-8 * scale)
    if np.hypot(*force) > 1e-3 and abs(abs(turn.theta) - math.pi) > 1e-3:
        assert moved_turn.v == pytest.approx(turn.v, abs=1e-6)
        assert moved_turn.omega == pytest.approx(turn.omega, abs=1e-5)


def near_a_boundary(poses, robot_id, ranges) -> bool:
    """Whether rounding may decide which case of a formula holds."""
    away = np.hypot(*(poses[:, :2] - poses[robot_id, :2]).T)
    bounds = np.array([0.78125, 8.0, 0.6 + 0.75, 0.6 + 4.0])
    if (np.abs(away[:, None] - bounds) < 1e-6).any():
        return True
    leader = poses[0, :2] - poses[robot_id, :2]
    distance = np.hypot(*leader)
    if robot_id == 0 or distance <= 0.31:
        return robot_id != 0
    angles = poses[robot_id, 2] - 1.5 + 0.1 * np.arange(len(ranges)) - math.atan2(*leader[::-1])
    off = np.abs(np.arctan2(np.sin(angles), np.cos(angles))) - math.asin(0.3 / distance)
    return bool((np.abs(off) < 1e-6).any() or (np.abs(ranges - (distance - 0.33125)) < 1e-6).any())


@settings(max_examples=100)
@given(scenes(), st.randoms(use_true_random=False))
def test_the_order_of_the_other_robots_does_not_matter(scene, random):
    poses, ranges, goal, robot_id = scene
    others = [i for i in range(1, len(poses)) if i != robot_id]
    shuffled = others.copy()
    random.shuffle(shuffled)
    permuted = poses.copy()
    permuted[others] = poses[shuffled]
    average = poses[robot_id, :2] + 1.0
    force, turn = total(CALM, robot_id, poses, ranges, goal, average)
    permuted_force, permuted_turn = total(CALM, robot_id, permuted, ranges, goal, average)
    np.testing.assert_allclose(permuted_force, force, rtol=1e-9, atol=1e-9)
    assert permuted_turn.v == pytest.approx(turn.v, abs=1e-9)


def test_first_turn_has_an_infinite_random_force():
    """docs/errata.md P2: the average equals the position, 1/0 is infinite."""
    pose = np.array([[1.0, 2.0, 0.0]])
    state = initial_state((9.0, 9.0), pose[0])
    _, turn = turn_of(DOCUMENT, state, 0, pose, draw=0.58)
    assert (turn.random_x, turn.random_y) == (math.inf, math.inf)
    assert (turn.v, turn.theta) == (2.0, math.pi / 4)
    _, turn = turn_of(DOCUMENT, state, 0, pose, draw=0.98)
    assert (turn.v, turn.valid) == (0.0, True)  # backwards: turn on the spot
    _, turn = turn_of(DOCUMENT, state, 0, pose, draw=0.5)
    assert (turn.v, turn.omega, turn.valid) == (0.0, 0.0, False)  # inf * sin(0) is no number


def test_a_constant_of_zero_means_no_random_force():
    """docs/errata.md P15: not 0 times infinity, which would be no number for ever."""
    pose = np.array([[1.0, 2.0, 0.0]])
    state = initial_state((9.0, 2.0), pose[0])
    _, turn = turn_of(DOCUMENT._replace(conversion_constant_zeta=0.0), state, 0, pose, draw=0.58)
    assert (turn.random_x, turn.random_y, turn.valid) == (0.0, 0.0, True)
    assert turn.v == 2.0  # towards the goal, which is straight ahead
    assert (turn.total_x, turn.total_y) == (turn.attraction_x, turn.attraction_y)


def test_without_a_pose_the_average_stays():
    state = State(1.0, 2.0, 3.0, 4.0, 7)
    after, turn = turn_of(DOCUMENT, state, 0, np.array([[math.nan, 0.0, 0.0]]))
    assert after == state._replace(tick_counter=8)
    assert (turn.v, turn.omega, turn.valid) == (0.0, 0.0, False)
