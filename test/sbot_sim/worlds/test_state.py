"""Arrays of worlds: a row for each robot, and no room for what nobody has."""

import numpy as np
import pytest
from batches import make_batch

from sbot_sim.world.geometry import make_world
from sbot_sim.world.scene import Scene
from sbot_sim.worlds.state import pack_scenes


def scene(*circles):
    return Scene.of(make_world((0, 0, 8, 6), circles=circles), 3.0)


def of(rows, k):
    return rows.values[rows.starts[k]:rows.ends[k]]


def test_each_layout_is_a_view_of_its_own():
    scenes = [scene((2.0, 3.0, 0.5)), scene(), scene((5.0, 1.0, 0.25), (6.0, 5.0, 0.5))]
    packed = pack_scenes(scenes)
    for k, each in enumerate(scenes):
        np.testing.assert_array_equal(of(packed.segments, k), each.segments)
        np.testing.assert_array_equal(of(packed.circles, k), each.circles)
        grid = each.circle_grid
        np.testing.assert_array_equal(of(packed.circle_grids.starts, k), grid.starts)
        np.testing.assert_array_equal(of(packed.circle_grids.items, k), grid.items)
        assert packed.circle_grids.numbers[k].tolist() == [grid.x0, grid.y0, grid.cell]
        assert packed.circle_grids.shape[k].tolist() == [grid.nx, grid.ny]


@pytest.mark.parametrize(('room', 'fits'), [(1.0, False), (4.0, True)])
def test_a_layout_is_written_anew_if_there_is_room(room, fits):
    old = [scene((2.0, 3.0, 0.5)), scene((2.0, 3.0, 0.5))]
    packed = pack_scenes(old, room)
    new = scene((1.0, 1.0, 0.5), (5.0, 5.0, 0.5))
    assert packed.replace(0, new) == fits
    np.testing.assert_array_equal(of(packed.circles, 0), (new if fits else old[0]).circles)
    np.testing.assert_array_equal(of(packed.circles, 1), old[1].circles)


def test_what_nobody_has_takes_no_room():
    state = make_batch().state
    assert state.infrared.size == state.heard_robot.size == 0
    assert state.boxes.size == state.moved.size == 0
    assert state.driven is state.command, 'without inertia robots do what they are told'
    with_all = make_batch(infrared={'infrared': True}, rab=True, senses=['scan', 'infrared']).state
    assert with_all.infrared.shape == (4, 15, 2)
    assert with_all.heard_robot.shape == (2, 2)


def test_arrays_share_no_memory():
    state = make_batch(rab=True, infrared={'infrared': True}).state
    arrays = [array for name, array in state._asdict().items()
              if isinstance(array, np.ndarray) and name != 'driven']
    for i, first in enumerate(arrays):
        assert not any(np.shares_memory(first, other) for other in arrays[:i])
