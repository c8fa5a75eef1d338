"""A* against Dijkstra of scipy on the same costs."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from sbot.controllers.navigate import map as grids
from sbot.controllers.navigate.map import column_of, mark, row_of
from sbot.controllers.navigate.parameters import MOST_CELLS, Parameters, resolved
from sbot.controllers.navigate.search import (
    LONGEST,
    _pop,
    _push,
    cell_cost,
    find_path,
    make_search,
)
from sbot_common.compiled.jit import njit

P = resolved(Parameters())


def make_grid(points):
    grid = grids.make_grid(-32.0, -32.0, P.cell_m)
    for x, y in points:
        mark(grid, x, y)
    return grid


def wall(x0, y0, x1, y1):
    return [(x0 + t * (x1 - x0), y0 + t * (y1 - y0)) for t in np.linspace(0, 1, 200)]


def cost_of(grid, path):
    total = 0.0
    for a, b in itertools.pairwise(path):
        # From the target on: each step costs what the cell nearer to the robot costs.
        row, column = row_of(grid, a[1]), column_of(grid, a[0])
        own = 1.0 if a is path[0] else cell_cost(P, grid, row, column)
        total += own * math.dist(a, b) / grid.cell
    return total


def least_cost(grid, start, target):
    low = min(row_of(grid, start[1]), row_of(grid, target[1])) - 40
    size = 110
    left = min(column_of(grid, start[0]), column_of(grid, target[0])) - 40
    costs = np.array([[cell_cost(P, grid, low + r, left + c) for c in range(size)]
                      for r in range(size)])
    row, column = row_of(grid, start[1]) - low, column_of(grid, start[0]) - left
    costs[row, column] = 1.0
    solid = np.array([[cell_cost(P, grid, low + r, left + c) for c in range(size)]
                      for r in range(size)]) == math.inf
    edges = []
    for r in range(1, size - 1):
        for c in range(1, size - 1):
            for down in (-1, 0, 1):
                for right in (-1, 0, 1):
                    rr, cc = r + down, c + right
                    if (down, right) == (0, 0) or costs[rr, cc] == math.inf:
                        continue
                    if down and right and (solid[rr, c] or solid[r, cc]):
                        continue
                    edges.append((r * size + c, rr * size + cc,
                                  costs[rr, cc] * math.hypot(down, right)))
    first, second, cost = zip(*edges, strict=True)
    graph = coo_matrix((cost, (first, second)), shape=(size * size,) * 2).tocsr()
    to_row, to_column = row_of(grid, target[1]) - low, column_of(grid, target[0]) - left
    return dijkstra(graph, indices=to_row * size + to_column)[row * size + column]


@pytest.mark.parametrize('points', [
    [], wall(3, -4, 3, 4), [*wall(3, -3, 3, 3), *wall(-1, 3, 3, 3), *wall(-1, -3, 3, -3)],
    [*wall(3, -9, 3, -0.7), *wall(3, 0.7, 3, 9)]])
def test_paths_cost_the_least(points):
    grid = make_grid(points)
    path = np.empty((LONGEST, 2))
    start, target = (0.1, 0.1), (8.1, 0.4)
    length = find_path(P, grid, make_search(), 1, *start, *target, path, MOST_CELLS)
    found = [tuple(point) for point in path[:length]]
    assert math.dist(found[0], start) < 0.2
    assert math.dist(found[-1], target) < 0.2
    assert all(math.dist(a, b) < 0.36 for a, b in itertools.pairwise(found))
    assert cost_of(grid, found) == pytest.approx(least_cost(grid, start, target), rel=1e-9)


def test_no_way_is_no_path():
    box = [*wall(6, -2, 10, -2), *wall(10, -2, 10, 2), *wall(10, 2, 6, 2), *wall(6, 2, 6, -2)]
    assert find_path(P, make_grid(box), make_search(), 1, 0.0, 0.0, 8.0, 0.0,
                     np.empty((LONGEST, 2)), MOST_CELLS) == -1


def test_memory_of_an_earlier_search_changes_nothing():
    grid, search = make_grid(wall(3, -4, 3, 4)), make_search()
    first, again = np.zeros((LONGEST, 2)), np.zeros((LONGEST, 2))
    length = find_path(P, grid, search, 1, 0.0, 0.0, 8.0, 0.0, first, MOST_CELLS)
    find_path(P, grid, search, 2, -5.0, 3.0, 4.0, -3.0, again, MOST_CELLS)
    assert find_path(P, grid, search, 3, 0.0, 0.0, 8.0, 0.0, again, MOST_CELLS) == length
    assert (first[:length] == again[:length]).all()


@njit
def out_of_heap(search, keys, items, out):
    """Write cells in the order of the heap; every third one leaves before the others come."""
    count = written = 0
    for k in range(len(keys)):
        count = _push(search, count, keys[k], items[k])
        if k % 3 == 2:
            count, out[written, 0], out[written, 1] = _pop(search, count)
            written += 1
    while count > 0:
        count, out[written, 0], out[written, 1] = _pop(search, count)
        written += 1


@pytest.mark.parametrize('size', [1, 2, 3, 4, 200])
def test_the_heap_hands_out_the_least_key_and_of_equal_ones_the_least_cell(size):
    rng = np.random.default_rng(size)
    keys, items = rng.integers(0, 9, size) / 2.0, rng.integers(0, 40, size)
    out, waiting, told = np.empty((size, 2)), [], []
    out_of_heap(make_search(), keys, items, out)
    for k, entry in enumerate(zip(keys.tolist(), items.tolist(), strict=True)):
        waiting = sorted([*waiting, entry])
        if k % 3 == 2:
            told.append(waiting.pop(0))
    assert list(map(tuple, out.tolist())) == told + waiting
