import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import yaml
from browser import CHROMIUM, Browser
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver
from PIL import Image

import sbot
from sbot.bag.reader import Bag
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.film import _Film, animate_run
from sbot.figures.ground import (
    MOST_NAMES,
    NAME,
    draw_arena,
    draw_goals,
    draw_world,
    wide_tolerances,
)
from sbot.figures.look import Look, palette, style_of
from sbot.figures.picture import _draw_run, plot_run
from sbot.figures.tracks import draw_moments
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot.viewer.data import write_view
from sbot_common.errors import InputError


def test_a_goal_has_the_colour_of_its_robot():
    robots = [{'pose': [2, 2 + 2 * i, 0], 'controller': 'none'} for i in range(3)]
    robots[1]['goal'], robots[2]['goal'] = [8, 3], [8, 6]
    run = sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]}, 'robots': robots})
    data = RunData.from_result(run)
    marks = [each for each in _draw_run(data).axes[0].collections
             if each.get_offsets().tolist() == [[8.0, 3.0], [8.0, 6.0]]]
    filled = [each.get_facecolors()[:, :3].tolist() for each in marks
              if each.get_linewidths()[0] == 0.0]
    assert filled == [[list(to_rgb(colour)) for colour in robot_colours(data)[1:]]]


def test_a_goal_of_several_robots_is_not_filled(data):
    shared = data._replace(goals=tuple(data.goals[0]._replace(robot=i) for i in range(3)))
    marks = [each for each in _draw_run(shared).axes[0].collections
             if each.get_offsets().tolist() == [[13.0, 5.5]] and each.get_gid() != 'tolerances']
    assert len(marks) == 2  # ring and cross
    assert all(len(each.get_facecolors()) == 0 or each.get_facecolors()[0][3] == 1.0
               for each in marks)


def test_goals_of_many_with_a_colour_each_have_these_colours():
    robots = [{'pose': [1 + k, 2, 0], 'goal': [1 + k, 8], 'controller': 'none'} for k in range(9)]
    data = RunData.from_result(sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]},
                                 'robots': robots}))
    for by, colours in (('robot', robot_colours(data, 'robot')), ('', [palette().goal] * 9)):
        axes = Figure().add_subplot()
        draw_goals(axes, data, int(data.stamps_ns[0]), by=by)
        [rings] = [each for each in axes.collections if len(each.get_edgecolors()) == 9
                   and len(each.get_facecolors()) == 0]
        assert rings.get_edgecolors()[:, :3].tolist() == [list(to_rgb(each)) for each in colours]


def test_a_circle_shows_a_tolerance_that_is_wider_than_the_ring_of_its_goal():
    goals = [{'goal': [8, 3], 'goal_tolerance': 1.5}, {'goal': [8, 6], 'goal_tolerance': 0.5},
             {'goal': [8, 3], 'goal_tolerance': 1.5}]
    robots = [{'pose': [2, 2 + 2 * i, 0], 'controller': 'none', **each}
              for i, each in enumerate(goals)]
    data = RunData.from_result(sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]},
                                 'robots': robots}))
    assert wide_tolerances(data, list(data.goals), 40.0).tolist() == [[8.0, 3.0, 1.5]]
    for figure in (_draw_run(data), draw_moments(data, (0.0,))):
        [circle] = [each for each in figure.axes[0].collections if each.get_gid() == 'tolerances']
        assert circle.get_offsets().tolist() == [[8.0, 3.0]]
        assert circle.get_widths().tolist() == [3.0]
        [signs] = figure.legends or [figure.axes[0].get_legend()]
        assert [text.get_text() for text in signs.get_texts()][1:] == ['goal', 'tolerance']


def test_the_filling_of_a_goal_is_over_starts_and_below_boxes_and_tracks():
    run = sbot.run({'duration': 0.2, 'world': {'bounds': [0, 0, 10, 10], 'boxes': [
        {'center': [8, 3], 'size': [1, 1]}]},
        'robots': [{'pose': [2, 2, 0], 'goal': [8, 3], 'controller': 'none'}]})
    collections = _draw_run(RunData.from_result(run)).axes[0].collections
    order = {each.get_gid(): each.get_zorder() for each in collections}
    [filling] = [each.get_zorder() for each in collections
                 if each.get_offsets().tolist() == [[8.0, 3.0]] and each.get_alpha() == 0.5]
    starts = min(each.get_zorder() for each in collections
                 if each.get_offsets().tolist() == [[2.0, 2.0]])
    assert starts < filling < order['boxes'] < 4.0


NEST = {'name': 'nest', 'center': [4, 3], 'radius': 1.0, 'color': 'green'}


class Still:
    def step(self, observation, rng):
        return 0.0, 0.0


class Forward:
    def step(self, observation, rng):
        return 0.5, 0.0


def run_of(*robots, zones=(NEST,), controller=Still, world=None, duration=0.5):
    return RunData.from_result(sbot.run({
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
        figure = _draw_run(data)
        return boxes(figure, figure.axes[0])


def away(box, points):
    """How far points (..., 2) are from a box."""
    return np.hypot(*np.moveaxis(np.maximum(np.maximum(box[0] - points, points - box[1]), 0.0),
                                 -1, 0))


def test_a_name_is_above_its_zone_if_nothing_is_there():
    box = names_of(run_of((1, 1, 0)))['nest']
    assert box[0, 1] >= 4.0
    assert box.mean(axis=0)[0] == pytest.approx(4.0, abs=0.05)


@pytest.mark.parametrize('places', [[(4, 4.2, 0), (4, 1.8, 0)],
    [(4, 4.2, 0), (4, 1.8, 0), (4, 3.5, 0), (4, 2.5, 0), (5.2, 3.9, 0)]])
def test_it_hides_no_robot(places):
    data = run_of(*places, (1, 1, 0))
    assert (away(names_of(data)['nest'], data.poses[-1, :, :2]) > 0.3).all()


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


class ZonesForward:
    def step(self, observation, rng):
        return 1.0, 0.1


ZONES = [{'name': 'nest $x$', 'center': [2, 1.5], 'radius': 1.0, 'color': 'green'},
         {'name': 'top', 'center': [6, 5], 'radius': 0.9, 'color': '#336699'},
         {'name': 'lamp', 'center': [6, 1.5]}]


def scenario(*zones, bounds=(0, 0, 8, 6)):
    world = {'bounds': list(bounds), **({'zones': list(zones)} if zones else {})}
    return scenario_from_mapping({
        'name': 'zones', 'rate': 20, 'duration': 1, 'world': world,
        'sensors': {'scan_noise_std': 0.01},
        'robots': [{'pose': [2, 3, 0], 'controller': ZonesForward}]})


@pytest.fixture(scope='module')
def zones_recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('zones') / 'bag'
    return bag, run_scenario(scenario(*ZONES), record=bag)


@pytest.fixture(scope='module')
def zones_data(zones_recorded):
    return RunData.from_bag(zones_recorded[0])


def test_they_change_nothing_of_a_run(zones_recorded, tmp_path):
    plain = run_scenario(scenario(), record=tmp_path / 'bag')
    assert zones_recorded[1].summary['trajectory_sha256'] == plain.summary['trajectory_sha256']
    assert 'zones' in yaml.safe_load(Bag(zones_recorded[0]).scenario_text)['world']
    assert 'zones' not in yaml.safe_load(Bag(tmp_path / 'bag').scenario_text)['world']


@pytest.mark.parametrize(('zone', 'message'), [
    ({'name': 'a', 'center': [1, 1], 'color': 'pink'},
     r"world\.zones\.0\.color: got 'pink', expected red, .*grey, or '#rrggbb'"),
    ({'name': 'a', 'center': [1, 1], 'radius': 0}, r'radius: got 0, expected a number > 0'),
    ({'center': [1, 1]}, "key 'name' is missing"),
    *(({'name': f'a{control}b', 'center': [1, 1]},
       r"world\.zones\.0\.name: got 'a.*b', expected one line of at most 100 characters, "
       r'without control characters$') for control in '\a\r\t\x1b\x7f\x85\u2028'),
    ({'name': 'a', 'center': [1, 1], 'colour': 'red'}, "did you mean 'color'")])
def test_wrong_ones_are_refused(zone, message, tmp_path):
    text = yaml.safe_dump({'world': {'bounds': [0, 0, 4, 4], 'zones': [zone]},
                           'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]})
    with pytest.raises(InputError, match=message):
        parse_scenario(text, 'text', tmp_path)


def mixed(colour, ground, opacity=0.22):
    return opacity * np.array(to_rgb(colour)) + (1 - opacity) * np.array(to_rgb(ground))


@pytest.mark.parametrize(('dark', 'ground'), [(False, 'white'), (True, '#1e2129')])
def test_pictures_and_films_show_them(zones_data, tmp_path, dark, ground):
    figure = _draw_run(zones_data)
    axes = figure.axes[0]
    names = {text.get_text(): text for text in axes.texts}
    assert {'nest $x$', 'top', 'lamp'} <= set(names)
    # Below its zone, where a robot or the wall is near.
    assert names['nest $x$'].xy == (2.0, 0.5)
    assert names['top'].xy[1] == pytest.approx(4.1)
    plot_run(zones_data, tmp_path / 'run.png', Look(dark=dark))
    figure.set_dpi(200)
    figure.draw_without_rendering()
    pixels = np.asarray(Image.open(tmp_path / 'run.png').convert('RGB')) / 255
    for place, colour in (((2.0, 1.2), '#2e9e5b'), ((6.3, 5.2), '#336699')):
        x, y = axes.transData.transform(place)
        assert pixels[round(len(pixels) - y), round(x)] == pytest.approx(
            mixed(colour, ground), abs=0.02)
    x, y = axes.transData.transform((6.0, 1.5))
    assert pixels[round(len(pixels) - y), round(x)] == pytest.approx(to_rgb('#d9b400'), abs=0.02)


def names_in(figure):
    """Bounds (px) of the zones' names in the picture, and those of its axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    axes = figure.axes[0]
    return {text.get_text(): text.get_window_extent(renderer).extents for text in axes.texts
            if text.get_visible() and text.get_text()}, axes.bbox.extents


@pytest.mark.parametrize('zone', [{'center': [2, 2], 'radius': 2.5},
    {'center': [2, 2], 'radius': 50}, {'center': [0.01, 2], 'radius': 1.9},
    {'center': [-1, 5], 'radius': 2}, {'center': [2, 4.5], 'radius': 0.6}, {'center': [0, 0]}])
def test_a_name_stays_in_the_picture(zone):
    dpi = 100
    done = run_scenario(scenario({'name': 'charging station', **zone}, bounds=[0, 0, 4, 4]))
    figure = _draw_run(RunData.from_result(done))
    figure.set_dpi(dpi)
    names, (left, low, right, high) = names_in(figure)
    x0, y0, x1, y1 = names['charging station']
    assert left <= x0
    assert low <= y0
    assert x1 <= right
    assert y1 <= high


def test_a_picture_has_few_artists_for_many_zones():
    # An artist a zone made pictures of thousands of zones take a minute.
    zones = [{'name': 'z', 'center': [1 + k % 6, 1 + k % 5], 'radius': 0.3} for k in range(60)]
    axes = _draw_run(RunData.from_result(run_scenario(scenario(*zones)))).axes[0]
    assert len([child for child in axes.get_children() if child.get_gid() == 'zones']) == 2


def test_only_so_many_zones_have_names():
    zones = [{'name': f'z{k}', 'center': [1 + k % 6, 1 + k % 5]} for k in range(MOST_NAMES + 1)]
    axes = _draw_run(RunData.from_result(run_scenario(scenario(*zones)))).axes[0]
    written = {text.get_text() for text in axes.texts}
    assert {f'z{MOST_NAMES - 1}', f'z{MOST_NAMES}'} & written == {f'z{MOST_NAMES - 1}'}


def test_a_letter_that_the_font_lacks_is_a_box(tmp_path):
    # matplotlib warned in two lines, with the path of a source.
    named = scenario({'name': '猫 nest', 'center': [2, 2]})
    zones_data = RunData.from_result(run_scenario(replace(named, name='猫')))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for suffix in ('png', 'svg', 'pdf'):
            plot_run(zones_data, tmp_path / f'run.{suffix}')
        plot_run(zones_data, tmp_path / 'moments.png', Look(at=(0.5,)))
        animate_run(zones_data, tmp_path / 'run.gif')
        sbot.plot(named)


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_the_viewer_shows_them(zones_recorded, tmp_path):
    theme, ground = 'dark', '#1b1e24'
    page = tmp_path / 'run.html'
    write_view(zones_recorded[0], page)
    with Browser(tmp_path / 'profile', 800, 600) as browser:
        browser.open(f'{page.as_uri()}#theme={theme}&trails=0')
        x, y = browser.evaluate(
            '(([w, h]) => [w / 2 + (2 - view.x) * view.scale, '
            'h / 2 - (1.2 - view.y) * view.scale])(size())')
        pixels = browser.screenshot() / 255
        assert pixels[round(y), round(x)] == pytest.approx(mixed('#2e9e5b', ground), abs=0.02)
        texts = browser.evaluate(
            '(() => { const texts = [], own = ctx.fillText.bind(ctx); '
            'ctx.fillText = (text, ...at) => { texts.push(text); own(text, ...at); }; draw(); '
            'ctx.fillText = own; return texts; })()')
        assert {'nest $x$', 'top', 'lamp'} <= set(texts)
        assert browser.errors == []


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_the_viewer_keeps_their_names_in_the_window(zones_recorded, tmp_path):
    page = tmp_path / 'run.html'
    write_view(zones_recorded[0], page)
    places = [[4, 3, 3.3], [4, 3, 50], [7.99, 3, 2.5], [0.01, 3, 2.5], [11, 3, 4], [8, 6, None],
              [0, 0, None], [4, 0, 0.1]]
    outside = [[90, 3, 1], [4, 90, 1], [4, -90, 1], [-90, 3, None]]
    with Browser(tmp_path / 'profile', 500, 400) as browser:
        browser.open(f'{page.as_uri()}#theme=light')
        width, height = browser.evaluate('size()')
        for zoom in (1, 3):
            found = browser.evaluate(
                f'(() => {{ fit(); view.scale *= {zoom}; '
                f'run.zones = {json.dumps(places + outside)}'
                ".map(([x, y, r], i) => [x, y, r, '#336699', 'charging station ' + i]); "
                'const texts = [], own = ctx.fillText.bind(ctx); '
                'ctx.fillText = (text, x, y) => { texts.push([text, x, y, '
                'ctx.measureText(text).width]); own(text, x, y); }; draw(); '
                'ctx.fillText = own; return texts; })()')
            names = [each for each in found if each[0].startswith('charging station')]
            assert zoom > 1 or len(names) == len(places)
            assert {'charging station 0', 'charging station 1'} <= {name[0] for name in names}
            for name, x, y, wide in names:
                assert wide / 2 <= x <= width - wide / 2, name
                assert 30 <= y <= height, name
        assert browser.errors == []


def winds(axes):
    return [each for each in axes.collections if isinstance(each, Quiver)]


def test_the_world_has_no_wind_and_the_arena_has_both(data):
    world, arena = Figure().add_subplot(), Figure().add_subplot()
    draw_world(world, data)
    draw_arena(arena, data)
    assert world.get_xlim() == arena.get_xlim() == (0.0, 16.0)
    assert not winds(world)
    assert len(winds(arena)) == 1
    assert len(arena.collections) > len(world.collections) > 3
