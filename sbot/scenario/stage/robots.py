"""Robots of a Stage world: the models of kind ``position``, their bodies and their lasers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from sbot.scenario.stage.entities import Entity
from sbot.scenario.stage.geometry import (
    Frame,
    Units,
    block_outlines,
    fitted,
    frame_of,
    is_round,
    size_of,
)
from sbot.scenario.stage.notes import Notes
from sbot.scenario.stage.rangers import Laser, lasers_of
from sbot.scenario.stage.tokens import Place
from sbot_common.errors import bad_value, unknown_name

DRIVES = {'diff': 'wheels', 'omni': 'omnidirectional', 'car': 'ackermann'}
LOCALIZATIONS = ('gps', 'odom')
WHEEL_RADIUS = 0.1  # m; Stage's robots have none
# Stage's defaults: greatest speeds along x, along y and turning, proportions of odometry's errors.
_SPEEDS = (1.0, 1.0, math.pi / 2)  # m/s, m/s, rad/s
_ODOM_ERROR = (0.03, 0.03, 0.0, 0.05)
_LARGEST_NOISE = 0.2  # that odometry_noise_radius may be
_READ = ('pose', 'origin', 'size', 'bitmap', 'boundary', 'noblocks', 'obstacle_return',
         'ranger_return', 'drive', 'wheelbase', 'localization', 'odom_error', 'velocity_bounds')


class StageRobot(NamedTuple):
    """A robot of a world."""

    place: Place
    label: str  # what the world calls it; '' for nothing
    kind: str  # macro or kind that it is made of
    frame: Frame  # where it starts
    body: dict[str, Any]  # as in a scenario's ``bodies``
    lasers: list[Laser]
    odometry_noise: float


def robot_of(model: Entity, frame: Frame, units: Units, notes: Notes) -> StageRobot:
    """Return the robot of a model of kind ``position`` whose pose in the world is ``frame``.

    Raises
    ------
    InputError
        for values that are wrong.

    """
    notes.unknown(model, *_READ, 'velocity', 'acceleration_bounds')
    if 'velocity' in model.properties:
        notes.add(model.place_of('velocity'), 'velocity has no effect: robots start at rest, '
                  'as driven robots in Stage do')
    if 'acceleration_bounds' in model.properties:
        notes.add(model.place_of('acceleration_bounds'), 'acceleration_bounds has no effect: '
                  'Stage applies them only to commanded accelerations, not to cmd_vel')
    for child in model.children:
        if child.kind == 'position':
            notes.add(child.place, 'a position on a position is not supported and is skipped')
        elif child.kind == 'model':
            notes.add(child.place, 'a model on a robot is not supported and is skipped: it takes '
                      'no part in collisions and scans')
    return StageRobot(model.place, model.text('name'), model.name, frame,
                      _body(model, units, notes), lasers_of(model, units, notes),
                      _odometry_noise(model))


def _body(model: Entity, units: Units, notes: Notes) -> dict[str, Any]:
    length, width = size_of(model, units)
    if length <= 0.0 or width <= 0.0:
        raise bad_value(f'{model.place_of("size")}: size', [length, width],
                        'a length and a width > 0')
    blocks = fitted(block_outlines(model), (length, width))
    origin = frame_of(model, 'origin', units, notes)
    where = model.place_of('origin')
    turns = origin.yaw / (0.5 * math.pi)
    if round(turns) % 2:
        length, width = width, length
    if abs(turns - round(turns)) > 1e-6:
        notes.add(where, "origin turns a robot's body: only quarters of a turn are supported")
    if abs(origin.y) > 1e-9:
        notes.add(where, "origin moves a robot's body to the side, which is not supported")
    body: dict[str, Any] = {'like': 'robot'}
    if is_round(blocks, (length, width)) and abs(origin.x) < 0.01 * length:
        body['radius'] = 0.25 * (length + width)
    else:
        if blocks or 'bitmap' in model.properties:
            notes.add(model.place, 'the body of a robot is the rectangle of its size, whatever '
                      'its blocks and bitmaps are')
        body |= {'length': length, 'width': width}
        if abs(origin.x) >= 0.5 * length:
            raise bad_value(f'{where}: origin', origin.x,
                            f'a centre within the robot, whose length is {length:g} m')
        if origin.x:
            body['offset'] = origin.x
    body |= _drive(model, width, units, notes)
    if (mass := model.number('mass', 0.0)) > 0:
        body['mass'] = mass
    if model.number('obstacle_return', 1.0) == 0:
        notes.add(model.place_of('obstacle_return'), 'obstacle_return 0 has no effect: '
                  'robots are solid here')
    return body


def _drive(model: Entity, width: float, units: Units, notes: Notes) -> dict[str, Any]:
    """Return drive and wheels: as fast as the commands that the bounds let through."""
    drive = model.text('drive', 'diff')
    if drive not in DRIVES:
        raise unknown_name(f'{model.place_of("drive")}: drive', drive, DRIVES)
    speeds = _SPEEDS
    if (bounds := model.properties.get('velocity_bounds')) is not None:
        numbers = bounds.numbers(8)
        ends = [units[k >= 6] * each for k, each in enumerate(numbers)]
        speeds = (max(map(abs, ends[0:2])), max(map(abs, ends[2:4])), max(map(abs, ends[6:8])))
        if any(low != -high for low, high in (ends[0:2], ends[2:4], ends[6:8])):
            notes.add(bounds.place, 'velocity_bounds: a robot is as fast backwards as forwards')
    values: dict[str, Any] = {'drive': DRIVES[drive], 'wheel_distance': width,
                              'wheel_radius': WHEEL_RADIUS}
    lever = 0.5 * width
    if drive == 'car':
        base = units[0] * model.number('wheelbase', 1.0 / units[0])
        if base <= 0.0:
            raise bad_value(f'{model.place_of("wheelbase")}: wheelbase', base, 'a number > 0')
        values['wheelbase'] = base
        notes.add(model.place_of('drive'), 'drive "car": cmd_vel has a turn rate as with the '
                  'other drives, not the steering angle')
    elif drive == 'omni':
        lever += 0.5 * width
        speeds = (speeds[0] + speeds[1], 0.0, speeds[2])
    values['max_wheel_speed'] = round((speeds[0] + lever * speeds[2]) / WHEEL_RADIUS, 6)
    return values


def _odometry_noise(model: Entity) -> float:
    """Return the deviation of a wheel's radius that makes errors as large as Stage's.

    Stage draws the error of a velocity evenly from a range E wide: its deviation is E/sqrt(12).
    Two wheels that err by s each make one of s/sqrt(2).
    """
    given = model.properties.get('localization')
    if given is None or given.values[0] != 'odom':
        if given is not None and given.values[0] not in LOCALIZATIONS:
            raise unknown_name(given.where, given.values[0], LOCALIZATIONS)
        return 0.0
    errors = list(_ODOM_ERROR)
    if (error := model.properties.get('odom_error')) is not None:
        numbers = error.numbers(3, 4)
        errors = numbers if len(numbers) == 4 else [*numbers[:2], 0.0, numbers[2]]
    return min(_LARGEST_NOISE, max(abs(errors[0]), abs(errors[3])) / math.sqrt(6.0))
