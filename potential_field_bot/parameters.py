# SPDX-License-Identifier: Apache-2.0
"""The constants of document 001 as parameters, with the document's names in lower case."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from sbot_common import controller_inputs
from sbot_common.params import Param, Spec, specs_of

AS_WRITTEN, GEOMETRIC = range(2)


class Parameters(NamedTuple):
    """Every constant of the controller's formulas; compiled functions accept it whole."""

    forward_speed_mps: Annotated[float, Param(
        'm/s', 'Largest forward speed of a command.', '001 section 1', minimum=0.0)] = 2.0
    rotate_speed_radps: Annotated[float, Param(
        'rad/s', 'Largest turning speed of a command.', '001 section 1', minimum=0.0)] = math.pi
    attraction_constant_gamma: Annotated[float, Param(
        '1/m^2', 'Strength of the attraction to the goal and to a leader that is too far.',
        '001 section 4', minimum=0.0)] = 1.0
    repulsion_constant_alpha: Annotated[float, Param(
        'm^2', 'Strength of the repulsion by obstacles, robots and a leader that is too close.',
        '001 section 5', minimum=0.0)] = 1.0
    robot_radius_m: Annotated[float, Param(
        'm', 'Radius of every robot.', '001 section 5', minimum=0.0)] = 0.3
    safe_distance_m: Annotated[float, Param(
        'm', 'Closest safe distance to an obstacle or to the leader.', '001 section 5',
        minimum=0.0)] = 0.75
    far_distance_m: Annotated[float, Param(
        'm', 'Distance beyond which a follower is drawn to the leader.', '001 section 5',
        minimum=0.0)] = 4.0
    error_constant_epsilon_m: Annotated[float, Param(
        'm', 'Margin on the safe distance that bounds the repulsion, and on the leader distance.',
        '001 section 7', minimum=0.0, open_minimum=True)] = 0.03125
    relevance_distance_beta_m: Annotated[float, Param(
        'm', 'Obstacles at least this far do not repel.', '001 section 7', minimum=0.0)] = 8.0
    other_repulsion_factor: Annotated[float, Param(
        '', 'Weight of the repulsion by the other robots.', '001 section 8', minimum=0.0)] = 2.0
    ema_coefficient_eta: Annotated[float, Param(
        '', 'Weight of the newest position in the moving average of the position.',
        '001 section 11', minimum=0.0, maximum=1.0)] = 0.0625
    conversion_constant_zeta: Annotated[float, Param(
        'm', 'Strength of the random force.', '001 section 11', minimum=0.0)] = 0.125
    angular_scaler_kappa: Annotated[float, Param(
        '1/s', 'Turning speed for a radian of heading error.', '001 section 13',
        minimum=0.0)] = 0.25
    linear_scaler_lambda: Annotated[float, Param(
        'm/s', 'Forward speed for a unit of force.', '001 section 13', minimum=0.0)] = 0.0625
    goal_radius_sigma_m: Annotated[float, Param(
        'm', 'The goal is reached when the average position is closer than this.',
        '001 section 15', minimum=0.0)] = 1.25
    on_random_walk: Annotated[bool, Param(
        '', 'Random walk: the leader draws a new goal again and again.', '001 section 16')] = False
    goal_regeneration_frequency_hz: Annotated[float, Param(
        'Hz', 'Goals per second in a random walk; at most the loop rate.', '001 section 16',
        minimum=0.0, open_minimum=True)] = 0.2
    leader_filter: Annotated[int, Param(
        '', 'Which readings a follower attributes to its leader. as_written: the sector in the '
        'listing; geometric: the sector that the leader fills.', '001 section 10',
        choices=('as_written', 'geometric'))] = AS_WRITTEN
    loop_rate: Annotated[float, Param(
        'Hz', 'Turns per second; divides the frequencies above.', '001 section 18', minimum=0.0,
        open_minimum=True, at_runtime=False)] = 30.0

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield a regeneration frequency above the loop rate.

        The document's check divides by zero for it (docs/errata.md P7).
        """
        if self.goal_regeneration_frequency_hz > self.loop_rate:
            yield ('goal_regeneration_frequency_hz', self.goal_regeneration_frequency_hz,
                   f'at most loop_rate ({self.loop_rate:g} Hz)')


SPECS = specs_of(Parameters)

# ROS parameters of the node `potfield_bot` in addition to the controller's constants.

OWN_SPECS: tuple[Spec, ...] = (
    Spec('publish_forces', False, '', 'Publish the forces as arrows on potential_field_forces.'),
    Spec('diagnostics_frequency_hz', 0.0, 'Hz', 'Lines of diagnostics per second in the log; '
         '0: none.', '001 section 17', minimum=0.0),
)
NODE_SPECS = (*controller_inputs.SPECS, *OWN_SPECS)
