import numpy as np
import pytest
from matplotlib import rc_context

from sbot.figures.animation import _Film
from sbot.figures.arena.wind import free_wind_arrows
from sbot.figures.data import RunData, at_rest, from_result
from sbot.figures.film import Film
from sbot.figures.moments import draw_moments
from sbot.figures.palette import style_of
from sbot.figures.picture import draw_run
from sbot.figures.recording import from_bag
from sbot.figures.wind_label import wind_label
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario

SCENARIO = """
name: gusty
duration: 1.5
world: {bounds: [0, 0, 12, 8]}
robots: [{pose: [2, 2, 0], controller: none}]
wind: {wind_direction: [1, 0, 0], wind_speed_mean: 0.3, wind_gust_direction: [0, 1, 0],
       wind_gust_speed_mean: 1.2, wind_gust_start: 0.5, wind_gust_duration: 0.5%s}
"""
CALM, GUSTY = 2, 20  # ticks


def run_of(folder, more='', **options):
    return run_scenario(parse_scenario(SCENARIO % more, 'gusty', folder), **options)


@pytest.fixture(scope='module')
def data(tmp_path_factory) -> RunData:
    return from_result(run_of(tmp_path_factory.mktemp('gusty')))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def in_one_line(axes):
    return [text.replace('\n', ' ') for text in texts(axes)]


def test_a_gust_that_outlasts_the_run_has_no_end(tmp_path):
    data = from_result(run_of(tmp_path))
    short = data._replace(stamps_ns=data.stamps_ns[:25], poses=data.poses[:25])
    assert wind_label(short, 0.3) == 'wind → 0.3 m/s, gust ↑ 1.2 m/s from 0.5 s'


@pytest.mark.parametrize('size', [Film(), Film(420), Film(640, 300)])
def test_the_label_of_a_film_hides_neither_its_name_nor_its_time(data, size):
    name = 74 * 'n'
    windy = data.scenario.wind._replace(turbulence=data.scenario.wind.turbulence._replace(
        turbulence='robot', turbulence_speed=0.15))
    film = _Film(data._replace(scenario=data.scenario.model_copy(
        update={'name': name, 'wind': windy})), film=size)
    film.frame(GUSTY)
    clock = film._clock.get_window_extent()
    high = film._axes.get_window_extent().y1 + film._up * film._canvas.figure.dpi
    assert clock.y0 > high
    assert 0 <= clock.x0 < clock.x1 <= film.size[0]
    assert clock.y1 <= film.size[1]
    assert '… ' in film._clock.get_text()


@pytest.mark.parametrize('times', [(0.1, 0.7), (0.1, 0.7, 1.4), (0.1, 0.7, 1.0, 1.4)])
def test_the_label_of_a_moment_is_beside_its_time(tmp_path, times):
    more = from_result(run_of(tmp_path, ', turbulence: robot, turbulence_speed: 0.15'))
    with rc_context(style_of(False)):
        figure = draw_moments(more, times)
        figure.draw_without_rendering()
    labels = [text.get_window_extent() for axes in figure.axes for text in axes.texts]
    titles = [axes._left_title.get_window_extent() for axes in figure.axes]
    panels = [axes.get_window_extent() for axes in figure.axes]
    assert len(labels) == len(titles)
    for k, one in enumerate(labels):
        assert one.y1 <= figure.bbox.y1
        assert not any(one.overlaps(each) for each in (*titles, *panels, *labels[:k]))


def test_moments_show_and_name_the_wind_of_their_time(data):
    before, during, after = draw_moments(data, (0.1, 0.7, 1.4)).axes
    assert texts(before) == texts(after) == ['wind → 0.3 m/s']
    assert in_one_line(during) == ['wind → 0.3 + gust ↑ 1.2 m/s']
    calm, gusty = free_wind_arrows(data, CALM)[:, 2:], free_wind_arrows(data, GUSTY)[:, 2:]
    assert np.allclose(gusty, gusty[0])
    assert gusty[0, 1] / gusty[0, 0] == pytest.approx(4.0)
    # One scale for all times.
    assert calm[0, 0] == pytest.approx(gusty[0, 0])
    assert calm[0, 1] == 0.0


def test_a_film_shows_the_gust_while_it_blows(data):
    film = _Film(data)
    calm, gusty, again = (film.frame(k) for k in (CALM, GUSTY, CALM))
    label = (slice(0, 40), slice(calm.shape[1] // 2, None))
    assert (calm[label] != gusty[label]).any()
    assert (calm == again).all()


def test_a_recording_shows_the_same_wind(data, tmp_path):
    run_of(tmp_path, record=tmp_path / 'bag')
    bag = from_bag(tmp_path / 'bag')
    for time in (0.1, 0.7, 1.4):
        assert texts(draw_moments(bag, (time,)).axes[0]) == texts(
            draw_moments(data, (time,)).axes[0])


def test_tracks_have_the_mean_wind_and_name_gust_and_turbulence(data, tmp_path):
    assert 'wind → 0.3 m/s, gust ↑ 1.2 m/s from 0.5 to 1 s' in texts(draw_run(data).axes[0])
    more = from_result(run_of(tmp_path, ', turbulence: robot, turbulence_speed: 0.1, '
                              'wind_gust_force_mean: 4'))
    assert in_one_line(draw_moments(more, (0.7,)).axes[0]) == [
        'wind → 0.3 + gust ↑ 1.2 m/s + gust ↑ 4 N, turbulence 0.1 m/s']


def test_a_scenario_before_its_run_has_the_mean_wind(tmp_path):
    early = SCENARIO.replace('start: 0.5', 'start: 0') % ''
    assert wind_label(at_rest(parse_scenario(early, 'gusty', tmp_path)), 0.3) == 'wind → 0.3 m/s'


def test_a_film_that_is_faster_than_the_run_says_so(data):
    assert '×' not in clock(data)
    stamps = data.stamps_ns[0] + 30 * (data.stamps_ns - data.stamps_ns[0])
    assert clock(data._replace(stamps_ns=stamps)).endswith('×2.2')


def clock(data):
    film = _Film(data)
    film.frame(0)
    return film._clock.get_text()
