"""Counts of commands that answer a tick in lockstep, without ROS (docs/lockstep.md).

A `cmd_vel` carries no stamp, so answers are counted: the n-th Twist of a robot answers the n-th
stamp that was sent to it. A robot that stays silent is asked again, and may then answer twice; the
tick is over when as many answers as questions are in, or when no answer has come for a
while. What is still owed then may come in a later tick (of a process that was stopped, say). It is
a stored Twist sent again, so its bytes are those of the last answer: such a one is not taken for
the new answer, but the robot is asked again, and what comes then is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sbot_common.errors import InputError


class AnswerCounter:
    """Counts the answers of each tick.

    Parameters
    ----------
    awaited : (N,) which robots have a controller that must answer
    lost_after : s without a further answer after which a question that was repeated counts as
        lost; longer than a loaded machine mostly stalls
    late_after : the same (s) in a tick in which an answer was taken for a late one; longer than
        any node may stall, because an answer that came later still would be taken for that of the
        next tick, or for one that nobody asked for

    """

    def __init__(self, awaited: Sequence[bool], lost_after: float = 2.0,
                 late_after: float = 10.0) -> None:
        self._awaited = [i for i, wanted in enumerate(awaited) if wanted]
        self._lost_after, self._late_after = lost_after, max(lost_after, late_after)
        self._outstanding: dict[int, int] = {}  # answers to come, of each robot
        self._silent: list[int] = []  # robots without any answer
        self._last_answer = 0.0
        self._owed: dict[int, int] = {}  # answers to earlier ticks that may still come
        self._late: dict[int, int] = {}  # answers of this tick that were taken for those
        self._last: dict[int, bytes] = {}  # the newest answer that was used

    def begin(self) -> None:
        """Start a tick: every robot has been asked once."""
        self._outstanding = dict.fromkeys(self._awaited, 1)
        self._silent = self._awaited.copy()

    def answer(self, robot: int, now: float, raw: bytes = b'') -> bool:
        """Note an answer at ``now`` (s); return whether it is the robot's first in this tick.

        Parameters
        ----------
        robot : whose answer it is
        now : s
        raw : its message

        Raises
        ------
        InputError
            for an answer without a question.

        """
        if self._owed.get(robot) and raw == self._last.get(robot):
            self._owed[robot] -= 1
            self._late[robot] = self._late.get(robot, 0) + 1
            self._last_answer = now
            return False
        if not self._outstanding.get(robot):
            raise InputError(f'robot {robot}: got an unexpected command, expected one answer to '
                             'each stamp, from one publisher of its cmd_vel, within '
                             f'{self._late_after:g} s')
        self._outstanding[robot] -= 1
        self._last_answer = now
        first = robot in self._silent
        if first:
            self._silent.remove(robot)
            self._last[robot] = raw
            self._owed.pop(robot, None)  # answers come in order
        return first

    def silent(self) -> list[int]:
        """Return the robots that have not answered."""
        return self._silent.copy()

    def ask_again(self, robot: int) -> None:
        """Note that a robot has been asked once more."""
        self._outstanding[robot] += 1

    def complete(self, now: float) -> bool:
        """Tell whether the tick can end at ``now`` (s)."""
        quiet = now - self._last_answer
        return not self._silent and all(
            not count or quiet > (self._late_after if self._late.get(robot) else self._lost_after)
            for robot, count in self._outstanding.items())

    def end(self) -> None:
        """End a tick: from now on every answer is an error, but those that are still owed."""
        for robot, count in self._outstanding.items():
            # One that was taken for late may have been this tick's: then one less is to come.
            owed = count + self._owed.get(robot, 0) - self._late.get(robot, 0)
            self._owed[robot] = max(0, owed)
        self._outstanding.clear()
        self._late.clear()
