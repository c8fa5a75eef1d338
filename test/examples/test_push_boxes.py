"""The scenario examples/push_boxes.yaml: all arrive, boxes go along and turn, nothing overlaps."""

from pathlib import Path

import numpy as np

import sbot

EXAMPLE = Path(__file__).parents[2] / 'examples' / 'push_boxes.yaml'


def test_boxes_are_pushed_out_of_the_way():
    done = sbot.run(str(EXAMPLE))
    assert done.summary['overlaps'] == 0
    gone = done.boxes[-1] - done.boxes[0]
    assert np.hypot(gone[:, 0], gone[:, 1]).min() > 0.5
    assert gone[0, 0] > 4.0  # the beam, by both
    assert abs(gone[3, 2]) > 0.3  # the crate has turned
    assert gone[4, 2] == 0.0
