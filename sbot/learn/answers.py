"""Answers of a task's methods, checked: observations, rewards, masks, start poses and goals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.learn.task import Flags, Floats, Moment, Task
from sbot.worlds.many import Worlds
from sbot_common.arguments import as_array
from sbot_common.errors import bad_value
from sbot_common.user_code import call_user_code

_NUMBERS = 'biuf'  # kinds of arrays


class Answers:
    """A task's methods for K worlds of N robots; InputError where they return something else.

    What they raise is one line, too (``UserCodeError``).
    """

    def __init__(self, task: Task, worlds: int, robots: int) -> None:
        self._task, self._shape = task, (worlds, robots)

    def start(self, worlds: Worlds, k: int, rng: np.random.Generator) -> Floats | None:
        """Return the start poses (N, 3) of an episode in world k; None: those of the seed."""
        given = self._ask('begin', worlds, k, rng)
        return None if given is None else _array_of('begin', given, ((self._shape[1], 3),))

    def goals(self, worlds: Worlds, k: int, rng: np.random.Generator) -> Floats | None:
        """Return the goals (N, 2) or (2,) (m) of world k; None: those of the scenario."""
        given = self._ask('goals', worlds, k, rng)
        return None if given is None else _array_of('goals', given, ((2,), (self._shape[1], 2)))

    def observation(self, now: Moment) -> NDArray[np.float32]:
        """Return the observations of the robots, (K, N, columns)."""
        where = self._name('observation')
        seen = as_array(where, self._ask('observation', now))
        if seen.ndim != 3 or seen.shape[:2] != self._shape:
            raise bad_value(where, f'shape {seen.shape}',
                            f'shape ({self._shape[0]}, {self._shape[1]}, columns)')
        if seen.dtype.kind not in _NUMBERS:
            raise bad_value(where, f'{seen.dtype}', 'numbers')
        return seen.astype(np.float32)

    def state(self, now: Moment) -> NDArray[np.float32]:
        """Return the state of whole worlds for critics, (K, columns)."""
        where = self._name('state')
        given = as_array(where, self._ask('state', now))
        if (given.ndim != 2 or len(given) != self._shape[0]
                or given.dtype.kind not in _NUMBERS):
            raise bad_value(where, f'{given.dtype} of shape {given.shape}',
                            f'numbers of shape ({self._shape[0]}, columns)')
        return given.astype(np.float32)

    def mask(self, now: Moment, moves: int) -> Flags | None:
        """Return which moves robots may choose, (K, N, moves); None: all."""
        given = self._ask('mask', now)
        if given is None:
            return None
        where, shape = self._name('mask'), (*self._shape, moves)
        mask = as_array(where, given)
        if mask.shape != shape or mask.dtype != np.bool_:
            raise bad_value(where, f'{mask.dtype} of shape {mask.shape}',
                            f'truth values of shape {shape}')
        if not mask.any(axis=2).all():
            k, i = np.argwhere(~mask.any(axis=2))[0].tolist()
            raise bad_value(where, f'no move of robot {i} in world {k}', 'at least one')
        return mask

    def of_robots(self, method: str, active: Flags, *moments: Moment) -> NDArray[Any]:
        """Return ``reward`` or ``ended`` of each robot, (K, N); finite where it is active."""
        where = self._name(method)
        answer = as_array(where, self._ask(method, *moments))
        if answer.shape != self._shape:
            raise bad_value(where, f'shape {answer.shape}', f'shape {self._shape}: '
                            'a value for each robot of each world')
        if answer.dtype != np.bool_ and (answer.dtype.kind not in _NUMBERS or not (
                np.isfinite(answer).all() or np.isfinite(answer[active]).all())):
            raise bad_value(where, answer.tolist(), 'finite numbers')
        return answer

    def _name(self, method: str) -> str:
        return f'{type(self._task).__name__}.{method}()'

    def _ask(self, method: str, *arguments: Any) -> Any:  # noqa: ANN401
        return call_user_code(lambda: getattr(self._task, method)(*arguments),
                              lambda: self._name(method))


def _array_of(what: str, values: ArrayLike, shapes: Sequence[tuple[int, ...]]) -> Floats:
    """Return what a task gave as an array of one of the shapes."""
    where = f'{what} of the task'
    array = as_array(where, values)
    if array.dtype.kind not in _NUMBERS:
        raise bad_value(where, values, 'numbers')
    if array.shape not in shapes:
        raise bad_value(where, f'shape {array.shape}',
                        ' or '.join(f'shape {shape}' for shape in shapes))
    return array.astype(np.float64)
