"""Velocity damper: the nearer an obstacle is, the slower the robot may approach it.

Faverjon and Tournassoud, "A local based approach for path planning of manipulators with a high
number of degrees of freedom" (ICRA 1987). A limit (n_x, n_y, b) holds for velocities u over ground
with n . u <= b, where n points to what is near. Two robots that keep half the limit each never
meet. A robot that only drives forwards must turn before it can drive against the wind, so what
the wind blows it towards counts as nearer by what it blows meanwhile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from navigate.frame import Place
from navigate.parameters import CREEPING, SMOOTH, SPARE, TURNING, Parameters
from sbot_common.compiled.jit import njit

_PASSES = 4
ALONG = 0.02  # cosine; a heading this nearly along something does not approach it


@njit
def wall_limit(p: Parameters, distance: float, blown: float, margin: float) -> float:
    """Return the largest speed of approach (m/s) to an obstacle ``distance`` (m) away.

    ``blown`` (m/s) is the drift towards it, ``margin`` (m) what is kept beside the radius.
    """
    left = distance - p.robot_radius_m - margin - TURNING * max(0.0, blown)
    return p.damper_gain * left


@njit
def robot_limit(p: Parameters, distance: float) -> float:
    """Return the largest speed (m/s) towards a robot whose centre is ``distance`` (m) away."""
    return p.damper_gain / 2 * (distance - 2 * p.robot_radius_m - p.margin_m)


@njit
def projected(limits: NDArray[np.float64], seen: int, count: int, x: float, y: float,
              ) -> tuple[float, float]:
    """Return a velocity (m/s) near (x, y) that keeps the limits, or nearly all of them.

    The farthest limit is corrected first, some times over. The first ``seen`` limits are of what
    the robot sees, and may drive it back. The others only stop it: what is there may have gone.
    """
    for _ in range(_PASSES):
        worst, most = -1, 1e-9
        for k in range(count):
            bound = limits[k, 2] if k < seen else max(0.0, limits[k, 2])
            excess = limits[k, 0] * x + limits[k, 1] * y - bound
            if excess > most:
                worst, most = k, excess
        if worst < 0:
            break
        x -= most * limits[worst, 0]
        y -= most * limits[worst, 1]
    return x, y


@njit
def room_ahead(p: Parameters, limits: NDArray[np.float64], count: int, place: Place,
               drift_x: float, drift_y: float, margin: float) -> float:
    """Return the speed (m/s) along the heading that limits leave; < 0 if they are exceeded.

    They are softer here by a part of the margin, so that the robot turns away from what is near
    before it stops. inf: there is none ahead.
    """
    spare, least = SPARE * margin * p.damper_gain, np.inf
    for k in range(count):
        along = limits[k, 0] * place.cosine + limits[k, 1] * place.sine
        if along > ALONG:
            left = limits[k, 2] + spare - limits[k, 0] * drift_x - limits[k, 1] * drift_y
            least = min(least, left / along)
    return least


@njit
def fastest(p: Parameters, limits: NDArray[np.float64], count: int, place: Place, drift_x: float,
            drift_y: float, speed: float, margin: float) -> float:
    """Return the greatest speed (m/s) along the heading, at most ``speed``, that keeps the limits.

    0 if there is none: what the wind does alone cannot be helped.
    """
    return max(0.0, min(speed, room_ahead(p, limits, count, place, drift_x, drift_y, margin)))


@njit
def steady_room(p: Parameters, before: float, room: float, dt: float) -> float:
    """Return the mean (m/s) of what obstacles leave to a slow robot, ``dt`` (s) after ``before``.

    A robot drives forwards only. So if it believed single readings, the noise of its laser would
    bring it nearer to what it stands before, little by little, until it touches. inf: the robot
    need not be slow.
    """
    most = CREEPING * p.forward_speed_mps
    if room >= most:
        return np.inf
    before, room = min(before, most), max(-most, room)
    return before + min(1.0, dt / SMOOTH) * (room - before)
