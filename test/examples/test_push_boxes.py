"""The scenario examples/push_boxes.yaml: boxes go along, turn and stop, nothing overlaps."""

from pathlib import Path

import numpy as np
import pytest

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
    speed = 30.0 * np.diff(done.poses[150:200, :, 0], axis=0).mean(axis=0)
    assert speed[:2] == pytest.approx([20 / (20 + 20)] * 2, abs=1e-3)
    assert speed[2] == pytest.approx(10 / (10 + 4), abs=1e-3)  # behind two boxes of 2 kg
    assert done.boxes[-1, 2, 0] == pytest.approx(9 - 0.3, abs=0.01)
