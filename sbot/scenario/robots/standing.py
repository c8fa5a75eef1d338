"""Robots that stand already, and the check that their places are free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.model import World as WorldModel
from sbot.scenario.robots.draws import Pose
from sbot.scenario.world import solid_names
from sbot_common.errors import bad_value
from sbot_sim.collision.overlap import PAIR, Overlaps, find_overlaps
from sbot_sim.world.bodies import Body, body_arrays
from sbot_sim.world.geometry import World

# Positions judged in one call. Robots heaped on one spot make quadratically many pairs, so a call
# must not be asked about too many of them.
BATCH = 2000


class Placed(NamedTuple):
    """The robots placed so far, in the order of placing."""

    ids: list[int]
    bodies: list[Body]
    poses: list[Pose]

    def add(self, ids: Sequence[int], body: Body, poses: Sequence[Pose]) -> None:
        """Let robots of one body stand at poses."""
        self.ids.extend(ids)
        self.bodies.extend([body] * len(poses))
        self.poses.extend(poses)


def overlaps_of(world: World, bodies: Sequence[Body], poses: Sequence[Pose]) -> Overlaps:
    """Return the overlaps of robots with these bodies at these poses."""
    return find_overlaps(world, body_arrays(bodies), np.array(poses).reshape(-1, 3))


def check_free(written: WorldModel, world: World, placed: Placed, paths: Mapping[int, KeyPath],
               origins: Origins) -> None:
    """Raise InputError for the first robot of ``paths`` that stands in something."""
    end, total = 0, len(placed.ids)
    while end < total:
        end += max(BATCH, end // 8)
        part = Placed(placed.ids[:end], placed.bodies[:end], placed.poses[:end])
        _check_part(written, world, part, paths, origins)


def _check_part(written: WorldModel, world: World, placed: Placed, paths: Mapping[int, KeyPath],
                origins: Origins) -> None:
    found = overlaps_of(world, placed.bodies, placed.poses)
    ids = np.array(placed.ids)
    pairs = found.kind == PAIR
    one, other = ids[found.robot], found.other.copy()
    other[pairs] = ids[found.other[pairs]]
    # Of two robots the later one is to blame, unless only the earlier one is in question.
    swap = pairs & (one < other) & np.isin(other, list(paths))
    one[swap], other[swap] = other[swap], one[swap]
    rows = np.flatnonzero(np.isin(one, list(paths)))
    if not len(rows):
        return
    row = rows[np.argmin(one[rows])]
    robot, kind, what = int(one[row]), int(found.kind[row]), int(other[row])
    name = f'robot {what}' if kind == PAIR else solid_names(written, world, kind, what)
    k = placed.ids.index(robot)
    raise bad_value(origins.where(paths[robot]), list(placed.poses[k]),
                    f'a free place: robot {robot} ({placed.bodies[k].size_in_words}) is '
                    f'{found.depth[row]:.3g} m too near to {name}')
