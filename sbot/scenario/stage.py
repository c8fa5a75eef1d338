# SPDX-License-Identifier: Apache-2.0
"""Convert a Stage world file (`.world`) to a scenario (docs/stage.md).

What is not supported is left out with a warning that names it.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import KeyPath, Origins, count_values
from sbot.scenario.fields import MAX_ROBOTS
from sbot.scenario.stage_obstacles import (
    READ,
    Frame,
    Obstacles,
    Units,
    fitted,
    is_round,
)
from sbot.scenario.stage_parse import Entity, Notes, Place, Property, read_tokens
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_sim.world.bodies import BODIES

_RANGERS = ('ranger', 'laser')
# Stage's defaults of a sensor, and those that `laser` had.
_SENSOR: dict[str, Any] = {'range': (0.0, 5.0), 'fov': 0.1, 'samples': 1}
_LASER: dict[str, Any] = {'range': (0.0, 8.0), 'fov': math.pi, 'samples': 180}
_READ_OF_LASERS = ('pose', 'range', 'fov', 'samples', 'noise', 'size')
_OLD_LASER = ('range_max', 'range_min')


class _Laser(NamedTuple):
    """A sensor of a ranger, on its robot."""

    place: Place
    values: dict[str, Any]  # of the group ``sensors`` of a scenario


def _lasers_of(robot: Entity, units: Units, notes: Notes) -> list[_Laser]:
    """Return a laser for each ranger on a robot: the first sensor of each, as stageros has it.

    Raises
    ------
    InputError
        for values that are wrong.

    """
    found = []
    for child in robot.children:
        if child.kind not in _RANGERS:
            continue
        old = [name for name in child.properties
               if name.startswith(('spose', 'ssize', 'sview')) or name == 'scount']
        known = (*_READ_OF_LASERS, *_OLD_LASER) if child.kind == 'laser' else ()
        notes.unknown(child, *READ, *known, *old)
        mount = Frame.of(child, 'pose', units, notes).then(
            Frame.of(child, 'origin', units, notes))
        sensors = [each for each in child.children if each.kind == 'sensor']
        if child.kind == 'laser':
            found.append(_laser(child, mount, _LASER, units, notes))
        elif old:
            notes.add(child.properties[old[0]].place, f'{old[0]}: rangers as in Stage 3 are not '
                      'supported and left out; sensor ( ... ) is')
        elif sensors:
            for each in sensors:
                notes.unknown(each, *_READ_OF_LASERS)
            if len(sensors) > 1:
                notes.add(sensors[1].place, f'{child.name}: only its first sensor is read, as by '
                          'stageros')
            inner = mount.then(Frame.of(sensors[0], 'pose', units, notes))
            found.append(_laser(sensors[0], inner, _SENSOR, units, notes))
    return found


def _laser(sensor: Entity, mount: Frame, defaults: dict[str, Any], units: Units,
           notes: Notes) -> _Laser:
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
    return _Laser(sensor.place, values)


def _noise(given: Property, units: Units, notes: Notes) -> dict[str, Any]:
    """Return the noise of ranges; Stage has the variance of its constant part (m as it says)."""
    constant, proportional, angular = given.numbers(3)
    if proportional or angular:
        notes.add(given.place, 'noise: only its first number, a variance, is read')
    if constant < 0.0:
        raise bad_value(given.where, constant, 'a variance >= 0')
    return {'scan_noise_std': math.sqrt(units[0] * constant)} if constant else {}


_DRIVES = {'diff': 'wheels', 'omni': 'omnidirectional', 'car': 'ackermann'}
_LOCALIZATIONS = ('gps', 'odom')
_WHEEL_RADIUS = 0.1  # m; Stage's robots have none
# Stage's defaults: greatest speeds along x, along y and turning, proportions of odometry's errors.
_SPEEDS = (1.0, 1.0, math.pi / 2)  # m/s, m/s, rad/s
_ODOM_ERROR = (0.03, 0.03, 0.0, 0.05)
_LARGEST_NOISE = 0.2  # that odometry_noise_radius may be
_READ = (*READ, 'drive', 'wheelbase', 'localization', 'odom_error', 'velocity_bounds')


# Kinds of models that a robot cannot carry.
_NOT_ON_ROBOTS = {
    'position': 'a position on a position is not supported and is skipped',
    'model': 'a model on a robot is not supported and is skipped: it takes no part in collisions '
             'and scans'}


class _StageRobot(NamedTuple):
    """A robot of a world."""

    place: Place
    label: str  # what the world calls it; '' for nothing
    kind: str  # macro or kind that it is made of
    frame: Frame  # where it starts
    body: dict[str, Any]  # as in a scenario's ``bodies``


_NO_LASER = {'scan_beams': 1, 'scan_angle_min': 0.0, 'scan_angle_max': 0.0}


def _robot_of(model: Entity, frame: Frame, units: Units, notes: Notes) -> _StageRobot:
    """Return the robot of a model of kind ``position`` whose pose in the world is ``frame``.

    Raises
    ------
    InputError
        for values that are wrong.

    """
    notes.unknown(model, *_READ, 'velocity', 'acceleration_bounds')
    notes.add_if(
        ('velocity' in model.properties, model.place_of('velocity'),
         'velocity has no effect: robots start at rest, as driven robots in Stage do'),
        ('acceleration_bounds' in model.properties, model.place_of('acceleration_bounds'),
         'acceleration_bounds has no effect: Stage applies them only to commanded accelerations, '
         'not to cmd_vel'))
    for child in model.children:
        if child.kind in _NOT_ON_ROBOTS:
            notes.add(child.place, _NOT_ON_ROBOTS[child.kind])
    sensors, noise = _lasers(model, units, notes), _odometry_noise(model)
    if noise:
        sensors['sensors']['odometry_noise_radius'] = noise
    return _StageRobot(model.place, model.text('name'), model.name, frame,
                      {**_body(model, units, notes), **sensors})


def _lasers(model: Entity, units: Units, notes: Notes) -> dict[str, Any]:
    """Return ``sensors`` of a body, and ``lasers`` where a robot has several, as in the file."""
    lasers = _lasers_of(model, units, notes)
    wide = [each for each in lasers if each.values['scan_beams'] > 1] or lasers[:1]
    notes.add_if(
        *((each not in wide, each.place, 'a ranger of one beam beside others is left out')
          for each in lasers),
        (not wide, model.place, f'{model.name}: no ranger with a sensor: its base_scan has one '
                                'beam'))
    if len(wide) > 1:
        return {'sensors': {}, 'lasers': [each.values for each in wide]}
    return {'sensors': dict(wide[0].values if wide else _NO_LASER)}


def _body(model: Entity, units: Units, notes: Notes) -> dict[str, Any]:
    length, width = model.size(units[0])
    if length <= 0.0 or width <= 0.0:
        raise bad_value(f'{model.place_of("size")}: size', [length, width],
                        'a length and a width > 0')
    blocks = fitted(model.block_outlines(), (length, width))
    origin = Frame.of(model, 'origin', units, notes)
    where = model.place_of('origin')
    turns = origin.yaw / (0.5 * math.pi)
    if round(turns) % 2:
        length, width = width, length
    notes.add_if(
        (abs(turns - round(turns)) > 1e-6, where,
         "origin turns a robot's body: only quarters of a turn are supported"),
        (abs(origin.y) > 1e-9, where,
         "origin moves a robot's body to the side, which is not supported"))
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
    if drive not in _DRIVES:
        raise unknown_name(f'{model.place_of("drive")}: drive', drive, _DRIVES)
    speeds = _SPEEDS
    if (bounds := model.properties.get('velocity_bounds')) is not None:
        numbers = bounds.numbers(8)
        ends = [units[k >= 6] * each for k, each in enumerate(numbers)]
        speeds = (max(map(abs, ends[0:2])), max(map(abs, ends[2:4])), max(map(abs, ends[6:8])))
        if any(low != -high for low, high in (ends[0:2], ends[2:4], ends[6:8])):
            notes.add(bounds.place, 'velocity_bounds: a robot is as fast backwards as forwards')
    values: dict[str, Any] = {'drive': _DRIVES[drive], 'wheel_distance': width,
                              'wheel_radius': _WHEEL_RADIUS}
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
    values['max_wheel_speed'] = round((speeds[0] + lever * speeds[2]) / _WHEEL_RADIUS, 6)
    return values


def _odometry_noise(model: Entity) -> float:
    """Return the deviation of a wheel's radius that makes errors as large as Stage's.

    Stage draws the error of a velocity evenly from a range E wide: its deviation is E/sqrt(12).
    Two wheels that err by s each make one of s/sqrt(2).
    """
    given = model.properties.get('localization')
    if given is None or given.values[0] != 'odom':
        if given is not None and given.values[0] not in _LOCALIZATIONS:
            raise unknown_name(given.where, given.values[0], _LOCALIZATIONS)
        return 0.0
    errors = list(_ODOM_ERROR)
    if (error := model.properties.get('odom_error')) is not None:
        numbers = error.numbers(3, 4)
        errors = numbers if len(numbers) == 4 else [*numbers[:2], 0.0, numbers[2]]
    return min(_LARGEST_NOISE, max(abs(errors[0]), abs(errors[3])) / math.sqrt(6.0))


_MARGIN = 0.5  # m, around everything, of pictures and maps
# As count_values counts: a robot is 3 keys, what they hold, and the numbers of its pose.
_ROBOT_VALUES, _CORNER_VALUES = 10, 3
_LENGTHS = {'m': 1.0, 'cm': 0.01, 'mm': 0.001}
_ANGLES = {'degrees': math.pi / 180.0, 'radians': 1.0}
_MODELS = ('model', 'position', *_RANGERS)
_PARTS = ('block', 'sensor', 'window')
# Kinds that Stage has, or had, beside these.
_OTHERS = ('actuator', 'audio', 'blinkenlight', 'blobfinder', 'bumper', 'camera', 'energy',
           'fiducial', 'fiducialfinder', 'gripper', 'indicator', 'lightindicator', 'loadsensor',
           'puck_sensor', 'ptz', 'speech', 'wifi')


def stage_scenario(raw: bytes, file: str) -> tuple[dict[str, Any], Origins]:
    """Return the values of the scenario of a world file, and where they stand in it.

    Parameters
    ----------
    raw : its bytes
    file : its path: includes and bitmaps are looked for in its folder

    Raises
    ------
    InputError
        with file, line, name and what was expected.

    """
    path = Path(file)
    world = Entity.parse(read_tokens(raw, path), file)
    notes = Notes()
    notes.unknown(world, 'test')
    found = _Found(world, path.parent, notes)
    if not found.robots:
        raise InputError(f'{file}: a scenario needs robots; add a model of kind position')
    values, lines = _values(world, found, file)
    if (size := count_values(values)) > limits().text_values:
        raise too_large(file, 'values of the scenario made from it', size, 'text_values')
    return values, Origins(file, lines, set())


class _Found:
    """Robots and obstacles of a world, in the order of the file."""

    def __init__(self, world: Entity, folder: Path, notes: Notes) -> None:
        self.notes = notes
        self.units: Units = (_unit(world, 'unit_length', _LENGTHS, 'm'),
                             _unit(world, 'unit_angle', _ANGLES, 'degrees'))
        self.robots: list[_StageRobot] = []
        self.obstacles = Obstacles(folder, self.units, notes)
        for child in world.children:
            self._add(child, Frame())

    def _add(self, entity: Entity, parent: Frame) -> None:
        if entity.kind in _PARTS:
            return
        if entity.kind in _OTHERS:
            self.notes.add(entity.place, f'{entity.kind} is not supported and is skipped')
            return
        if entity.kind not in _MODELS:
            raise unknown_name(f'{entity.place}', entity.kind, (*_MODELS, *_PARTS, *_OTHERS))
        frame = parent.then(Frame.of(entity, 'pose', self.units, self.notes))
        if not all(abs(number) <= 1e6 for number in frame):
            raise bad_value(f'{entity.place_of("pose")}: pose', list(frame), 'numbers up to 1e6')
        if entity.kind in _RANGERS:
            self.notes.add(entity.place, f'{entity.kind} which is on no robot is left out')
        elif entity.kind == 'position':
            self.robots.append(_robot_of(entity, frame, self.units, self.notes))
            if len(self.robots) > MAX_ROBOTS:
                raise InputError(f'{entity.place}: got more robots, expected at most {MAX_ROBOTS}')
            for child in entity.children:
                if child.kind not in ('model', 'position', *_RANGERS):
                    self._add(child, frame)
        else:
            self.obstacles.add(entity, frame)
            for child in entity.children:
                self._add(child, frame)


def _unit(world: Entity, name: str, units: dict[str, float], default: str) -> float:
    given = world.text(name, default)
    if given not in units:
        raise unknown_name(f'{world.place_of(name)}: {name}', given, units)
    return units[given]


def _values(world: Entity, found: _Found, file: str,
            ) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """Return the mapping that a scenario file would hold, and the lines of its keys."""
    lines: dict[KeyPath, int] = {}
    # What the scenario has at least, before robots are looked for in every outline.
    corners = sum(len(each.points) for each in found.obstacles if each.solid)
    if (least := _ROBOT_VALUES * len(found.robots) + _CORNER_VALUES * corners
            ) > limits().text_values:
        raise too_large(file, 'values or more of the scenario made from it', least, 'text_values')
    starts = np.array([robot.frame[:2] for robot in found.robots])
    shapes, places = found.obstacles.world(starts)
    for k, place in enumerate(places):
        lines['world', 'polygons', k] = place.main_line
    bodies: dict[str, dict[str, Any]] = {}
    robots = []
    sensors = found.robots[0].body['sensors']
    if any(robot.body['sensors'] != sensors for robot in found.robots):
        sensors = {}
    else:
        for robot in found.robots:
            del robot.body['sensors']
    for i, (robot, name) in enumerate(zip(found.robots, _body_names(found.robots), strict=True)):
        lines['robots', i] = robot.place.main_line
        lines.setdefault(('bodies', name), robot.place.main_line)
        bodies.setdefault(name, robot.body)
        robots.append({'pose': list(robot.frame), 'body': name, 'controller': 'none'})
    bounds = found.obstacles.extent(starts, _MARGIN)
    return {
        'description': _description(found.robots, file),
        **_times(world, lines),
        'lockstep': False,
        'world': {'bounds': bounds, 'open': True, **shapes},
        'bodies': bodies,
        'sensors': sensors,
        'robots': robots,
    }, lines


def _description(robots: list[_StageRobot], file: str) -> str:
    names = [f'{i} is {robot.label}' for i, robot in enumerate(robots) if robot.label]
    called = f' Robot {", ".join(names[:50])}.' if names else ''
    return f'From {Path(file).name}.{called}'


def _times(world: Entity, lines: dict[KeyPath, int]) -> dict[str, Any]:
    """Return rate and duration; Stage's own are steps of 100 ms, and no end."""
    interval = world.number('interval_sim', 100.0)
    where = f'{world.place_of("interval_sim")}: interval_sim'
    if not 1e-3 <= interval <= 1e6:
        raise bad_value(where, interval, 'milliseconds from 0.001 to 1000000')
    rate = 1000.0 / interval
    values: dict[str, Any] = {'rate': int(rate) if rate == int(rate) else
                              f'1000000/{round(1000.0 * interval)}'}
    lines['rate',] = world.place_of('interval_sim').main_line
    if (end := world.number('quit_time', 0.0)) > 0.0:
        values['duration'] = end
        lines['duration',] = world.place_of('quit_time').main_line
    return values


def _body_names(robots: list[_StageRobot]) -> list[str]:
    """Return the name of each robot's body: that of its macro, with a number where they differ."""
    names: dict[str, str] = {}  # by macro and body
    used, taken = Counter(BODIES.keys()), set()
    keys = [f'{robot.kind} {robot.body}' for robot in robots]
    for key, robot in zip(keys, robots, strict=True):
        if key not in names:
            base = robot.kind[:80]
            used[base] += 1
            name = base if used[base] == 1 else f'{base}-{used[base]}'
            while name in taken:
                name += '-'
            taken.add(name)
            names[key] = name
    return [names[key] for key in keys]
