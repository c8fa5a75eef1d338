"""Forces on a robot, one compiled function a formula (document 001, sections 4, 5, 7, 8, 11).

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
from sbot_common.elementary import atan2, sincos, sincos_of

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


@njit
def repulsion(alpha: float, distance: float, angle: float, d_safe: float, epsilon: float,
              beta: float) -> Force:
    """Return the push of something ``distance`` (m) away; ``angle`` (rad) is from it to the robot.

    A NaN distance pushes nothing, a negative one as hard as anything can. Document 001 section 7.
    """
    magnitude, near = _repulsion_size(alpha, distance, d_safe, epsilon, beta)
    if not near:
        return 0.0, 0.0
    sine, cosine = sincos(angle)
    return magnitude * cosine, magnitude * sine


@njit_inline
def _repulsion_size(alpha: float, distance: float, d_safe: float, epsilon: float,
                    beta: float) -> tuple[float, bool]:
    """Return the size of ``repulsion``, and whether it is one; without a branch, for loops."""
    touching, beyond = distance < d_safe + epsilon, distance - d_safe
    size = alpha / (epsilon * epsilon if touching else beyond * beyond)
    return size, touching | (distance < beta)


@njit
def repulsions(p: Parameters, distance: Floats, angle: Floats, x: Floats, y: Floats) -> None:
    """Write ``repulsion`` of each distance (m) and angle (rad), bit for bit, to x and y, all (M,).

    Several at a time.
    """
    sincos_of(angle, y, x)
    for i in range(distance.shape[0]):
        size, near = _repulsion_size(p.repulsion_constant_alpha, distance[i], p.safe_distance_m,
                                     p.error_constant_epsilon_m, p.relevance_distance_beta_m)
        x[i] = size * x[i] if near else 0.0
        y[i] = size * y[i] if near else 0.0


@njit_inline
def repels(p: Parameters, distance: float) -> bool:
    """Tell whether ``repulsion`` from so far (m) is more than zero; not for NaN."""
    return distance < repulsion_reach(p)


@njit
def repulsion_reach(p: Parameters) -> float:
    """Return the distance (m) from which on ``repulsion`` is zero."""
    return max(p.relevance_distance_beta_m, p.safe_distance_m + p.error_constant_epsilon_m)


@njit_inner
def repulsion_between(p: Parameters, mx: float, my: float, nx: float, ny: float) -> Force:
    """Return the push, before its factor, of a robot centred at (nx, ny) on one at (mx, my) (m).

    Document 001 section 8: distances between centres, radii left out (docs/errata.md P12).
    """
    sx = mx - nx
    sy = my - ny
    distance = math.sqrt(sx * sx + sy * sy)
    if not repels(p, distance):
        return 0.0, 0.0  # as `repulsion` would say, without an angle that costs more than the rest
    return repulsion(p.repulsion_constant_alpha, distance, atan2(sy, sx), p.safe_distance_m,
                     p.error_constant_epsilon_m, p.relevance_distance_beta_m)


@njit
def other_repulsion(p: Parameters, robot_id: int, poses: NDArray[np.float64]) -> Force:
    """Return the push of all robots but the leader and oneself; ``poses`` (N, 3): x, y (m), yaw.

    Document 001 section 8, with an accumulator that starts at zero (docs/errata.md P10).
    """
    fx, fy = 0.0, 0.0
    for i in range(1, poses.shape[0]):
        if i == robot_id:
            continue
        x, y = repulsion_between(p, poses[robot_id, 0], poses[robot_id, 1],
                                 poses[i, 0], poses[i, 1])
        fx += x
        fy += y
    return fx * p.other_repulsion_factor, fy * p.other_repulsion_factor


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
