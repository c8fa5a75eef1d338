"""Parameters of the wind (document 003, plugin macro) and of wakes (document 000 section 5.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sbot_common.errors import bad_value, unknown_name
from sbot_common.params import Spec, Vector, VectorSpec, check_all

__all__ = [
    'HEIGHT_SPEC', 'SPECS', 'VECTOR_SPECS', 'WAKE_SPECS', 'Vector', 'VectorSpec', 'WakeParameters',
    'WindParameters', 'make_wake_parameters', 'make_wind_parameters']

MACRO = '003, plugin macro'


class WindParameters(NamedTuple):
    """The plugin macro's parameters, under its names; the wind blows *towards* its direction."""

    wind_direction: Vector
    wind_speed_mean: float  # m/s
    wind_force_mean: float  # N
    wind_gust_direction: Vector
    wind_gust_duration: float  # s
    wind_gust_start: float  # s
    wind_gust_force_mean: float  # N
    xyz_offset: Vector  # m; always zero
    use_custom_static_wind_field: bool
    custom_wind_field_path: str


class WakeParameters(NamedTuple):
    """How robots shelter each other; lengths in radii of the blocker."""

    wake: bool
    lateral_reach_radii: float
    shadow_length_radii: float
    upwind_gate_radii: float
    gamma_boost: float
    fade_out: bool  # wake_fade: fade_out; else ramp_in
    power_boost: bool  # wake_boost: power; else linear


VECTOR_SPECS = (
    VectorSpec('wind_direction', (1.0, 0.0, 0.0), '',
               'Direction that mean wind and mean force blow towards; of any length.', MACRO),
    VectorSpec('wind_gust_direction', (0.0, 1.0, 0.0), '',
               'Direction that the gust blows towards; of any length.', MACRO),
    VectorSpec('xyz_offset', (0.0, 0.0, 0.0), 'm',
               'Where forces act; only zero: in the plane there is no torque.', MACRO),
)

SPECS = (
    Spec('wind_speed_mean', 0.0, 'm/s', 'Speed of the wind, outside the grid if there is one.',
         MACRO, 0.0),
    Spec('wind_force_mean', 0.0, 'N', 'Constant force along wind_direction.', MACRO, 0.0),
    Spec('wind_gust_duration', 0.0, 's', 'How long the gust lasts.', MACRO, 0.0, 1e9),
    Spec('wind_gust_start', 0.0, 's', 'Simulated time at which the gust starts.', MACRO, 0.0, 1e9),
    Spec('wind_gust_force_mean', 0.0, 'N', 'Force of the gust.', MACRO, 0.0),
    Spec('use_custom_static_wind_field', False, '',
         'Take the wind from the grid in custom_wind_field_path.', MACRO),
    Spec('custom_wind_field_path', '', '',
         'Text file of the grid; in a scenario, relative to the scenario file.', MACRO),
)

HEIGHT_SPEC = Spec('wind_height', 0.5, 'm', 'Height z at which robots feel the wind grid.',
                   '003, functioning')

WAKE_SPECS = (
    Spec('wake', False, '', 'Robots upwind shelter robots downwind.', '000 section 4.2'),
    Spec('lateral_reach_radii', 3.0, '', 'Width of the wake (one sigma) in blocker radii.',
         '000 section 5.5', 0.0),
    Spec('shadow_length_radii', 4.0, '', 'Length of the ramp downwind in blocker radii.',
         '000 section 5.5', 0.0),
    Spec('upwind_gate_radii', 0.5, '', 'Gap along the wind, in blocker radii, below which '
         'there is no shelter.', '000 section 5.5', 0.0),
    Spec('gamma_boost', 2.0, '', 'Emphasis of the reduction; 1 changes nothing.',
         '000 section 5.5', 0.0),
    Spec('wake_fade', 'ramp_in', '', 'Shelter grows with distance as printed, or fades out.',
         '000 section 4.2', choices=('ramp_in', 'fade_out')),
    Spec('wake_boost', 'linear', '', 'clamp(gamma r), or 1 - (1 - r)^gamma for each neighbour.',
         '000 sections 4.2 and 5.5', choices=('linear', 'power')),
)


def make_wind_parameters(given: Mapping[str, Any], where: str = '') -> WindParameters:
    """Return checked wind parameters: the given ones and the defaults.

    Raises
    ------
    InputError
        for an unknown name, a bad value, a zero direction whose strength is not zero, an
        ``xyz_offset`` other than zero, or a custom field without a path; begins with ``where``.

    """
    vectors = {spec.name: spec for spec in VECTOR_SPECS}
    scalars = {name: value for name, value in given.items() if name not in vectors}
    known = {spec.name for spec in SPECS} | set(vectors)
    for name in scalars:
        if name not in known:
            raise unknown_name(where.rstrip('.: ') or 'wind', name, known)
    values = check_all(SPECS, scalars, where)
    for name, spec in vectors.items():
        values[name] = spec.check(given[name], where) if name in given else spec.default
    parameters = WindParameters(**values)
    _refuse_contradictions(parameters, where)
    return parameters


def _refuse_contradictions(p: WindParameters, where: str) -> None:
    """Raise InputError where parameters that are good one by one do not go together."""
    mean_used = p.wind_speed_mean > 0 or p.wind_force_mean > 0
    for name, direction, used in (
            ('wind_direction', p.wind_direction, mean_used),
            ('wind_gust_direction', p.wind_gust_direction, p.wind_gust_force_mean > 0)):
        if used and not any(direction):
            raise bad_value(where + name, list(direction), 'a direction that is not zero')
    if any(p.xyz_offset):
        raise bad_value(where + 'xyz_offset', list(p.xyz_offset),
                        '[0, 0, 0]: an offset would turn the robot, and this world has no torque')
    if p.use_custom_static_wind_field and not p.custom_wind_field_path:
        raise bad_value(where + 'custom_wind_field_path', p.custom_wind_field_path,
                        'a file, because use_custom_static_wind_field is true')


def make_wake_parameters(given: Mapping[str, Any], where: str = '') -> WakeParameters:
    """Return checked wake parameters; ``wake_fade`` and ``wake_boost`` become booleans.

    Raises
    ------
    InputError
        for an unknown name or a bad value.

    """
    values = check_all(WAKE_SPECS, given, where)
    fade, boost = values.pop('wake_fade'), values.pop('wake_boost')
    return WakeParameters(**values, fade_out=fade == 'fade_out', power_boost=boost == 'power')
