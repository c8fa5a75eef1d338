
from dataclasses import replace

import numpy as np
import pytest
from pictures import crowd, scenario

import sbot
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.figures.picture import (
    _draw_run,
    _gust_of,
    _hidden,
    _leader_distances,
    _speeds,
    _wind_reductions,
    plot_run,
)
from sbot.scenario.load import load_scenario


def test_speed_distance_and_reduction_of_known_motion(data):
    ticks, x = 60, np.arange(60) / 30
    poses = np.zeros((ticks, 2, 3))
    poses[:, 0, 0] = 1.5 * x
    poses[:, 1, 1] = 4.0
    wind = np.tile([0.3, 0.4], (ticks, 2, 1))
    free = wind.copy()
    wind[:, 1] *= 0.25
    free[0] = 0.0
    known = data._replace(stamps_ns=data.stamps_ns[:ticks], poses=poses, wind=wind, free_wind=free)
    assert _speeds(known)[:, 0] == pytest.approx(1.5)
    assert _speeds(known)[:, 1] == pytest.approx(0.0)
    assert _leader_distances(known)[:, 1] == pytest.approx(np.hypot(1.5 * x, 4.0))
    assert np.isnan(_wind_reductions(known)[0]).all()
    assert _wind_reductions(known)[1:] == pytest.approx(np.tile([0.0, 0.75], (59, 1)))


def test_a_crowd_is_drawn_as_a_median_and_bands(data, tmp_path):
    panel = _draw_run(crowd(data, 400)).axes[2]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        'all 399 others', '10–90 % of them', 'median', 'leader (0)']
    assert len(panel.lines) == 2
    plot_run(crowd(data, 400), tmp_path / 'crowd.pdf')
    assert (tmp_path / 'crowd.pdf').stat().st_size < 2_000_000  # its tracks are an image


def test_one_robot_in_still_air_has_one_panel(tmp_path):
    run = scenario(tmp_path, robots=1)
    still = replace(run, wind=run.wind._replace(flow=run.wind.flow._replace(wind_speed_mean=0.0)))
    data = RunData.at_rest(still)
    assert len(data.wind_arrows()) == 0
    data = data._replace(stamps_ns=data.stamps_ns + np.arange(9) * 33_333_333,
                         poses=np.repeat(data.poses, 9, axis=0),
                         wind=np.zeros((9, 1, 2)), free_wind=np.zeros((9, 1, 2)))
    assert len(_draw_run(data).axes) == 2


def still(**wind):
    scenario = load_scenario('wind_gust', {f'wind.{key}': value for key, value in wind.items()})
    data = RunData.at_rest(scenario)
    stamps = np.array([scenario.rate.stamp_ns(k) for k in range(601)], np.int64)
    return data._replace(stamps_ns=stamps, poses=np.repeat(data.poses, 601, axis=0),
                         wind=np.repeat(data.wind, 601, axis=0),
                         free_wind=np.repeat(data.free_wind, 601, axis=0))


def test_a_picture_shows_when_and_how_a_gust_blows():
    begin, end = _gust_of(still())
    assert (begin, end) == pytest.approx((5 - 1 / 30, 10 - 1 / 30))
    figure = _draw_run(still(wind_force_mean=1.5))
    panel = figure.axes[1]
    # In the legend: on the curves it would hide them, and at the end leave the picture.
    assert 'gust' in [text.get_text() for text in panel.get_legend().get_texts()]
    assert not panel.texts
    assert any('mean wind force 1.5 N' in axes.get_title(loc='left') for axes in figure.axes)
    assert _gust_of(still(wind_gust_force_mean=0)) is None
    assert _gust_of(still(wind_gust_start=1000)) is None


class Steady:
    def step(self, observation, rng):
        return 0.5, 0.4


def test_a_constant_speed_lies_below_the_edge():
    run = sbot.run({'duration': 2, 'world': {'bounds': [0, 0, 6, 6]},
                    'robots': [{'pose': [3, 1.5, 0], 'controller': Steady}]})
    axes = _draw_run(RunData.from_result(run)).axes
    assert axes[1].get_ylim() == pytest.approx((0.0, 0.525), abs=1e-4)


def test_where_lines_are_equal_the_upper_ones_have_gaps_for_the_others(data):
    values = np.zeros((100, 4))
    values[:, 0] = np.linspace(1.0, 2.0, 100)
    values[60:, 1] = 3.0
    count = _hidden(values)
    assert (count[:60, 1] == 2).all()  # robots 2 and 3, which are below
    assert (count[60:, 1] == 0).all()
    assert (count[:, 2] == 1).all()
    assert not count[:, [0, 3]].any()
    assert not _hidden(np.column_stack([np.linspace(0, 9, 90), np.linspace(9, 0, 90)])).any()
    still = crowd(data, 3)
    still = still._replace(poses=np.repeat(still.poses[:1], 60, axis=0))
    lines = _draw_run(still).axes[1].lines
    dashed = [line for line in lines if line.get_linestyle() == '--']
    assert [line.get_color() for line in dashed] == robot_colours(still)[:2]
    assert [np.isfinite(line.get_ydata()).sum() for line in dashed] == [60, 60]
