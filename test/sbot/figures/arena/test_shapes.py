import math

import numpy as np
import pytest

import sbot
from sbot.figures.arena.shapes import outline, outlines, rectangles_of
from sbot.figures.data import at_rest


def test_a_body_turns_about_the_place_that_its_offset_names():
    corners = outline(np.array([2.0, 1.0, math.pi / 2]), (1.2, 0.4, 0.5))
    assert corners.mean(axis=0) == pytest.approx([2.0, 1.5])
    assert np.ptp(corners, axis=0) == pytest.approx([0.4, 1.2])


def test_the_first_rectangle_is_on_top():
    data = at_rest(sbot.load({
        'world': {'bounds': [0, 0, 6, 6]}, 'bodies': {'cart': {'length': 0.6, 'width': 0.4}},
        'robots': [{'body': body, 'pose': [1 + k, 3, 0], 'controller': 'none'}
                   for k, body in enumerate(['cart', 'e-puck2', 'cart'])]}))
    found = rectangles_of(data)
    assert sorted(found) == [0, 2]
    assert [each.mean(axis=0).tolist() for each in outlines(found, data.poses[0])] == [
        pytest.approx([3.0, 3.0]), pytest.approx([1.0, 3.0])]
