"""Actions of environments: shares of the greatest speeds, moves by number, bytes to broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.learn.task import Flags, Floats, Task
from sbot_common.arguments import as_array, numbers, whole
from sbot_common.errors import InputError, bad_value
from sbot_sim.sensors.range_and_bearing import DATA_BYTES

MOST_BYTES = DATA_BYTES - 1  # that a robot may choose: byte 0 is the radius's
_MOST_MOVES = 1000


class Actions:
    """What the numbers that an environment is given for each robot mean.

    Parameters
    ----------
    task : its ``moves`` and ``broadcast``
    discrete : whether an action is the number of a move
    hears : whether robots have range and bearing

    Raises
    ------
    InputError
        for moves that are not pairs of shares, more bytes than a robot sends, or bytes that
        nobody hears.

    """

    def __init__(self, task: Task, discrete: bool, hears: bool) -> None:
        self.discrete = discrete
        self.bytes = whole('broadcast of the task', task.broadcast, 0, MOST_BYTES)
        if self.bytes and not hears:
            raise InputError('broadcast of the task needs range and bearing; add '
                             'sensors.range_and_bearing: true to the scenario')
        if self.bytes and discrete:
            raise InputError('broadcast of the task cannot be combined with discrete')
        self.moves = _checked_moves(task.moves)
        self.columns = 2 + self.bytes

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a robot's action: () for the number of a move, else (columns,)."""
        return () if self.discrete else (self.columns,)

    def checked(self, where: str, given: ArrayLike, *robots: tuple[int, ...]) -> NDArray[Any]:
        """Return actions of the first of some shapes of robots, given in any of them.

        Raises
        ------
        InputError
            for another shape, shares that are not finite, and a move that there is not.

        """
        shapes = [(*rows, *self.shape) for rows in robots]
        if not self.discrete:
            return numbers(where, given, *shapes).reshape(shapes[0])
        array = as_array(where, given)
        if array.shape not in shapes:
            raise bad_value(where, f'shape {array.shape}',
                            ' or '.join(f'shape {shape}' for shape in shapes))
        if array.dtype.kind not in 'iu' or ((array < 0) | (array >= len(self.moves))).any():
            raise bad_value(where, array.tolist(), f'whole numbers from 0 to '
                            f'{len(self.moves) - 1}')
        return array.reshape(shapes[0])

    def split(self, actions: NDArray[Any], active: Flags) -> tuple[Floats, NDArray[Any] | None]:
        """Return shares (K, N, 2) and bytes (K, N, 10) of actions; robots that are done do none.

        Bytes are None where the task broadcasts none.
        """
        shares = self.moves[actions] if self.discrete else actions[..., :2]
        if not active.all():
            shares = np.where(active[..., None], shares, 0.0)
        if not self.bytes:
            return shares, None
        data = np.zeros((*active.shape, DATA_BYTES), np.int64)
        values = np.rint((np.clip(actions[..., 2:], -1.0, 1.0) + 1.0) * 127.5).astype(np.int64)
        data[..., 1:1 + self.bytes] = np.where(active[..., None], values, 0)
        return shares, data


def _checked_moves(given: Any) -> Floats:  # noqa: ANN401
    moves = as_array('moves of the task', given)
    if moves.ndim != 2 or not 1 <= len(moves) <= _MOST_MOVES or moves.shape[1] != 2:
        raise bad_value('moves of the task', f'shape {moves.shape}',
                        f'pairs of shares, 1 to {_MOST_MOVES}')
    checked = numbers('moves of the task', moves, moves.shape)
    if (np.abs(checked) > 1.0).any():
        raise bad_value('moves of the task', moves.tolist(), 'shares from -1 to 1')
    return checked
