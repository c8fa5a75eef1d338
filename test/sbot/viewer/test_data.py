"""Tables of the page: packed as its `unpack` reads them."""

import base64
import zlib

import numpy as np
import pytest

from sbot.viewer.data import MOST_FRAMES, cell_runs, frame_step, pack
from sbot_sim.world.cell_map import make_cells


def unpacked(table):
    """What the page does, in Python."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(table['data'])), '<u2')
    codes = np.cumsum(raw.reshape(table['channels'], table['frames']), axis=1, dtype=np.uint16).T
    repeat = table['channels'] // len(table['low'])
    values = np.tile(table['low'], repeat) + codes * np.tile(table['step'], repeat)
    return np.where(codes == 0xFFFF, np.nan, values) if table['holes'] else values


@pytest.mark.parametrize('holes', [False, True])
def test_values_come_back_within_half_a_step(holes):
    values = np.random.default_rng(2).uniform([-1.0, 0.0], [1.0, 50.0], (9, 3, 2)).reshape(9, 6)
    if holes:
        values[3, 2] = np.nan
    table = pack(values, [-1.0, 0.0], [1.0, 50.0], holes=holes)
    found = unpacked(table)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    assert np.nanmax(abs(found - values) / np.tile(table['step'], 3)) <= 0.500001


def test_a_page_has_so_many_frames_at_most():
    assert frame_step(0) == frame_step(MOST_FRAMES) == 1
    assert frame_step(MOST_FRAMES + 1) == 2


def test_cells_are_runs_of_equal_values():
    values = np.random.default_rng(3).choice(np.array([-1, 0, 100], np.int8), (7, 5))
    runs = cell_runs(make_cells(values, 0.5, (1.0, 2.0, 0.3)))
    pairs = np.array(runs['runs']).reshape(-1, 2)
    assert (np.repeat(pairs[:, 0], pairs[:, 1]).reshape(7, 5) == values).all()
    assert (np.diff(pairs[:, 0]) != 0).all()
    assert (runs['columns'], runs['rows'], runs['occupied'], runs['unknown']) == (5, 7, 100, -1)
    assert cell_runs(make_cells(np.zeros((1, 5000), np.int8), 0.5, (0.0, 0.0, 0.0))) is None
