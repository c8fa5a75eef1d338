

import numpy as np
import pytest
from pictures import crowd

from sbot.figures.data import at_rest
from sbot.figures.picture import (
    _draw_run,
    _gust_of,
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


def still(**wind):
    scenario = load_scenario('wind_gust', {f'wind.{key}': value for key, value in wind.items()})
    data = at_rest(scenario)
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
