"""Convert a Stage world file (`.world`) to a scenario (docs/stage.md).

What is not supported is left out with a warning that names it.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import KeyPath, Origins, count_values, dump_yaml
from sbot.scenario.fields import MAX_ROBOTS
from sbot.scenario.stage.bitmaps import Bitmaps
from sbot.scenario.stage.entities import Entity, parse_entities
from sbot.scenario.stage.geometry import Frame, Units, frame_of
from sbot.scenario.stage.notes import Notes
from sbot.scenario.stage.obstacles import Obstacle, extent, obstacles_of, world_of
from sbot.scenario.stage.rangers import RANGERS
from sbot.scenario.stage.robots import StageRobot, robot_of
from sbot.scenario.stage.tokens import read_tokens
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_sim.world.bodies import BODIES

MARGIN = 0.5  # m, around everything, of pictures and maps
# As count_values counts: a robot is 3 keys, what they hold, and the numbers of its pose.
_ROBOT_VALUES, _CORNER_VALUES = 10, 3
_LENGTHS = {'m': 1.0, 'cm': 0.01, 'mm': 0.001}
_ANGLES = {'degrees': math.pi / 180.0, 'radians': 1.0}
_MODELS = ('model', 'position', *RANGERS)
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
    world = parse_entities(read_tokens(raw, path), file)
    notes = Notes()
    notes.unknown(world, 'test')
    found = _Found(world, path.parent, notes)
    if not found.robots:
        raise InputError(f'{file}: a scenario needs robots; add a model of kind position')
    values, lines = _values(world, found, file)
    if (size := count_values(values)) > limits().text_values:
        raise too_large(file, 'values of the scenario made from it', size, 'text_values')
    return values, Origins(file, lines, set())


def stage_yaml(raw: bytes, file: str) -> str:
    """Return ``stage_scenario`` as YAML text."""
    return dump_yaml(stage_scenario(raw, file)[0])


class _Found:
    """Robots and obstacles of a world, in the order of the file."""

    def __init__(self, world: Entity, folder: Path, notes: Notes) -> None:
        self.notes = notes
        self.units: Units = (_unit(world, 'unit_length', _LENGTHS, 'm'),
                             _unit(world, 'unit_angle', _ANGLES, 'degrees'))
        self.robots: list[StageRobot] = []
        self.obstacles: list[Obstacle] = []
        self._bitmaps = Bitmaps(folder)
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
        frame = parent.then(frame_of(entity, 'pose', self.units, self.notes))
        if not all(abs(number) <= 1e6 for number in frame):
            raise bad_value(f'{entity.place_of("pose")}: pose', list(frame), 'numbers up to 1e6')
        if entity.kind in RANGERS:
            self.notes.add(entity.place, f'{entity.kind} which is on no robot is left out')
        elif entity.kind == 'position':
            self.robots.append(robot_of(entity, frame, self.units, self.notes))
            if len(self.robots) > MAX_ROBOTS:
                raise InputError(f'{entity.place}: got more robots, expected at most {MAX_ROBOTS}')
            for child in entity.children:
                if child.kind not in ('model', 'position', *RANGERS):
                    self._add(child, frame)
        else:
            self.obstacles += obstacles_of(entity, frame, self.units, self._bitmaps, self.notes)
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
    corners = sum(len(each.solid) for each in found.obstacles if each.solid is not None)
    if (least := _ROBOT_VALUES * len(found.robots) + _CORNER_VALUES * corners
            ) > limits().text_values:
        raise too_large(file, 'values or more of the scenario made from it', least, 'text_values')
    starts = np.array([robot.frame[:2] for robot in found.robots])
    shapes, places = world_of(found.obstacles, starts)
    for k, place in enumerate(places):
        lines['world', 'polygons', k] = place.main_line
    bodies = _Bodies()
    robots = []
    for i, robot in enumerate(found.robots):
        lines['robots', i] = robot.place.main_line
        name, new = bodies.name(robot)
        if new:
            lines['bodies', name] = robot.place.main_line
        robots.append({'pose': list(robot.frame), 'body': name, 'controller': 'none'})
    bounds = extent(found.obstacles, starts, MARGIN)
    return {
        'description': _description(found.robots, file),
        **_times(world, lines),
        'lockstep': False,
        'world': {'bounds': bounds, 'open': True, **shapes},
        'bodies': bodies.values,
        'sensors': _sensors(found, lines),
        'robots': robots,
    }, lines


def _description(robots: list[StageRobot], file: str) -> str:
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


class _Bodies:
    """The bodies of a world by name: that of their macro, with a number where they differ."""

    def __init__(self) -> None:
        self.values: dict[str, dict[str, Any]] = {}
        self._names: dict[tuple[object, ...], str] = {}
        self._used: dict[str, int] = {}

    def name(self, robot: StageRobot) -> tuple[str, bool]:
        """Return the name of a robot's body, and whether it is a new one."""
        key = (robot.kind, *robot.body.items())
        if key in self._names:
            return self._names[key], False
        base = robot.kind[:80]
        number = self._used.get(base, 1 if base in BODIES else 0) + 1
        self._used[base] = number
        name = base if number == 1 else f'{base}-{number}'
        while name in self.values:
            name += '-'
        self._names[key] = name
        self.values[name] = robot.body
        return name, True


def _sensors(found: _Found, lines: dict[KeyPath, int]) -> dict[str, Any]:
    """Return laser and odometry, which all robots share: those of the first that has a laser."""
    chosen = None
    for robot in found.robots:
        best = max(robot.lasers, key=lambda each: each.samples, default=None)
        for laser in robot.lasers:
            if laser is not best:
                found.notes.add(laser.place, 'a robot has one laser here, the ranger with the '
                                'most samples; this one is left out')
        if best is not None and chosen is None:
            chosen = best
        elif best is not None and chosen is not None and best.values != chosen.values:
            found.notes.add(best.place, 'all robots have one kind of laser here, that of '
                            f'{chosen.place}; this one is left out')
    noise = found.robots[0].odometry_noise
    for robot in found.robots:
        if robot.odometry_noise != noise:
            found.notes.add(robot.place, 'all robots have the odometry of the first here')
    values: dict[str, Any] = {'scan_beams': 1, 'scan_angle_min': 0.0, 'scan_angle_max': 0.0}
    if chosen is None:
        found.notes.add(found.robots[0].place, 'no robot has a ranger with a sensor: base_scan '
                        'has one beam')
    else:
        values = dict(chosen.values)
        lines['sensors',] = chosen.place.main_line
    if noise:
        values['odometry_noise_radius'] = noise
    return values
