"""History of episodes under a compiled policy."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot.runner.episode import Episode
from sbot.worlds.arguments import named
from sbot_common.elementary.copying import copy_numbers
from sbot_sim.worlds.batch import Batch, Phase

Floats = NDArray[np.float64]

# Columns of what can be kept, each robot, each tick.
COLUMNS = {'pose': 3, 'command': 3, 'collided': 1, 'infrared': 15, 'wind': 2}


def columns_of(keep: Collection[str]) -> list[str]:
    """Return the names to keep, in order of the columns.

    Raises
    ------
    InputError
        for an unknown one.

    """
    wanted = named('keep', keep, COLUMNS)
    return [name for name in COLUMNS if name in wanted]


def split(kept: Floats, names: list[str], count: int, dt: float) -> Episode:
    """Return the kept rows (T, K*N, columns) of K worlds by name; ``dt``: s of a tick."""
    fields: dict[str, Any] = dict.fromkeys(COLUMNS)
    column = 0
    for name in names:
        rows = kept[:, :, column:column + COLUMNS[name]]
        fields[name] = rows.reshape(len(kept), count, -1, COLUMNS[name])
        column += COLUMNS[name]
    if 'collided' in names:
        fields['collided'] = fields['collided'][..., 0] > 0.0
    return Episode(**fields, dt=dt)


@Phase
def keep_rows(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write this tick's rows of the history; ``policy.kept_columns`` has the columns."""
    worlds, policy, n = batch.worlds, batch.policy, batch.setting.robots
    for k in range(first, end):
        t = worlds.tick[k] - policy.first_tick[k]
        for row in range(k * n, (k + 1) * n):
            out, at = policy.kept[t, row], policy.kept_columns
            if at[0] >= 0:
                copy_numbers(worlds.sent_pose[row], out[at[0]:at[0] + 3])
            if at[1] >= 0:
                copy_numbers(worlds.command[row], out[at[1]:at[1] + 3])
            if at[2] >= 0:
                out[at[2]] = 1.0 if worlds.collided[row] else 0.0
            if at[3] >= 0:
                copy_numbers(worlds.infrared[row, :, 1], out[at[3]:at[3] + 15])
            if at[4] >= 0:
                copy_numbers(worlds.observed_wind[row], out[at[4]:at[4] + 2])
