"""Moving obstacles in the browser: of a bag, a run in this process, a run that is watched live."""

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from live_events import watch
from matplotlib.colors import to_rgb
from pages import check_moves

from sbot.figures.data import from_bag, from_result
from sbot.figures.look import DARK, LIGHT
from sbot.runner.loop import run_scenario
from sbot.scenario.load import scenario_from_mapping
from sbot.viewer.data import write_view
from sbot_common import topics

MOVING = {
    'name': 'moving', 'rate': 20, 'duration': 3, 'world': {
        'bounds': [0, 0, 10, 10], 'circles': [{'center': [5, 9], 'radius': 0.5}],
        'moving': [{'radius': 0.4, 'path': [[2, 1], [2, 5]], 'speed': 0.5},
                   {'radius': 0.3, 'path': [[6, 1], [8, 1], [8, 4]], 'speed': 1.0,
                    'at_end': 'loop'}],
        'zones': [{'name': 'nest', 'center': [8, 8], 'radius': 1, 'color': 'green'},
                  {'name': 'lamp', 'center': [1, 8], 'color': '#ff0080'}]},
    'robots': [{'pose': [4, 4, 0], 'controller': 'none'}]}

# Red, green, blue of the pixel of the canvas at a point (m).
PIXEL = """((x, y) => {
  const at = ctx.getTransform().transformPoint({x, y});
  return Array.from(ctx.getImageData(at.x, at.y, 1, 1).data.slice(0, 3));
})"""


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('moving') / 'bag'
    return bag, run_scenario(scenario_from_mapping(MOVING), record=bag)


def test_a_bag_and_a_run_have_the_same_centres(recorded):
    bag, run = recorded
    centres = from_bag(bag).obstacles
    assert centres.shape == (61, 2, 2)
    assert (centres == from_result(run).obstacles).all()
    assert centres[20, 0] == pytest.approx([2, 1.5])  # half a metre in a second
    assert centres[40, 1] == pytest.approx([8, 1])


def test_a_live_view_has_them_in_every_frame(recorded):
    data = from_bag(recorded[0])
    heard, header, frame = watch(recorded[0], data.stamps_ns[30])
    assert topics.OBSTACLES.name in heard
    assert (header['moving'], header['circles']) == ([0.4, 0.3], [[5, 9, 0.5]])
    assert np.reshape(frame['obstacles'], (2, 2)) == pytest.approx(data.obstacles[30], abs=1e-4)
    assert header['zones'] == [[8, 8, 1, '#2e9e5b', 'nest'], [1, 8, None, '#ff0080', 'lamp']]


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_the_page_moves_them(recorded, tmp_path):
    bag, run = recorded
    check_moves(bag, run.seconds, run.obstacles, 'obstaclesAt(now)', tmp_path)


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_those_that_move_have_a_colour_of_their_own_and_a_line_in_the_help(recorded, tmp_path):
    write_view(recorded[0], tmp_path / 'run.html')
    with Browser(tmp_path / 'profile', 600, 600) as browser:
        browser.open(f'{(tmp_path / "run.html").as_uri()}#t=0')
        for key, palette in (('', LIGHT), ('d', DARK)):
            browser.evaluate(f'document.body.dispatchEvent(new KeyboardEvent("keydown", '
                             f'{{key: "{key}", bubbles: true}}))')
            found = browser.evaluate(
                f'(() => {{ let kept; '
                f'const robots = drawRobots; drawRobots = (...all) => {{ '
                f'kept = [{PIXEL}(2, 1), {PIXEL}(5, 9)]; robots(...all); }}; '
                f'draw(); drawRobots = robots; return kept; }})()')
            for colour, pixel in zip((palette.moving, palette.obstacle), found, strict=True):
                assert np.array(pixel) / 255 == pytest.approx(np.array(to_rgb(colour)), abs=0.01)
        browser.evaluate('document.body.dispatchEvent(new KeyboardEvent("keydown", '
                         '{key: "?", bubbles: true}))')
        assert 'obstacle that moves' in browser.evaluate("$('help').innerText")
        assert browser.errors == []
