"""The impulse pipeline of document 000 section 4.1, in SI units.

Impulses are summed during a tick and applied after the collisions: their velocity J/m moves the
robot during the next tick and no longer (docs/errata.md W3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.elementary import sincos_of

Array = NDArray[np.float64]


@njit
def effective_wind(wind_xy: Array, reduction: Array) -> Array:
    """Return max(0, 1 - r) times the wind; (N, 2) m/s and (N,) in, (N, 2) m/s out."""
    out = np.empty_like(wind_xy)
    for i in range(wind_xy.shape[0]):
        share = max(0.0, 1.0 - reduction[i])
        out[i, 0] = share * wind_xy[i, 0]
        out[i, 1] = share * wind_xy[i, 1]
    return out


@njit
def sum_impulses(mass: Array, effective_wind_xy: Array, force_xy: Array, drive_speed: Array,
                 yaw: Array, dt: float) -> Array:
    """Return the impulse of each robot in one tick: wind (eq. 1), drive (eq. 2) and forces.

    Parameters
    ----------
    mass : (N,) kg
    effective_wind_xy : (N, 2) m/s
    force_xy : (N, 2) N, the same on every robot of a world (docs/errata.md R4)
    drive_speed : (N,) m/s along the heading; 0 for robots on wheels
    yaw : (N,) rad
    dt : s

    Returns
    -------
    (N, 2) kg m/s, eq. (3)

    """
    out = np.empty_like(effective_wind_xy)
    sine, cosine = np.zeros(mass.shape[0]), np.ones(mass.shape[0])
    driven = False
    for i in range(mass.shape[0]):
        driven |= drive_speed[i] != 0.0
    if driven:
        sincos_of(yaw, sine, cosine)
    for i in range(mass.shape[0]):
        m, v = mass[i], drive_speed[i]
        out[i, 0] = m * effective_wind_xy[i, 0] + m * v * cosine[i] + force_xy[i, 0] * dt
        out[i, 1] = m * effective_wind_xy[i, 1] + m * v * sine[i] + force_xy[i, 1] * dt
    return out


@njit
def impulse_velocity(impulse: Array, mass: Array) -> Array:
    """Return J/m: the velocity (N, 2) m/s that moves the robots during the next tick only."""
    out = np.empty_like(impulse)
    for i in range(mass.shape[0]):
        out[i, 0] = impulse[i, 0] / mass[i]
        out[i, 1] = impulse[i, 1] / mass[i]
    return out
