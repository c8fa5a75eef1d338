"""Forces as arrows."""

import math

import pytest

from potential_field_bot import node
from potential_field_bot.controller import Turn
from sbot_common.wire import cdr


def test_forces_are_arrows_along_the_forces():
    turn = Turn(0.0, 0.0, 0.0, 3.0, 4.0, -1.0, 0.0, math.inf, -math.inf, 0.5, 0.0, 0.5, 0.0)
    array = cdr.decode(node._write_forces(9, 2, 10.0, 20.0, turn),
                       'visualization_msgs/msg/MarkerArray')
    tips = {}
    for marker in array.markers:
        start, tip = marker.points
        assert (start.x, start.y) == (10.0, 20.0)
        assert marker.header.frame_id == 'map'
        tips[marker.ns.rpartition('/')[2]] = (tip.x - 10, tip.y - 20)
    assert math.atan2(*tips['total'][::-1]) == pytest.approx(math.atan2(4, 3))
    assert tips['attraction'][0] < 0
    assert tips['repulsion'] == pytest.approx((node._arrow_length(1.0), 0))
    assert math.hypot(*tips['random']) == pytest.approx(3.0)


def test_arrows_grow_with_the_force():
    lengths = [node._arrow_length(force) for force in (0, 0.1, 1, 10, 1e3, 1e9, math.inf)]
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert lengths[2] == pytest.approx(0.25, abs=0.01)
    assert lengths[-1] == 3
    assert node._arrow_length(math.nan) == 0
