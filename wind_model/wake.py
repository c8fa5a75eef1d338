# SPDX-License-Identifier: Apache-2.0
"""Wake model: wind shelter by upwind robots (document 000 sections 4.2, 5.5; docs/errata.md)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import exp, pow, sincos
from wind_model.parameters import FADE_OUT, LINEAR, POWER, WakeParameters

CALM = 1e-11  # m/s; less wind has no direction
NOWHERE = 1e-6  # m; a robot nearer than that has no direction


@njit
def _smoothstep(length: float, x: float) -> float:
    """Return 0 for x <= 0, 1 for x >= length, and 3t^2 - 2t^3 of t = x/length between."""
    if x <= 0.0:
        return 0.0
    if x >= length:
        return 1.0
    t = x / length
    return t * t * (3.0 - 2.0 * t)


@njit_inner
def gate_of(parameters: WakeParameters, radius: float) -> float:
    """Return the distance (m) along the wind within which a blocker gives no shelter."""
    return max(1e-6, parameters.upwind_gate_radii * radius)


@njit_inner
def width_of(parameters: WakeParameters, radius: float) -> float:
    """Return the width (m, one sigma) of a blocker's wake."""
    return max(1e-6, parameters.lateral_reach_radii * radius)


@njit_inner
def shadow_length_of(parameters: WakeParameters, radius: float) -> float:
    """Return the length (m) of the ramp behind a blocker's gate."""
    return parameters.shadow_length_radii * radius


@njit
def _reduction(parameters: WakeParameters, along: float, lateral: float, radius: float) -> float:
    """Return the overlap score r_i of one blocker, eq. (4), in [0, 1].

    Parameters
    ----------
    parameters : tunables; with POWER the score is boosted here, for each neighbour
    along : m, how far the follower is downwind of the blocker
    lateral : m, distance of the follower from the line downwind of the blocker
    radius : m, of the blocker

    """
    gate = gate_of(parameters, radius)
    if not along > gate:
        return 0.0
    width = width_of(parameters, radius)
    ramp = _smoothstep(shadow_length_of(parameters, radius), along - gate)
    if parameters.wake_fade == FADE_OUT:
        ramp = 1.0 - ramp
    offset = lateral / width
    score = exp(-0.5 * (offset * offset)) * ramp
    if parameters.wake_boost == POWER:
        score = 1.0 - pow(1.0 - score, parameters.gamma_boost)
    return score


@njit_inner
def combine(parameters: WakeParameters, strongest: float) -> float:
    """Return the reduction r of the strongest score: boosted if linear, clamped; tiny is none."""
    r = strongest
    if parameters.wake_boost == LINEAR:
        r = parameters.gamma_boost * r
    r = min(1.0, max(0.0, r))
    return r if r > 1e-6 else 0.0


@njit
def blocker_radius(advertised_mm: int, own_radius: float) -> float:
    """Return the radius (m) a receiver believes: the advertised in (5, 200) mm, else its own."""
    advertised = 0.001 * advertised_mm
    if 0.005 < advertised < 0.20:
        return advertised
    return own_radius


@njit_inner
def score_of(parameters: WakeParameters, distance: float, bearing: float, yaw: float, ux: float,
             uy: float, radius: float) -> tuple[float, float, float]:
    """Return along (m), lateral (m) and the score r_i of one heard robot.

    Parameters
    ----------
    parameters : tunables
    distance, bearing : m, rad from the receiver's heading
    yaw : rad, of the receiver
    ux, uy : direction of the wind at the receiver
    radius : m, of the blocker

    """
    sine, cosine = sincos(yaw + bearing)
    x, y = -distance * cosine, -distance * sine
    along = x * ux + y * uy
    across_x, across_y = x - along * ux, y - along * uy
    lateral = math.sqrt(across_x * across_x + across_y * across_y)
    return along, lateral, _reduction(parameters, along, lateral, radius)


@njit
def wakes(parameters: WakeParameters, starts: NDArray[np.int64], indexes: NDArray[np.int64],
          ranges: Floats, bearings: Floats, yaw: Floats, wind_xy: Floats,
          advertised_mm: NDArray[np.uint8], own_radius: Floats) -> tuple[Floats, Floats]:
    """Return the reduction of each robot and the terms that led to it.

    Parameters
    ----------
    parameters : tunables; all reductions are 0 unless ``wake``
    starts : (N + 1,), ``indexes[starts[i]:starts[i + 1]]`` are the robots that robot i hears
    indexes, ranges, bearings : (P,) robot, distance (m), direction from the heading (rad)
    yaw : (N,) rad
    wind_xy : (N, 2) m/s, the wind at each receiver: the axis of the wakes it feels
    advertised_mm : (N,) the byte that each robot broadcasts
    own_radius : (N,) m, clamped as in ``clamped_radius``

    Returns
    -------
    reductions : (N,) in [0, 1]; the effective wind is (1 - r) times the wind
    terms : (P, 3) for each heard robot: along (m), lateral (m), r_i

    """
    count = yaw.shape[0]
    reductions = np.zeros(count)
    terms = np.zeros((indexes.shape[0], 3))
    if not parameters.wake:
        return reductions, terms
    for i in range(count):
        speed = math.sqrt(wind_xy[i, 0] * wind_xy[i, 0] + wind_xy[i, 1] * wind_xy[i, 1])
        if speed < CALM:
            continue
        ux, uy = wind_xy[i, 0] / speed, wind_xy[i, 1] / speed
        strongest = 0.0
        for p in range(starts[i], starts[i + 1]):
            if ranges[p] <= NOWHERE:
                continue
            radius = blocker_radius(advertised_mm[indexes[p]], own_radius[i])
            along, lateral, score = score_of(parameters, ranges[p], bearings[p], yaw[i], ux, uy,
                                             radius)
            terms[p, 0], terms[p, 1], terms[p, 2] = along, lateral, score
            strongest = max(strongest, score)
        reductions[i] = combine(parameters, strongest)
    return reductions, terms


def reductions(parameters: WakeParameters, starts: NDArray[np.int64], indexes: NDArray[np.int64],
               ranges: Floats, bearings: Floats, yaw: Floats, wind_xy: Floats,
               advertised_mm: NDArray[np.uint8], own_radius: Floats) -> Floats:
    """Return the first result of ``wakes``: shape (N,)."""
    return wakes(parameters, starts, indexes, ranges, bearings, yaw, wind_xy, advertised_mm,
                 own_radius)[0]


@njit
def clamped_radius(radius: Floats) -> Floats:
    """Return radii (N,) as a robot knows its own, within [0.01, 0.50] m (section 5.2)."""
    out = np.empty_like(radius)
    for i in range(radius.shape[0]):
        out[i] = min(max(radius[i], 0.01), 0.50)
    return out


@njit
def advertised_millimetres(radius: Floats) -> NDArray[np.uint8]:
    """Return byte 0 of the broadcast (N,): the clamped radius in mm, rounded, at most 255."""
    clamped = clamped_radius(radius)
    out = np.empty(radius.shape[0], np.uint8)
    for i in range(radius.shape[0]):
        out[i] = int(min(math.floor(clamped[i] * 1000.0 + 0.5), 255))
    return out
