import pytest

from sbot.figures.arena.view import drawn_radius
from sbot.figures.picture import draw_run


def test_walls_are_the_edges_of_the_arena_and_of_the_curves(data):
    figure = draw_run(data)
    figure.draw_without_rendering()
    arena, *panels = figure.axes
    assert (*arena.get_xlim(), *arena.get_ylim()) == (0.0, 16.0, 0.0, 10.0)
    for panel in panels:
        assert panel.get_window_extent().x0 == pytest.approx(arena.get_window_extent().x0)
        assert panel.get_window_extent().x1 == pytest.approx(arena.get_window_extent().x1)


def test_robots_in_small_panels_are_large_enough_to_be_seen(data):
    small = data._replace(radius=0.0 * data.radius)
    for scale in (10.0, 40.0):
        assert (drawn_radius(small, scale) * scale).min() >= 2.5
    assert (drawn_radius(data, 100.0) == data.radius).all()
