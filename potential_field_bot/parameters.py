"""The constants of document 001 as parameters, with the document's names in lower case."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from sbot_common.errors import bad_value
from sbot_common.params import Spec, check_all

AS_WRITTEN, GEOMETRIC = 'as_written', 'geometric'


class Parameters(NamedTuple):
    """Every constant of the controller's formulas; compiled functions accept it whole."""

    forward_speed_mps: float
    rotate_speed_radps: float
    attraction_constant_gamma: float
    repulsion_constant_alpha: float
    robot_radius_m: float
    safe_distance_m: float
    far_distance_m: float
    error_constant_epsilon_m: float
    relevance_distance_beta_m: float
    other_repulsion_factor: float
    ema_coefficient_eta: float
    conversion_constant_zeta: float
    angular_scaler_kappa: float
    linear_scaler_lambda: float
    goal_radius_sigma_m: float
    on_random_walk: bool
    goal_regeneration_frequency_hz: float
    geometric_filter: bool  # leader_filter, as a flag that compiled code can test
    loop_rate: float


SPECS: tuple[Spec, ...] = (
    Spec('forward_speed_mps', 2.0, 'm/s', 'Largest forward speed of a command.',
         '001 section 1', minimum=0.0),
    Spec('rotate_speed_radps', math.pi, 'rad/s', 'Largest turning speed of a command.',
         '001 section 1', minimum=0.0),
    Spec('attraction_constant_gamma', 1.0, '1/m^2',
         'Strength of the attraction to the goal and to a leader that is too far.',
         '001 section 4', minimum=0.0),
    Spec('repulsion_constant_alpha', 1.0, 'm^2',
         'Strength of the repulsion by obstacles, robots and a leader that is too close.',
         '001 section 5', minimum=0.0),
    Spec('robot_radius_m', 0.3, 'm', 'Radius of every robot.', '001 section 5', minimum=0.0),
    Spec('safe_distance_m', 0.75, 'm', 'Closest safe distance to an obstacle or to the leader.',
         '001 section 5', minimum=0.0),
    Spec('far_distance_m', 4.0, 'm', 'Distance beyond which a follower is drawn to the leader.',
         '001 section 5', minimum=0.0),
    Spec('error_constant_epsilon_m', 0.03125, 'm',
         'Margin on the safe distance that bounds the repulsion, and on the leader distance.',
         '001 section 7', minimum=0.0, open_minimum=True),
    Spec('relevance_distance_beta_m', 8.0, 'm', 'Obstacles at least this far do not repel.',
         '001 section 7', minimum=0.0),
    Spec('other_repulsion_factor', 2.0, '', 'Weight of the repulsion by the other robots.',
         '001 section 8', minimum=0.0),
    Spec('ema_coefficient_eta', 0.0625, '',
         'Weight of the newest position in the moving average of the position.',
         '001 section 11', minimum=0.0, maximum=1.0),
    Spec('conversion_constant_zeta', 0.125, 'm', 'Strength of the random force.',
         '001 section 11', minimum=0.0),
    Spec('angular_scaler_kappa', 0.25, '1/s', 'Turning speed for a radian of heading error.',
         '001 section 13', minimum=0.0),
    Spec('linear_scaler_lambda', 0.0625, 'm/s', 'Forward speed for a unit of force.',
         '001 section 13', minimum=0.0),
    Spec('goal_radius_sigma_m', 1.25, 'm',
         'The goal is reached when the average position is closer than this.',
         '001 section 15', minimum=0.0),
    Spec('on_random_walk', False, '', 'Let the leader draw itself a new goal again and again.',
         '001 section 16'),
    Spec('goal_regeneration_frequency_hz', 0.2, 'Hz',
         'How often a random walk draws a goal; at most the loop rate.',
         '001 section 16', minimum=0.0, open_minimum=True),
    Spec('leader_filter', AS_WRITTEN, '',
         'Which readings a follower takes for its leader: the sector of the listing, or the '
         'sector that the leader really fills.',
         '001 section 10', choices=(AS_WRITTEN, GEOMETRIC)),
    Spec('loop_rate', 30.0, 'Hz', 'Turns a second; divides the frequencies above.',
         '001 section 18', minimum=0.0, open_minimum=True, at_runtime=False),
)


def make_parameters(given: Mapping[str, object], where: str = '') -> Parameters:
    """Return checked parameters: the given ones by the names of ``SPECS``, defaults for the rest.

    Raises
    ------
    InputError
        for an unknown name, a bad value, or a regeneration frequency above the loop rate, which
        the document's check divides by zero for (docs/errata.md P7).

    """
    values = check_all(SPECS, given, where)
    if values['goal_regeneration_frequency_hz'] > values['loop_rate']:
        raise bad_value(f'{where}goal_regeneration_frequency_hz',
                        values['goal_regeneration_frequency_hz'],
                        f'at most loop_rate ({values["loop_rate"]:g} Hz)')
    values['geometric_filter'] = values.pop('leader_filter') == GEOMETRIC
    return Parameters(**values)
