"""Poses and blocks of Stage's models."""

import math

import numpy as np
import pytest

from sbot.scenario.stage.geometry import Frame, fitted, is_round


def test_frames_are_chained_as_their_points_are():
    a, b = Frame(1.0, 2.0, 0.5), Frame(-0.3, 0.7, 1.1)
    points = np.array([[0.0, 0.0], [1.0, -2.0]])
    np.testing.assert_allclose(a.then(b).points(points), a.points(b.points(points)), atol=1e-12)
    assert a.then(b).yaw == pytest.approx(1.6)


def test_outlines_fill_their_size_about_the_origin():
    outlines = [np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[4.0, 1.0], [4.0, 3.0]])]
    every = np.vstack(fitted(outlines, (0.4, 0.6)))
    np.testing.assert_allclose([every.min(axis=0), every.max(axis=0)], [[-0.2, -0.3], [0.2, 0.3]])
    assert fitted([], (1.0, 1.0)) == []


def test_a_polygon_of_many_corners_is_a_disc():
    def corners(count):
        angle = np.arange(count) * 2.0 * math.pi / count
        return [0.5 * np.column_stack([np.cos(angle), np.sin(angle)])]
    assert is_round(corners(16), (1.0, 1.0))
    assert not is_round(corners(4), (1.0, 1.0))
    assert not is_round(corners(16), (1.0, 1.2))
    assert not is_round(corners(16) * 2, (1.0, 1.0))
