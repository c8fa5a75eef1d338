"""Forces on a robot, one compiled function per formula (document 001, sections 4, 5, 7, 8, 11).

Every function returns the components (x, y) in the frame `map` and keeps the order of operations
of the document's listing, so that the same numbers give the same bits. Forces have no unit of
their own: ``linear_scaler_lambda`` makes a speed of them. Where a formula and its listing disagree
on who owns a boundary, the listing decides (docs/errata.md P3).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.parameters import Parameters
from sbot_common.compiled.jit import njit, njit_inline, njit_inner
from sbot_common.elementary import sincos, sincos_of

Floats = NDArray[np.float64]
Force = tuple[float, float]


@njit
def leader_attraction(gamma: float, gx: float, gy: float, rx: float, ry: float) -> Force:
    """Return the pull of the goal (gx, gy) on a leader at (rx, ry) (m).

    Its size is gamma times the distance squared. Document 001 section 4.
    """
    sx = gx - rx
    sy = gy - ry
    ka = gamma * math.sqrt(sx * sx + sy * sy)
    return ka * sx, ka * sy


@njit
def follower_attraction(alpha: float, gamma: float, x0x: float, x0y: float, xjx: float,
                        xjy: float, r0: float, rj: float, d_safe: float, d_far: float) -> Force:
    """Return the force by which the leader at (x0x, x0y) acts on a follower at (xjx, xjy) (m).

    Between the rims' distances ``d_safe`` and ``d_far`` it is zero, closer it repels, farther it
    attracts; ``r0`` and ``rj`` are the radii of leader and follower (m). Document 001 section 5.
    """
    sx = x0x - xjx
    sy = x0y - xjy
    sm = math.sqrt(sx * sx + sy * sy)
    d = sm - (r0 + rj)
    if d < d_safe:
        ka = -alpha / (d * d * sm)
    elif d < d_far:
        return 0.0, 0.0
    else:
        ka = gamma * d * d / sm
    return ka * sx, ka * sy


@njit_inline
def _repulsion_size(alpha: float, distance: float, d_safe: float, epsilon: float,
                    beta: float) -> tuple[float, bool]:
    """Return the size of a push, and whether it is one; without a branch, for loops."""
    touching, beyond = distance < d_safe + epsilon, distance - d_safe
    size = alpha / (epsilon * epsilon if touching else beyond * beyond)
    return size, touching | (distance < beta)


@njit
def repulsions(p: Parameters, distance: Floats, angle: Floats, x: Floats, y: Floats) -> None:
    """Write the push of M things to x and y (M,).

    ``distance`` (m) is how far each is away, ``angle`` (rad) is from it to the robot. A NaN
    distance pushes nothing, a negative one as hard as anything can. Document 001 section 7.
    """
    sincos_of(angle, y, x)
    for i in range(distance.shape[0]):
        size, near = _repulsion_size(p.repulsion_constant_alpha, distance[i], p.safe_distance_m,
                                     p.error_constant_epsilon_m, p.relevance_distance_beta_m)
        x[i] = size * x[i] if near else 0.0
        y[i] = size * y[i] if near else 0.0


@njit_inline
def repels(p: Parameters, distance: float) -> bool:
    """Tell whether the push from so far (m) is more than zero; not for NaN."""
    return distance < repulsion_reach(p)


@njit
def repulsion_reach(p: Parameters) -> float:
    """Return the distance (m) from which on a push is zero."""
    return max(p.relevance_distance_beta_m, p.safe_distance_m + p.error_constant_epsilon_m)


@njit_inner
def staying_put_index(x: float, y: float, ema_x: float, ema_y: float) -> float:
    """Return 1/distance (1/m) between the position and its average: +inf where they are equal.

    Document 001 section 11, docs/errata.md P2.
    """
    ipx = x - ema_x
    ipy = y - ema_y
    return 1 / math.sqrt(ipx * ipx + ipy * ipy)


@njit
def random_force(zeta: float, p: float, u: float) -> Force:
    """Return the force of the drawn angle ``u`` (rad) for the staying-put index ``p`` (1/m).

    A constant of zero means no force, also where the index is infinite (docs/errata.md P15).
    Document 001 section 11.
    """
    if zeta == 0.0 and not math.isfinite(p):
        return 0.0, 0.0
    k = zeta * p
    sine, cosine = sincos(u)
    return k * cosine, k * sine


@njit_inner
def update_average(eta: float, average: float, value: float) -> float:
    """Return one coordinate of the moving average of the position (m).

    The listing discounts the old average first and then adds. Document 001 section 11.
    """
    discounted = average * (1 - eta)
    return discounted + eta * value
