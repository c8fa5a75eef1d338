"""Parameters of the wind (document 003, plugin macro) and of wakes (document 000 section 5.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from sbot_common.params import Param, Vector

MACRO = '003, plugin macro'

RAMP_IN, FADE_OUT = range(2)
LINEAR, POWER = range(2)


class WindParameters(NamedTuple):
    """The plugin macro's parameters, under its names; the wind blows *towards* its direction."""

    wind_direction: Annotated[Vector, Param(
        '', 'Direction that mean wind and mean force blow towards; of any length.',
        MACRO)] = (1.0, 0.0, 0.0)
    wind_gust_direction: Annotated[Vector, Param(
        '', 'Direction that the gust blows towards; of any length.', MACRO)] = (0.0, 1.0, 0.0)
    xyz_offset: Annotated[Vector, Param(
        'm', 'Where forces act; only zero: in the plane there is no torque.',
        MACRO)] = (0.0, 0.0, 0.0)
    wind_speed_mean: Annotated[float, Param(
        'm/s', 'Speed of the wind, outside the grid if there is one.', MACRO, 0.0)] = 0.0
    wind_force_mean: Annotated[float, Param(
        'N', 'Constant force along wind_direction.', MACRO, 0.0)] = 0.0
    wind_gust_duration: Annotated[float, Param(
        's', 'How long the gust lasts.', MACRO, 0.0, 1e9)] = 0.0
    wind_gust_start: Annotated[float, Param(
        's', 'Simulated time at which the gust starts.', MACRO, 0.0, 1e9)] = 0.0
    wind_gust_force_mean: Annotated[float, Param('N', 'Force of the gust.', MACRO, 0.0)] = 0.0
    use_custom_static_wind_field: Annotated[bool, Param(
        '', 'Take the wind from the grid in custom_wind_field_path.', MACRO)] = False
    custom_wind_field_path: Annotated[str, Param(
        '', 'Text file of the grid; in a scenario, relative to the scenario file.', MACRO)] = ''
    wind_height: Annotated[float, Param(
        'm', 'Height z at which robots feel the wind grid.', '003, functioning')] = 0.5

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield parameters that are good one by one and do not go together."""
        mean_used = self.wind_speed_mean > 0 or self.wind_force_mean > 0
        for name, direction, used in (
                ('wind_direction', self.wind_direction, mean_used),
                ('wind_gust_direction', self.wind_gust_direction, self.wind_gust_force_mean > 0)):
            if used and not any(direction):
                yield name, list(direction), 'a direction that is not zero'
        if any(self.xyz_offset):
            yield ('xyz_offset', list(self.xyz_offset), '[0, 0, 0]: an offset would turn the '
                   'robot, and this world has no torque')
        if self.use_custom_static_wind_field and not self.custom_wind_field_path:
            yield ('custom_wind_field_path', self.custom_wind_field_path,
                   'a file, because use_custom_static_wind_field is true')


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
        '', 'Emphasis of the reduction; 1 changes nothing.', '000 section 5.5', 0.0)] = 2.0
    wake_fade: Annotated[int, Param(
        '', 'Shelter grows with distance as printed, or fades out.', '000 section 4.2',
        choices=('ramp_in', 'fade_out'))] = RAMP_IN
    wake_boost: Annotated[int, Param(
        '', 'clamp(gamma r), or 1 - (1 - r)^gamma for each neighbour.',
        '000 sections 4.2 and 5.5', choices=('linear', 'power'))] = LINEAR
