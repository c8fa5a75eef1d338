import numpy as np
import pytest
from matplotlib.figure import Figure

import sbot
from sbot.figures.arena.boxes import Boxes, draw_box_starts
from sbot.figures.data import at_rest


def test_boxes_move_and_their_starts_stay():
    data = at_rest(sbot.load({
        'world': {'bounds': [0, 0, 6, 6], 'boxes': [
            {'center': [2, 2], 'size': [1.0, 0.5], 'mass': 1},
            {'center': [4, 2], 'radius': 0.3, 'mass': 1}]},
        'robots': [{'pose': [1, 4, 0], 'controller': 'none'}]}))
    axes = Figure().add_subplot()
    boxes = Boxes(axes, data, data.boxes[0])
    draw_box_starts(axes, data)
    boxes.move(data.boxes[0] + [0.0, 1.5, 0.0])
    assert boxes.discs.get_offsets() == pytest.approx(np.array([[4.0, 3.5]]))
    [path] = boxes.rectangles.get_paths()
    assert path.vertices[:4].mean(axis=0) == pytest.approx([2.0, 3.5])
    starts = [each for each in axes.collections if each.get_gid() == 'starts of boxes']
    assert sorted(len(each.get_offsets()) for each in starts) == [1, 1]
