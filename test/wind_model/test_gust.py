import math

import numpy as np
import pytest

import sbot
from sbot.scenario.argos import _direction_of_angle
from sbot_common.params import updated
from wind_model.generate import generate
from wind_model.gust import Waves, Wind, WindSource, _wave_number, gusts_at, load_field
from wind_model.parameters import PLACE, ROBOT, TurbulenceParameters, WindParameters, unit
from wind_model.rotors_text import write_grid


@pytest.mark.parametrize('direction', [
    (3.0, 4.0, 0.0), (1e-200, 0.0, 0.0), (1e200, -1e200, 1e200), (5e-324, 0.0, 0.0)])
def test_directions_of_any_length_are_normalised(direction):
    result = unit(direction)
    assert abs(np.sqrt((result ** 2).sum()) - 1) < 1e-15
    assert (np.sign(result) == np.sign(direction)).all()


def test_an_argos_angle_is_where_the_wind_blows_to():
    assert _direction_of_angle(0.0) == (1.0, 0.0, 0.0)
    assert np.allclose(_direction_of_angle(90.0), (0, 1, 0), atol=1e-16)
    assert np.allclose(_direction_of_angle(-90.0), (0, -1, 0), atol=1e-16)


GUST = {'wind_gust_direction': [0, -2, 0], 'wind_gust_force_mean': 3.0, 'wind_gust_start': 1.1,
        'wind_gust_duration': 0.3}


def force_at(parameters, stamp):
    return WindSource(parameters, None).at(stamp).force


@pytest.mark.parametrize(('stamp', 'blows'), [
    (1_099_999_999, 0), (1_100_000_000, 1), (1_399_999_999, 1), (1_400_000_000, 0)])
def test_the_first_and_last_nanosecond_of_a_gust_of_force_or_of_speed(stamp, blows):
    assert force_at(updated(WindParameters(), GUST), stamp).tolist() == [0, -3 * blows, 0]
    parameters = updated(WindParameters(), {
        **GUST, 'wind_gust_force_mean': 0.0, 'wind_gust_speed_mean': 2.0})
    assert WindSource(parameters, None).at(stamp).gust.tolist() == [0, -2 * blows, 0]
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
    assert parameters.mean_velocity.tolist() == [7, 0, 0]


SPEED, LENGTH, TIME = 0.3, 2.0, 4.0
FIELD = TurbulenceParameters(PLACE, SPEED, LENGTH, TIME)
OWN = TurbulenceParameters(ROBOT, SPEED, LENGTH, TIME)


def correlations(parameters, offset, delay, seeds=600):
    """E[u u'] and E[v v'] of two gusts so far apart, over many seeds."""
    sums = np.zeros(2)
    for seed in range(seeds):
        waves = Waves.draw(parameters, seed, 1)
        here = gusts_at(waves, np.zeros((1, 2)), 0.0, 0.0, 10.0)[0]
        there = gusts_at(waves, np.array([[offset, 0.0]]), 0.0, 0.0, 10.0 + delay)[0]
        sums += here * there
    return sums / seeds / SPEED**2


@pytest.mark.parametrize('parameters', [FIELD, OWN])
def test_the_standard_deviation_is_the_speed(parameters):
    assert correlations(parameters, 0.0, 0.0) == pytest.approx([1, 1], abs=0.2)


@pytest.mark.parametrize('parameters', [FIELD, OWN])
@pytest.mark.parametrize('delay', [1.0, 4.0])
def test_in_time_gusts_are_alike_as_in_an_ornstein_uhlenbeck_process(parameters, delay):
    expected = math.exp(-delay / TIME)
    assert correlations(parameters, 0.0, delay) == pytest.approx([expected] * 2, abs=0.2)


@pytest.mark.parametrize('offset', [0.5, 2.0])
def test_along_and_across_two_places_gusts_are_alike_as_in_drydens_model(offset):
    """In a plane without sources g = d(r f)/dr belongs to f = exp(-r/L) along."""
    ratio = offset / LENGTH
    expected = [math.exp(-ratio), (1 - ratio) * math.exp(-ratio)]
    assert correlations(FIELD, offset, 0.0) == pytest.approx(expected, abs=0.2)


def test_wave_numbers_have_the_share_that_their_spectrum_gives():
    for u in np.linspace(0.01, 0.99, 25):
        k = _wave_number(u, LENGTH)
        q = 1 / math.sqrt(1 + (k * LENGTH)**2)
        assert 1 - (3 * q - q**3) / 2 == pytest.approx(u, abs=1e-9)
    k = np.linspace(1e-6, 4000, 4_000_001)
    spectrum = 1.5 / LENGTH * k**3 / (LENGTH**-2 + k**2)**2.5
    share = np.trapezoid(spectrum[k <= _wave_number(0.5, LENGTH)], dx=k[1] - k[0])
    assert share == pytest.approx(0.5, abs=1e-3)


def test_robots_share_a_field_and_have_gusts_of_their_own():
    places = np.array([[1.0, 2.0], [1.0, 2.0], [40.0, 2.0]])
    a, b, c = gusts_at(Waves.draw(FIELD, 1, 3), places, 0.0, 0.0, 1.0)
    assert (a == b).all()
    assert (a != c).all()
    a, b, c = gusts_at(Waves.draw(OWN, 1, 3), places, 0.0, 0.0, 1.0)
    assert len({*a.tolist(), *b.tolist(), *c.tolist()}) == 6
    assert (gusts_at(Waves.draw(OWN, 2, 3), places, 0.0, 0.0, 1.0)[0] != a).all()


def test_a_field_is_carried_by_the_wind():
    waves = Waves.draw(FIELD, 3, 1)
    here = gusts_at(waves, np.array([[5.0, 6.0]]), 2.0, 1.0, 7.0)
    assert here == pytest.approx(gusts_at(waves, np.array([[3.0, 5.0]]), 0.0, 0.0, 7.0), abs=1e-12)


def scenario(rate, **wind):
    return {'rate': rate, 'duration': 3, 'seed': 4, 'world': {'bounds': [0, 0, 40, 40]},
            'robots': [{'pose': [10, 10, 0], 'controller': 'none'},
                       {'pose': [10, 30, 0], 'controller': 'none'}],
            'wind': {'turbulence_speed': 0.5, **wind}}


@pytest.mark.parametrize('kind', ['place', 'robot'])
def test_a_run_has_the_gusts_of_its_seed_whatever_its_rate(kind):
    slow, fast, other = (sbot.run(scenario(rate, turbulence=kind), seed=seed)
                         for rate, seed in ((20, 4), (200, 4), (20, 5)))
    assert np.abs((slow.poses[-1] - slow.poses[0])[:, :2]).max() > 0.5
    assert fast.poses[-1, :, :2] == pytest.approx(slow.poses[-1, :, :2], abs=0.2)
    assert np.abs(other.poses[-1] - slow.poses[-1]).max() > 0.1
    assert (sbot.run(scenario(20, turbulence=kind)).poses == slow.poses).all()
    assert sbot.run(scenario(20, turbulence_speed=0.0)).summary['robots'][0]['path_length_m'] == 0


@pytest.mark.parametrize(('kind', 'parameters'), [('place', FIELD), ('robot', OWN)])
def test_the_wind_of_a_tick_is_the_sum_of_waves_at_its_time_and_place(kind, parameters):
    """Spectral representation (Shinozuka and Deodatis 1991), carried by the mean wind (Taylor)."""
    run = sbot.run(scenario(10, turbulence=kind, turbulence_speed=SPEED, turbulence_length=LENGTH,
                            turbulence_time=TIME, wind_direction=[0, 1, 0], wind_speed_mean=0.4))
    waves = Waves.draw(parameters, 4, 2)
    for k in range(len(run.poses)):
        time = k * 0.1
        x, y = run.poses[k, :, 0], run.poses[k, :, 1] - 0.4 * time
        phase = (waves.kx * x[:, None] + waves.ky * y[:, None] + waves.omega * time + waves.phase)
        expected = np.column_stack([(waves.ux * np.cos(phase)).sum(axis=1),
                                    0.4 + (waves.uy * np.cos(phase)).sum(axis=1)])
        assert run.free_wind[k] == pytest.approx(expected, abs=1e-9)
    moved = np.diff(run.poses[:, :, :2], axis=0)
    assert moved[1:] == pytest.approx(0.1 * run.wind[:-2], abs=1e-9)  # in the next tick


def test_a_file_that_is_not_used_is_not_read():
    assert load_field(WindParameters(custom_wind_field_path='/nowhere')) is None


def test_the_field_is_that_of_the_file(tmp_path):
    grid = generate('vortex')
    write_grid(tmp_path / 'field.txt', grid)
    found = load_field(WindParameters(use_custom_static_wind_field=True,
                                      custom_wind_field_path=str(tmp_path / 'field.txt')))
    assert all(np.array_equal(a, b) for a, b in zip(found, grid.lattice(), strict=True))


def test_the_wind_has_the_sources_field():
    field = object()
    assert WindSource(WindParameters(), field).at(0).field is field
    assert Wind.still().field is None
    assert not np.concatenate([Wind.still().velocity, Wind.still().force, Wind.still().gust]).any()
