# SPDX-License-Identifier: Apache-2.0
"""Library of benchmark scenes by family, with the worlds of BARN and DynaBARN."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from sbot.files.limits import read_within
from sbot.files.yaml_text import decode_text
from sbot.navigation.arenas import ARENAS, movingai_scenes
from sbot.navigation.scenes import (
    ALONE,
    DIGITS,
    MINI_GAMES,
    OPEN_SPACE,
    Scene,
    Values,
    robot,
    scene,
)
from sbot.scenario.argos_xml import Element
from sbot.scenario.fields import MAX_SEED
from sbot_common.errors import InputError, bad_value, decoding, unknown_name

# Worlds of BARN and DynaBARN, read from a user's copy of their files.
#
# BARN: Perille, Truong, Xiao, Stone, Benchmarking Metric Ground Navigation, SSRR 2020; start,
# goal, tolerance, limit of time and optimal times as in run.py of Daffan/the-barn-challenge, 2024.
# DynaBARN: Nair et al., DynaBARN: Benchmarking Metric Ground Navigation in Dynamic Environments,
# SSRR 2022. Nothing of theirs is in this package.

# m, rad/s, kg, m/s^2, rad/s^2; 2 m/s at most.
_JACKAL = {'like': 'robot', 'length': 0.508, 'width': 0.43, 'wheel_distance': 0.37559,
           'wheel_radius': 0.098, 'max_wheel_speed': 2.0 / 0.098, 'mass': 17.0,
           'max_acceleration': 2.0, 'max_angular_acceleration': 20.0}
_LIMIT = 100.0  # s
_TOLERANCE = 1.0  # m
_CELL = 0.15  # m, of BARN's path files: cell (0, 0) is at this place
_ORIGIN = -4.575, 5.075
_START = -2.25, 3.0, 1.57
_GOAL = -2.25, 13.0
_DYNAMIC_START, _DYNAMIC_GOAL = (11.0, 0.0, 3.14), (-9.0, 0.0)
_KEY = re.compile(r'CreateKeyFrame\(([^()]{0,100})\)')  # the time (s)
_PLACE = re.compile(r'Vector3d\(([^(),]{0,100}),([^(),]{0,100})[,)]')  # x, y (m)
_MOST = 1e6  # m, s
_RADIUS = 0.5  # m, of DynaBARN's cylinders


def _barn_scenes(folder: Path) -> dict[str, Scene]:
    """Return a scene for each file world_N.world below a folder.

    Raises
    ------
    InputError
        if there are none.

    """
    return {number: Scene(f'World {number} of BARN.{_optimal(path, number)}',
                          partial(_barn, path=path), seed_matters=False)
            for number, path in _worlds(folder, '--barn')}


def _dynabarn_scenes(folder: Path) -> dict[str, Scene]:
    """Return a scene for each file world_N.world below a folder of DynaBARN's.

    Its plug-ins' sources, NAME.cc, must be below that folder, too: they hold the ways.

    Raises
    ------
    InputError
        if there are no worlds.

    """
    sources = {path.stem: path for path in sorted(folder.rglob('*.cc'))}
    return {number: Scene(f'World {number} of DynaBARN. [optimal 20]',
                          partial(_dynabarn, path=path, sources=sources), seed_matters=False)
            for number, path in _worlds(folder, '--dynabarn')}


def _worlds(folder: Path, option: str) -> list[tuple[str, Path]]:
    found = {match[1]: path for path in sorted(folder.rglob('world_*.world'))
             if (match := re.fullmatch(r'world_(\d+)\.world', path.name))}
    if not found:
        raise InputError(f'{option}: got {folder}, expected a folder with files world_N.world')
    return sorted(found.items(), key=lambda item: int(item[0]))


def _optimal(path: Path, number: str) -> str:
    """Return the length of the way that BARN's path file has (m), as a fact of the scene."""
    file = path.parent / 'path_files' / f'path_{number}.npy'
    if not file.is_file():
        return ''
    raw = read_within(file)
    with decoding(f'{file}: expected a path of cells (P, 2)'):
        cells = np.asarray(np.load(io.BytesIO(raw), allow_pickle=False), np.float64)
        points = np.vstack([_START[:2], cells.reshape(-1, 2) * _CELL + _ORIGIN, _GOAL])
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    if not length <= _MOST:
        raise bad_value(f'{file}: length of the path', length, f'a number up to {_MOST:g} (m)')
    return f' [optimal {length:.4f}]'


def _number(text: str | None, where: str) -> float:
    """Return a finite number of a file; InputError for anything else."""
    try:
        value = float(text or '')
    except ValueError:
        value = math.nan
    if not abs(value) <= _MOST:
        raise bad_value(where, text, f'a number up to {_MOST:g}')
    return value


def _models(path: Path) -> Iterator[tuple[str, float, float, float | None]]:
    """Yield the name, place (m) and radius of each model of a Gazebo world; None: no cylinder."""
    text = read_within(path).decode('utf-8', 'replace')
    # DynaBARN's worlds have attributes without a value, and a backslash in between.
    text = re.sub(r'<pose frame=(\'\'|"")?>', '<pose>', text).replace('\\', '')
    Element.parse(text.encode(), str(path))  # refuses what is none, and entities
    for model in ElementTree.fromstring(text).iter('model'):
        name = model.get('name', '')
        where = f'{path}: model {name[:80]}'
        place = (model.findtext('pose') or '0 0').split()
        if len(place) < 2:
            raise bad_value(f'{where}: pose', ' '.join(place), 'x and y (m)')
        radius = model.findtext('.//collision//cylinder/radius')
        yield (name, _number(place[0], f'{where}: pose'), _number(place[1], f'{where}: pose'),
               None if radius is None else _number(radius, f'{where}: radius'))


def _barn(_: np.random.Generator, path: Path) -> Values:
    discs = [{'center': [x, y], 'radius': radius}
             for _, x, y, radius in _models(path) if radius is not None]
    world = {'bounds': [-9, -1, 5, 17], 'circles': discs}
    return _jackal(world, _START, _GOAL)


def _dynabarn(_: np.random.Generator, path: Path, sources: dict[str, Path]) -> Values:
    names = [name for name, _, _, radius in _models(path) if radius is not None]
    for name in names:
        if name not in sources:
            raise InputError(f'{path}: model {name} needs its source {name}.cc; put it below the '
                             'folder that --dynabarn names')
    world = {'bounds': [-13, -10, 13, 10],
             'moving': [_obstacle_of(sources[name]) for name in names]}
    return _jackal(world, _DYNAMIC_START, _DYNAMIC_GOAL)


def _obstacle_of(source: Path) -> Values:
    """Return an obstacle on the way of a plug-in, at the mean speed of its key frames."""
    frames = list(_frames(source))
    way = [place for place, _ in groupby((x, y) for _, x, y in frames)]
    if len(way) < 2:
        raise InputError(f'{source}: got {len(way)} places, expected key frames at two or more')
    length = sum(math.dist(a, b) for a, b in pairwise(way))
    if way[0] == way[-1]:
        way.pop()
    return {'radius': _RADIUS, 'path': [list(place) for place in way], 'at_end': 'loop',
            'speed': max(0.01, length / max(frames[-1][0] - frames[0][0], 1e-3))}


def _frames(source: Path) -> Iterator[tuple[float, float, float]]:
    """Yield time (s), x and y (m) of a plug-in's key frames: a place is that after the time."""
    text = decode_text(read_within(source), str(source))
    keys = list(_KEY.finditer(text))
    ends = [*(key.start() for key in keys[1:]), len(text)]
    breaks = [found.start() for found in re.finditer('\n', text)]
    for key, end in zip(keys, ends[:len(keys)], strict=True):
        if place := _PLACE.search(text, key.end(), end):
            where = f'{source}:{bisect(breaks, key.start()) + 1}: key frame'
            yield (_number(key[1], where), _number(place[1], where), _number(place[2], where))


def _jackal(world: Values, start: tuple[float, float, float], goal: tuple[float, float]) -> Values:
    return scene(_LIMIT, world, [robot(*start, goal, body='jackal', goal_tolerance=_TOLERANCE)],
                 bodies={'jackal': _JACKAL},
                 sensors={'scan_beams': 720, 'scan_angle_min': -2.356, 'scan_angle_max': 2.356,
                          'scan_range_max': 10.0})


VERSION = 1  # of all scenes; rows of different versions are not compared
SHIPPED: dict[str, dict[str, Scene]] = {**ALONE, **MINI_GAMES, **OPEN_SPACE, **ARENAS}
_FOLDERS = {'barn': _barn_scenes, 'dynabarn': _dynabarn_scenes, 'movingai': movingai_scenes}
def families(barn: str | Path | None = None, dynabarn: str | Path | None = None,
             movingai: str | Path | None = None) -> dict[str, dict[str, Scene]]:
    """Return the scenes by family and name.

    Parameters
    ----------
    barn, dynabarn, movingai : folders of files that are not part of the library

    """
    found = dict(SHIPPED)
    for (name, scenes), folder in zip(_FOLDERS.items(), (barn, dynabarn, movingai), strict=True):
        if folder is not None:
            found[name] = scenes(Path(folder))
    return found


def chosen_scenes(known: Mapping[str, Mapping[str, Scene]],
                  wanted: Iterable[str]) -> dict[str, Scene]:
    """Return scenes by name, e.g. 'doorway/1.2': all of a family, or one; of none named, all.

    Raises
    ------
    InputError
        for an unknown name, with the nearest known one.

    """
    every = {f'{family}/{name}': scene for family, scenes in known.items()
             for name, scene in scenes.items()}
    names = list(wanted)
    if not names:
        return every
    chosen: dict[str, Scene] = {}
    for name in names:
        if name in known:
            chosen |= {f'{name}/{each}': scene for each, scene in known[name].items()}
        elif name in every:
            chosen[name] = every[name]
        elif (family := name.partition('/')[0]) in _FOLDERS and family not in known:
            raise InputError(f'scene {name} needs a copy of its files; do --{family} FOLDER')
        else:
            raise unknown_name('scene', name, [*known, *every])
    return chosen


def _rounded(value: Any) -> Any:  # noqa: ANN401 - values of a scenario
    """Return values with Python's numbers, rounded to ``DIGITS``."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value


def scenario_values(name: str, scene: Scene, seed: int) -> dict[str, Any]:
    """Return the values of a scenario file: a scene with one seed.

    The same numbers on every machine: drawn by PCG64, and rounded to six digits.
    """
    values = scene.draw(np.random.default_rng(seed))
    gap = '' if scene.gap is None else f' [gap {scene.gap:g}]'
    written: dict[str, Any] = _rounded({'name': name, 'description': scene.text + gap,
                                        'seed': seed, 'python_path': ['.'], **values})
    return written


def digest(values: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a scenario's values, which a row names."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def hidden_seeds(secret: bytes, name: str, count: int) -> list[int]:
    """Return the seeds of a scene that follow from a secret.

    Whoever publishes the secret's SHA-256 before a comparison, and the secret after it, shows that
    no controller was made for these seeds.
    """
    digests = (hashlib.sha256(secret + f'/{name}/{k}'.encode()).digest() for k in range(count))
    return [int.from_bytes(each[:8], 'big') % (MAX_SEED + 1) for each in digests]
