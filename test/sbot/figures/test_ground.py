import warnings
from dataclasses import replace

import numpy as np
import pytest
import yaml
from browser import CHROMIUM, Browser
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver
from PIL import Image

import sbot
from sbot.bag.reader import Bag
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.film import animate_run
from sbot.figures.ground import draw_arena, draw_world
from sbot.figures.look import Look
from sbot.figures.picture import _draw_run, plot_run
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


def test_a_letter_that_the_font_lacks_is_a_box(tmp_path):
    # matplotlib warned in two lines, with the path of a source.
    named = scenario({'name': '猫 nest', 'center': [2, 2]})
    zones_data = RunData.from_result(run_scenario(replace(named, name='猫')))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for suffix in ('png', 'svg', 'pdf'):
            plot_run(zones_data, tmp_path / f'run.{suffix}')
        animate_run(zones_data, tmp_path / 'run.gif')


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
