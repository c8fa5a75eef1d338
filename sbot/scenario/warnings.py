# SPDX-License-Identifier: Apache-2.0
"""Warnings of a scenario: settings without effect, doubtful parameters, reach of a wind field."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sbot.controllers.neural.network import Value
from sbot.controllers.registry import NONE, entry_of
from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.groups import group_in_words
from sbot.scenario.model import RobotEntry, Scenario, ScenarioFile
from sbot_common.elementary import hypot
from sbot_common.errors import first_of, hint
from sbot_sim.collision.overlap import rectangle_distance
from sbot_sim.drives.registry import DRIVES
from sbot_sim.sensors.registry import sensors
from sbot_sim.world.bodies import Body
from sbot_sim.world.geometry import World, inside_polygon
from wind_model.parameters import ROBOT, STILL, WakeParameters

if TYPE_CHECKING:
    from wind_model.grid import Lattice

RATE, BODY, SENSORS = 'rate', 'body', 'sensors.'


def conditions_of(scenario: Scenario) -> dict[str, Value]:
    """Return rate (Hz), body and settings of all sensors of a scenario, by key.

    The body is left out if the robots have several.
    """
    bodies = {robot.body for robot in scenario.robots}
    values: dict[str, Value] = {RATE: scenario.rate.hz}
    if len(bodies) == 1:
        values[BODY] = bodies.pop()
    own = _own_keys(scenario.bodies.values())
    for name, value in group_in_words(scenario.sensors).items():
        if name in own:  # robots differ
            continue
        if isinstance(value, str):  # a file by its name, since folders differ
            values[SENSORS + name] = value.replace('\\', '/').rpartition('/')[2]
        elif not isinstance(value, tuple):
            values[SENSORS + name] = value
    return values


def _own_keys(bodies: Iterable[Body]) -> set[str]:
    """Return the settings of sensors that some of the bodies have for themselves."""
    return {key for body in bodies for own in (
        body.own.get('sensors', {}), *body.own.get('lasers', [])) for key in own}


class Warned(NamedTuple):
    """A warning about a scenario."""

    place: str  # as errors begin: file, line and key
    key: str  # dotted path
    text: str
    idle: bool = False  # a setting has no effect

    def __str__(self) -> str:
        """Return the text that users see."""
        return f'{self.place}: {self.text}'


def warnings_of(written: ScenarioFile, scenario: Scenario, origins: Origins, *,
                controllers: bool) -> Iterator[Warned]:
    """Yield the warnings about a scenario, whose ``controllers`` are used or not."""
    yield from _idle_settings(written, scenario, origins)
    yield from _unused_entries(written, origins)
    if controllers:
        yield from _doubtful_parameters(written, scenario, origins)


def _warned(origins: Origins, path: KeyPath, text: str, *, idle: bool = False) -> Warned:
    return Warned(origins.where(path), '.'.join(map(str, path)), text, idle)


def _doubtful_parameters(written: ScenarioFile, scenario: Scenario,
                         origins: Origins) -> Iterator[Warned]:
    """Yield a warning for each doubt of a controller about its parameters.

    Entries of robots with the same doubt share a warning, which names the first place.
    """
    places: dict[tuple[str, str], dict[str, None]] = {}  # by key and text
    now = conditions_of(scenario)
    first = 0  # robot of an entry
    for k, entry in enumerate(written.robots):
        robot, first = scenario.robots[first], first + (entry.count or 1)
        if robot.controller == NONE:
            continue
        parameters = controller_parameters(scenario, robot)
        doubts = entry_of(robot.controller).doubts(
            parameters, scenario.bodies[robot.body], {**now, BODY: robot.body})
        for key, text in doubts:
            place = origins.where(('robots', k, 'parameters', key) if key in entry.parameters
                                  else ('controllers', robot.controller, key))
            places.setdefault((key, text), {})[place] = None
    for (key, text), found in places.items():
        yield Warned(first_of(list(found), 1), key, text)


_MOST_NAMED = 10  # robots in a warning


def _idle_settings(written: ScenarioFile, scenario: Scenario,
                   origins: Origins) -> Iterator[Warned]:
    """Yield a warning for each setting of a scenario that has no effect.

    ``written`` is the file, ``scenario`` what it means. A setting at its default is none.
    """
    for name, keys, rules in (('wind', written.wind, _wind),
                              ('sensors', written.sensors, _sensors)):
        given = _keys_given(keys, getattr(scenario, name))
        for key, reason in rules(given, scenario):
            if key in given:
                yield _warned(origins, (name, key), f'has no effect {reason}', idle=True)
    clocked = [(('record_topics',), 'without lockstep')] * (
        bool(scenario.record_topics) and not scenario.lockstep)
    for path, reason in (*_bodies(written, scenario), *_boxes(written), *clocked):
        yield _warned(origins, path, f'has no effect {reason}', idle=True)
    paths = [('robots', k) for k, entry in enumerate(written.robots)
             for _ in range(entry.count or 1)]
    for path, text in (*_yaws(written), *_goals(paths, scenario), *_lasers(scenario)):
        yield _warned(origins, path, text)


def _users_of(key: str) -> list[str]:
    """Return the names of the drives that have a key; none: every body has it, or no body."""
    return [drive.name for drive in DRIVES if key in drive.keys._fields]


def _bodies(written: ScenarioFile, scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """Yield keys of bodies that have no effect, and why."""
    for name, keys in written.bodies.items():
        body = scenario.bodies.get(name)
        if body is None:
            continue
        for key in keys:
            drives = _users_of(key)
            if drives and body.drive not in drives:
                yield ('bodies', name, key), f"without drive: {' or '.join(drives)}"
        if 0.0 < body.command_delay < 0.5 * scenario.rate.dt:
            yield (('bodies', name, 'command_delay'),
                   f'below half a tick, {0.5 * scenario.rate.dt:g} s')
        if 'offset' in keys and not body.is_rectangle:
            yield ('bodies', name, 'offset'), 'without length and width'


def _boxes(written: ScenarioFile) -> Iterator[tuple[KeyPath, str]]:
    for k, box in enumerate(written.world.boxes):
        if box.yaw != 0.0 and box.size is None:
            yield ('world', 'boxes', k, 'yaw'), 'on a round box'


def _yaws(written: ScenarioFile) -> Iterator[tuple[KeyPath, str]]:
    """Yield the first angle of robots that is more than a turn, and a warning of it."""
    turned = [(('robots', k, key), angle) for k, entry in enumerate(written.robots)
              for key, angle in _angles(entry) if abs(angle) > 2.0 * math.pi]
    if turned:
        (path, angle), others = turned[0], len(turned) - 1
        more = f' (and so are {others} more)' if others else ''
        yield path, f'{angle:g} rad is more than a turn{more}; angles are in radians'


def _angles(entry: RobotEntry) -> Iterator[tuple[str, float]]:
    """Yield the angles (rad) of an entry, each with its key."""
    if entry.pose is not None:
        yield 'pose', entry.pose[2]
    if entry.yaw is not None:
        yield 'yaw', entry.yaw
    if entry.yaw_uniform is not None:  # its width may be more than a turn
        low, high = entry.yaw_uniform
        yield 'yaw_uniform', max(abs(low), high - 2.0 * math.pi)
    if entry.yaw_gaussian is not None:
        yield 'yaw_gaussian', max(map(abs, entry.yaw_gaussian))


def _goals(paths: Sequence[KeyPath], scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """Yield goals that nobody can reach, each with a warning of it."""
    sharing: dict[tuple[float, float], list[int]] = {}
    for i, robot in enumerate(scenario.robots):
        if robot.goal is not None:
            sharing.setdefault(robot.goal, []).append(i)
    if not sharing:
        return
    world = scenario.world.arrays()
    for goal, robots in sharing.items():
        place = _unreachable(world, goal)
        if place is not None:
            yield ((*paths[robots[0]], 'goal'),
                   f'goal {list(goal)} of {_robots(robots)} is {place}, so '
                   f"{'the robot' if len(robots) == 1 else 'these robots'} cannot arrive")


def _lasers(scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """Yield a warning for each laser that is outside of its robot's body."""
    for name in dict.fromkeys(robot.body for robot in scenario.robots):
        body = scenario.bodies[name]
        for laser in scenario.sensors.lasers_of(body):
            x, y = laser.laser_x, laser.laser_y
            if max(abs(x - body.offset) - 0.5 * body.length, abs(y) - 0.5 * body.width) > 0.0 if (
                    body.is_rectangle) else hypot(x, y) > body.radius:
                own = {'laser_x', 'laser_y'} & _own_keys([body])
                yield ('bodies', name) if own else ('sensors', 'laser_x'), (
                    f'the laser at [{x:g}, {y:g}] m is outside of the body {name}')


def _robots(robots: list[int]) -> str:
    """Return the name of some robots, in rising order."""
    if len(robots) == 1:
        return f'robot {robots[0]}'
    if robots == list(range(robots[0], robots[-1] + 1)):
        return f'robots {robots[0]} to {robots[-1]}'
    shown = ', '.join(map(str, robots[:_MOST_NAMED]))
    others = len(robots) - _MOST_NAMED
    return f'robots {shown}' + f' and {others} others' * (others > 0)


def _keys_given(written: Mapping[str, object], group: tuple[NamedTuple, ...]) -> set[str]:
    """Return the keys of a group that a file gives and that are not at their default."""
    return {key for part in group for key, default in part._field_defaults.items()
            if key in written and getattr(part, key) != default}


def _wind(given: Collection[str], scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield keys that would have no effect, and why."""
    flow, turbulence = scenario.wind.flow, scenario.wind.turbulence.turbulence
    gridded, lasts = flow.use_custom_static_wind_field, flow.wind_gust_duration != 0
    gusts = [key for key in ('wind_gust_force_mean', 'wind_gust_speed_mean') if key in given]
    for idle, keys, reason in (
            (not gridded, ('custom_wind_field_path', 'wind_height', 'wind_height_above_terrain',
                           'forces_with_field'), 'without use_custom_static_wind_field: true'),
            (gridded and not flow.forces_with_field, ('wind_force_mean', 'wind_gust_force_mean'),
             'with a wind field, as in the plugin, unless forces_with_field: true'),
            (not lasts, gusts, 'without a wind_gust_duration (s)'),
            (lasts and flow.wind_gust_start >= scenario.duration, gusts,
             f'before wind_gust_start, {flow.wind_gust_start:g} s; the run ends first'),
            (not gusts, ('wind_gust_duration', 'wind_gust_start', 'wind_gust_direction'),
             'without wind_gust_force_mean (N) or wind_gust_speed_mean (m/s)'),
            (not scenario.wind.wakes.wake, WakeParameters._fields, 'without wake: true'),
            (turbulence == STILL, ('turbulence_speed', 'turbulence_length', 'turbulence_time'),
             'without turbulence: place or turbulence: robot'),
            (turbulence == ROBOT, ('turbulence_length',),
             'with turbulence: robot; it belongs to place')):
        yield from ((key, reason) for key in keys if idle)


def _sensors(_: Collection[str], scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield keys that would have no effect, and why."""
    for sensor in sensors().values():
        used = sensor.for_wakes and scenario.wind.wakes.wake
        if not used and not sensor.is_on(scenario.sensors):
            for spec in sensor.specs:
                yield spec.name, f'without {sensor.switch}: true'


def _unreachable(world: World, goal: tuple[float, float]) -> str | None:
    """Return where a goal is that nobody can reach, None for others."""
    x, y = goal
    xmin, ymin, xmax, ymax = world.bounds.tolist()
    if world.has_walls and not (xmin <= x <= xmax and ymin <= y <= ymax):
        return f"outside the world's bounds {world.bounds.tolist()}"
    point = np.array([[x, y]])
    for k, (cx, cy, radius) in enumerate(world.circles.tolist()):
        if (x - cx) * (x - cx) + (y - cy) * (y - cy) < radius * radius:
            return f'inside world.circles.{k}'
    for k, row in enumerate(world.rectangles):
        if rectangle_distance(point, row[np.newaxis])[0] <= 0.0:
            return f'inside world.rectangles.{k}'
    for k, corners in enumerate(world.polygons):
        if inside_polygon(corners, point)[0]:
            return f'inside world.polygons.{k}'
    if world.cells is not None and world.cells.occupies(point)[0]:
        return 'inside an occupied cell of the map'
    return None


def _unused_entries(written: ScenarioFile, origins: Origins) -> Iterator[Warned]:
    """Yield a warning for each unused body and each unused set of controller parameters.

    There is none for a file's entries where the user gives its robots others.
    """
    for group, key, what in (('bodies', 'body', 'body'),
                             ('controllers', 'controller', 'controller')):
        used = {getattr(robot, key) for robot in written.robots}
        needed = _with_models(used, written) if group == 'bodies' else used
        chosen = any(path[:1] == ('robots',) and path[2:] in ((), (key,))
                     for path in origins.overrides)
        for name in getattr(written, group):
            own = sorted((path for path in origins.overrides if path[:2] == (group, name)),
                         key=str)
            if name not in needed and (own or not chosen):
                yield _warned(origins, own[0] if own else (group, name), 'has no effect: '
                              f"no robot has this {what}; {hint(name, used, 'in use')}", idle=True)


def _with_models(used: set[str], written: ScenarioFile) -> set[str]:
    """Return bodies in use, and those that they are like."""
    models = [written.bodies[name].get('like', 'robot') for name in sorted(used)
              if name in written.bodies]
    needed = used | {model for model in models if isinstance(model, str)}
    return used if needed == used else _with_models(needed, written)


LOG = logging.getLogger(__name__)

_PLACES = 40  # along each side of the world at which to look


def warn_of_reach(scenario: Scenario, field: Lattice | None) -> None:
    """Log a warning if a field does not contain the world at the height where robots feel it.

    There, robots have the default wind, which is easily taken for the field's.
    """
    if field is None:
        return
    from wind_model.grid import points_at, velocity_at  # loading a scenario needs none
    flow = scenario.wind.flow
    xmin, ymin, xmax, ymax = scenario.world.arrays().bounds.tolist()
    x, y = np.meshgrid(np.linspace(xmin, xmax, _PLACES), np.linspace(ymin, ymax, _PLACES))
    everywhere = np.column_stack([x.ravel(), y.ravel()])
    starts = np.array([robot.pose[:2] for robot in scenario.robots if not robot.reserved])
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
