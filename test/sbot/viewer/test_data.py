"""Tables of the page: packed as its `unpack` reads them."""

import base64
import json
import zlib

import numpy as np
import pytest
from pictures import unpacked

from sbot.figures.data import RunData
from sbot.scenario.load import scenario_from_mapping
from sbot.viewer.data import (
    MOST_BEAMS,
    MOST_BORDERS,
    _cell_runs,
    _header,
    _pack,
    frame,
    scans,
    shown_beams,
)
from sbot_sim.sensors.laser import Lasers, ScanSettings
from sbot_sim.world.geometry import CellMap


@pytest.mark.parametrize('holes', [False, True])
def test_values_come_back_within_half_a_step(holes):
    values = np.random.default_rng(2).uniform([-1.0, 0.0], [1.0, 50.0], (9, 3, 2)).reshape(9, 6)
    if holes:
        values[3, 2] = np.nan
    table = _pack(values, [-1.0, 0.0], [1.0, 50.0], holes=holes)
    found = unpacked(table)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    assert np.nanmax(abs(found - values) / np.tile(table['step'], 3)) <= 0.500001


def test_infinite_ranges_are_holes_and_equal_values_need_no_width():
    ranges = np.array([[1.0, np.inf, 0.0, 10.0, -np.inf]])
    found = unpacked(_pack(ranges, 0, 10, holes=True))
    np.testing.assert_array_equal(np.isnan(found), ~np.isfinite(ranges))
    assert unpacked(_pack(np.zeros((3, 2)), 0.0, 0.0)).tolist() == np.zeros((3, 2)).tolist()


def runs_of(table):
    """The kinds and the lengths of runs of cells, as the page reads them."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(table['data'])), '<u2')
    return np.array([0, 100, -1])[raw >> 14], raw & 0x3FFF


@pytest.mark.parametrize('shape', [(200, 250), (3, 4096), (4096, 4)])
def test_long_runs_of_cells_are_in_pieces(shape):
    values = np.zeros(shape[::-1], np.int8)
    values[-1, -1:] = 100
    kinds, lengths = runs_of(_cell_runs(CellMap.of(values, 0.5, (0.0, 0.0, 0.0))))
    assert (np.repeat(kinds, lengths).reshape(values.shape) == values).all()
    assert len(kinds) == -(-(values.size - 1) // 0x3FFF) + 1


def cells_of_noise(side):
    values = np.random.default_rng(4).choice(np.array([-1, 0, 100], np.int8), (side, side))
    return CellMap.of(values, 0.05, (0.0, 0.0, 0.0))


def test_the_page_of_a_ragged_map_is_small():
    # As plain JSON its runs took 2 bytes a cell, and its borders 13.
    small, large = cells_of_noise(60), cells_of_noise(800)
    assert len(_cell_runs(large)['data']) < 0.5 * large.values.size
    data = RunData.at_rest(scenario_from_mapping({'world': {'bounds': [0, 0, 4, 4]}, 'robots': [
        {'pose': [1, 1, 0], 'controller': 'none'}]}))
    pages = [_header(data._replace(world=data.world._replace(cells=cells)))
             for cells in (small, large)]
    assert len(pages[0]['segments']) >= len(small.outlines) > 4 * 60
    assert len(large.outlines) > MOST_BORDERS > len(pages[1]['segments'])
    assert len(json.dumps(pages[1])) < 0.6 * large.values.size


def test_cells_are_runs_of_equal_values():
    values = np.random.default_rng(3).choice(np.array([-1, 0, 100], np.int8), (7, 5))
    runs = _cell_runs(CellMap.of(values, 0.5, (1.0, 2.0, 0.3)))
    kinds, lengths = runs_of(runs)
    assert (np.repeat(kinds, lengths).reshape(7, 5) == values).all()
    assert (np.diff(kinds) != 0).all()
    assert (runs['columns'], runs['rows'], runs['resolution']) == (5, 7, 0.5)
    assert _cell_runs(CellMap.of(np.zeros((1, 5000), np.int8), 0.5, (0.0, 0.0, 0.0))) is None


def test_every_so_manyth_beam_is_shown():
    for beams in (1, MOST_BEAMS, MOST_BEAMS + 1, 1081):
        laser = ScanSettings(scan_beams=beams).parameters()
        columns = shown_beams(Lasers.pack([(laser,)]))
        shown = len(range(beams)[columns])
        assert shown <= MOST_BEAMS
        assert columns.step == 1 or 2 * shown > MOST_BEAMS


def test_a_frame_is_json_in_the_order_of_robots():
    made = frame(1.23456, np.array([[1.0, 2.0, 3.00004]]), [[0.0, 0.5]], {2: (1.0, 2.0),
                                                                         0: (3.0, 4.0)},
                 boxes=np.ones((1, 3)))
    assert made['t'] == 1.2346
    assert made['poses'] == [1.0, 2.0, 3.0]
    assert made['goals'] == [[0.0, 0, 3.0, 4.0], [0.0, 2, 1.0, 2.0]]
    assert 'obstacles' not in made
    assert made['box_poses'] == [1.0] * 3
    json.dumps({**made, 'scans': scans([[1.23456, np.inf], [np.nan, 2.0]])}, allow_nan=False)
    assert scans([[1.23456, np.inf], [np.nan, 2.0]]) == [1.235, None, None, 2.0]
