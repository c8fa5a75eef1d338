"""Coverage of a wind field: whether it contains the world and the robots."""

from __future__ import annotations

import logging

import numpy as np

from sbot.scenario.model import Scenario
from sbot.scenario.world import world_arrays
from wind_model.grid import Lattice, points_at, velocity_at

LOG = logging.getLogger(__name__)

_PLACES = 40  # along each side of the world at which to look


def warn_of_reach(scenario: Scenario, field: Lattice | None) -> None:
    """Log a warning if a field does not contain the world at the height where robots feel it.

    There, robots have the default wind, which is easily taken for the field's.
    """
    if field is None:
        return
    flow = scenario.wind.flow
    xmin, ymin, xmax, ymax = world_arrays(scenario.world).bounds.tolist()
    x, y = np.meshgrid(np.linspace(xmin, xmax, _PLACES), np.linspace(ymin, ymax, _PLACES))
    everywhere = np.column_stack([x.ravel(), y.ravel()])
    starts = np.array([robot.pose[:2] for robot in scenario.robots])
    outside = [~np.isfinite(velocity_at(field, points_at(field, points, flow.height),
                                        np.full(3, np.nan))[:, 0])
               for points in (everywhere, starts)]
    if not any(each.any() for each in outside):
        return
    key = 'wind_height_above_terrain' if flow.height.above_terrain else 'wind_height'
    hint = '' if flow.height.above_terrain else '; wind_height_above_terrain follows the ground'
    LOG.warning(
        'wind.custom_wind_field_path: at %s %g m, %.0f %% of the world and the starts of %d of %d '
        'robots are outside this field, where the wind is wind_speed_mean, %g m/s; the field '
        'covers x %g to %g m, y %g to %g m, its ground is at %g to %g m and its top at %g to %g m'
        '%s', key, flow.height.value, 100.0 * np.count_nonzero(outside[0]) / len(everywhere),
        np.count_nonzero(outside[1]), len(starts),
        flow.wind_speed_mean, field.x[0], field.x[-1], field.y[0], field.y[-1],
        field.z[0].min(), field.z[0].max(), field.z[-1].min(), field.z[-1].max(), hint)
