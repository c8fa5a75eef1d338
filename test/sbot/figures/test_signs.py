import numpy as np
import pytest
from matplotlib.quiver import Quiver

import sbot
from sbot.figures.data import RunData
from sbot.figures.film import _Film
from sbot.figures.look import Film, Look
from sbot.figures.picture import _draw_run, draw
from wind_model.grid import points_at, sample


def data_of(count=3, moving=(), goals=True):
    robots = [{'pose': [1 + 0.7 * k, 2, 0], 'controller': 'none',
               **({'goal': [1 + 0.7 * k, 5]} if goals else {})} for k in range(count)]
    return RunData.from_result(sbot.run({'duration': 1, 'rate': 10, 'robots': robots,
                                 'world': {'bounds': [0, 0, 12, 6], 'moving': list(moving)}}))


def names(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


@pytest.mark.parametrize('size', [Film(), Film(420), Film(640, 480)])
def test_a_film_has_a_scale_bar_that_says_its_length(size):
    film = _Film(data_of(), film=size)
    film.frame(0)
    [bar] = [line for line in film._axes.lines if line.get_gid() == 'scale bar']
    [text] = [text for text in film._axes.texts if text.get_gid() == 'scale']
    assert text.get_text() == '2 m   trails of 0.25 s'  # a quarter of the run
    drawn, metre = bar.get_window_extent(), film._axes.transData.transform([(0, 0), (1, 0)])
    assert drawn.width == pytest.approx(2 * (metre[1, 0] - metre[0, 0]), abs=3)
    # Below the arena, where no robot passes.
    for each in (drawn, text.get_window_extent()):
        assert each.x0 >= 0
        assert 0 <= each.y0 <= each.y1 <= film._axes.get_window_extent().y0


def test_the_arrows_of_wind_are_named_with_a_gust_mean_wind():
    data = data_of(2)
    mean = data.air.velocity + np.array([0.3, 0, 0])
    windy = data._replace(air=data.air._replace(velocity=mean))
    gusty = windy._replace(air=windy.air._replace(gust=data.air.gust + np.array([0, 1.0, 0])))
    assert names(_draw_run(data)) == ['start', 'goal']
    assert names(_draw_run(windy)) == ['start', 'goal', 'wind 0.3 m/s']
    assert names(_draw_run(gusty)) == ['start', 'goal', 'mean wind 0.3 m/s', 'gust']
    for each, ending in ((data, 'trails of 0.25 s'), (windy, '   arrows: wind')):
        [text] = [text for text in _Film(each)._axes.texts if text.get_gid() == 'scale']
        assert text.get_text().endswith(ending)


FIELD = {'use_custom_static_wind_field': True, 'custom_wind_field_path': 'wind/vortex.txt',
         'wind_height': 1.5}


@pytest.mark.parametrize('at', [(), (0.0, 1.0)])
def test_the_sign_of_a_field_is_as_long_as_an_arrow_of_its_speed(at):
    data = RunData.from_result(sbot.run({
        'duration': 1, 'rate': 10, 'world': {'bounds': [1, 1, 20, 20]}, 'wind': FIELD,
        'robots': [{'pose': [5, 5, 0], 'controller': 'none'}]}))
    figure = draw(data, Look(at=at))
    figure.draw_without_rendering()
    legend = (figure.legends or [figure.axes[0].get_legend()])[0]
    text, sign = legend.get_texts()[-1], legend.get_lines()[-1]
    speed = float(text.get_text().removeprefix('wind ').removesuffix(' m/s'))
    [arrows] = [each for each in figure.axes[0].collections if isinstance(each, Quiver)]
    drawn = np.hypot(arrows.U, arrows.V)  # m
    metre = np.ptp(figure.axes[0].transData.transform([(0, 0), (1, 0)])[:, 0]) * 72 / figure.dpi
    strongest = np.hypot(*sample(data.field, points_at(
        data.field, arrows.get_offsets(), data.scenario.wind.flow.height), np.zeros(3))[:, :2].T)
    assert sign.get_markersize() == pytest.approx(
        metre * (drawn / strongest)[drawn.argmax()] * speed, rel=1e-3)
    if not at:
        assert 'wind at 1.5 m' in figure.axes[0].get_title(loc='left')


def test_robots_of_a_large_arena_are_seen_and_the_strip_has_its_seconds():
    data = RunData.from_result(sbot.run({
        'duration': 20, 'rate': 5, 'world': {'bounds': [0, 0, 1000, 600]},
        'robots': [{'count': 40, 'controller': 'none'}]}))
    figure = draw(data, Look(inches=(7.0, 5.5)))
    figure.draw_without_rendering()
    arena, strip, *_ = figure.axes
    bodies = max((each for each in arena.collections if len(each.get_offsets()) == 40),
                 key=lambda each: each.get_zorder())
    metre = np.ptp(arena.transData.transform([(0, 0), (1, 0)])[:, 0]) * 72 / figure.dpi
    assert bodies.get_widths().min() * metre > 5.0  # pt
    assert [text.get_text() for text in strip.texts] == ['0 s', '5 s', '10 s', '15 s', '20 s']
    assert arena.get_xticklabels()[-1].get_window_extent().x1 <= figure.bbox.x1
