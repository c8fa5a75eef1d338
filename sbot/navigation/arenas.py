# SPDX-License-Identifier: Apache-2.0
"""Scenes of the benchmark in which something is unusual: mounts, delays, bodies, a closed goal.

Also the maps of MovingAI (Sturtevant, Benchmarks for Grid-Based Pathfinding, IEEE Transactions on
Computational Intelligence and AI in Games 4(2), 2012), from a folder of the user's.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sbot.files.limits import read_within
from sbot.files.yaml_text import decode_text
from sbot.navigation.scenes import (
    Scene,
    Values,
    box,
    clutter,
    opposite_robots,
    parts,
    robot,
    scene,
    turned,
    wall_with_gaps,
)
from sbot_common.errors import InputError, bad_value

# Without wheels that turn: whatever its controller says, it stands.
_PARKED = {'parked': {'like': 'robot', 'max_wheel_speed': 0.0}}
_LONG = {'long': {'like': 'robot', 'length': 1.0, 'width': 0.5}}
_ALL_ROUND = {'scan_angle_min': -math.pi, 'scan_angle_max': math.pi, 'scan_beams': 360}


def _parked(rng: np.random.Generator) -> Values:
    """Return one robot, another that stands in the nearer of two doors, and who stands about."""
    y = 3.0 + rng.uniform(-0.5, 0.5)
    world = {'bounds': [0, 0, 14, 16], 'rectangles': wall_with_gaps(
        7.0, 0.0, 16.0, [(y, 1.0), (y + 8.0, 1.2)])}
    return scene(120, world, [
        robot(2.5 + rng.uniform(-0.5, 0.5), y + rng.uniform(-0.5, 0.5), rng.uniform(-1, 1),
              (11.5, y)),
        *({'pose': [*at, rng.uniform(-3, 3)], 'body': 'parked'}
          for at in ((7.0, y), (4.5, y + 4.0 + rng.uniform(-1, 1))))], bodies=_PARKED)


def _delay(rng: np.random.Generator, command: float, pose: float) -> Values:
    """Return clutter for a robot whose commands or pose are late (s)."""
    values = clutter(rng, 0.1)
    # The default controller takes no late poses.
    robots = [{**each, 'body': 'late', 'controller': 'none'} for each in values['robots']]
    return {**values, 'robots': robots, 'knowledge': {'pose_delay': pose},
            'bodies': {'late': {'like': 'robot', 'command_delay': command}}}


def _gap(rng: np.random.Generator, width: float) -> Values:
    """Return a body of 1.0 m by 0.5 m and a gap in a wall."""
    y = 4.0 + rng.uniform(-1, 1)
    world = {'bounds': [0, 0, 12, 8], 'rectangles': wall_with_gaps(6.0, 0.0, 8.0, [(y, width)])}
    return scene(90, world, [robot(2 + rng.uniform(-0.3, 0.3), 4.0, rng.uniform(-0.5, 0.5),
                                   (10, 4), body='long')], bodies=_LONG, sensors=_ALL_ROUND)


def _ell(rng: np.random.Generator) -> Values:
    """Return a body of 1.0 m by 0.5 m in an L of 1.2 m."""
    world = {'bounds': [0, 0, 8, 8], 'rectangles': [box(3.4, 4.6, 6.8, 6.8)]}
    return scene(90, world, [robot(1 + rng.uniform(-0.2, 0.2), 0.6, rng.uniform(-0.1, 0.1),
                                   (7.4, 7), body='long')], bodies=_LONG, sensors=_ALL_ROUND)


def _car(rng: np.random.Generator, dead_end: bool) -> Values:
    """Return a car with its goal in any direction, or behind it in a dead end."""
    walls, at = [], (5 + rng.uniform(-1, 1), 4 + rng.uniform(-1, 1), rng.uniform(-3.14, 3.14))
    if dead_end:
        width = rng.uniform(1.5, 1.8)
        at = rng.uniform(1, 2), 4 + rng.uniform(-0.15, 0.15), math.pi + rng.uniform(-0.2, 0.2)
        walls = [box(1.6, 4 + side * (width / 2 + 0.1), 3.2, 0.2) for side in (-1, 1)]
    return scene(90, {'bounds': [0, 0, 14, 8], 'rectangles': walls},
                 [robot(*at, (9, 4), body='f1tenth')])


def _cars_in_clutter(rng: np.random.Generator) -> Values:
    values = clutter(rng, 0.1)
    return {**values, 'robots': [{**each, 'body': 'f1tenth'} for each in values['robots']]}


def _long_corridor(rng: np.random.Generator) -> Values:
    """Return two against two in a corridor of 30 m by 1 m between two rooms."""
    world = {'bounds': [0, 0, 42, 8], 'rectangles': [
        box(21, y, 30, 3.5) for y in (1.75, 6.25)]}
    return scene(240, world, opposite_robots(rng, 4.0, 38.0, 4.0, 2, 4.5, 37.5))


def _closed(rng: np.random.Generator) -> Values:
    """Return a robot whose goal is in a room without a door."""
    x, y = 9 + rng.uniform(-1, 1), 4 + rng.uniform(-1, 1)
    sides = [box(x + side * 2, y, 0.2, 4.2) for side in (-1, 1)]
    return scene(60, {'bounds': [0, 0, 14, 8], 'rectangles': [
        *sides, *(turned(box(y + side * 2, x, 0.2, 4.2)) for side in (-1, 1))]},
        [robot(3 + rng.uniform(-1, 1), 4 + rng.uniform(-1, 1), rng.uniform(-3, 3), (x, y))])


_MOUNTS: dict[str, Values] = {
    'nose': {'laser_x': 0.25}, 'turned': {'laser_yaw': 0.3}, 'back': {'laser_yaw': math.pi},
    'side': {'laser_y': 0.2, 'laser_yaw': -0.5}}
ARENAS: dict[str, dict[str, Scene]] = {
    'parked': {'door': Scene('A robot stands in a door, another door is 8 m aside.', _parked)},
    'mounts': {name: Scene(f'`clutter/10` with {", ".join(f"{k} {v:g}" for k, v in at.items())}.',
                           partial(clutter, share=0.1, **at)) for name, at in _MOUNTS.items()},
    'delay': {
        'command': Scene('`clutter/10`, commands 0.2 s late.', partial(
            _delay, command=0.2, pose=0.0)),
        'pose': Scene('`clutter/10`, pose 0.2 s late.', partial(_delay, command=0.0, pose=0.2))},
    'rectangles': {
        **{f'{width}': Scene(f'A body of 1.0 m by 0.5 m, a gap of {width} m.',
                             partial(_gap, width=width)) for width in (0.9, 0.7)},
        'l': Scene('A body of 1.0 m by 0.5 m, an L of 1.2 m.', _ell)},
    'cars': {
        'open': Scene('A car, its goal in any direction.', partial(_car, dead_end=False)),
        'dead-end': Scene('A car in a dead end of 1.5 to 1.8 m, its goal behind it.',
                          partial(_car, dead_end=True)),
        'clutter': Scene('`clutter/10` for a car.', _cars_in_clutter)},
    'long': {'corridor': Scene('Two against two in a corridor of 30 m by 1 m.', _long_corridor,
                               gap=1.0)},
    'closed': {'room': Scene('The goal is in a room without a door.', _closed)},
}

# MovingAI: cells of 1 m, ten robots with starts and goals drawn by the seed.

_ROBOTS = 10
_FREE = '.GS'  # ground and swamp; all else is none


def movingai_scenes(folder: Path) -> dict[str, Scene]:
    """Return a scene for each file NAME.map below a folder.

    Raises
    ------
    InputError
        if there are none.

    """
    found = sorted(folder.rglob('*.map'))
    if not found:
        raise InputError(f'--movingai: got {folder}, expected a folder with files NAME.map')
    return {path.stem: Scene(f'Ten robots in {path.name} of MovingAI, cells of 1 m.',
                             partial(_movingai, path=path)) for path in found}


def _movingai(rng: np.random.Generator, path: Path) -> Values:
    free = _free_cells(path)
    cells = _largest_part(free)
    if len(cells) < 2 * _ROBOTS:
        raise InputError(f'{path}: got {len(cells)} connected cells, expected {2 * _ROBOTS} or '
                         'more')
    places = cells[rng.permutation(len(cells))[:2 * _ROBOTS]][:, ::-1] + 0.5
    rows, columns = free.shape
    robots = [robot(x, y, rng.uniform(-3, 3), (to_x, to_y)) for (x, y), (to_x, to_y) in zip(
        places[:_ROBOTS].tolist(), places[_ROBOTS:].tolist(), strict=True)]
    return scene(8.0 * (rows + columns), {'bounds': [0, 0, columns, rows],
                                          'rectangles': _blocks(~free)}, robots)


def _free_cells(path: Path) -> NDArray[np.bool_]:
    """Return which cells (R, C) of a map are free, the lowest row first."""
    lines = decode_text(read_within(path), str(path)).split()
    body = lines[lines.index('map') + 1:] if 'map' in lines else []
    if not body or len({len(line) for line in body}) != 1:
        raise bad_value(str(path), ' '.join(lines[:7]),
                        "a map of MovingAI: type, height, width, 'map', rows of one length")
    return np.array([[cell in _FREE for cell in line] for line in reversed(body)])


def _largest_part(free: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return row and column (P, 2) of the cells of the largest part that hangs together."""
    part = parts(free, False)
    return np.argwhere(part == np.bincount(part[part > 0], minlength=1).argmax())


def _blocks(solid: NDArray[np.bool_]) -> list[Values]:
    """Return rectangles that cover solid cells (R, C): runs of a row, joined with like ones."""
    open_runs: dict[tuple[int, int], int] = {}  # begin and end, with the row where they began
    blocks = []
    for row in range(len(solid) + 1):
        line = solid[row] if row < len(solid) else np.zeros(solid.shape[1], np.bool_)
        edges = np.flatnonzero(np.diff(line, prepend=False, append=False)).tolist()
        runs = list(zip(edges[::2], edges[1::2], strict=True))
        for begin, end in [run for run in open_runs if run not in runs]:
            low = open_runs.pop((begin, end))
            blocks.append(box((begin + end) / 2, (low + row) / 2, end - begin, row - low))
        for run in runs:
            open_runs.setdefault(run, row)
    return blocks
