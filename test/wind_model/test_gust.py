import numpy as np
import pytest

from sbot_common.clock import parse_rate
from sbot_common.params import updated
from sbot_sim.dynamics.impulses import impulse_velocity, sum_impulses
from wind_model.gust import gust_window
from wind_model.parameters import WindParameters
from wind_model.source import WindSource
from wind_model.uniform import mean_velocity

GUST = {'wind_gust_direction': [0, -2, 0], 'wind_gust_force_mean': 3.0, 'wind_gust_start': 1.1,
        'wind_gust_duration': 0.3}


def force_at(parameters, stamp):
    return WindSource(parameters, None).at(stamp).force


def test_the_window_is_whole_nanoseconds():
    assert gust_window(updated(WindParameters(), GUST)) == (1_100_000_000, 1_400_000_000)


@pytest.mark.parametrize(('stamp', 'force'), [
    (1_099_999_999, 0), (1_100_000_000, -3), (1_399_999_999, -3), (1_400_000_000, 0)])
def test_the_first_and_last_nanosecond_of_a_gust(stamp, force):
    assert force_at(updated(WindParameters(), GUST), stamp).tolist() == [0, force, 0]


@pytest.mark.parametrize(('stamp', 'speed'), [
    (1_099_999_999, 0), (1_100_000_000, -2), (1_399_999_999, -2), (1_400_000_000, 0)])
def test_a_gust_may_be_a_speed(stamp, speed):
    parameters = updated(WindParameters(), {
        **GUST, 'wind_gust_force_mean': 0.0, 'wind_gust_speed_mean': 2.0})
    assert WindSource(parameters, None).at(stamp).gust.tolist() == [0, speed, 0]
    assert not force_at(parameters, stamp).any()


def test_there_is_no_force_together_with_a_field_unless_asked_for():
    """docs/errata.md R6."""
    given = {**GUST, 'wind_force_mean': 1.0, 'use_custom_static_wind_field': True,
             'custom_wind_field_path': 'x'}
    assert not force_at(updated(WindParameters(), given), 1_200_000_000).any()
    both = updated(WindParameters(), {**given, 'forces_with_field': True})
    assert force_at(both, 1_200_000_000).tolist() == [1, -3, 0]


def test_mean_force_adds_to_the_gust():
    parameters = updated(WindParameters(), {
        **GUST, 'wind_direction': [5, 0, 0], 'wind_force_mean': 2.0, 'wind_speed_mean': 7.0})
    assert force_at(parameters, 1_200_000_000).tolist() == [2, -3, 0]
    assert force_at(parameters, 0).tolist() == [2, 0, 0]
    assert mean_velocity(parameters).tolist() == [7, 0, 0]


@pytest.mark.parametrize('rate', [10, 30, '100/3'])
def test_a_gust_moves_a_free_robot_by_the_sum_of_its_ticks(rate):
    rate = parse_rate(rate)
    parameters = updated(WindParameters(), GUST)
    mass, yaw, still = np.array([0.7]), np.zeros(1), np.zeros((1, 2))
    y, expected, gusty = 0.0, 0.0, []
    for tick in range(rate.ticks(3.0)):
        stamp = rate.stamp_ns(tick)
        force = force_at(parameters, stamp)
        impulse = sum_impulses(mass, still, force[np.newaxis, :2].copy(), np.zeros(1), yaw,
                               rate.dt)
        y += impulse_velocity(impulse, mass)[0, 1] * rate.dt
        if 1_100_000_000 <= stamp < 1_400_000_000:
            gusty.append(tick)
            expected += -3.0 * rate.dt / 0.7 * rate.dt
    assert y == expected
    assert gusty[0] == rate.tick(1_099_999_999) + 1
    assert gusty[-1] == rate.tick(1_399_999_999)
