"""Label of the wind in a picture: mean wind, gust and turbulence."""

from __future__ import annotations

import numpy as np

from sbot.figures.data import RunData
from wind_model.gust import mean_force
from wind_model.parameters import STILL


def wind_label(data: RunData, strongest: float, index: int | None = None) -> str:
    """Return what a picture says about the wind; '' if there is none.

    Parameters
    ----------
    data : of the run
    strongest : speed (m/s) of the mean wind where it is strongest
    index : of the stamp that is shown; None: all, so that a gust is named with its times

    """
    parts = []
    if strongest > 0.0:
        parts.append(f'wind{" at most" * (data.field is not None)} {strongest:.2g} m/s')
    speeds = np.hypot(data.air.gust[:, 0], data.air.gust[:, 1])
    extra = data.air.force - mean_force(data.scenario.wind.flow)
    forces = np.hypot(extra[:, 0], extra[:, 1])
    if index is None:
        blows = np.flatnonzero((speeds > 0.0) | (forces > 1e-9))
        times = (f' from {data.seconds[blows[0]]:.1f} to {data.seconds[blows[-1]]:.1f} s'
                 if len(blows) else '')
        if len(speeds) > 1:  # else no run, only its start
            gust = _gust(float(speeds.max()), float(forces.max()))
            parts += [gust + times] * bool(gust)
    else:
        k = data.air.row(int(data.stamps_ns[index]))
        gust = _gust(float(speeds[k]), float(forces[k]))
        if 'm/s' in gust and parts:  # one unit for both
            parts[0] = parts[0].removesuffix(' m/s')
        parts = [' + '.join([*parts, *[gust] * bool(gust)])] if parts or gust else []
    waves = data.scenario.wind.turbulence
    if waves.turbulence != STILL:
        parts.append(f'turbulence {waves.turbulence_speed:.2g} m/s')
    return ', '.join(parts)


def _gust(speed: float, force: float) -> str:
    """Return the text of a gust's speed (m/s) and force (N); '' without."""
    strengths = ((speed, 'm/s'), (force, 'N'))
    texts = [f'gust {value:.2g} {unit}' for value, unit in strengths if value > 1e-9]
    return ' + '.join(texts)
