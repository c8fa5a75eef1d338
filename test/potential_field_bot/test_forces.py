"""Forces on a robot: where they are zero, and the example of docs/potential_field.md."""

import math
import re
from pathlib import Path

import pytest

from potential_field_bot.forces import follower_attraction, leader_attraction, random_force

PAGE = Path(__file__).parents[2] / 'docs' / 'potential_field.md'


def test_the_example_runs(capsys):
    text = PAGE.read_text(encoding='utf-8')
    exec(re.search(r'```python\n(.*?)```', text, re.S)[1], {})
    attraction, total = map(float, capsys.readouterr().out.split())
    assert attraction == 5 * 26 ** 0.5
    assert total != attraction  # the first turn's random force


def test_the_pull_of_the_goal_grows_with_the_square():
    near, far = (math.hypot(*leader_attraction.py_func(0.5, 0.6 * k, 0.8 * k, 0.0, 0.0))
                 for k in (1.0, 3.0))
    assert (near, far) == pytest.approx((0.5, 4.5))


@pytest.mark.parametrize(('distance', 'sign'), [(0.9, -1.0), (1.5, 0.0), (4.0, 1.0)])
def test_a_follower_keeps_its_distance(distance, sign):
    """Rims at 0.1 and 0.2 m: it goes away below 1 m, and comes nearer from 2 m on."""
    x, y = follower_attraction.py_func(2.0, 1.0, distance + 0.3, 0.0, 0.0, 0.0, 0.1, 0.2, 1.0, 2.0)
    assert (math.copysign(1.0, x) if x else 0.0, y) == (sign, 0.0)


def test_no_random_force_without_its_constant_even_where_the_index_is_infinite():
    assert random_force(0.0, math.inf, 1.0) == (0.0, 0.0)
    assert math.hypot(*random_force(2.0, 3.0, 1.0)) == pytest.approx(6.0)
