"""Ackermann steering: which Twist a robot with steered front wheels executes."""

from __future__ import annotations

import math

from sbot_common.compiled.jit import njit


@njit
def ackermann_twist(v: float, omega: float, max_curvature: float, half_track: float,
                    rim_speed: float) -> tuple[float, float]:
    """Return the (v, omega) that steered wheels allow (single-track model).

    The origin of the robot is the middle of its rear axle. The curvature omega/v is clamped to
    what the steering allows, then the speed to what the outer rear wheel reaches on that curve.
    Such a robot does not turn on the spot: v = 0 is (0, 0), whatever omega is. Backwards (v < 0),
    too, omega is the turn rate of the robot: the wheels are steered the other way.

    Parameters
    ----------
    v : forward speed (m/s)
    omega : turn rate (rad/s), positive to the left
    max_curvature : tan(greatest steering angle)/wheelbase (1/m)
    half_track : half the distance between the rear wheels (m)
    rim_speed : greatest speed of a wheel's rim (m/s)

    """
    if v == 0.0:
        return 0.0, 0.0
    asked = omega / v
    curvature = min(max(asked, -max_curvature), max_curvature)
    longest = 1.0 + abs(curvature) * half_track  # way of the outer wheel / way of the origin
    if abs(v) * longest > rim_speed:
        v = math.copysign(rim_speed / longest, v)
        return v, v * curvature
    return v, omega if curvature == asked else v * curvature
