"""Frames of a live run: numbers rounded for a page, which has no NaN and no infinities."""

import json

import numpy as np

from sbot.viewer.data import MOST_BEAMS
from sbot.viewer.frames import frame, laser_of, scans


def test_every_so_manyth_beam_is_shown():
    for beams in (1, MOST_BEAMS, MOST_BEAMS + 1, 1081):
        laser = laser_of(beams, -1.0, 0.01)
        assert laser.beams == len(range(0, beams, laser.skip)) <= MOST_BEAMS
        assert laser.increment == 0.01 * laser.skip


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
