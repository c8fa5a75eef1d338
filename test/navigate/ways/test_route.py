import numpy as np

from navigate.parameters import STUCK, Parameters, resolved
from navigate.ways.grid import is_marked, make_grid, mark
from navigate.ways.route import Route, Watch, watched

P = resolved(Parameters())
NEAR = np.array([[1.0, 0.0, 0.0, 0.0]])


def slit():
    """Return a grid with posts at both sides of (1, 0), a path through it, and the route."""
    grid = make_grid(-51.84, -51.84, P.cell_m)
    for y in (-0.3, 0.3):
        mark(grid, 1.0, y)
    path = np.column_stack([np.arange(20) * P.cell_m, np.zeros(20)])
    return grid, path, Route(20, 2, 0.0, 1, 0, 2.3, 0.0)


def watch_for(seconds, near=0, rests=False, speed=0.0):
    grid, path, route = slit()
    watch, closed = Watch(0.0, 0.0, 0.0), False
    for tick in range(1, round(30 * seconds)):
        watch, now = watched(P, grid, watch, path, route, NEAR, near, rests, speed * tick / 30,
                             0.0, tick / 30)
        closed |= now
    return closed, any(is_marked(grid, x, 0.0) for x in path[:, 0])


def test_a_slit_in_which_it_is_stuck_is_closed():
    assert watch_for(STUCK - 0.5) == (False, False)
    assert watch_for(STUCK + 0.5) == (True, True)


def test_who_has_a_reason_or_gets_on_is_not_stuck():
    assert watch_for(STUCK + 0.5, near=1) == (False, False)
    assert watch_for(STUCK + 0.5, rests=True) == (False, False)
    assert watch_for(STUCK + 0.5, speed=0.2) == (False, False)
