"""Lines of sight: walls and discs stand in the way, also where they are touched."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.line_of_sight import make_line_of_sight, segment_meets_disc, segments_meet


class _Walls(NamedTuple):
    bounds: np.ndarray
    segments: np.ndarray
    circles: np.ndarray


@pytest.mark.parametrize(('line', 'meets'), [
    ((0.0, 1.0, 2.0, 1.0), True), ((1.0, 0.0, 1.0, -1.0), True), ((1.5, 0.0, 3.0, 0.0), True),
    ((2.5, 0.0, 3.0, 0.0), False), ((1.0, 0.1, 1.0, 2.0), False), ((0.0, 2.0, 4.0, -3.0), True),
    ((0.0, 2.0, 4.0, -1.0), False)])
def test_segments(line, meets):
    """Of [0, 2] on the x axis, but for the first: it crosses the line of x = 1."""
    first = (1.0, 0.0, 1.0, 2.0) if line[1] == line[3] == 1.0 else (0.0, 0.0, 2.0, 0.0)
    assert segments_meet(*first, *line) == meets
    assert segments_meet(*line, *first) == meets


@pytest.mark.parametrize(('centre', 'meets'), [
    ((1.0, 0.4), True), ((1.0, 0.5), False), ((-0.3, 0.3), True), ((-0.4, 0.4), False),
    ((2.4, 0.0), True), ((2.5, 0.0), False)])
def test_a_disc_is_met_within_its_radius(centre, meets):
    assert segment_meets_disc(0.0, 0.0, 2.0, 0.0, *centre, 0.5) == meets


def test_nothing_stands_in_an_empty_world():
    scene = make_line_of_sight(None)
    assert (len(scene.segments), len(scene.circles)) == (0, 0)


@pytest.mark.parametrize('origin', [0.0, 20_000.0])
def test_the_grid_hides_no_wall(origin):
    """Many short walls, and robots on level, upright and nearly level lines, also outside."""
    rng = np.random.default_rng(7)
    ends = origin + rng.uniform(0.0, 20.0, (400, 2))
    walls = _Walls(np.array([origin, origin, origin + 20.0, origin + 20.0]),
                   np.hstack([ends, ends + rng.normal(0.0, 0.2, (400, 2))]), np.empty((0, 3)))
    pose = np.zeros((90, 3))
    pose[:, :2] = origin + rng.uniform(-2.0, 22.0, (90, 2))
    pose[20:40, 1] = pose[20, 1] + rng.choice([0.0, 1e-12, 1e-9, -1e-8], 20)
    pose[40:60, 0] = pose[40, 0] + rng.choice([0.0, 1e-12, 1e-9, -1e-8], 20)
    starts, heard, _, _ = neighbours(pose, 5.0, make_line_of_sight(walls))
    blocked = 0
    for i in range(90):
        for j in range(i + 1, 90):
            if math.dist(pose[i, :2], pose[j, :2]) > 5.0:
                continue
            free = not any(segments_meet(*pose[i, :2], *pose[j, :2], *wall)
                           for wall in walls.segments)
            assert (j in heard[starts[i]:starts[i + 1]]) == free
            blocked += not free
    assert blocked > 100
