"""The two readings of section 10 (docs/errata.md P1 and P12), pinned."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from potential_field_bot import leader
from potential_field_bot.controller import add_readings
from potential_field_bot.parameters import Parameters
from sbot_common.params import updated

AS_WRITTEN = Parameters()
GEOMETRIC = updated(Parameters(), {'leader_filter': 'geometric'})


def pushed(parameters, bearing: float, heading: float = 0.0, distance: float = 3.0) -> bool:
    """Whether one reading of 3 m pushes a follower whose leader is 3 m to the east."""
    poses = np.array([[3.0, 0.0, 0.0], [0.0, 0.0, heading]])
    first = leader.laser_angle_min(heading, bearing - heading)
    force = add_readings(parameters, 1, poses, np.array([distance], np.float32), first, 0.0, 0.0,
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
    listed = leader.locate_leader(1.0, 0.0, 0.0, 0.0, 0.5, 0.0)
    disc = leader.locate_leader_disc(1.0, 0.0, 0.0, 0.0, 0.5, 0.0)
    assert listed.theta_max == math.atan2(0.5, 1.0)
    assert disc.half_angle == math.asin(0.5)
    assert leader.locate_leader_disc(0.1, 0.0, 0.0, 0.0, 0.5, 0.0).half_angle == math.pi


@given(st.floats(0.4, 20), st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi))
def test_the_disc_is_what_a_ray_hits(distance, bearing, ray):
    x, y = distance * math.cos(bearing), distance * math.sin(bearing)
    disc = leader.locate_leader_disc(x, y, 0.0, 0.0, 0.3, 0.0)
    aside = abs(x * math.sin(ray) - y * math.cos(ray))
    ahead = x * math.cos(ray) + y * math.sin(ray) > 0
    if abs(aside - 0.3) > 1e-6:
        hit = leader.check_for_leader_disc(disc, distance, ray + math.pi)
        assert hit == (ahead and aside < 0.3)
