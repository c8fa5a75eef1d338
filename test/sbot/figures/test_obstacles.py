import numpy as np
import pytest
from matplotlib.figure import Figure

import sbot
from sbot.figures import film as animate
from sbot.figures.data import RunData
from sbot.figures.ground import Boxes
from sbot.figures.picture import _draw_run
from sbot.scenario.load import load


def test_a_picture_shows_where_obstacles_start_and_their_paths():
    moving = [{'radius': 0.4, 'path': [[2, 1], [2, 5]], 'speed': 0.5},
              {'radius': 0.3, 'path': [[6, 1], [8, 1], [8, 4]], 'speed': 1.0, 'at_end': 'loop'}]
    data = RunData.at_rest(load({'world': {'bounds': [0, 0, 10, 6], 'moving': moving},
                                 'robots': [{'pose': [5, 3, 0], 'controller': 'none'}]}))
    np.testing.assert_allclose(data.world.circles, [[2, 1, 0.4], [6, 1, 0.3]])
    paths = [line.get_xydata().tolist() for axes in _draw_run(data).axes
             for line in axes.get_lines() if line.get_gid() == 'path']
    assert paths == [[[2, 1], [2, 5]], [[6, 1], [8, 1], [8, 4], [6, 1]]]


def test_obstacles_that_move_are_drawn_where_they_are():
    run = sbot.run({'duration': 2, 'rate': 10, 'world': {
        'bounds': [0, 0, 9, 9], 'circles': [{'center': [2, 7], 'radius': 0.5}],
        'moving': [{'radius': 0.4, 'path': [[2, 1], [2, 5]], 'speed': 0.5}]},
        'robots': [{'pose': [6, 6, 0], 'controller': 'none'}]})
    figure = _draw_run(RunData.from_result(run))
    [disc] = [artist for artist in figure.axes[0].collections if artist.get_gid() == 'moving']
    assert disc.get_offsets() == pytest.approx(np.array([[2.0, 2.0]]))
    assert disc.get_widths() == pytest.approx([0.8])
    film = animate._Film(RunData.from_result(run))
    below = slice(30, None)  # the clock is above
    first, last = film.frame(0)[below], film.frame(20)[below]
    assert (first != last).any(axis=2).sum() > 100


def test_boxes_move_and_their_starts_stay():
    data = RunData.at_rest(sbot.load({
        'world': {'bounds': [0, 0, 6, 6], 'boxes': [
            {'center': [2, 2], 'size': [1.0, 0.5], 'mass': 1},
            {'center': [4, 2], 'radius': 0.3, 'mass': 1}]},
        'robots': [{'pose': [1, 4, 0], 'controller': 'none'}]}))
    boxes = Boxes(Figure().add_subplot(), data, data.boxes[0])
    boxes.move(data.boxes[0] + [0.0, 1.5, 0.0])
    assert boxes.discs.get_offsets() == pytest.approx(np.array([[4.0, 3.5]]))
    [path] = boxes.shapes.get_paths()
    assert path.vertices[:4].mean(axis=0) == pytest.approx([2.0, 3.5])
    starts = [each for each in _draw_run(data).axes[0].collections
              if each.get_gid() == 'starts of boxes']
    assert sorted(len(each.get_offsets()) for each in starts) == [1, 1]
