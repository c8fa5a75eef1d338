"""Lasers of a Stage robot: models of kind ``ranger``, and ``laser`` of older worlds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from sbot.scenario.stage.entities import Entity, Property
from sbot.scenario.stage.geometry import Frame, Units, frame_of
from sbot.scenario.stage.notes import Notes
from sbot.scenario.stage.tokens import Place
from sbot_common.errors import bad_value

RANGERS = ('ranger', 'laser')
# Stage's defaults of a sensor, and those that `laser` had.
_SENSOR: dict[str, Any] = {'range': (0.0, 5.0), 'fov': 0.1, 'samples': 1}
_LASER: dict[str, Any] = {'range': (0.0, 8.0), 'fov': math.pi, 'samples': 180}
_MODEL = ('pose', 'origin', 'size', 'bitmap', 'boundary', 'noblocks', 'obstacle_return',
          'ranger_return')
_READ = ('pose', 'range', 'fov', 'samples', 'noise', 'size')
_OLD_LASER = ('range_max', 'range_min')


class Laser(NamedTuple):
    """A sensor of a ranger, on its robot."""

    place: Place
    values: dict[str, Any]  # of the group ``sensors`` of a scenario
    samples: int


def lasers_of(robot: Entity, units: Units, notes: Notes) -> list[Laser]:
    """Return a laser for each ranger on a robot: the first sensor of each, as stageros has it.

    Raises
    ------
    InputError
        for values that are wrong.

    """
    found = []
    for child in robot.children:
        if child.kind not in RANGERS:
            continue
        old = [name for name in child.properties
               if name.startswith(('spose', 'ssize', 'sview')) or name == 'scount']
        known = (*_READ, *_OLD_LASER) if child.kind == 'laser' else ()
        notes.unknown(child, *_MODEL, *known, *old)
        mount = frame_of(child, 'pose', units, notes).then(
            frame_of(child, 'origin', units, notes))
        sensors = [each for each in child.children if each.kind == 'sensor']
        if child.kind == 'laser':
            found.append(_laser(child, mount, _LASER, units, notes))
        elif old:
            notes.add(child.properties[old[0]].place, f'{old[0]}: rangers as in Stage 3 are not '
                      'supported and left out; sensor ( ... ) is')
        elif sensors:
            for each in sensors:
                notes.unknown(each, *_READ)
            if len(sensors) > 1:
                notes.add(sensors[1].place, f'{child.name}: only its first sensor is read, as by '
                          'stageros')
            inner = mount.then(frame_of(sensors[0], 'pose', units, notes))
            found.append(_laser(sensors[0], inner, _SENSOR, units, notes))
    return found


def _laser(sensor: Entity, mount: Frame, defaults: dict[str, Any], units: Units,
           notes: Notes) -> Laser:
    low, high = defaults['range']
    if (given := sensor.properties.get('range')) is not None:
        low, high = (units[0] * each for each in given.numbers(2))
    low = units[0] * sensor.number('range_min', low / units[0])
    high = units[0] * sensor.number('range_max', high / units[0])
    fov = units[1] * sensor.number('fov', defaults['fov'] / units[1])
    count = sensor.number('samples', defaults['samples'])
    where = f'{sensor.place_of("samples")}: samples'
    if not 1 <= count <= 100_000 or count != int(count):
        raise bad_value(where, sensor.text('samples'), 'a whole number from 1 to 100000')
    if not 0.0 <= low < high:
        raise bad_value(f'{sensor.place_of("range")}: range', [low, high],
                        'two numbers, the first >= 0 and smaller')
    values: dict[str, Any] = {
        'scan_beams': int(count), 'scan_angle_min': -0.5 * fov if count > 1 else 0.0,
        'scan_angle_max': 0.5 * fov if count > 1 else 0.0, 'scan_range_min': low,
        'scan_range_max': high, 'scan_sees_robots': True}
    values |= {f'laser_{name}': number for name, number in
               zip(('x', 'y', 'yaw'), mount, strict=True) if number}
    if (noise := sensor.properties.get('noise')) is not None:
        values |= _noise(noise, units, notes)
    return Laser(sensor.place, values, int(count))


def _noise(given: Property, units: Units, notes: Notes) -> dict[str, Any]:
    """Return the noise of ranges; Stage has the variance of its constant part (m as it says)."""
    constant, proportional, angular = given.numbers(3)
    if proportional or angular:
        notes.add(given.place, 'noise: only its first number, a variance, is read')
    if constant < 0.0:
        raise bad_value(given.where, constant, 'a variance >= 0')
    return {'scan_noise_std': math.sqrt(units[0] * constant)} if constant else {}
