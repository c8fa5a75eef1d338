"""Robots of an ARGoS experiment: controllers, single and distributed robots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from sbot.scenario.argos.xml import Element, radians
from sbot.scenario.fields import MAX_ROBOTS
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_sim.world.bodies import BODIES
from wind_model.wind_aware import WindAwareParameters

BODY_TAGS = ('foot-bot', 'e-puck2')
# ARGoS' own defaults of the attribute rab_range.
RAB_RANGES = {'foot-bot': 3.0, 'e-puck2': 0.8}  # m

BASE = 'wind_model.wind_aware:AirResistance'
WIND_AWARE = 'wind_aware'
DEFAULT_VELOCITY = 10.0  # cm/s

_DEVICES = ('range_and_bearing', 'positioning', 'differential_steering')
_MAX_TURN = WindAwareParameters().max_turn_rate


class ControllerKind(NamedTuple):
    """A controller of an experiment."""

    name: str  # of a scenario's controller
    velocity: float  # m/s


class RobotEntry(NamedTuple):
    """One entry of a scenario's list of robots, its element, and data for the sensors."""

    values: dict[str, Any]
    element: Element
    names: tuple[str, ...]  # ids in the experiment of the robots that it stands for
    rab_range: float  # m
    velocity: float  # m/s


def controller_kinds(root: Element) -> dict[str, ControllerKind]:
    """Return the controllers by id; robots with kinds outside document 000 stand still."""
    kinds: dict[str, ControllerKind] = {}
    for group in root.all('controllers'):
        for element in group.children:
            name = element.text('id')
            if name in kinds:
                raise InputError(f"{element.where}: id '{name}' is given twice")
            kinds[name] = _kind(element)
    return kinds


def _kind(element: Element) -> ControllerKind:
    words = f'{element.tag} {element.text("library", "")}'.replace('-', '_').lower()
    if 'wind_aware' in words:
        name = WIND_AWARE
    elif 'air_resistance' in words or 'airresistance' in words:
        name = BASE
    else:
        element.warn('is an unknown controller; its robots stand still')
        return ControllerKind('none', 0.0)
    for child in element.children:
        if child.tag in ('sensors', 'actuators'):
            for device in child.children:
                if device.tag not in _DEVICES:
                    device.warn('is not supported and is skipped')
        elif child.tag != 'params':
            child.warn('is not supported and is skipped')
    params = element.only('params')
    if params is None:
        return ControllerKind(name, 0.01 * DEFAULT_VELOCITY)
    params.warn_unknown('velocity')
    return ControllerKind(name, 0.01 * params.number('velocity', DEFAULT_VELOCITY, 0.0))


def robot(element: Element, kinds: dict[str, ControllerKind]) -> RobotEntry:
    """Return the entry of one robot with a pose."""
    pose = element.pose()
    entry = _entry(element, kinds)
    entry.values['pose'] = pose
    if entry.values['controller'] == WIND_AWARE:
        entry.values['parameters']['direction'] = pose[2]
    return entry


def _entry(element: Element, kinds: dict[str, ControllerKind]) -> RobotEntry:
    """Return an entry without a place."""
    element.warn_unknown('id', 'rab_range', 'rab_data_size')
    for child in element.children:
        if child.tag not in ('body', 'controller'):
            child.warn('is not supported and is skipped')
    chosen = element.only('controller')
    kind = ControllerKind('none', 0.0)
    if chosen is None:
        element.warn('has no <controller> and stands still')
    else:
        name = chosen.text('config')
        if name not in kinds:
            raise unknown_name(f'{chosen.where}: config', name, kinds)
        kind = kinds[name]
    parameters = {} if kind.name == 'none' else {'velocity': kind.velocity}
    values = {'body': element.tag, 'controller': kind.name, 'parameters': parameters}
    name = element.text('id', '')
    rab_range = element.number('rab_range', RAB_RANGES[element.tag], 0.0)
    return RobotEntry(values, element, (name,) if name else (), rab_range, kind.velocity)


def refuse_same_ids(robots: Sequence[RobotEntry]) -> None:
    """Raise InputError where two robots have one id."""
    first: dict[str, Element] = {}
    for entry in robots:
        for name in entry.names:
            if name in first:
                raise InputError(f"{entry.element.where}: id '{name}' is given twice, first "
                                 f'on line {first[name].line}')
            first[name] = entry.element


def distributed(element: Element, kinds: dict[str, ControllerKind]) -> list[RobotEntry]:
    """Return the entries of a `<distribute>`: groups, or robots on a grid or at a place."""
    place, turn, entity = map(element.needed, ('position', 'orientation', 'entity'))
    quantity = int(entity.number('quantity', minimum=1.0))
    if quantity > MAX_ROBOTS:  # before a name is made for each
        raise bad_value(f'{entity.where}: quantity', quantity, f'at most {MAX_ROBOTS}')
    entity.warn_unknown('quantity', 'max_trials', 'base_num')
    for child in entity.children:
        if child.tag not in BODY_TAGS:
            child.warn('is not supported and is skipped')
    heading = _heading(turn)
    base = int(entity.number('base_num', 0.0))
    entries: list[RobotEntry] = []
    for each in entity.all(*BODY_TAGS):
        entry = _entry(each, kinds)
        prefix = entry.names and entry.names[0]
        names = tuple(f'{prefix}{base + i}' for i in range(quantity)) if prefix else ()
        if entry.values['controller'] == WIND_AWARE and 'yaw' in heading:
            entry.values['parameters']['direction'] = heading['yaw']
        method = place.text('method')
        if method == 'uniform':
            margin = BODIES[each.tag].safety_radius
            low, high = place.numbers('min', 3), place.numbers('max', 3)
            area = [low[0] - margin, low[1] - margin, high[0] + margin, high[1] + margin]
            group = {'count': quantity, 'area': area, 'layout': 'random', **heading}
            entries.append(entry._replace(values={**entry.values, **group}, names=names))
        elif method == 'gaussian':
            mean, spread = place.numbers('mean', 3), place.numbers('std_dev', 3, minimum=0.0)
            group = {'count': quantity, 'position_gaussian': [*mean[:2], *spread[:2]], **heading}
            entries.append(entry._replace(values={**entry.values, **group}, names=names))
        elif method in ('grid', 'constant'):
            drawn = {key: value for key, value in heading.items() if key != 'yaw'}
            yaw = heading.get('yaw', 0.0)
            places = (_grid_places(place, quantity) if method == 'grid'
                      else _one_place(place, quantity))
            entries += [entry._replace(values={**entry.values, 'pose': [x, y, yaw], **drawn},
                                       names=names[i:i + 1])
                        for i, (x, y) in enumerate(places)]
        else:
            raise InputError(f"{place.where}: method: got '{method}', expected uniform, gaussian, "
                             'constant or grid')
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


def wheel_speed_needed(body: str, velocity: float) -> float:
    """Return the wheel speed (rad/s) that does not limit a robot of document 000.

    There the drive impulse knows no wheels; here they turn the body, and limit what it drives.
    """
    shape = BODIES[body]
    assert isinstance(_MAX_TURN, float)
    needed = (velocity + 0.5 * shape.wheel_distance * _MAX_TURN) / shape.wheel_radius
    return max(shape.max_wheel_speed, needed)
