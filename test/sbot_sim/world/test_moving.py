"""Moving obstacles: where they are, against a walk along the path in small steps."""

import itertools
import math

import numpy as np
import pytest

from sbot_sim.world.geometry import make_world
from sbot_sim.world.moving import disc_positions, make_paths, world_with

DT = 0.1
PATH = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)]


def position(path, speed, turns, ticks):
    discs = make_paths([(0.5, speed, path, turns)], DT)
    return disc_positions(discs, np.array([ticks]))[0]


def walk(path, way, turns):
    """Return where one is after a way along the path, leg by leg."""
    legs = list(itertools.pairwise(path))
    if turns:
        legs += [(b, a) for a, b in reversed(legs)]
    else:
        legs.append((path[-1], path[0]))
    while True:
        for (x0, y0), (x1, y1) in legs:
            length = math.dist((x0, y0), (x1, y1))
            if way <= length:
                return x0 + way / length * (x1 - x0), y0 + way / length * (y1 - y0)
            way -= length


@pytest.mark.parametrize('turns', [True, False])
@pytest.mark.parametrize('path', [PATH, PATH[:2], [(1.0, 1.0), (-2.0, 0.5), (0.0, 3.0),
                                                  (5.0, -1.0)]])
def test_it_goes_along_its_path_at_its_speed(path, turns):
    for ticks in [0, 1, 5, 63, 64, 70, 137, 1000, 12_345]:
        np.testing.assert_allclose(position(path, 0.73, turns, ticks),
                                   walk(path, 0.73 * DT * ticks, turns), atol=1e-9)


def test_at_the_end_it_turns_or_goes_to_its_first_point():
    assert position(PATH, 1.0, True, 70).tolist() == pytest.approx([3.0, 4.0])
    assert position(PATH, 1.0, True, 80).tolist() == pytest.approx([3.0, 3.0])
    assert position(PATH, 1.0, False, 95).tolist() == pytest.approx([1.5, 2.0])
    assert position(PATH, 1.0, False, 120).tolist() == pytest.approx([0.0, 0.0])


def test_it_never_moves_farther_than_its_speed():
    for turns in (True, False):
        rows = np.array([position(PATH, 1.3, turns, ticks) for ticks in range(400)])
        assert np.hypot(*np.diff(rows, axis=0).T).max() <= 0.13 + 1e-12


def test_it_is_the_last_circle_of_the_world():
    world = make_world((0, 0, 9, 9), circles=[(1, 1, 0.2)])
    discs = make_paths([(0.5, 1.0, PATH, True)], DT)
    rows = world_with(world, discs, np.array([10])).circles
    np.testing.assert_allclose(rows, [[1, 1, 0.2], [1.0, 0.0, 0.5]])
    assert len(world.circles) == 1
