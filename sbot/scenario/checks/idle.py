"""Settings without effect: those that another setting switches off, and unreachable goals."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.model import RobotEntry, Scenario, ScenarioFile
from sbot.scenario.world import world_arrays
from sbot_sim.collision.overlap import rectangle_distance
from sbot_sim.drives.registry import users_of
from sbot_sim.sensors.registry import sensors
from sbot_sim.world.geometry import World, inside_occupied, inside_polygon
from wind_model.parameters import ROBOT, STILL, WakeParameters

_MOST_NAMED = 10  # robots in a warning


def idle_settings(written: ScenarioFile, scenario: Scenario, origins: Origins) -> Iterator[str]:
    """Yield a warning for each setting of a scenario that has no effect.

    ``written`` is the file, ``scenario`` what it means. A setting at its default is none.
    """
    for name, keys, rules in (('wind', written.wind, _wind),
                              ('sensors', written.sensors, _sensors)):
        given = _keys_given(keys, getattr(scenario, name))
        for key, reason in rules(given, scenario):
            if key in given:
                yield f'{origins.where((name, key))}: has no effect {reason}'
    for path, reason in (*_bodies(written, scenario), *_boxes(written)):
        yield f'{origins.where(path)}: has no effect {reason}'
    paths = [('robots', k) for k, entry in enumerate(written.robots)
             for _ in range(entry.count or 1)]
    for path, text in (*_yaws(written), *_goals(paths, scenario)):
        yield f'{origins.where(path)}: {text}'


def _bodies(written: ScenarioFile, scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """Yield keys of bodies that have no effect, and why."""
    for name, keys in written.bodies.items():
        body = scenario.bodies.get(name)
        if body is None:
            continue
        for key in keys:
            drives = users_of(key)
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
    world = world_arrays(scenario.world)
    for goal, robots in sharing.items():
        place = _unreachable(world, goal)
        if place is not None:
            yield ((*paths[robots[0]], 'goal'),
                   f'goal {list(goal)} of {_robots(robots)} is {place}, so '
                   f"{'the robot' if len(robots) == 1 else 'these robots'} cannot arrive")


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
    field = 'use_custom_static_wind_field: true'
    if not flow.use_custom_static_wind_field:
        for key in ('custom_wind_field_path', 'wind_height', 'wind_height_above_terrain',
                    'forces_with_field'):
            yield key, f'without {field}'
    elif not flow.forces_with_field:
        for key in ('wind_force_mean', 'wind_gust_force_mean'):
            yield key, 'with a wind field, as in the plugin, unless forces_with_field: true'
    gusts = [key for key in ('wind_gust_force_mean', 'wind_gust_speed_mean') if key in given]
    for key in gusts:
        if flow.wind_gust_duration == 0:
            yield key, 'without a wind_gust_duration (s)'
        elif flow.wind_gust_start >= scenario.duration:
            yield key, f'before wind_gust_start, {flow.wind_gust_start:g} s; the run ends first'
    if not gusts:
        for key in ('wind_gust_duration', 'wind_gust_start', 'wind_gust_direction'):
            yield key, 'without wind_gust_force_mean (N) or wind_gust_speed_mean (m/s)'
    if not scenario.wind.wakes.wake:
        for key in WakeParameters._fields:
            yield key, 'without wake: true'
    if turbulence == STILL:
        for key in ('turbulence_speed', 'turbulence_length', 'turbulence_time'):
            yield key, 'without turbulence: place or turbulence: robot'
    if turbulence == ROBOT:
        yield 'turbulence_length', 'with turbulence: robot; it belongs to place'


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
    if world.cells is not None and inside_occupied(world.cells, point)[0]:
        return 'inside an occupied cell of the map'
    return None
