import math

import numpy as np
import pytest

from sbot.figures.arena import outlines, outlines_of
from sbot.figures.data import RunData
from sbot.figures.film import _Film
from sbot.figures.picture import _draw_run
from sbot.figures.tracks import draw_moments
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario
from sbot_sim.world.bodies import Body


def test_a_body_turns_about_the_place_that_its_offset_names():
    cart = Body('cart', length=1.2, width=0.4, offset=0.5)
    [corners] = outlines(outlines_of([cart]), np.array([[2.0, 1.0, math.pi / 2]]))
    assert corners.mean(axis=0) == pytest.approx([2.0, 1.5])
    assert np.ptp(corners, axis=0) == pytest.approx([0.4, 1.2])


SCENARIO = """
name: gusty
duration: 1.5
world: {bounds: [0, 0, 12, 8]}
robots: [{pose: [2, 2, 0], controller: none}]
wind: {wind_direction: [1, 0, 0], wind_speed_mean: 0.3, wind_gust_direction: [0, 1, 0],
       wind_gust_speed_mean: 1.2, wind_gust_start: 0.5, wind_gust_duration: 0.5%s}
"""
CALM, GUSTY = 2, 20  # ticks


def run_of(folder, more='', **options):
    return run_scenario(parse_scenario(SCENARIO % more, 'gusty', folder), **options)


@pytest.fixture(scope='module')
def gusts(tmp_path_factory) -> RunData:
    return RunData.from_result(run_of(tmp_path_factory.mktemp('gusty')))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def in_one_line(axes):
    return [text.replace('\n', ' ') for text in texts(axes)]


def test_moments_show_and_name_the_wind_of_their_time(gusts):
    before, during, after = draw_moments(gusts, (0.1, 0.7, 1.4)).axes
    assert texts(before) == texts(after) == ['wind → 0.3 m/s']
    assert in_one_line(during) == ['wind → 0.3 + gust ↑ 1.2 m/s']
    calm, gusty = gusts.wind_arrows(CALM)[:, 2:], gusts.wind_arrows(GUSTY)[:, 2:]
    assert np.allclose(gusty, gusty[0])
    assert gusty[0, 1] / gusty[0, 0] == pytest.approx(4.0)
    # One scale for all times.
    assert calm[0, 0] == pytest.approx(gusty[0, 0])
    assert calm[0, 1] == 0.0


def test_tracks_have_the_mean_wind_and_name_gust_and_turbulence(gusts, tmp_path):
    assert 'wind → 0.3 m/s, gust ↑ 1.2 m/s from 0.5 to 1 s' in texts(_draw_run(gusts).axes[0])
    more = RunData.from_result(run_of(tmp_path, ', turbulence: robot, turbulence_speed: 0.1, '
                               'wind_gust_force_mean: 4'))
    assert in_one_line(draw_moments(more, (0.7,)).axes[0]) == [
        'wind → 0.3 + gust ↑ 1.2 m/s + gust ↑ 4 N, turbulence 0.1 m/s']


def test_a_film_that_is_faster_than_the_run_says_so(gusts):
    assert '×' not in clock(gusts)
    stamps = gusts.stamps_ns[0] + 30 * (gusts.stamps_ns - gusts.stamps_ns[0])
    assert clock(gusts._replace(stamps_ns=stamps)).endswith('×2.2')


def clock(gusts):
    film = _Film(gusts)
    film.frame(0)
    return film._clock.get_text()
