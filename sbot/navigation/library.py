"""Library of benchmark scenes by family; its version changes with any of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sbot.navigation import alone, mini_games, open_space
from sbot.navigation.barn import barn_scenes, dynabarn_scenes
from sbot.navigation.scene import Scene, rounded
from sbot.scenario.fields import MAX_SEED
from sbot_common.errors import InputError, one_line, shown, unknown_name

VERSION = 1  # of all scenes; rows of different versions are not compared
SHIPPED: dict[str, dict[str, Scene]] = {
    **alone.FAMILIES, **mini_games.FAMILIES, **open_space.FAMILIES}
_FACT = re.compile(r' \[(\w+) ([0-9.]+)\]')


def families(barn: str | Path | None = None,
             dynabarn: str | Path | None = None) -> dict[str, dict[str, Scene]]:
    """Return the scenes by family and name.

    Parameters
    ----------
    barn, dynabarn : folders of these benchmarks' files, which are not part of the library

    """
    found = dict(SHIPPED)
    if barn is not None:
        found['barn'] = barn_scenes(Path(barn))
    if dynabarn is not None:
        found['dynabarn'] = dynabarn_scenes(Path(dynabarn))
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
        elif (family := name.partition('/')[0]) in ('barn', 'dynabarn') and family not in known:
            raise InputError(f'scene {name} needs a copy of its files; do --{family} FOLDER')
        else:
            raise unknown_name('scene', name, [*known, *every])
    return chosen


def scenario_values(name: str, scene: Scene, seed: int) -> dict[str, Any]:
    """Return the values of a scenario file: a scene with one seed.

    The same numbers on every machine: drawn by PCG64, and rounded to six digits.
    """
    values = scene.draw(np.random.default_rng(seed))
    gap = '' if scene.gap is None else f' [gap {scene.gap:g}]'
    written: dict[str, Any] = rounded({'name': name, 'description': scene.text + gap, 'seed': seed,
                                       'python_path': ['.'], **values})
    return written


def facts(description: str) -> dict[str, float]:
    """Return the numbers that a scene's description has in brackets, e.g. {'gap': 1.2} (m)."""
    return {key: float(number) for key, number in _FACT.findall(description)}


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


def foreign_seeds(rows: Iterable[Mapping[str, Any]], secret: bytes) -> list[str]:
    """Return a line for each scene and controller whose rows have other seeds than a secret's.

    N rows must have the first N seeds: nobody has left out a run.
    """
    seeds: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        changes = json.dumps(row['set'], sort_keys=True)
        seeds.setdefault((row['scene'], row['controller'], changes), []).append(row['seed'])
    return [one_line(f'{scene} {controller}: seeds: got {shown(found)}, expected the first '
                     f'{len(found)} that follow from the secret')
            for (scene, controller, _), found in seeds.items()
            if sorted(found) != sorted(hidden_seeds(secret, scene, len(found)))]
