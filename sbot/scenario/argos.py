# SPDX-License-Identifier: Apache-2.0
"""Convert an ARGoS experiment (`.argos`, document 000) to a scenario.

Centimetres become metres and degrees radians here and nowhere else. What is not supported is left
out with a warning that names it.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import KeyPath, Origins, count_values
from sbot.scenario.argos_xml import Element, radians
from sbot.scenario.fields import MAX_ROBOTS
from sbot_common.elementary import sincos
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.params import Vector
from sbot_sim.world.bodies import BODIES
from wind_model.wind_aware import WindAwareParameters

# What the published code computes, where the text differs (docs/errata.md W1, W2, W7).
WAKE = {'wake_fade': 'fade_out', 'wake_boost': 'power'}
# The heading of the published controller, where ours differs (docs/errata.md W8, W11).
_WIND_AWARE_LAW = {'law': 'published'}

LOG = logging.getLogger(__name__)


def _name_readings(file: str, values: Mapping[str, Any], overrides: Iterable[str]) -> None:
    """Log which reading a scenario made from a file has, and how to have the other.

    Nothing is said of what the user sets.

    Parameters
    ----------
    file : what messages call it
    values : of the scenario
    overrides : key paths that the user sets

    """
    chosen = set(overrides)
    if WAKE.items() <= values['wind'].items() and not _sets(
            chosen, *(f'wind.{key}' for key in WAKE)):
        LOG.warning('%s: wakes follow the code that is published with these experiments: they '
                    'fade out, and the boost is an exponent; to follow the text: --set '
                    'wind.wake_fade=ramp_in --set wind.wake_boost=linear', file)
    if values['controllers'] and not _sets(chosen, 'controllers.wind_aware.law') and not any(
            key.startswith('robots.') and key.endswith('.law') for key in chosen):
        LOG.warning('%s: wind_aware follows the code that is published with these experiments: it '
                    'heads along the difference of track and wind; to cancel the wind across the '
                    'track: --set controllers.wind_aware.law=cancel', file)


def _sets(overrides: set[str], *keys: str) -> bool:
    """Tell whether an override sets one of some keys, or what contains it."""
    return any(f'{key}.'.startswith(f'{given}.') for key in keys for given in overrides)


WIND = 'air_resistance'
# What the published README documents beside angle and magnitude (docs/errata.md W12).
_SHAPE = ('lateral_reach_radii', 'shadow_length_radii', 'upwind_gate_radii', 'gamma_boost')


def _direction_of_angle(angle_deg: float) -> Vector:
    """Return the unit vector of an ARGoS angle: 0 blows east, 90 north (document 000, 5.1)."""
    angle = math.radians(angle_deg)
    sine, cosine = sincos(angle)
    return cosine, sine, 0.0


def _wind_of(root: Element, lines: dict[KeyPath, int], *, wake: bool) -> dict[str, Any]:
    """Return the wind of an experiment; its robots shelter each other, as document 000's do.

    Parameters
    ----------
    root : the experiment
    lines : gets the element's line
    wake : False if the user switches wakes off: then the published reading of them is left out

    Raises
    ------
    InputError
        naming file and line: two winds, angle or magnitude missing, a bad number.

    """
    found = root.everywhere(WIND)
    if not found:
        return {}
    if len(found) > 1:
        raise InputError(f'{found[1].where}: the wind is given twice, first on line '
                         f'{found[0].line}')
    element = found[0]
    lines['wind',] = element.line
    element.warn_unknown('angle_deg', 'magnitude', *_SHAPE)
    shape = {name: element.number(name, minimum=0.0) for name in _SHAPE
             if name in element.attributes}
    return {'wind_direction': list(_direction_of_angle(element.number('angle_deg'))),
            'wind_speed_mean': 0.01 * element.number('magnitude', minimum=0.0), 'wake': True,
            **(WAKE if wake else {}), **shape}


_BODY_TAGS = ('foot-bot', 'e-puck2')
# ARGoS' own defaults of the attribute rab_range.
_RAB_RANGES = {'foot-bot': 3.0, 'e-puck2': 0.8}  # m

_BASE = 'wind_model.wind_aware:AirResistance'
_WIND_AWARE = 'wind_aware'
_DEFAULT_VELOCITY = 10.0  # cm/s

_DEVICES = ('range_and_bearing', 'positioning', 'differential_steering')
_MAX_TURN = WindAwareParameters().max_turn_rate


# Name and parameters of a scenario's controller.
_Kind = tuple[str, dict[str, float]]
_STILL: _Kind = ('none', {})


class _RobotEntry(NamedTuple):
    """One entry of a scenario's list of robots, its element, and data for the sensors."""

    values: dict[str, Any]
    element: Element
    names: tuple[str, ...]  # ids in the experiment of the robots that it stands for
    rab_range: float  # m


def _controller_kinds(root: Element) -> dict[str, _Kind]:
    """Return the controllers by id; robots with kinds outside document 000 stand still."""
    kinds: dict[str, _Kind] = {}
    for group in root.all('controllers'):
        for element in group.children:
            name = element.text('id')
            if name in kinds:
                raise InputError(f"{element.where}: id '{name}' is given twice")
            kinds[name] = _kind(element)
    return kinds


def _kind(element: Element) -> _Kind:
    words = f'{element.tag} {element.text("library", "")}'.replace('-', '_').lower()
    if 'wind_aware' in words:
        name = _WIND_AWARE
    elif 'air_resistance' in words or 'airresistance' in words:
        name = _BASE
    else:
        element.warn('is an unknown controller; its robots stand still')
        return _STILL
    element.warn_children('sensors', 'actuators', 'params')
    for devices in element.all('sensors', 'actuators'):
        devices.warn_children(*_DEVICES)
    params = element.only('params')
    velocity = _DEFAULT_VELOCITY
    if params is not None:
        params.warn_unknown('velocity')
        velocity = params.number('velocity', velocity, 0.0)
    return name, {'velocity': 0.01 * velocity}


def _robot(element: Element, kinds: dict[str, _Kind]) -> _RobotEntry:
    """Return the entry of one robot with a pose."""
    pose = element.pose()
    entry = _entry(element, kinds)
    entry.values['pose'] = pose
    if entry.values['controller'] == _WIND_AWARE:
        entry.values['parameters']['direction'] = pose[2]
    return entry


def _entry(element: Element, kinds: dict[str, _Kind]) -> _RobotEntry:
    """Return an entry without a place."""
    element.warn_unknown('id', 'rab_range', 'rab_data_size')
    element.warn_children('body', 'controller')
    chosen = element.only('controller')
    kind = _STILL
    if chosen is None:
        element.warn('has no <controller> and stands still')
    else:
        name = chosen.text('config')
        if name not in kinds:
            raise unknown_name(f'{chosen.where}: config', name, kinds)
        kind = kinds[name]
    values = {'body': element.tag, 'controller': kind[0], 'parameters': dict(kind[1])}
    name = element.text('id', '')
    rab_range = element.number('rab_range', _RAB_RANGES[element.tag], 0.0)
    return _RobotEntry(values, element, (name,) if name else (), rab_range)


def _refuse_same_ids(robots: Sequence[_RobotEntry]) -> None:
    """Raise InputError where two robots have one id."""
    first: dict[str, Element] = {}
    for entry in robots:
        for name in entry.names:
            if name in first:
                raise InputError(f"{entry.element.where}: id '{name}' is given twice, first "
                                 f'on line {first[name].line}')
            first[name] = entry.element


def _distributed(element: Element, kinds: dict[str, _Kind]) -> list[_RobotEntry]:
    """Return the entries of a `<distribute>`: groups, or robots on a grid or at a place."""
    place, turn, entity = map(element.needed, ('position', 'orientation', 'entity'))
    quantity = int(entity.number('quantity', minimum=1.0))
    if quantity > MAX_ROBOTS:  # before a name is made for each
        raise bad_value(f'{entity.where}: quantity', quantity, f'at most {MAX_ROBOTS}')
    entity.warn_unknown('quantity', 'max_trials', 'base_num')
    entity.warn_children(*_BODY_TAGS)
    heading = _heading(turn)
    base = int(entity.number('base_num', 0.0))
    entries: list[_RobotEntry] = []
    for each in entity.all(*_BODY_TAGS):
        entry = _entry(each, kinds)
        prefix = entry.names and entry.names[0]
        names = tuple(f'{prefix}{base + i}' for i in range(quantity)) if prefix else ()
        if entry.values['controller'] == _WIND_AWARE and 'yaw' in heading:
            entry.values['parameters']['direction'] = heading['yaw']
        method = place.text('method')
        if method == 'uniform':
            margin = BODIES[each.tag].safety_radius
            low, high = place.numbers('min', 3), place.numbers('max', 3)
            area = [low[0] - margin, low[1] - margin, high[0] + margin, high[1] + margin]
            groups = [{'count': quantity, 'area': area, 'layout': 'random', **heading}]
        elif method == 'gaussian':
            mean, spread = place.numbers('mean', 3), place.numbers('std_dev', 3, minimum=0.0)
            groups = [{'count': quantity, 'position_gaussian': [*mean[:2], *spread[:2]],
                       **heading}]
        elif method in ('grid', 'constant'):
            drawn = {key: value for key, value in heading.items() if key != 'yaw'}
            yaw = heading.get('yaw', 0.0)
            places = (_grid_places(place, quantity) if method == 'grid'
                      else _one_place(place, quantity))
            groups = [{'pose': [x, y, yaw], **drawn} for x, y in places]
        else:
            raise InputError(f"{place.where}: method: got '{method}', expected uniform, gaussian, "
                             'constant or grid')
        single = len(groups) == quantity
        entries += [entry._replace(values={**entry.values, **group},
                                   names=names[i:i + 1] if single else names)
                    for i, group in enumerate(groups)]
    return entries


def _heading(turn: Element) -> dict[str, Any]:
    """Return the keys of a scenario's entry that say how headings are distributed (rad)."""
    method = turn.text('method')
    if method == 'constant':
        return {'yaw': radians(turn.numbers('values', 3)[0])}
    if method == 'uniform':
        low, high = turn.numbers('min', 3)[0], turn.numbers('max', 3)[0]
        if low > high:
            raise InputError(f'{turn.where}: max: got {high:g}, expected at least min, {low:g}')
        if low == high:
            return {'yaw': radians(low)}
        if max(-low, high) > 360.0:  # the same headings, with the first within a turn
            low, high = _shifted(low, high)
        return {'yaw_uniform': [math.radians(low), math.radians(high)]}
    if method == 'gaussian':
        mean, spread = turn.numbers('mean', 3)[0], turn.numbers('std_dev', 3, minimum=0.0)[0]
        # Wrapped, a deviation of a turn is a uniform distribution to 3e-9, and so is a larger one.
        return {'yaw_gaussian': [radians(mean), math.radians(min(spread, 360.0))]}
    raise InputError(f"{turn.where}: method: got '{method}', expected uniform, gaussian or "
                     'constant')


def _shifted(low: float, high: float) -> tuple[float, float]:
    """Return an interval of degrees moved by whole turns to begin from -360 to 0.

    One of several whole turns is one turn.
    """
    width = high - low
    start = math.fmod(low, 360.0)
    start = start - 360.0 if start > 0.0 else start
    return start, start + (360.0 if width % 360.0 == 0.0 else width)


def _one_place(place: Element, quantity: int) -> list[tuple[float, float]]:
    if quantity > 1:
        raise InputError(f'{place.where}: method: constant cannot be combined with quantity '
                         f'{quantity}: it is one place')
    x, y, _ = place.numbers('values', 3)
    return [(x, y)]


def _grid_places(place: Element, quantity: int) -> list[tuple[float, float]]:
    """Return the centres of a grid, x counting first."""
    center = place.numbers('center', 3)
    step = place.numbers('distances', 3)
    columns, rows, _ = (int(n) for n in place.numbers('layout', 3, minimum=1.0))
    if quantity > columns * rows:
        raise InputError(f'{place.where}: layout: got {columns} x {rows} places, expected at '
                         f'least {quantity}, the number of robots')
    return [(center[0] + (i % columns - (columns - 1) / 2) * step[0],
             center[1] + (i // columns - (rows - 1) / 2) * step[1]) for i in range(quantity)]


def _wheel_speed_needed(body: str, velocity: float) -> float:
    """Return the wheel speed (rad/s) that does not limit a robot of document 000.

    There the drive impulse knows no wheels; here they turn the body, and limit what it drives.
    """
    shape = BODIES[body]
    assert isinstance(_MAX_TURN, float)
    needed = (velocity + 0.5 * shape.wheel_distance * _MAX_TURN) / shape.wheel_radius
    return max(shape.max_wheel_speed, needed)


_QUIET = ('system', 'visualization')  # threads and windows of ARGoS: nothing that a run shows
_Lines = dict[KeyPath, int]  # of the `.argos` file, by the keys of the scenario made from it


def argos_scenario(raw: bytes, file: str, overrides: Mapping[str, object],
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
    if (marks := max(raw.count(b'<'), raw.count(b'='))) > limits().text_values:
        raise too_large(file, 'tags or attributes', marks, 'text_values')
    values, lines = _translated(Element.parse(raw, file), overrides)
    if (size := count_values(values)) > limits().text_values:
        raise too_large(file, 'values of the scenario made from it', size, 'text_values')
    _name_readings(file, values, overrides)
    return values, Origins(file, lines, set())


def _translated(root: Element, overrides: Mapping[str, object]) -> tuple[dict[str, Any], _Lines]:
    """Return the mapping that a scenario file would hold, keys as in docs/scenario.md."""
    lines: _Lines = {}
    for child in root.children:
        _warn_top(child)
    arena = root.needed('arena')
    bounds, world, robots = _arena(arena, root, lines)
    if not robots:
        raise InputError(f'{arena.where}: a scenario needs robots; add '
                         f'<{"> or <".join(_BODY_TAGS)}>')
    _refuse_same_ids(robots)
    wind = _wind_of(root, lines, wake=overrides.get('wind.wake') is not False)
    fastest: dict[str, float] = {}
    for i, entry in enumerate(robots):
        lines['robots', i] = entry.element.line
        body, velocity = entry.values['body'], entry.values['parameters'].get('velocity', 0.0)
        fastest[body] = max(fastest.get(body, 0.0), velocity)
    aware = any(entry.values['controller'] == _WIND_AWARE for entry in robots)
    return {
        'description': f'From {root.file.rpartition("/")[2]}.',
        **_experiment(root, lines),
        'world': {'bounds': bounds, 'open': True, **world},
        'bodies': {body: {'drive': 'impulse', 'max_wheel_speed': _wheel_speed_needed(body, speed)}
                   for body, speed in fastest.items()},
        'controllers': {_WIND_AWARE: dict(_WIND_AWARE_LAW)} if aware else {},
        'sensors': _sensors(root, arena, robots),
        'wind': wind,
        'robots': [entry.values for entry in robots],
    }, lines


def _warn_top(element: Element) -> None:
    """Warn of what nothing below reads."""
    if element.tag == 'framework':
        element.warn_children('experiment', *_QUIET)
    elif element.tag in ('configuration', 'loop_functions'):
        element.warn_children(WIND)
        if element.tag == 'loop_functions' and not element.all(WIND) and (
                'wind' not in element.text('library', '')):
            element.warn('are not supported and are skipped')
    elif element.tag == 'physics_engines':
        for child in element.children:
            if child.tag != 'dynamics2d':
                child.warn('is not supported: robots move in the plane')
    elif element.tag == 'media':
        element.warn_children('range_and_bearing')
    elif element.tag not in ('controllers', 'arena', WIND, *_QUIET):
        element.warn('is not supported and is skipped')


def _experiment(root: Element, lines: _Lines) -> dict[str, Any]:
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


def _arena(arena: Element, root: Element, lines: _Lines,
           ) -> tuple[list[float], dict[str, Any], list[_RobotEntry]]:
    """Return bounds, obstacles and robots."""
    lines['world',] = arena.line
    arena.warn_unknown('size', 'center')
    width, depth, _ = arena.numbers('size', 3, minimum=0.0)
    x, y, _ = arena.numbers('center', 3, (0.0, 0.0, 0.0))
    bounds = [x - width / 2, y - depth / 2, x + width / 2, y + depth / 2]
    kinds = _controller_kinds(root)
    world: dict[str, Any] = {'circles': [], 'rectangles': [], 'boxes': []}
    robots: list[_RobotEntry] = []
    for child in arena.children:
        if child.tag in ('box', 'cylinder'):
            key, entry = _obstacle(child)
            lines['world', key, len(world[key])] = child.line
            world[key].append(entry)
        elif child.tag in _BODY_TAGS:
            robots.append(_robot(child, kinds))
        elif child.tag == 'distribute':
            robots += _distributed(child, kinds)
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


def _sensors(root: Element, arena: Element, robots: list[_RobotEntry]) -> dict[str, Any]:
    """Return range and bearing as the medium and the robots have it."""
    media = [medium for group in root.all('media') for medium in group.all('range_and_bearing')]
    ranges = {entry.rab_range for entry in robots}
    if len(ranges) > 1:
        arena.warn(f'has robots with different rab_range; all hear as far as {max(ranges):g} m')
    occlusions = all(medium.flag('check_occlusions', True) for medium in media)
    return {'range_and_bearing': True, 'rab_range': max(ranges),
            'rab_blocked_by_walls': occlusions}
