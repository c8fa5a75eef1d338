"""Forces as arrow markers for rviz (visualization_msgs/MarkerArray)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from potential_field_bot.controller import State, Turn
from sbot_common.elementary import atan2, hypot, log10, sincos
from sbot_common.wire.templates import ARROW, encode_marker_array, marker

# Diagnostics line of document 001 section 17.

_FORMAT = ('%2d Pose:%6.2f,%6.2f,%+7.4f; F:%+10.4f,%+10.4f (%+7.4f); thetaD:%+7.4f; v:%10.4f;'
           ' omega:%+9.4f; goal:%6.2f,%6.2f; pEMA:%6.2f,%6.2f; onGoal:%1d')


def diagnostic_line(robot_id: int, pose: Sequence[float], turn: Turn, state: State,
                    on_goal: bool) -> str:
    """Return pose (m, m, rad), force, command, goal and average of one turn as one line."""
    angle = atan2(turn.total_y, turn.total_x)
    return _FORMAT % (robot_id, *pose, turn.total_x, turn.total_y, angle, turn.theta, turn.v,
                      turn.omega, state.goal_x, state.goal_y, state.ema_x, state.ema_y, on_goal)


# Name, components of a Turn, colour (red, green, blue).
_ARROWS = (
    ('attraction', 'attraction_x', 'attraction_y', (0.2, 0.8, 0.2)),
    ('repulsion', 'repulsion_x', 'repulsion_y', (0.9, 0.2, 0.2)),
    ('random', 'random_x', 'random_y', (0.6, 0.6, 0.6)),
    ('total', 'total_x', 'total_y', (0.2, 0.4, 1.0)),
)


def arrow_length(force: float) -> float:
    """Return how long to draw a force (m): 0.25 for 1, half a metre more for each factor of ten.

    Forces range from nothing to infinity, so the scale is logarithmic and ends at 3 m.
    """
    return min(3.0, 0.5 * log10(1.0 + 2.2 * force)) if force > 0 else 0.0


def write_forces(stamp_ns: int, robot_id: int, x: float, y: float, turn: Turn) -> bytes:
    """Return visualization_msgs/MarkerArray: one arrow in `map` from (x, y) (m) for each force."""
    forces = {**turn._asdict(), 'repulsion_x': turn.laser_x + turn.other_x,
              'repulsion_y': turn.laser_y + turn.other_y}
    arrows = []
    for number, (name, name_x, name_y, (red, green, blue)) in enumerate(_ARROWS):
        fx, fy = float(forces[name_x]), float(forces[name_y])
        angle = atan2(fy, fx)
        length = arrow_length(hypot(fx, fy)) if math.isfinite(angle) else 0.0
        sine, cosine = sincos(angle)
        tip = (x, y) if length == 0.0 else (x + length * cosine, y + length * sine)
        arrows.append(marker(
            f'potential_field_{robot_id}/{name}', number, ARROW, (0.05, 0.1, 0.15),
            (red, green, blue, 1.0), stamp_ns=stamp_ns, lifetime=1,
            points=[(x, y, 0.1), (*tip, 0.1)]))
    return encode_marker_array(arrows)
