"""Pushable boxes in pictures, films and the browser, of a bag, a run, and a run watched live."""

import numpy as np
import pytest
from browser import CHROMIUM
from live_events import watch
from matplotlib.collections import EllipseCollection, PolyCollection
from pages import check_moves
from PIL import Image

from sbot.figures.data import at_rest, from_bag, from_result
from sbot.figures.film import animate_run
from sbot.figures.picture import _draw_run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import scenario_from_mapping
from sbot_common import topics


class Forward:
    def step(self, observation, rng):
        return 1.0, 0.0


BOXES = {
    'name': 'boxes', 'rate': 20, 'duration': 3, 'world': {
        'bounds': [0, 0, 8, 6], 'rectangles': [{'center': [7, 5], 'size': [1, 1]}],
        'boxes': [{'center': [3, 2.1], 'size': [0.6, 0.8]}, {'center': [4.1, 4], 'radius': 0.3}]},
    'robots': [{'pose': [2, 2, 0], 'controller': Forward},
               {'pose': [3, 4, 0], 'controller': Forward}]}


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('boxes') / 'bag'
    return bag, run_scenario(scenario_from_mapping(BOXES), record=bag)


def test_a_bag_a_run_and_a_scenario_have_the_same_poses(recorded):
    bag, run = recorded
    data = from_bag(bag)
    assert data.boxes.shape == (61, 2, 3)
    assert (data.boxes == from_result(run).boxes).all()
    assert (at_rest(run.scenario).boxes[0] == [[3, 2.1, 0], [4.1, 4, 0]]).all()
    assert len(data.world.rectangles) == 1
    assert abs(data.boxes[-1, 0, 2]) > 0.1


def test_pictures_have_them_where_they_end_and_films_move_them(recorded, tmp_path):
    data = from_bag(recorded[0])
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
    data = from_bag(recorded[0])
    heard, header, frame = watch(recorded[0], data.stamps_ns[30])
    assert topics.BOXES.name in heard
    assert header['boxes'] == [[[-0.3, -0.4], [0.3, -0.4], [0.3, 0.4], [-0.3, 0.4]], 0.3]
    assert np.reshape(frame['box_poses'], (2, 3)) == pytest.approx(data.boxes[30], abs=1e-4)


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_the_page_moves_them(recorded, tmp_path):
    bag, run = recorded
    check_moves(bag, run.seconds, run.boxes, 'posesAt(now, boxes)', tmp_path)
