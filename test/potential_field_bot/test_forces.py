"""Forces on a robot: where they are zero, and the example of docs/potential_field.md."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from potential_field_bot import forces
from potential_field_bot.forces import (
    _repulsion_reach,
    make_scratch,
    nearby_repulsion,
    one_cell,
    random_force,
    repulsion_grid,
    repulsions,
)
from potential_field_bot.parameters import Parameters
from sbot_common.elementary import atan2
from sbot_common.params import updated

PAGE = Path(__file__).parents[2] / 'docs' / 'potential_field.md'


def test_the_example_runs(capsys):
    exec(re.search(r'```python\n(.*?)```', PAGE.read_text(encoding='utf-8'), re.S)[1], {})
    attraction, total = map(float, capsys.readouterr().out.split())
    assert attraction == 5 * 26 ** 0.5
    assert total != attraction  # the first turn's random force


def test_no_random_force_without_its_constant_even_where_the_index_is_infinite():
    assert random_force(0.0, math.inf, 1.0) == (0.0, 0.0)
    assert math.hypot(*random_force(2.0, 3.0, 1.0)) == pytest.approx(6.0)


SCATTERED = [
    (1, 5.0, {}), (2, 5.0, {}), (40, 3.0, {}), (150, 60.0, {}), (300, 1e6, {}),
    (150, 60.0, {'relevance_distance_beta_m': 0.5, 'safe_distance_m': 6.0}),
    (150, 60.0, {'relevance_distance_beta_m': 0.0, 'safe_distance_m': 0.0})]


def other_repulsion(p, robot_id, poses):
    """Document 001 section 8 as it is written: all robots in turn."""
    fx, fy = 0.0, 0.0
    for i in range(1, len(poses)):
        sx, sy = (float(value) for value in poses[robot_id, :2] - poses[i, :2])
        distance = math.sqrt(sx * sx + sy * sy)
        if i != robot_id and distance < _repulsion_reach(p):
            x, y = np.empty(1), np.empty(1)
            repulsions(p, np.array([distance]), np.array([atan2(sy, sx)]), x, y)
            fx, fy = fx + x[0], fy + y[0]
    return fx * p.other_repulsion_factor, fy * p.other_repulsion_factor


@pytest.mark.parametrize(('robots', 'extent', 'constants'), SCATTERED)
def test_neighbour_search_changes_no_bit(robots, extent, constants):
    parameters = updated(Parameters(), constants)
    poses = np.random.default_rng(robots).uniform(-extent, extent, (robots, 3))
    poses[robots // 2:, 0] = np.round(poses[robots // 2:, 0])  # on cells' edges, and in columns
    poses[::7, 1] = poses[0, 1]
    for grid in (repulsion_grid(parameters, poses), one_cell(robots)):
        for i in range(0, robots, 1 + robots // 50):
            found = nearby_repulsion(parameters, i, poses, grid, make_scratch(len(poses)))
            assert found == other_repulsion(parameters, i, poses)


def test_neighbour_search_with_lost_robots():
    parameters = Parameters()
    poses = np.random.default_rng(0).uniform(-80, 80, (60, 3))
    poses[3, 0], poses[4, 1], poses[5, 0], poses[6, :2] = np.nan, np.inf, -np.inf, 1e300
    for grid in (repulsion_grid(parameters, poses), one_cell(60)):
        for i in range(60):
            found = nearby_repulsion(parameters, i, poses, grid, make_scratch(len(poses)))
            pushed = not np.isfinite(poses[i, :2]).all()
            assert found == ((0.0, 0.0) if pushed else other_repulsion(parameters, i, poses))


def test_cells_prune():
    """Else the search above would be compared with itself."""
    poses = np.random.default_rng(0).uniform(-80, 80, (150, 3))
    grid = repulsion_grid(Parameters(), poses)
    assert grid.nx > 10
    assert grid.ny > 10
    assert sorted(grid.items) == list(range(150))


@pytest.mark.parametrize('count', [0, 1, 2, 39, 40, 100, 260, 1000])  # with 0, 1, 2 … wider gaps
def test_numbers_are_sorted_in_place(count):
    numbers = np.random.default_rng(count).permutation(count)
    forces._sort.py_func(numbers)
    assert numbers.tolist() == list(range(count))
