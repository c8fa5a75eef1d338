# SPDX-License-Identifier: Apache-2.0
"""Parameters of the wind (document 003, plugin macro) and of wakes (document 000 section 5.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS, Rate
from sbot_common.params import Param, Vector

_MACRO = '003, plugin macro'

RAMP_IN, FADE_OUT = range(2)
LINEAR, POWER = range(2)
STILL, PLACE, ROBOT = range(3)


class Height(NamedTuple):
    """Where robots feel a wind grid."""

    value: float  # m
    above_terrain: bool = False  # above the grid's lowest layer; else z


def unit(direction: Vector) -> Floats:
    """Return the direction with length 1, shape (3,); zero stays zero (docs/errata.md R3)."""
    largest = max(abs(c) for c in direction)
    if largest == 0:
        return np.zeros(3)
    # Dividing by the largest first keeps the squares of tiny and huge components finite.
    x, y, z = (c / largest for c in direction)
    length = math.sqrt(x * x + y * y + z * z)
    return np.array([x / length, y / length, z / length])


class WindParameters(NamedTuple):
    """The plugin macro's parameters, under its names; the wind blows *towards* its direction."""

    wind_direction: Annotated[Vector, Param(
        '', 'Direction to which mean wind and mean force blow; any length.',
        _MACRO)] = (1.0, 0.0, 0.0)
    wind_gust_direction: Annotated[Vector, Param(
        '', 'Direction to which the gust blows; any length.', _MACRO)] = (0.0, 1.0, 0.0)
    xyz_offset: Annotated[Vector, Param(
        'm', 'Point at which forces act; must be zero, because this world has no torque.',
        _MACRO)] = (0.0, 0.0, 0.0)
    wind_speed_mean: Annotated[float, Param(
        'm/s', 'Speed of the wind, outside the grid if there is one.', _MACRO, 0.0)] = 0.0
    wind_force_mean: Annotated[float, Param(
        'N', 'Constant force along wind_direction.', _MACRO, 0.0)] = 0.0
    wind_gust_duration: Annotated[float, Param(
        's', 'How long the gust lasts.', _MACRO, 0.0, 1e9)] = 0.0
    wind_gust_start: Annotated[float, Param(
        's', 'Simulated time at which the gust starts.', _MACRO, 0.0, 1e9)] = 0.0
    wind_gust_force_mean: Annotated[float, Param('N', 'Force of the gust.', _MACRO, 0.0)] = 0.0
    use_custom_static_wind_field: Annotated[bool, Param(
        '', 'Take the wind from the grid in custom_wind_field_path.', _MACRO)] = False
    custom_wind_field_path: Annotated[str, Param(
        '', 'Text file of the grid; in a scenario, relative to the scenario file.', _MACRO)] = ''
    wind_height: Annotated[float, Param(
        'm', 'Height z at which the wind grid moves robots.', '003, functioning')] = 0.5
    wind_height_above_terrain: Annotated[float, Param(
        'm', "Height above the grid's ground at which robots feel it, instead of wind_height; "
        'negative: not used.', '003, grid specifications', -1.0, 1e6)] = -1.0
    wind_gust_speed_mean: Annotated[float, Param(
        'm/s', 'Speed that the gust adds to the wind.', minimum=0.0, at_runtime=False)] = 0.0
    forces_with_field: Annotated[bool, Param(
        '', 'Mean force and gust force also act inside a grid, unlike in the plugin.')] = False

    @property
    def height(self) -> Height:
        """Where robots feel the grid."""
        if self.wind_height_above_terrain >= 0.0:
            return Height(self.wind_height_above_terrain, True)
        return Height(self.wind_height)

    @property
    def mean_velocity(self) -> Floats:
        """The wind outside the grid, shape (3,), m/s, frame `map`."""
        return self.wind_speed_mean * unit(self.wind_direction)

    @property
    def gust_window(self) -> tuple[int, int]:
        """The gust's first nanosecond and the first one after it."""
        start = round(self.wind_gust_start * NANOSECONDS)
        return start, start + round(self.wind_gust_duration * NANOSECONDS)

    def gust_ticks(self, rate: Rate) -> tuple[int, int]:
        """Return the first tick of the gust and the first one after it."""
        start, end = (max(0, rate.tick(stamp_ns - 1) + 1) for stamp_ns in self.gust_window)
        return start, end

    @property
    def forces_act(self) -> bool:
        """Whether forces act: not together with a wind grid, unless asked for."""
        return not self.use_custom_static_wind_field or self.forces_with_field

    @property
    def mean_force(self) -> Floats:
        """The force outside the gust (3,) N, frame `map`.

        There is none together with a wind grid, as in the plugin, unless ``forces_with_field``
        (docs/errata.md R6).
        """
        if not self.forces_act:
            return np.zeros(3)
        return self.wind_force_mean * unit(self.wind_direction)

    @property
    def gust_force(self) -> Floats:
        """What the gust adds to the force (3,) N, frame `map`; where forces act at all."""
        if not self.forces_act:
            return np.zeros(3)
        return self.wind_gust_force_mean * unit(self.wind_gust_direction)

    @property
    def gust_velocity(self) -> Floats:
        """The velocity (3,) m/s that the gust adds to the wind, frame `map`."""
        return self.wind_gust_speed_mean * unit(self.wind_gust_direction)

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield parameters that are good one by one and do not go together."""
        mean_used = self.wind_speed_mean > 0 or self.wind_force_mean > 0
        gust_used = self.wind_gust_force_mean > 0 or self.wind_gust_speed_mean > 0
        for name, direction, used in (
                ('wind_direction', self.wind_direction, mean_used),
                ('wind_gust_direction', self.wind_gust_direction, gust_used)):
            if used and not any(direction):
                yield name, list(direction), 'a direction that is not zero'
        if any(self.xyz_offset):
            yield ('xyz_offset', list(self.xyz_offset), '[0, 0, 0]: an offset would turn the '
                   'robot, and this world has no torque')
        if self.use_custom_static_wind_field and not self.custom_wind_field_path:
            yield ('custom_wind_field_path', self.custom_wind_field_path,
                   'a file, because use_custom_static_wind_field is true')


class TurbulenceParameters(NamedTuple):
    """Turbulence with the Dryden spectrum, beside the wind of ``WindParameters``."""

    turbulence: Annotated[int, Param(
        '', 'none; place: a field that robots near each other share; robot: independent for each '
        'robot.',
        choices=('none', 'place', 'robot'))] = STILL
    turbulence_speed: Annotated[float, Param(
        'm/s', 'Standard deviation along x and along y.', minimum=0.0,
        maximum=1e6)] = 0.1
    turbulence_length: Annotated[float, Param(
        'm', 'With place: correlation length.', minimum=0.0, maximum=1e6,
        open_minimum=True)] = 2.0
    turbulence_time: Annotated[float, Param(
        's', 'Correlation time.', minimum=0.0, maximum=1e6,
        open_minimum=True)] = 5.0


class WakeParameters(NamedTuple):
    """Wake model: shelter between robots; lengths in radii of the blocker."""

    wake: Annotated[bool, Param(
        '', 'Robots upwind shelter robots downwind.', '000 section 4.2')] = False
    lateral_reach_radii: Annotated[float, Param(
        '', 'Width of the wake (one sigma) in blocker radii.', '000 section 5.5', 0.0)] = 3.0
    shadow_length_radii: Annotated[float, Param(
        '', 'Length of the ramp downwind in blocker radii.', '000 section 5.5', 0.0)] = 4.0
    upwind_gate_radii: Annotated[float, Param(
        '', 'Gap along the wind, in blocker radii, below which there is no shelter.',
        '000 section 5.5', 0.0)] = 0.5
    gamma_boost: Annotated[float, Param(
        '', 'Factor on the reduction; 1 changes nothing.', '000 section 5.5', 0.0)] = 2.0
    wake_fade: Annotated[int, Param(
        '', 'ramp_in: shelter grows with distance, as printed; fade_out: shelter fades with '
        'distance.', '000 section 4.2',
        choices=('ramp_in', 'fade_out'))] = RAMP_IN
    wake_boost: Annotated[int, Param(
        '', 'linear: clamp(gamma r); power: 1 - (1 - r)^gamma for each neighbour.',
        '000 sections 4.2 and 5.5', choices=('linear', 'power'))] = LINEAR
