"""Lines of sight: walls and discs stand in the way, also where they are touched."""

import pytest

from sbot_sim.world.line_of_sight import make_line_of_sight, segment_meets_disc, segments_meet


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
