# SPDX-License-Identifier: Apache-2.0
"""Conversion between yaw and quaternion, in one fixed order of operations.

What a simulator encodes and a controller decodes passes through these two, in the nodes and
in-process alike: a round trip changes the last bit of about one yaw in four, so both must do it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.elementary import asin, atan2, atan2_of, cos, sincos, sincos_of


@njit
def quaternion_from_yaw(yaw: float) -> tuple[float, float]:
    """Return (z, w) of the unit quaternion that turns by ``yaw`` (rad) about z; x and y are 0."""
    return sincos(yaw / 2)


@njit
def yaw_from_quaternion(x: float, y: float, z: float, w: float) -> float:
    """Return a quaternion's yaw (rad), in the order of operations of tf's ``Matrix3x3::getRPY``.

    The quaternion need not have unit length. A zero quaternion gives NaN; at the gimbal lock
    (pitch = +-pi/2) the yaw is 0, as in tf.
    """
    d = x * x + y * y + z * z + w * w
    s = 2.0 / d
    ys, zs = y * s, z * s
    wy, wz = w * ys, w * zs
    xy, xz = x * ys, x * zs
    yy, zz = y * ys, z * zs
    m00, m10, m20 = 1.0 - (yy + zz), xy + wz, xz - wy
    if abs(m20) >= 1:
        return 0.0
    pitch = -asin(m20)
    cosine = cos(pitch)
    return atan2(m10 / cosine, m00 / cosine)


@njit
def decoded_yaw(yaw: float) -> float:
    """Return the yaw that a receiver of ``quaternion_from_yaw(yaw)`` decodes, in [-pi, pi]."""
    z, w = quaternion_from_yaw(yaw)
    return yaw_from_quaternion(0.0, 0.0, z, w)


@njit
def decoded_yaws(yaws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``decoded_yaw`` of each element; shape (N,) in and out."""
    out, room = np.empty(yaws.shape[0]), np.empty((2, yaws.shape[0]))
    z, w = room[0], room[1]
    for i in range(yaws.shape[0]):
        out[i] = yaws[i] / 2
    sincos_of(out, z, w)
    for i in range(yaws.shape[0]):
        # yaw_from_quaternion for x = y = 0, whose pitch is 0: in vectors.
        s = 2.0 / (z[i] * z[i] + w[i] * w[i])
        zs = z[i] * s
        z[i], w[i] = 0.0 + w[i] * zs, 1.0 - z[i] * zs
    atan2_of(z, w, out)
    return out


@njit
def wrap_angle(angle: float) -> float:
    """Return the same direction in [-pi, pi) (rad)."""
    wrapped = atan2(*sincos(angle))
    return wrapped if wrapped < math.pi else -math.pi
