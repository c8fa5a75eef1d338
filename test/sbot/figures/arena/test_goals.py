from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import sbot
from sbot.figures.arena.colours import robot_colours
from sbot.figures.arena.goals import draw_goals, wide_tolerances
from sbot.figures.data import from_result
from sbot.figures.moments import draw_moments
from sbot.figures.palette import palette
from sbot.figures.picture import draw_run


def test_a_goal_has_the_colour_of_its_robot():
    robots = [{'pose': [2, 2 + 2 * i, 0], 'controller': 'none'} for i in range(3)]
    robots[1]['goal'], robots[2]['goal'] = [8, 3], [8, 6]
    run = sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]}, 'robots': robots})
    data = from_result(run)
    marks = [each for each in draw_run(data).axes[0].collections
             if each.get_offsets().tolist() == [[8.0, 3.0], [8.0, 6.0]]]
    filled = [each.get_facecolors()[:, :3].tolist() for each in marks
              if each.get_linewidths()[0] == 0.0]
    assert filled == [[list(to_rgb(colour)) for colour in robot_colours(data)[1:]]]


def test_a_goal_of_several_robots_is_not_filled(data):
    shared = data._replace(goals=tuple(data.goals[0]._replace(robot=i) for i in range(3)))
    marks = [each for each in draw_run(shared).axes[0].collections
             if each.get_offsets().tolist() == [[13.0, 5.5]] and each.get_gid() != 'tolerances']
    assert len(marks) == 2  # ring and cross
    assert all(len(each.get_facecolors()) == 0 or each.get_facecolors()[0][3] == 1.0
               for each in marks)


def test_goals_of_many_with_a_colour_each_have_these_colours():
    robots = [{'pose': [1 + k, 2, 0], 'goal': [1 + k, 8], 'controller': 'none'} for k in range(9)]
    data = from_result(sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]},
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
    data = from_result(sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 10, 10]},
                                 'robots': robots}))
    assert wide_tolerances(data, list(data.goals), 40.0).tolist() == [[8.0, 3.0, 1.5]]
    for figure in (draw_run(data), draw_moments(data, (0.0,))):
        [circle] = [each for each in figure.axes[0].collections
                    if each.get_gid() == 'tolerances']
        assert circle.get_offsets().tolist() == [[8.0, 3.0]]
        assert circle.get_widths().tolist() == [3.0]
        [signs] = figure.legends or [figure.axes[0].get_legend()]
        assert [text.get_text() for text in signs.get_texts()][1:] == ['goal', 'tolerance']


def test_the_filling_of_a_goal_is_over_starts_and_below_boxes_and_tracks():
    run = sbot.run({'duration': 0.2, 'world': {'bounds': [0, 0, 10, 10], 'boxes': [
        {'center': [8, 3], 'size': [1, 1]}]},
        'robots': [{'pose': [2, 2, 0], 'goal': [8, 3], 'controller': 'none'}]})
    collections = draw_run(from_result(run)).axes[0].collections
    order = {each.get_gid(): each.get_zorder() for each in collections}
    [filling] = [each.get_zorder() for each in collections
                 if each.get_offsets().tolist() == [[8.0, 3.0]] and each.get_alpha() == 0.5]
    starts = min(each.get_zorder() for each in collections
                 if each.get_offsets().tolist() == [[2.0, 2.0]])
    assert starts < filling < order['boxes'] < 4.0
