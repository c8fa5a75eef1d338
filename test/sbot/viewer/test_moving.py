"""Boxes and obstacles that move: in pictures, films and pages of a bag, a run, a live view."""

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from live_events import watch
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import to_rgb
from pages import check_moves
from PIL import Image

from sbot.figures.data import RunData
from sbot.figures.film import animate_run
from sbot.figures.look import DARK, LIGHT
from sbot.figures.picture import _draw_run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import scenario_from_mapping
from sbot.viewer.data import write_view
from sbot_common import topics


class Forward:
    def step(self, observation, rng):
        return 1.0, 0.0


MOVING = {
    'name': 'moving', 'rate': 20, 'duration': 3, 'world': {
        'bounds': [0, 0, 10, 10], 'rectangles': [{'center': [9, 9], 'size': [1, 1]}],
        'circles': [{'center': [5, 9], 'radius': 0.5}],
        'boxes': [{'center': [3, 2.1], 'size': [0.6, 0.8]}, {'center': [4.1, 4], 'radius': 0.3}],
        'moving': [{'radius': 0.4, 'path': [[1, 1], [1, 5]], 'speed': 0.5},
                   {'radius': 0.3, 'path': [[7, 1], [9, 1], [9, 4]], 'speed': 1.0,
                    'at_end': 'loop'}],
        'zones': [{'name': 'nest', 'center': [8, 8], 'radius': 1, 'color': 'green'},
                  {'name': 'lamp', 'center': [1, 8], 'color': '#ff0080'}]},
    'robots': [{'pose': [2, 2, 0], 'controller': Forward},
               {'pose': [3, 4, 0], 'controller': Forward}]}

# Red, green, blue of the pixel of the canvas at a point (m).
PIXEL = """((x, y) => {
  const at = ctx.getTransform().transformPoint({x, y});
  return Array.from(ctx.getImageData(at.x, at.y, 1, 1).data.slice(0, 3));
})"""


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('moving') / 'bag'
    return bag, run_scenario(scenario_from_mapping(MOVING), record=bag)


def test_a_bag_a_run_and_a_scenario_have_the_same_poses(recorded):
    bag, run = recorded
    data, result = RunData.from_bag(bag), RunData.from_result(run)
    assert (data.boxes.shape, data.obstacles.shape) == ((61, 2, 3), (61, 2, 2))
    assert (data.boxes == result.boxes).all()
    assert (data.obstacles == result.obstacles).all()
    assert (RunData.at_rest(run.scenario).boxes[0] == [[3, 2.1, 0], [4.1, 4, 0]]).all()
    assert len(data.world.rectangles) == 1
    assert abs(data.boxes[-1, 0, 2]) > 0.1
    assert data.obstacles[20, 0] == pytest.approx([1, 1.5])  # half a metre in a second
    assert data.obstacles[40, 1] == pytest.approx([9, 1])


def test_pictures_have_them_where_they_end_and_films_move_them(recorded, tmp_path):
    data = RunData.from_bag(recorded[0])
    shown = [each for each in _draw_run(data).axes[0].collections if each.get_gid() == 'boxes']
    rectangles = [each for each in shown if isinstance(each, PolyCollection)]
    discs = [each for each in shown if isinstance(each, EllipseCollection)]
    corners = rectangles[0].get_paths()[0].vertices[:4]
    np.testing.assert_allclose(corners.mean(axis=0), data.boxes[-1, 0, :2], atol=1e-9)
    along = corners[1] - corners[0]
    np.testing.assert_allclose(along, 0.6 * np.array([np.cos(data.boxes[-1, 0, 2]),
                                                      np.sin(data.boxes[-1, 0, 2])]), atol=1e-9)
    np.testing.assert_allclose(discs[0].get_offsets(), [data.boxes[-1, 1, :2]], atol=1e-9)
    animate_run(data, tmp_path / 'run.gif')
    with Image.open(tmp_path / 'run.gif') as film:
        assert film.n_frames > 10
        brown = []
        for frame in (0, film.n_frames - 1):
            film.seek(frame)
            red, _, blue = np.moveaxis(np.asarray(film.convert('RGB'), int), 2, 0)
            rows, columns = np.nonzero((red - blue > 50) & (red < 200) & (red > 150))
            assert len(rows) > 100
            brown.append(columns.mean())
        assert brown[1] > brown[0] + 20


def test_a_live_view_has_them_in_every_frame(recorded):
    data = RunData.from_bag(recorded[0])
    heard, header, frame = watch(recorded[0], data.stamps_ns[30])
    assert {topics.BOXES.name, topics.OBSTACLES.name} <= heard
    assert header['boxes'] == [[[-0.3, -0.4], [0.3, -0.4], [0.3, 0.4], [-0.3, 0.4]], 0.3]
    assert np.reshape(frame['box_poses'], (2, 3)) == pytest.approx(data.boxes[30], abs=1e-4)
    assert (header['moving'], header['circles']) == ([0.4, 0.3], [[5, 9, 0.5]])
    assert np.reshape(frame['obstacles'], (2, 2)) == pytest.approx(data.obstacles[30], abs=1e-4)
    assert header['zones'] == [[8, 8, 1, '#2e9e5b', 'nest'], [1, 8, None, '#ff0080', 'lamp']]


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
@pytest.mark.parametrize(('name', 'expression'), [
    ('boxes', 'posesAt(now, boxes)'), ('obstacles', 'obstaclesAt(now)')])
def test_the_page_moves_them(recorded, tmp_path, name, expression):
    bag, run = recorded
    check_moves(bag, run.seconds, getattr(run, name), expression, tmp_path)


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
                f'kept = [{PIXEL}(1, 1), {PIXEL}(5, 9)]; robots(...all); }}; '
                f'draw(); drawRobots = robots; return kept; }})()')
            for colour, pixel in zip((palette.moving, palette.obstacle), found, strict=True):
                assert np.array(pixel) / 255 == pytest.approx(np.array(to_rgb(colour)), abs=0.01)
        browser.evaluate('document.body.dispatchEvent(new KeyboardEvent("keydown", '
                         '{key: "?", bubbles: true}))')
        assert 'obstacle that moves' in browser.evaluate("$('help').innerText")
        assert browser.errors == []
