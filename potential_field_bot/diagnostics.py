"""Diagnostics line of document 001 section 17."""

from __future__ import annotations

from collections.abc import Sequence

from potential_field_bot.controller import State, Turn
from sbot_common.elementary import atan2

_FORMAT = ('%2d Pose:%6.2f,%6.2f,%+7.4f; F:%+10.4f,%+10.4f (%+7.4f); thetaD:%+7.4f; v:%10.4f;'
           ' omega:%+9.4f; goal:%6.2f,%6.2f; pEMA:%6.2f,%6.2f; onGoal:%1d')


def diagnostic_line(robot_id: int, pose: Sequence[float], turn: Turn, state: State,
                    on_goal: bool) -> str:
    """Return pose (m, m, rad), force, command, goal and average of one turn as one line."""
    angle = atan2(turn.total_y, turn.total_x)
    return _FORMAT % (robot_id, *pose, turn.total_x, turn.total_y, angle, turn.theta, turn.v,
                      turn.omega, state.goal_x, state.goal_y, state.ema_x, state.ema_y, on_goal)
