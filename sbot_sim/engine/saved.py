"""Saved state of worlds: copies of their arrays, and everything else that a tick keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import bad_value
from sbot_sim.dynamics.inertia import Momentum
from sbot_sim.engine.many import Simulation
from sbot_sim.sensors.range_and_bearing import Heard

Arrays = dict[str, NDArray[Any]]

# Of a setting: what may be written to between episodes, a row for each world.
_SET = ('wind_velocity', 'wind_force', 'gust_velocity', 'gust_force', 'gust_ticks', 'scan_noise',
        'infrared_noise', 'noise_radius', 'noise_slip')

# What worlds have only as another of their batch has inertia.
_OF_OTHERS = ('driven', 'momentum.twist', 'momentum.asked')


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


def arrays_for(simulation: Simulation, given: Arrays) -> Arrays:
    """Return the state (M, ...) of worlds of another batch as arrays of this batch.

    Which arrays there are, and some of their sizes, depend on all worlds of a batch: on whether
    any robot has inertia, on the longest delay of commands, on the greatest number of wheels.

    Raises
    ------
    InputError
        for arrays that are missing, or too many, or of another size.

    """
    wanted, found = arrays_of(simulation), dict(given)
    for name in given:
        if name not in wanted and name not in _OF_OTHERS:
            raise bad_value('state', f'an array {name}', 'the arrays of these worlds')
        if name not in wanted:
            del found[name]  # no robot of these worlds needs it
    for name, array in wanted.items():
        if name in _OF_OTHERS and name not in given:
            found[name] = given['command'] if name == 'driven' else _rows_with(given, array, 0.0)
        elif name == 'wheel_scale':
            found[name] = _common_wheels(given, array)
        elif name == 'momentum.asked':
            found[name] = _last_commands(given, array)
        if name not in found or found[name].shape[1:] != array.shape[1:]:
            got = f'of {found[name].shape[1:]}' if name in found else 'missing'
            raise bad_value('state', f'{name} {got}', f'{name} of {array.shape[1:]}')
    return found


def _rows_with(given: Arrays, like: NDArray[Any], value: float) -> NDArray[Any]:
    """Return an array (M, ...) with rows like those of another, of one value."""
    return np.full((len(given['tick']), *like.shape[1:]), value)


def _common_wheels(given: Arrays, like: NDArray[Any]) -> NDArray[Any]:
    """Return the errors of the wheels (M, N, wheels): of those that both batches count."""
    scale, out = given['wheel_scale'], _rows_with(given, like, 1.0)
    common = min(scale.shape[2], out.shape[2])
    out[:, :, :common] = scale[:, :, :common]
    return out


def _last_commands(given: Arrays, like: NDArray[Any]) -> NDArray[Any]:
    """Return the last commands (M, N, D + 1, 3), that of tick t at t modulo this D + 1."""
    asked, out = given['momentum.asked'], _rows_with(given, like, 0.0)
    before, after = asked.shape[2], out.shape[2]
    if before == after:
        return asked
    for row, tick in enumerate(given['tick'].tolist()):
        for t in range(tick - min(before, after), tick):
            out[row, :, t % after] = asked[row, :, t % before]
    return out


def restore_rest(simulation: Simulation, k: int, heard: Heard | None = None) -> None:
    """Restore the state of world k outside the arrays, after its arrays.

    ``heard`` : who hears whom, of a batch whose arrays have no room for it
    """
    tick = simulation.tick
    tick.restore(k, simulation.state.seed, heard)
    if tick.moving is not None:
        tick.moving.place(k, k + 1)
