"""Names of zones: where they hide nothing that matters."""

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

import sbot
from sbot.figures.animation import _Film
from sbot.figures.arena.zone_names import View, places_of
from sbot.figures.data import from_result
from sbot.figures.moments import draw_moments
from sbot.figures.palette import style_of
from sbot.figures.picture import draw_run
from sbot.figures.zones import NAME
from sbot.scenario.model import Zone

NEST = {'name': 'nest', 'center': [4, 3], 'radius': 1.0, 'color': 'green'}


class Still:
    def step(self, observation, rng):
        return 0.0, 0.0


class Forward:
    def step(self, observation, rng):
        return 0.5, 0.0


def run_of(*robots, zones=(NEST,), controller=Still, world=None, duration=0.5):
    return from_result(sbot.run({
        'duration': duration, 'rate': 10,
        'world': {'bounds': [0, 0, 8, 6], 'zones': list(zones), **(world or {})},
        'robots': [{'pose': [x, y, yaw], 'controller': controller} for x, y, yaw in robots]}))


def boxes(figure, axes):
    """Bounds (m) of the names of zones."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    return {text.get_text(): axes.transData.inverted().transform(
        text.get_window_extent(renderer).get_points()) for text in axes.texts
        if text.get_gid() == NAME}


def names_of(data):
    with rc_context(style_of(False)):
        figure = draw_run(data)
        return boxes(figure, figure.axes[0])


def away(box, points):
    """How far points (..., 2) are from a box."""
    return np.hypot(*np.moveaxis(np.maximum(np.maximum(box[0] - points, points - box[1]), 0.0),
                                 -1, 0))


def test_a_name_is_above_its_zone_if_nothing_is_there():
    box = names_of(run_of((1, 1, 0)))['nest']
    assert box[0, 1] >= 4.0
    assert box.mean(axis=0)[0] == pytest.approx(4.0, abs=0.05)


@pytest.mark.parametrize('places', [
    [(4, 4.2, 0)], [(4, 4.2, 0), (4, 1.8, 0)],
    [(4, 4.2, 0), (4, 1.8, 0), (4, 3.5, 0), (4, 2.5, 0)],
    [(4, 4.2, 0), (4, 1.8, 0), (4, 3.5, 0), (4, 2.5, 0), (5.2, 3.9, 0)]])
def test_it_hides_no_robot(places):
    data = run_of(*places, (1, 1, 0))
    box = names_of(data)['nest']
    assert (away(box, data.poses[-1, :, :2]) > 0.3).all()


def test_it_hides_no_track_and_no_goal():
    data = run_of((2.5, 4.2, 0), controller=Forward, duration=6.0)
    assert (away(names_of(data)['nest'], data.poses[:, 0, :2]) > 0.0).all()
    goals = run_of((1, 1, 0))
    assert away(names_of(goals)['nest'], np.array([4, 4.2])) == 0.0
    from sbot.figures.data import Goal
    at = goals._replace(goals=(Goal(int(goals.stamps_ns[0]), 0, 4.0, 4.2),))
    assert away(names_of(at)['nest'], np.array([4, 4.2])) > 0.3


def test_names_hide_no_obstacle_and_not_each_other():
    block = {'rectangles': [{'center': [4, 4.3], 'size': [1.5, 0.4]}]}
    box = names_of(run_of((1, 1, 0), world=block))['nest']
    assert box[0, 1] > 4.5 or box[1, 1] < 4.1
    twins = [NEST, {**NEST, 'name': 'food', 'radius': 1.05}]
    first, second = names_of(run_of((1, 1, 0), zones=twins)).values()
    assert (first[0] >= second[1]).any() or (second[0] >= first[1]).any()


def test_films_and_moments_keep_robots_free_of_them():
    data = run_of((4, 4.2, 0), (1, 1, 0))
    film = _Film(data)
    assert away(boxes(film._axes.figure, film._axes)['nest'], data.poses[-1, 0, :2]) > 0.3
    figure = draw_moments(data, (0.1, 0.3))
    for axes in figure.axes:
        assert away(boxes(figure, axes)['nest'], data.poses[1, 0, :2]) > 0.3


def test_a_name_is_above_the_robots_of_a_film():
    film = _Film(run_of((1, 1, 0)))
    film.frame(0)
    [name] = [text for text in film._axes.texts if text.get_gid() == NAME]
    assert name in film._moving
    assert name.get_zorder() > film._robots.headings.get_zorder()


def test_every_place_lies_in_the_view_and_a_zone_outside_has_none():
    view = View((0.0, 0.0), (8.0, 6.0), 50.0)
    for center, radius in (((4, 3), 1.0), ((0.2, 3), 1.0), ((4, 5.9), 0.5), ((4, 3), None)):
        for place in places_of(Zone(name='zone', center=center, radius=radius), view, 60.0, 12.0):
            x0, y0, x1, y1 = place.box(view, 60.0, 12.0)
            assert 0 <= x0 < x1 <= 400
            assert 0 <= y0 < y1 <= 300
    assert places_of(Zone(name='zone', center=(10, 3), radius=1.0), view, 60.0, 12.0) == []
