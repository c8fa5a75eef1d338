import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from pictures import crowd

import sbot
from sbot.figures.arena import (
    heading_colours,
    outlines,
    outlines_of,
    robot_colours,
    shortened,
    width_of,
    wrapped,
    wrapped_parts,
)
from sbot.figures.data import RunData
from sbot.figures.film import _Film
from sbot.figures.look import Film, Look, palette, style_of
from sbot.figures.obstacles import _wind_label
from sbot.figures.picture import _draw_run, draw
from sbot.figures.tracks import draw_moments
from sbot.runner.loop import run_scenario
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.load import parse_scenario
from sbot_sim.world.bodies import Body


def test_a_body_turns_about_the_place_that_its_offset_names():
    cart = Body('cart', length=1.2, width=0.4, offset=0.5)
    [corners] = outlines(outlines_of([cart]), np.array([[2.0, 1.0, math.pi / 2]]))
    assert corners.mean(axis=0) == pytest.approx([2.0, 1.5])
    assert np.ptp(corners, axis=0) == pytest.approx([0.4, 1.2])


def test_the_first_rectangle_is_on_top():
    data = RunData.at_rest(sbot.load({
        'world': {'bounds': [0, 0, 6, 6]}, 'bodies': {'cart': {'length': 0.6, 'width': 0.4}},
        'robots': [{'body': body, 'pose': [1 + k, 3, 0], 'controller': 'none'}
                   for k, body in enumerate(['cart', 'e-puck2', 'cart'])]}))
    found = outlines_of(robot_bodies(data.scenario))
    assert sorted(found) == [0, 2]
    assert [each.mean(axis=0).tolist() for each in outlines(found, data.poses[0])] == [
        pytest.approx([3.0, 3.0]), pytest.approx([1.0, 3.0])]


def light(colour):  # relative luminance, as of contrast ratios
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [
        0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize('dark', [False, True])
def test_colours_of_many_stand_out_on_both_grounds(data, dark):
    with rc_context(style_of(dark)):
        ground = light(palette().ground)
        colours = [*robot_colours(crowd(data, 30), 'robot'),
                   *heading_colours(np.linspace(0, 6.2, 16))]
    assert len({*colours[:30]}) == 30
    ratios = [(max(light(each), ground) + 0.05) / (min(light(each), ground) + 0.05)
              for each in colours]
    assert min(ratios) > (3.0 if dark else 1.5)


def test_walls_are_the_edges_of_the_arena_and_of_the_curves(data):
    figure = _draw_run(data)
    figure.draw_without_rendering()
    arena, *panels = figure.axes
    assert (*arena.get_xlim(), *arena.get_ylim()) == (0.0, 16.0, 0.0, 10.0)
    for panel in panels:
        assert panel.get_window_extent().x0 == pytest.approx(arena.get_window_extent().x0)
        assert panel.get_window_extent().x1 == pytest.approx(arena.get_window_extent().x1)


def test_both_axes_have_ticks_of_equal_steps(data):
    for look in (Look(), Look(at=(0, 1))):
        figure = draw(data, look)
        figure.draw_without_rendering()
        axes = figure.axes[0]
        steps = [np.unique(np.round(np.diff(ticks), 9))
                 for ticks in (axes.get_xticks(), axes.get_yticks())]
        assert steps[0].tolist() == steps[1].tolist()
        assert len(steps[0]) == 1
        assert float(f'{steps[0][0]:.0e}'[0]) in (1, 2, 5)


def test_a_narrow_arena_has_ticks_of_its_own(data):
    narrow = data._replace(world=data.world._replace(bounds=np.array([0.0, 0.0, 14.0, 1.6])))
    axes = draw(narrow, Look()).axes[0]
    low, high = axes.get_ylim()
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 2


WORDS = st.text('abW i,', min_size=1, max_size=40).map(str.strip).filter(bool)


@given(text=WORDS, width=st.floats(20.0, 300.0))
def test_a_shortened_text_is_the_longest_beginning_that_fits(text, width):
    found = shortened(text, width)
    if found == text:
        assert width_of(text) <= width
        return
    assert found.endswith('…')
    assert text.startswith(found[:-1])
    assert width_of(found) <= width
    longer = text[:len(found)].rstrip()
    assert len(longer) < len(found) or width_of(f'{longer}…') > width


@given(text=WORDS, width=st.floats(60.0, 300.0))
def test_wrapped_lines_have_all_words_and_fit(text, width):
    lines = wrapped(text, width).split('\n')
    assert all(width_of(line) <= width for line in lines)
    if not any(line.endswith('…') for line in lines):
        assert ' '.join(lines) == text


def test_a_no_break_space_holds_words_together():
    assert wrapped('for seven\xa0words here', width_of('seven words')) == 'for\nseven words\nhere'


def test_a_label_of_the_wind_breaks_between_its_parts_and_in_long_parts_before_values():
    label = 'wind ↑ 0.25 + gust ↓ 0.8 m/s, turbulence 0.15 m/s'
    width = 1.01 * width_of('turbulence 0.15 m/s')
    assert wrapped_parts(label, width) == ('wind ↑ 0.25\n+ gust ↓ 0.8 m/s,\nturbulence 0.15 m/s')
    assert wrapped_parts(label, 1000.0) == label
    assert wrapped_parts(label, width_of('0.15 m/s')) == (
        'wind ↑\n0.25\n+ gust\n↓\n0.8 m/s,\nturbulence\n0.15 m/s')


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
def gusts(tmp_path_factory) -> RunData:
    return RunData.from_result(run_of(tmp_path_factory.mktemp('gusty')))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def in_one_line(axes):
    return [text.replace('\n', ' ') for text in texts(axes)]


def test_a_gust_that_outlasts_the_run_has_no_end(tmp_path):
    gusts = RunData.from_result(run_of(tmp_path))
    short = gusts._replace(stamps_ns=gusts.stamps_ns[:25], poses=gusts.poses[:25])
    assert _wind_label(short, 0.3) == 'wind → 0.3 m/s, gust ↑ 1.2 m/s from 0.5 s'


@pytest.mark.parametrize('size', [Film(420), Film(640, 300)])
def test_the_label_of_a_film_hides_neither_its_name_nor_its_time(gusts, size):
    name = 74 * 'n'
    windy = gusts.scenario.wind._replace(turbulence=gusts.scenario.wind.turbulence._replace(
        turbulence='robot', turbulence_speed=0.15))
    named = replace(gusts.scenario, name=name, wind=windy)
    film = _Film(gusts._replace(scenario=named), film=size)
    film.frame(GUSTY)
    clock = film._clock.get_window_extent()
    assert clock.y0 > film._axes.get_window_extent().y1 + film._up * film._canvas.figure.dpi
    assert 0 <= clock.x0 < clock.x1 <= film.size[0]
    assert clock.y1 <= film.size[1]
    assert '… ' in film._clock.get_text()


@pytest.mark.parametrize('times', [(0.1, 0.7), (0.1, 0.7, 1.0, 1.4)])
def test_the_label_of_a_moment_is_beside_its_time(tmp_path, times):
    more = RunData.from_result(run_of(tmp_path, ', turbulence: robot, turbulence_speed: 0.15'))
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


def test_moments_show_and_name_the_wind_of_their_time(gusts):
    before, during, after = draw_moments(gusts, (0.1, 0.7, 1.4)).axes
    assert texts(before) == texts(after) == ['wind → 0.3 m/s']
    assert in_one_line(during) == ['wind → 0.3 + gust ↑ 1.2 m/s']
    calm, gusty = gusts.wind_arrows(CALM)[:, 2:], gusts.wind_arrows(GUSTY)[:, 2:]
    assert np.allclose(gusty, gusty[0])
    assert gusty[0, 1] / gusty[0, 0] == pytest.approx(4.0)
    # One scale for all times.
    assert calm[0, 0] == pytest.approx(gusty[0, 0])
    assert calm[0, 1] == 0.0


def test_a_film_shows_the_gust_while_it_blows(gusts):
    film = _Film(gusts)
    calm, gusty, again = (film.frame(k) for k in (CALM, GUSTY, CALM))
    label = (slice(0, 40), slice(calm.shape[1] // 2, None))
    assert (calm[label] != gusty[label]).any()
    assert (calm == again).all()


def test_tracks_have_the_mean_wind_and_name_gust_and_turbulence(gusts, tmp_path):
    assert 'wind → 0.3 m/s, gust ↑ 1.2 m/s from 0.5 to 1 s' in texts(_draw_run(gusts).axes[0])
    more = RunData.from_result(run_of(tmp_path, ', turbulence: robot, turbulence_speed: 0.1, '
                              'wind_gust_force_mean: 4'))
    assert in_one_line(draw_moments(more, (0.7,)).axes[0]) == [
        'wind → 0.3 + gust ↑ 1.2 m/s + gust ↑ 4 N, turbulence 0.1 m/s']


def test_a_scenario_before_its_run_has_the_mean_wind(tmp_path):
    early = SCENARIO.replace('start: 0.5', 'start: 0') % ''
    data = RunData.at_rest(parse_scenario(early, 'gusty', tmp_path))
    assert _wind_label(data, 0.3) == 'wind → 0.3 m/s'


def test_a_film_that_is_faster_than_the_run_says_so(gusts):
    assert '×' not in clock(gusts)
    stamps = gusts.stamps_ns[0] + 30 * (gusts.stamps_ns - gusts.stamps_ns[0])
    assert clock(gusts._replace(stamps_ns=stamps)).endswith('×2.2')


def clock(gusts):
    film = _Film(gusts)
    film.frame(0)
    return film._clock.get_text()
