"""Goal test and random goals of document 001."""

import math

import pytest

from potential_field_bot.goals import angle_of_draw, generate_goal, is_on_goal


def test_a_goal_is_reached_strictly_within_sigma():
    assert is_on_goal.py_func(3.0, 4.0, 0.0, 0.0, 5.1)
    assert not is_on_goal.py_func(3.0, 4.0, 0.0, 0.0, 5.0)


@pytest.mark.parametrize(('distance', 'angle'), [(0.0, 0.0), (0.5, 0.25), (0.999, 0.999)])
def test_a_new_goal_is_half_a_metre_to_one_and_a_half_away(distance, angle):
    x, y = generate_goal(1.0, 2.0, distance, angle)
    assert math.hypot(x - 1.0, y - 2.0) == pytest.approx(0.5 + distance)
    direction = math.atan2(y - 2.0, x - 1.0) - angle_of_draw.py_func(angle)
    assert math.cos(direction) == pytest.approx(1.0)
