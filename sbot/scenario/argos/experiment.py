"""Convert an ARGoS experiment (`.argos`, document 000) to a scenario.

Centimetres become metres and degrees radians here and nowhere else. What is not supported is left
out with a warning that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import KeyPath, Origins, count_values, dump_yaml
from sbot.scenario.argos.published import WIND_AWARE_LAW, name_readings
from sbot.scenario.argos.robots import (
    BODY_TAGS,
    WIND_AWARE,
    RobotEntry,
    controller_kinds,
    distributed,
    refuse_same_ids,
    robot,
    wheel_speed_needed,
)
from sbot.scenario.argos.wind import WIND, wind_of
from sbot.scenario.argos.xml import Element, parse_xml
from sbot_common.errors import InputError

_QUIET = ('system', 'visualization')  # threads and windows of ARGoS: nothing that a run shows
Lines = dict[KeyPath, int]  # of the `.argos` file, by the keys of the scenario made from it


def argos_scenario(raw: bytes, file: str, overrides: Mapping[str, object] | None = None,
                   ) -> tuple[dict[str, Any], Origins]:
    """Return the values of the scenario of an `.argos` file, and where they stand in that file.

    Parameters
    ----------
    raw : the XML
    file : what messages call it
    overrides : values by key path that the user sets; they are not put in

    Raises
    ------
    InputError
        with file, line, element and what was expected.

    """
    if len(raw) > limits().file_bytes:
        raise too_large(file, 'bytes or more', len(raw), 'file_bytes')
    if (marks := max(raw.count(b'<'), raw.count(b'='))) > limits().text_values:
        raise too_large(file, 'tags or attributes', marks, 'text_values')
    values, lines = _translated(parse_xml(raw, file), overrides or {})
    if (size := count_values(values)) > limits().text_values:
        raise too_large(file, 'values of the scenario made from it', size, 'text_values')
    name_readings(file, values, overrides or {})
    return values, Origins(file, lines, set())


def argos_yaml(raw: bytes, file: str, overrides: Mapping[str, object] | None = None) -> str:
    """Return ``argos_scenario`` as YAML text."""
    return dump_yaml(argos_scenario(raw, file, overrides)[0])


def _translated(root: Element, overrides: Mapping[str, object]) -> tuple[dict[str, Any], Lines]:
    """Return the mapping that a scenario file would hold, keys as in docs/scenario.md."""
    lines: Lines = {}
    for child in root.children:
        _warn_top(child)
    arena = root.needed('arena')
    bounds, world, robots = _arena(arena, root, lines)
    if not robots:
        raise InputError(f'{arena.where}: a scenario needs robots; add '
                         f'<{"> or <".join(BODY_TAGS)}>')
    refuse_same_ids(robots)
    wind = wind_of(root, lines, wake=overrides.get('wind.wake') is not False)
    fastest: dict[str, float] = {}
    for i, entry in enumerate(robots):
        lines['robots', i] = entry.element.line
        body = entry.values['body']
        fastest[body] = max(fastest.get(body, 0.0), entry.velocity)
    aware = any(entry.values['controller'] == WIND_AWARE for entry in robots)
    return {
        'description': f'From {root.file.rpartition("/")[2]}.',
        **_experiment(root, lines),
        'world': {'bounds': bounds, 'open': True, **world},
        'bodies': {body: {'drive': 'impulse', 'max_wheel_speed': wheel_speed_needed(body, speed)}
                   for body, speed in fastest.items()},
        'controllers': {WIND_AWARE: dict(WIND_AWARE_LAW)} if aware else {},
        'sensors': _sensors(root, arena, robots),
        'wind': wind,
        'robots': [entry.values for entry in robots],
    }, lines


def _warn_top(element: Element) -> None:
    """Warn of what nothing below reads."""
    if element.tag == 'framework':
        for child in element.children:
            if child.tag not in ('experiment', *_QUIET):
                child.warn('is not supported and is skipped')
    elif element.tag in ('configuration', 'loop_functions'):
        wind = bool(element.all(WIND)) or 'wind' in element.text('library', '')
        for child in element.children:
            if child.tag != WIND:
                child.warn('is not supported and is skipped')
        if element.tag == 'loop_functions' and not wind:
            element.warn('are not supported and are skipped')
    elif element.tag == 'physics_engines':
        for child in element.children:
            if child.tag != 'dynamics2d':
                child.warn('is not supported: robots move in the plane')
    elif element.tag == 'media':
        for child in element.children:
            if child.tag != 'range_and_bearing':
                child.warn('is not supported and is skipped')
    elif element.tag not in ('controllers', 'arena', WIND, *_QUIET):
        element.warn('is not supported and is skipped')


def _experiment(root: Element, lines: Lines) -> dict[str, Any]:
    framework = root.only('framework')
    experiment = None if framework is None else framework.only('experiment')
    if experiment is None:
        raise InputError(f'{root.where}: element <experiment> in <framework> is missing')
    experiment.warn_unknown('length', 'ticks_per_second', 'random_seed')
    lines.update(dict.fromkeys([('rate',), ('duration',), ('seed',)], experiment.line))
    values: dict[str, Any] = {'rate': experiment.number('ticks_per_second', 10.0, 1e-3)}
    length = experiment.number('length', 0.0, 0.0)
    if length > 0:
        values['duration'] = length
    else:
        experiment.warn('has no length: the run takes 60 s')
    seed = int(experiment.number('random_seed', 0.0, 0.0))
    values['seed'] = seed if seed > 0 else None  # 0: ARGoS takes the clock
    return values


def _arena(arena: Element, root: Element, lines: Lines,
           ) -> tuple[list[float], dict[str, Any], list[RobotEntry]]:
    """Return bounds, obstacles and robots."""
    lines['world',] = arena.line
    arena.warn_unknown('size', 'center')
    width, depth, _ = arena.numbers('size', 3, minimum=0.0)
    x, y, _ = arena.numbers('center', 3, (0.0, 0.0, 0.0))
    bounds = [x - width / 2, y - depth / 2, x + width / 2, y + depth / 2]
    kinds = controller_kinds(root)
    world: dict[str, Any] = {'circles': [], 'rectangles': [], 'boxes': []}
    robots: list[RobotEntry] = []
    for child in arena.children:
        if child.tag in ('box', 'cylinder'):
            key, entry = _obstacle(child)
            lines['world', key, len(world[key])] = child.line
            world[key].append(entry)
        elif child.tag in BODY_TAGS:
            robots.append(robot(child, kinds))
        elif child.tag == 'distribute':
            robots += distributed(child, kinds)
        else:
            child.warn('is not supported and is skipped')
    return bounds, world, robots


def _obstacle(element: Element) -> tuple[str, dict[str, Any]]:
    """Return in which list of the world an obstacle is, and its entry there."""
    movable = element.flag('movable', False)
    x, y, yaw = element.pose()
    entry: dict[str, Any] = {'center': [x, y]}
    if element.tag == 'box':
        entry |= {'size': element.numbers('size', 3, minimum=0.0)[:2], 'yaw': yaw}
    else:
        entry['radius'] = element.number('radius')
    if movable:
        return 'boxes', {**entry, 'mass': element.number('mass', 1.0, 1e-6)}
    return ('rectangles' if element.tag == 'box' else 'circles'), entry


def _sensors(root: Element, arena: Element, robots: list[RobotEntry]) -> dict[str, Any]:
    """Return range and bearing as the medium and the robots have it."""
    media = [medium for group in root.all('media') for medium in group.all('range_and_bearing')]
    ranges = {entry.rab_range for entry in robots}
    if len(ranges) > 1:
        arena.warn(f'has robots with different rab_range; all hear as far as {max(ranges):g} m')
    occlusions = all(medium.flag('check_occlusions', True) for medium in media)
    return {'range_and_bearing': True, 'rab_range': max(ranges),
            'rab_blocked_by_walls': occlusions}
