import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sbot_sim.collision.overlap import overlaps
from sbot_sim.collision.placement import placement_error
from sbot_sim.world.bodies import S_BOT
from sbot_sim.world.body_arrays import body_arrays
from sbot_sim.world.cell_map import (
    FREE,
    OCCUPIED,
    UNKNOWN,
    cells_bounds,
    inside_occupied,
    make_cells,
    to_cells,
    to_world,
)
from sbot_sim.world.geometry import make_world

maps = arrays(np.int8, st.tuples(st.integers(1, 7), st.integers(1, 7)),
              elements=st.sampled_from([UNKNOWN, FREE, OCCUPIED]))
origins = st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-4, 4))


def occupied_area(values):
    """Return the occupied cells as one shapely geometry, in cells."""
    return shapely.union_all([shapely.box(x, y, x + 1, y + 1)
                              for y, x in np.argwhere(values == OCCUPIED)])


@settings(max_examples=100, deadline=None)
@given(maps)
def test_outlines_are_the_border_of_the_occupied_area(values):
    cells = make_cells(values, 1.0, (0.0, 0.0, 0.0))
    if not (values == OCCUPIED).any():
        assert len(cells.outlines) == 0
        return
    border = occupied_area(values).boundary
    found = shapely.union_all([shapely.LineString(row.reshape(2, 2)) for row in cells.outlines])
    assert found.symmetric_difference(border).length == pytest.approx(0.0, abs=1e-9)
    lengths = np.abs(cells.outlines[:, 2:] - cells.outlines[:, :2]).sum()
    assert lengths == pytest.approx(border.length)  # none twice


@settings(max_examples=60, deadline=None)
@given(maps, origins, st.floats(0.01, 2.0))
def test_points_are_inside_where_the_area_is(values, origin, resolution):
    cells = make_cells(values, resolution, origin)
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 8, (200, 2))
    world = to_world(points, resolution, origin)
    assert to_cells(world, resolution, origin) == pytest.approx(points, abs=1e-9)
    expected = shapely.contains_xy(occupied_area(values), points)
    assert (inside_occupied(cells, world) == expected).all()
    xmin, ymin, xmax, ymax = cells_bounds(cells)
    within = ((points >= 0) & (points <= values.shape[::-1])).all(axis=1)
    assert (world[within] >= [xmin - 1e-9, ymin - 1e-9]).all()
    assert (world[within] <= [xmax + 1e-9, ymax + 1e-9]).all()


@pytest.mark.parametrize(('x', 'y', 'free'), [
    (2.5, 2.5, False),  # in the middle of a block, far from its outline
    (1.05, 2.5, False),  # inside it, at its outline
    (0.95, 2.5, False),  # outside, too near
    (0.5, 2.5, True),
])
def test_nobody_stands_in_an_occupied_cell(x, y, free):
    values = np.full((50, 50), FREE, np.int8)
    values[10:40, 10:40] = OCCUPIED
    world = make_world((0, 0, 5, 5), cells=make_cells(values, 0.1, (0.0, 0.0, 0.0)))
    pose = np.array([[x, y, 0.0]])
    bodies = body_arrays([S_BOT])
    assert (overlaps(world, bodies, pose) == 0) == free
    problem = placement_error(world, bodies, pose)
    assert problem is None if free else 'an occupied cell of the map' in problem
