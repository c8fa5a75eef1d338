"""Parameters of the controller ``navigate``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from sbot_common.params import Param


class Parameters(NamedTuple):
    """Parameters of ``navigate``; compiled functions accept it whole."""

    forward_speed_mps: Annotated[float, Param(
        'm/s', 'Largest forward speed of a command; no more than the wheels make.',
        minimum=0.0, open_minimum=True)] = 2.0
    rotate_speed_radps: Annotated[float, Param(
        'rad/s', 'Largest turning speed of a command.', minimum=0.0)] = math.pi
    cruise_speed_mps: Annotated[float, Param(
        'm/s', 'Largest speed over ground of a robot with a goal; below `forward_speed_mps`, so '
        'that followers can catch up.', minimum=0.0)] = 1.5
    goal_tolerance: Annotated[float, Param(
        'm', 'A goal no farther away is reached.', minimum=0.0)] = 0.3
    position_gain: Annotated[float, Param(
        '1/s', 'Speed for each metre from the target, near it.', minimum=0.0)] = 1.2
    turn_gain: Annotated[float, Param(
        '1/s', 'Angular velocity for each radian off the heading.', minimum=0.0)] = 8.0
    drift_weight: Annotated[float, Param(
        '', 'Weight of the newest measurement in the moving average of the drift by the wind.',
        minimum=0.0, maximum=1.0)] = 0.2
    robot_radius_m: Annotated[float, Param(
        'm', 'Radius of every robot.', minimum=0.0, open_minimum=True)] = 0.3
    margin_m: Annotated[float, Param(
        'm', 'Distance kept from obstacles beside the radius.', minimum=0.0)] = 0.12
    clearance_m: Annotated[float, Param(
        'm', 'Paths nearer to obstacles than this (from the centre) count as longer; at most '
        'five cells.', minimum=0.0)] = 1.0
    cell_m: Annotated[float, Param(
        'm', 'Side of the cells in which obstacles are remembered.', minimum=0.0,
        open_minimum=True)] = 0.25
    damper_gain: Annotated[float, Param(
        '1/s', 'Largest speed of approach for each metre left.', minimum=0.0)] = 3.0
    horizon_s: Annotated[float, Param(
        's', 'Encounters with other robots are foreseen for this time.', minimum=0.0,
        open_minimum=True)] = 2.5
    spacing_m: Annotated[float, Param(
        'm', "Distance between neighbouring places of the followers' formation.",
        minimum=0.0)] = 1.3
    far_distance_m: Annotated[float, Param(
        'm', 'The leader slows down for a follower that is farther away than this.',
        minimum=0.0)] = 4.0

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield a clearance that the memory of obstacles cannot tell."""
        if self.clearance_m > 5.0 * self.cell_m:
            yield ('clearance_m', self.clearance_m, f'at most five times cell_m ({self.cell_m:g})')
