"""Two functions of the ROS package tf_transformations, which no wheel has: yaw and quaternions.

It stands in for the package where public nodes import it (benchmark/public_nodes.py). Angles are
in radians, about fixed axes x, y, z; quaternions are (x, y, z, w).
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def euler_from_quaternion(quaternion: Sequence[float]) -> tuple[float, float, float]:
    """Return roll, pitch and yaw."""
    x, y, z, w = quaternion
    return (math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
            math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x)))),
            math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def quaternion_from_euler(roll: float, pitch: float, yaw: float,
                          ) -> tuple[float, float, float, float]:
    """Return the quaternion of three angles."""
    sine = [math.sin(0.5 * angle) for angle in (roll, pitch, yaw)]
    cosine = [math.cos(0.5 * angle) for angle in (roll, pitch, yaw)]
    return (sine[0] * cosine[1] * cosine[2] - cosine[0] * sine[1] * sine[2],
            cosine[0] * sine[1] * cosine[2] + sine[0] * cosine[1] * sine[2],
            cosine[0] * cosine[1] * sine[2] - sine[0] * sine[1] * cosine[2],
            cosine[0] * cosine[1] * cosine[2] + sine[0] * sine[1] * sine[2])
