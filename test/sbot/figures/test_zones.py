"""Zones: checked, recorded, drawn in pictures, films and the browser, without effect on a run."""

import numpy as np
import pytest
import yaml
from browser import CHROMIUM, Browser
from matplotlib.colors import to_rgb
from PIL import Image

from sbot.bag.reader import Bag
from sbot.figures.animation import animate_run
from sbot.figures.data import from_bag
from sbot.figures.picture import Look, draw_run, plot_run
from sbot.figures.zones import zone_colour
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot.viewer.page import write_view
from sbot_common.errors import InputError


class Forward:
    def step(self, observation, rng):
        return 1.0, 0.1


ZONES = [{'name': 'nest $x$', 'center': [2, 1.5], 'radius': 1.0, 'color': 'green'},
         {'name': 'top', 'center': [6, 5], 'radius': 0.9, 'color': '#336699'},
         {'name': 'lamp', 'center': [6, 1.5]}]


def scenario(*zones):
    world = {'bounds': [0, 0, 8, 6], **({'zones': list(zones)} if zones else {})}
    return scenario_from_mapping({
        'name': 'zones', 'rate': 20, 'duration': 1, 'world': world,
        'sensors': {'scan_noise_std': 0.01},
        'robots': [{'pose': [2, 3, 0], 'controller': Forward}]})


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('zones') / 'bag'
    return bag, run_scenario(scenario(*ZONES), record=bag)


@pytest.fixture(scope='module')
def data(recorded):
    return from_bag(recorded[0])


def test_they_change_nothing_of_a_run(recorded, tmp_path):
    plain = run_scenario(scenario(), record=tmp_path / 'bag')
    assert recorded[1].summary['trajectory_sha256'] == plain.summary['trajectory_sha256']
    assert 'zones' in yaml.safe_load(Bag(recorded[0]).scenario_text)['world']
    assert 'zones' not in yaml.safe_load(Bag(tmp_path / 'bag').scenario_text)['world']


def test_a_recording_has_them(recorded, data):
    assert data.scenario.world.zones == recorded[1].scenario.world.zones
    assert [zone_colour(zone) for zone in data.scenario.world.zones] == [
        '#2e9e5b', '#336699', '#d9b400']


@pytest.mark.parametrize(('zone', 'message'), [
    ({'name': 'a', 'center': [1, 1], 'color': 'pink'},
     r"world\.zones\.0\.color: got 'pink', expected red, .*grey, or '#rrggbb'"),
    ({'name': 'a', 'center': [1, 1], 'radius': 0}, r'radius: got 0, expected a number > 0'),
    ({'center': [1, 1]}, "key 'name' is missing"),
    ({'name': 'a', 'center': [1, 1], 'colour': 'red'}, "did you mean 'color'")])
def test_wrong_ones_are_refused(zone, message, tmp_path):
    text = yaml.safe_dump({'world': {'bounds': [0, 0, 4, 4], 'zones': [zone]},
                           'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]})
    with pytest.raises(InputError, match=message):
        parse_scenario(text, 'text', tmp_path)


def mixed(colour, ground, opacity=0.22):
    return opacity * np.array(to_rgb(colour)) + (1 - opacity) * np.array(to_rgb(ground))


@pytest.mark.parametrize(('dark', 'ground'), [(False, 'white'), (True, '#1e2129')])
def test_pictures_and_films_show_them(data, tmp_path, dark, ground):
    figure = draw_run(data)
    axes = figure.axes[0]
    names = {text.get_text(): text for text in axes.texts}
    assert {'nest $x$', 'top', 'lamp'} <= set(names)
    # Above its zone, but below where the wall is near.
    assert names['nest $x$'].xy == (2.0, 2.5)
    assert names['top'].xy[1] == pytest.approx(4.1)
    plot_run(data, tmp_path / 'run.png', Look(dark=dark))
    figure.set_dpi(200)
    figure.draw_without_rendering()
    pixels = np.asarray(Image.open(tmp_path / 'run.png').convert('RGB')) / 255
    for place, colour in (((2.0, 1.2), '#2e9e5b'), ((6.3, 5.2), '#336699')):
        x, y = axes.transData.transform(place)
        assert pixels[round(len(pixels) - y), round(x)] == pytest.approx(
            mixed(colour, ground), abs=0.02)
    x, y = axes.transData.transform((6.0, 1.5))
    assert pixels[round(len(pixels) - y), round(x)] == pytest.approx(to_rgb('#d9b400'), abs=0.02)


def test_films_show_them(data, tmp_path):
    animate_run(data, tmp_path / 'run.gif')
    with Image.open(tmp_path / 'run.gif') as film:
        pixels = np.asarray(film.convert('RGB')) / 255
    near = np.abs(pixels - mixed('#2e9e5b', 'white')).max(axis=2) < 0.05
    assert near.mean() > 0.5 * np.pi / 48  # of the nest's share of the arena


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
@pytest.mark.parametrize(('theme', 'ground'), [('light', '#ffffff'), ('dark', '#1b1e24')])
def test_the_viewer_shows_them(recorded, tmp_path, theme, ground):
    page = tmp_path / 'run.html'
    write_view(recorded[0], page)
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
