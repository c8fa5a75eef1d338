"""Counts of commands that answer a tick in lockstep, without ROS (docs/lockstep.md).

A `cmd_vel` carries no stamp, so answers are counted: the n-th Twist of a robot answers the n-th
stamp that was sent to it. A robot that stays silent is asked again, and may then answer twice; the
tick is over when as many answers as questions are in, or when no answer has come for a
while.
"""

from __future__ import annotations

from collections.abc import Sequence

from sbot_common.errors import InputError

Command = tuple[float, float]


class Ledger:
    """Counts the answers of each tick.

    Parameters
    ----------
    awaited : (N,) which robots have a controller that must answer
    settle : s without a further answer after which a question that was repeated counts as lost;
        longer than a loaded machine stalls, because an answer that comes later still would be
        taken for that of the next tick

    """

    def __init__(self, awaited: Sequence[bool], settle: float = 2.0) -> None:
        self._awaited = [i for i, wanted in enumerate(awaited) if wanted]
        self._settle = settle
        self._outstanding: dict[int, int] = {}  # answers to come, of each robot
        self._silent: list[int] = []  # robots without any answer
        self._last_answer = 0.0

    def begin(self) -> None:
        """Start a tick: every robot has been asked once."""
        self._outstanding = dict.fromkeys(self._awaited, 1)
        self._silent = self._awaited.copy()

    def answer(self, robot: int, now: float) -> bool:
        """Note an answer at ``now`` (s); return whether it is the robot's first in this tick.

        Raises
        ------
        InputError
            for an answer without a question.

        """
        if not self._outstanding.get(robot):
            raise InputError(f'robot {robot}: a command that no stamp asked for; expected exactly '
                             'one publisher of its cmd_vel, which answers each stamp once')
        self._outstanding[robot] -= 1
        self._last_answer = now
        first = robot in self._silent
        if first:
            self._silent.remove(robot)
        return first

    def silent(self) -> list[int]:
        """Return the robots that have not answered."""
        return self._silent.copy()

    def ask_again(self, robot: int) -> None:
        """Note that a robot has been asked once more."""
        self._outstanding[robot] += 1

    def complete(self, now: float) -> bool:
        """Tell whether the tick can end at ``now`` (s)."""
        return not self._silent and (not any(self._outstanding.values())
                                     or now - self._last_answer > self._settle)

    def end(self) -> None:
        """End a tick: from now on every answer is an error."""
        self._outstanding.clear()
