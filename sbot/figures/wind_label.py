"""Label of the wind in a picture: mean wind, gust and turbulence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot.figures.data import RunData
from sbot_common.clock import NANOSECONDS
from wind_model.gust import gust_window, mean_force
from wind_model.parameters import STILL

Array = NDArray[np.float64]

COMPASS = '→↗↑↖←↙↓↘'  # directions, each an eighth of a turn from the one before


def wind_label(data: RunData, strongest: float, index: int | None = None) -> str:
    """Return what a picture says about the wind; '' if there is none.

    Parameters
    ----------
    data : of the run
    strongest : speed (m/s) of the mean wind where it is strongest
    index : of the stamp that is shown; None: all, so that a gust is named with its times

    """
    parts = []
    row = -1 if index is None else data.air.row(int(data.stamps_ns[index]))
    if strongest > 0.0:
        way = ' at most' if data.field is not None else _arrow(data.air.velocity[row])
        parts.append(f'wind{way} {strongest:.2g} m/s')
    if index is None:
        gust = _gust(*strongest_gust(data))
        parts += [gust + _times(data)] * bool(gust)
    else:
        gust = _gust(data.air.gust[row], _extra_force(data)[row])
        if 'm/s' in gust and parts:  # one unit for both
            parts[0] = parts[0].removesuffix(' m/s')
        parts = [' + '.join([*parts, *[gust] * bool(gust)])] if parts or gust else []
    waves = data.scenario.wind.turbulence
    if waves.turbulence != STILL:
        parts.append(f'turbulence {waves.turbulence_speed:.2g} m/s')
    return ', '.join(parts)


def strongest_gust(data: RunData) -> tuple[Array, Array]:
    """Return the speed (m/s) and the force (N) of a run's gust, each (3,); 0 without a gust."""
    if len(data.air.gust) <= 1:  # no run, only its start
        return np.zeros(3), np.zeros(3)
    extra = _extra_force(data)
    speed: Array = data.air.gust[np.hypot(*data.air.gust[:, :2].T).argmax()]
    force: Array = extra[np.hypot(*extra[:, :2].T).argmax()]
    return speed, force


def _extra_force(data: RunData) -> Array:
    """Return what gusts add to the mean force (T, 3) N."""
    extra: Array = data.air.force - mean_force(data.scenario.wind.flow)
    return extra


def _times(data: RunData) -> str:
    """Return when the gust blows, in the scenario's times; no end that the run does not reach."""
    begin, end = gust_window(data.scenario.wind.flow)
    until = f' to {end / NANOSECONDS:.6g}' if end <= int(data.stamps_ns[-1]) else ''
    return f' from {begin / NANOSECONDS:.6g}{until} s'


def _gust(speed: Array, force: Array) -> str:
    """Return the text of a gust's speed (m/s) and force (N), each (3,); '' without."""
    strengths = ((speed, 'm/s'), (force, 'N'))
    texts = [f'gust{_arrow(vector)} {math.hypot(*vector[:2]):.2g} {unit}'
             for vector, unit in strengths if math.hypot(*vector[:2]) > 1e-9]
    return ' + '.join(texts)


def _arrow(vector: Array) -> str:
    """Return a blank and the arrow nearest to the direction of a vector; '' without one."""
    x, y = vector[:2].tolist()
    eighths = round(math.atan2(y, x) * len(COMPASS) / math.tau)
    return f' {COMPASS[eighths % len(COMPASS)]}' if x or y else ''
