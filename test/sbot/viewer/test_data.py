"""Tables of the page: packed as its `unpack` reads them."""

import json

import numpy as np
import pytest
from pictures import unpacked

from sbot.figures.data import RunData
from sbot.scenario.load import scenario_from_mapping
from sbot.viewer.data import MOST_BORDERS, _cell_runs, _header, _pack, frame, scans
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
