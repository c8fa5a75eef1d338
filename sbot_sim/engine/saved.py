"""Saved state of worlds: their arrays, as copies or to write to, and what else a tick keeps."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from sbot_sim.dynamics.inertia import Momentum
from sbot_sim.engine.many import Simulation
from sbot_sim.sensors.range_and_bearing import Heard

Arrays = dict[str, NDArray[Any]]

# Of a setting: what may be written to between episodes, a row for each world.
_SET = ('wind_velocity', 'wind_force', 'gust_velocity', 'gust_force', 'gust_ticks', 'scan_noise',
        'infrared_noise', 'noise_radius', 'noise_slip')


class Rest(NamedTuple):
    """What one world keeps that is in no array of the batch."""

    heard: Heard | None  # who hears whom, of large worlds


def arrays_of(simulation: Simulation) -> Arrays:
    """Return views of all that changes in K worlds, (K, ...) each, by name."""
    state, setting, tick = simulation.state, simulation.setting, simulation.tick
    found: Arrays = {name: getattr(setting, name) for name in _SET}
    for name, value in state._asdict().items():
        if name in ('row', 'scratch') or (name == 'driven' and value is state.command):
            continue
        if isinstance(value, Momentum):
            found |= {f'{name}.{part}': array for part, array in value._asdict().items()}
        else:
            found[name] = value
    found |= {f'reading.{name}': rows for name, rows in tick.fitted.readings.items()}
    found |= {f'memory.{name}': rows for name, rows in tick.fitted.memories.items()}
    count, n = simulation.count, setting.robots
    for name in ('boxes', 'moved'):  # rows of a world's obstacles, not of its robots
        if found[name].size:
            found[name] = found[name].reshape(count, -1, *found[name].shape[1:])
    return {name: array.reshape(count, n, *array.shape[1:]) if len(array) == count * n else array
            for name, array in found.items() if array.size}


def rest_of(simulation: Simulation, k: int) -> Rest:
    """Return what world k keeps that is in no array."""
    return Rest(None if simulation.state.hears else simulation.tick.heard(k))


def restore_rest(simulation: Simulation, k: int, rest: Rest) -> None:
    """Let world k have what was kept; its arrays are restored before."""
    tick = simulation.tick
    tick.restore(k, simulation.state.seed, rest.heard)
    if tick.moving is not None:
        tick.moving.place(k, k + 1)
