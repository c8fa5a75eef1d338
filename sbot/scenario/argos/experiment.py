"""Convert an ARGoS experiment (`.argos`, document 000) to a scenario.

Centimetres become metres and degrees radians here and nowhere else. What is not supported is left
out with a warning that names it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import dump_yaml
from sbot.scenario.argos.robots import (
    BODY_TAGS,
    RobotEntry,
    controller_kinds,
    distributed,
    robot,
    wheel_speed_needed,
)
from sbot.scenario.argos.xml import Element, parse_xml
from sbot_common.errors import InputError
from wind_model.uniform import direction_of_angle

_WIND = 'air_resistance'
_QUIET = ('system', 'visualization')  # threads and windows of ARGoS: nothing that a run shows
# What the authors' code computes, where the text differs (docs/errata.md W1, W2, W7).
_WAKE = {'wake_fade': 'fade_out', 'wake_boost': 'power'}

LOG = logging.getLogger(__name__)


def argos_yaml(raw: bytes, file: str, overrides: Collection[str] = ()) -> str:
    """Return the scenario, as YAML text, of the XML of an `.argos` file.

    Parameters
    ----------
    raw : the XML
    file : what messages call it
    overrides : key paths that the user sets

    Raises
    ------
    InputError
        with file, line, element and what was expected.

    """
    if len(raw) > limits().text_bytes:
        raise too_large(file, 'bytes or more', len(raw), 'text_bytes')
    values = argos_scenario(parse_xml(raw, file))
    if values['wind'] and not any(f'wind.{key}' in overrides for key in _WAKE):
        LOG.warning('%s: wakes as in the code that is published with these experiments: they fade '
                    'out, and the boost is an exponent; as in the text: --set '
                    'wind.wake_fade=ramp_in --set wind.wake_boost=linear', file)
    return dump_yaml(values)


def argos_scenario(root: Element) -> dict[str, Any]:
    """Return the mapping that a scenario file would hold; keys as in docs/scenario.md."""
    for child in root.children:
        _warn_top(child)
    arena = root.needed('arena')
    bounds, world, robots = _arena(arena, root)
    if not robots:
        raise InputError(f'{arena.where}: no robots: expected <{"> or <".join(BODY_TAGS)}>')
    wind = _wind(root)
    fastest: dict[str, float] = {}
    for entry in robots:
        body = entry.values['body']
        fastest[body] = max(fastest.get(body, 0.0), entry.velocity)
    return {
        'description': f'From {root.file.rpartition("/")[2]}.',
        **_experiment(root),
        'world': {'bounds': bounds, 'open': True, **world},
        'bodies': {body: {'drive': 'impulse', 'max_wheel_speed': wheel_speed_needed(body, speed)}
                   for body, speed in fastest.items()},
        'sensors': _sensors(root, arena, robots),
        'wind': wind,
        'robots': [entry.values for entry in robots],
    }


def _warn_top(element: Element) -> None:
    """Warn of what nothing below reads."""
    if element.tag == 'framework':
        for child in element.children:
            if child.tag not in ('experiment', *_QUIET):
                child.warn('is not supported and left out')
    elif element.tag in ('configuration', 'loop_functions'):
        wind = bool(element.all(_WIND)) or 'wind' in element.text('library', '')
        for child in element.children:
            if child.tag != _WIND:
                child.warn('is not supported and left out')
        if element.tag == 'loop_functions' and not wind:
            element.warn('are not supported and left out')
    elif element.tag == 'physics_engines':
        for child in element.children:
            if child.tag != 'dynamics2d':
                child.warn('is not supported: robots move in the plane')
    elif element.tag == 'media':
        for child in element.children:
            if child.tag != 'range_and_bearing':
                child.warn('is not supported and left out')
    elif element.tag not in ('controllers', 'arena', _WIND, *_QUIET):
        element.warn('is not supported and left out')


def _experiment(root: Element) -> dict[str, Any]:
    framework = root.only('framework')
    experiment = None if framework is None else framework.only('experiment')
    if experiment is None:
        raise InputError(f'{root.where}: element <experiment> in <framework> is missing')
    experiment.warn_unknown('length', 'ticks_per_second', 'random_seed')
    values: dict[str, Any] = {'rate': experiment.number('ticks_per_second', 10.0, 1e-3)}
    length = experiment.number('length', 0.0, 0.0)
    if length > 0:
        values['duration'] = length
    else:
        experiment.warn('has no length: the run takes 60 s')
    seed = int(experiment.number('random_seed', 0.0, 0.0))
    values['seed'] = seed if seed > 0 else None  # 0: ARGoS takes the clock
    return values


def _arena(arena: Element, root: Element) -> tuple[list[float], dict[str, Any], list[RobotEntry]]:
    """Return bounds, obstacles and robots."""
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
            world[key].append(entry)
        elif child.tag in BODY_TAGS:
            robots.append(robot(child, kinds))
        elif child.tag == 'distribute':
            robots += distributed(child, kinds)
        else:
            child.warn('is not supported and left out')
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


def _wind(root: Element) -> dict[str, Any]:
    """Return the wind; its robots shelter each other, as document 000's always do."""
    found = root.everywhere(_WIND)
    if not found:
        return {}
    if len(found) > 1:
        raise InputError(f'{found[1].where}: a second wind, the first is on line {found[0].line}')
    element = found[0]
    element.warn_unknown('angle_deg', 'magnitude')
    return {'wind_direction': list(direction_of_angle(element.number('angle_deg', 0.0))),
            'wind_speed_mean': 0.01 * element.number('magnitude', 0.0, 0.0), 'wake': True,
            **_WAKE}


def _sensors(root: Element, arena: Element, robots: list[RobotEntry]) -> dict[str, Any]:
    """Return range and bearing as the medium and the robots have it."""
    media = [medium for group in root.all('media') for medium in group.all('range_and_bearing')]
    ranges = {entry.rab_range for entry in robots}
    if len(ranges) > 1:
        arena.warn(f'has robots with different rab_range; all hear as far as {max(ranges):g} m')
    occlusions = all(medium.flag('check_occlusions', True) for medium in media)
    return {'range_and_bearing': True, 'rab_range': max(ranges),
            'rab_blocked_by_walls': occlusions}
