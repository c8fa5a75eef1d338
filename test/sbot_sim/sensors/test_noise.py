"""Distribution of every noise, and its independence over robots, ticks, sensors and seeds."""

import itertools

import numpy as np
import pytest
from infrared_reference import infrared_readings
from scipy import stats
from views import view

from sbot_sim.sensors import gnss as satellites
from sbot_sim.sensors import imu as inertial
from sbot_sim.sensors.infrared import InfraredSettings
from sbot_sim.sensors.laser import _add_scan_noise
from sbot_sim.sensors.odometry import draw_slip, draw_wheel_scale

ROBOTS, DT = 4000, 0.1
SEED, TICK = 11, 40
FLAT = 111_319.49079  # m a degree of longitude on the equator: 6378137 m pi/180
NORTH = 110_574.27582  # m a degree of latitude there


def scan(seed, tick):
    ranges = np.full((ROBOTS, 3), 5.0, np.float32)
    _add_scan_noise(ranges, 0.1, 0.0, 10.0, seed, tick, np.zeros(ROBOTS, np.int64), 0, 0, 3)
    return (ranges - 5.0) / 0.1


def infrared(seed, tick):
    parameters = InfraredSettings(infrared=True, infrared_noise=0.1).parameters()
    distances = np.full((ROBOTS, 15), 0.03)
    clean = infrared_readings(distances, parameters, None)
    return ((infrared_readings(distances, parameters, (seed, tick)) / clean - 1.0) / 0.1)[:, ::7]


def slip(seed, tick):
    return draw_slip(np.full(ROBOTS, 0.02), seed, tick, 4)


def wheels(seed, _):
    return (draw_wheel_scale(np.full(ROBOTS, 0.02), seed, 4) - 1.0) / 0.02


def imu(seed, tick):
    readings = inertial.SENSOR.kernel.read(
        inertial._ImuSettings(True, 0.01, 0.02, 0.03),
        view(ROBOTS, seed=seed, tick=tick, dt=DT), np.zeros((ROBOTS, 6)))
    return readings / [0.01, *np.array([0.02, 0.03, 0.03]) / np.sqrt(DT)]


def imu_bias(seed, _):
    settings = inertial._ImuSettings(True, imu_bias_turn_rate=0.02, imu_bias_acceleration=0.3)
    memory = inertial.SENSOR.kernel.start(settings, view(ROBOTS, seed=seed))
    return memory[:, 1:4] / [0.02, 0.3, 0.3]


def gnss(seed, tick):
    place = satellites.SENSOR.kernel.read(
        satellites._GnssSettings(True, gnss_noise=2.0, gnss_noise_vertical=3.0),
        view(ROBOTS, seed=seed, tick=tick), None)
    return place * [NORTH / 2.0, FLAT / 2.0, 1.0 / 3.0]


NORMAL = [scan, slip, wheels, imu, imu_bias, gnss]
DRAWN_ONCE = (wheels, imu_bias)


def distribution(noise):
    return stats.norm() if noise in NORMAL else stats.uniform(-1.0, 2.0)


@pytest.mark.parametrize('noise', [*NORMAL, infrared], ids=lambda noise: noise.__name__)
def test_noise_has_the_distribution_of_its_parameters(noise):
    expected = distribution(noise)
    for column in noise(SEED, TICK).T:
        assert stats.kstest(column, expected.cdf).pvalue > 1e-3
        assert column.mean() == pytest.approx(0.0, abs=4 * expected.std() / np.sqrt(ROBOTS))
        assert column.std() == pytest.approx(expected.std(), rel=0.05)
        assert stats.kurtosis(column) == pytest.approx(expected.stats('k'), abs=0.35)


def assert_independent(columns):
    """Pairs of many columns: neither values nor their squares go together."""
    n = len(columns[0])
    for a, b in itertools.combinations(columns, 2):
        assert not np.array_equal(a, b)
        for x, y in ((a, b), (a * a, b * b)):
            assert abs(np.corrcoef(x, y)[0, 1]) < 5 / np.sqrt(n)


@pytest.mark.parametrize('noise', [*NORMAL, infrared], ids=lambda noise: noise.__name__)
def test_noise_of_robots_ticks_numbers_and_seeds_is_independent(noise):
    here = noise(SEED, TICK)
    columns = [*here.T, *noise(SEED + 1, TICK).T, np.roll(here[:, 0], 1)]
    if noise not in DRAWN_ONCE:
        columns += [*noise(SEED, TICK + 1).T, *noise(SEED, 0).T]
    assert_independent(columns)


def test_noise_of_sensors_is_independent():
    """They have the same seed, tick, robots and indexes."""
    for tick in (0, TICK):
        assert_independent([noise(SEED, tick)[:, 0] for noise in (*NORMAL, infrared)])


def test_noise_in_time_has_no_memory():
    over_time = np.array([draw_slip(np.full(2, 0.02), SEED, tick, 2).ravel()
                          for tick in range(4000)])
    for column in over_time.T:
        assert stats.kstest(column, 'norm').pvalue > 1e-3
    assert_independent([over_time[lag:4000 - 5 + lag, 0] for lag in range(5)])
