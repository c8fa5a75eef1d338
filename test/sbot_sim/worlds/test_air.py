"""Wind at the robots of a block of worlds: uniform, in gusts, with forces; turbulence."""

import numpy as np
from batches import make_batch

from sbot_common.params import updated
from sbot_sim.sensors.exact import _add_forces
from sbot_sim.worlds import air
from wind_model.grid import WindGrid
from wind_model.gust import Waves
from wind_model.parameters import TurbulenceParameters, WindParameters


def run(batch, *phases):
    batch.run(batch.program(list(phases)))
    return batch.state


def blown(**arrays):
    batch = make_batch(count=3)
    for name, rows in arrays.items():
        getattr(batch.setting, name)[:] = rows
    return batch


def test_each_world_has_its_own_wind_and_its_own_gust():
    batch = blown(wind_velocity=[[1, 2, 3], [4, 5, 6], [7, 8, 9]], gust_velocity=[[0.5, 0, 0.25]],
                  gust_ticks=[[0, 0], [2, 4], [2, 3]])
    for tick, gusty in ((1, []), (2, [1, 2]), (3, [1]), (4, [])):
        batch.state.tick[:] = tick
        state = run(batch, air.set_uniform_wind)
        expected = batch.setting.wind_velocity.copy()
        expected[gusty] += [0.5, 0, 0.25]
        rows = np.repeat(expected, 2, axis=0)
        np.testing.assert_array_equal(state.wind, rows[:, :2])
        np.testing.assert_array_equal(state.free_wind, rows[:, :2])
        np.testing.assert_array_equal(state.updraft, rows[:, 2])


def test_on_a_grid_a_gust_adds_its_speed_along_its_direction_also_upwards():
    """Interpolation between grid points is linear, so it is exact for a linear wind."""
    x, y, z = np.meshgrid([0.0, 10.0, 20.0], [0.0, 10.0, 20.0], [0.0, 0.5, 1.0], indexing='ij')
    wind = 0.1 * x - 0.02 * y, 0.3 + 0.05 * z, 0.01 * x + 0.2 * z
    field = WindGrid.make(
        0.0, 0.0, 3, 3, 10.0, 10.0, [0.0, 0.5, 1.0], np.zeros((3, 3)), np.ones((3, 3)),
        tuple(speed.transpose(2, 1, 0).copy() for speed in wind)).lattice()
    parameters = updated(WindParameters(), {
        'wind_gust_direction': [3.0, 0.0, 4.0], 'wind_gust_speed_mean': 0.5})
    batch = blown(wind_velocity=[[9, 9, 9]], gust_velocity=[parameters.gust_velocity],
                  gust_ticks=[[0, 0], [2, 4], [3, 4]])
    batch.set_field(field)
    batch.state.tick[:] = 2
    state = run(batch, air.set_free_wind)
    x, y = state.pose[:, 0], state.pose[:, 1]
    gusty = np.array([0, 0, 1, 1, 0, 0])  # two robots in each of three worlds
    np.testing.assert_allclose(state.free_wind, np.column_stack([
        0.1 * x - 0.02 * y + 0.3 * gusty, np.full(6, 0.3 + 0.05 * 0.5)]), atol=1e-12)
    np.testing.assert_allclose(state.updraft, 0.01 * x + 0.2 * 0.5 + 0.4 * gusty, atol=1e-12)


def test_forces_are_observed_as_the_velocity_of_a_tick():
    batch = blown(wind_force=[[10, 0, 0], [0, 0, 0], [-0.0, 0, 0]],
                  gust_force=[[0, 5, 0]], gust_ticks=[[0, 0], [0, 9], [0, 0]])
    batch.state.wind[:] = batch.state.free_wind[:] = [[-0.0, 1.0]]
    state, mass = run(batch, _add_forces), batch.setting.bodies.mass[0]
    np.testing.assert_allclose(state.observed_wind[::2], [
        [10 * 0.1 / mass, 1.0], [0.0, 1.0 + 5 * 0.1 / mass], [0.0, 1.0]])
    np.testing.assert_array_equal(state.observed_wind, state.observed_free_wind)
    assert not np.signbit(state.observed_wind[4:, 0]).any(), 'a force of -0 leaves no sign'
    np.testing.assert_array_equal(state.wind[:, 1], 1.0)


def test_what_wakes_leave_is_the_effective_wind():
    batch = make_batch(wake={'wake': True})
    state = batch.state
    state.free_wind[:], state.reduction[:], state.updraft[:] = 2.0, [0.0, 0.25, 0.5, 1.0], 1.0
    run(batch, air.set_effective_wind)
    np.testing.assert_allclose(state.wind[:, 0], [2.0, 1.5, 1.0, 0.0])
    np.testing.assert_allclose(state.updraft, [1.0, 0.75, 0.5, 0.0])


def test_turbulence_is_drawn_a_world_and_added_to_the_wind():
    given = updated(TurbulenceParameters(), {'turbulence': 'place'})
    batch = make_batch()
    phase = air.TurbulentAir(lambda k, seed: Waves.draw(given, seed, 2) if k else None,
                             batch.setting, batch.state)
    phase.reset([0, 1], np.array([7, 8]))
    batch.state.free_wind[:] = 0.0
    phase.add(0, 2)
    first = batch.state.free_wind.copy()
    assert not first[:2].any(), 'world 0 has none'
    assert first[2:].all()
    batch.state.free_wind[:] = 0.0
    phase.add(0, 2)
    np.testing.assert_array_equal(batch.state.free_wind, first)
    phase.reset([1], np.array([7, 9]))
    batch.state.free_wind[:] = 0.0
    phase.add(0, 2)
    assert (batch.state.free_wind[2:] != first[2:]).all()
