# SPDX-License-Identifier: Apache-2.0
"""Lockstep: a tick ends when all commands have arrived; and free-running, by the wall clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError
from sbot_sim.ros.external import Turns
from sbot_sim.ros.run_control import Actions, Options, Peers, Phase, RunControl

_RETRY_AFTER = 0.5  # s of wall time
# The same in runs with external robots: what is sent again to others reaches their nodes, too.
_RETRY_LATE = 5.0
_GOAL_TIMEOUT = 1.0  # s of wall time to wait for topics that controllers need not have


# Counts of commands that answer a tick in lockstep, without ROS (docs/lockstep.md).
#
# A `cmd_vel` carries no stamp, so answers are counted: the n-th Twist of a robot answers the n-th
# stamp that was sent to it. A robot that stays silent is asked again, and may then answer twice;
# the tick is over when as many answers as questions are in, or when no answer has come for a
# while. What is still owed then may come in a later tick (of a process that was stopped, say). It
# is a stored Twist sent again, so its bytes are those of the last answer: such a one is not taken
# for the new answer, but the robot is asked again, and what comes then is one.

class _AnswerCounter:
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


class Lockstep(RunControl):
    """Times ticks by their answers, and no faster than the target real-time factor.

    A node that does not answer is asked again; after the time-out InputError ends the run.
    """

    def __init__(self, options: Options, actions: Actions, clock: Callable[[], float],
                 peers: Peers) -> None:
        super().__init__(options, actions, clock, peers)
        self._answers = _AnswerCounter(options.awaited)
        self._turns = Turns(options.external)
        self._has_outside = bool(options.external or options.record_topics)
        self._retry_after = _RETRY_LATE if self._has_outside else _RETRY_AFTER
        self._course: Iterator[None] = iter(())  # what is left of the tick
        self._clock_sent = False
        self._empty = list(options.record_topics)  # of them, those without a message
        self._unexpected = False  # it was said that a node sends commands at any time
        self._awaited_wind = set[str]()  # parts of the tick's wind that are not in
        self._felt = False  # the tick's wind has been handed on
        self._asked = self._waiting_since = self._due = 0.0

    @property
    def _stamp_ns(self) -> int:
        return self._options.rate.stamp_ns(self._actions.tick())

    def accept_command(self, robot: int, raw: bytes = b'') -> bool:
        """Count an answer; repeated and late ones are not used."""
        try:
            return self._count(robot, raw)
        except InputError as error:
            raise InputError(self._peers.rivals(robot) or str(error)) from None

    def _count(self, robot: int, raw: bytes) -> bool:
        if robot in self._turns.external:
            if self.phase is Phase.CONNECTING:
                return False  # a node that stands still at its start
            if self._turns.external[robot].optional:
                self._warn_of_unasked(f'{self._name_of(robot)} sent a command')
            self._turns.answer(robot)
            return True
        return not self._options.awaited[robot] or self._answers.answer(robot, self._awake(), raw)

    def accept_message(self, name: str, latched: bool) -> bool:
        """Note a message on a topic that is recorded; return whether to record it."""
        if self.phase is not Phase.CONNECTING:
            self._warn_of_unasked(f'the node of {name} sent a message')
        accepted = super().accept_message(name, latched)
        if accepted and name in self._empty:
            self._empty.remove(name)
        return accepted

    def _warn_of_unasked(self, what: str) -> None:
        if not self._unexpected and not self._actions.unheard():
            self._unexpected = True
            self._actions.wait(
                f'{what} while it had nothing to handle, so this run cannot be repeated: the node '
                'has threads, or a timer on the wall clock (docs/lockstep.md)')

    def accept_wind(self, part: str, stamp_ns: int) -> bool:
        """Note wind of the current tick."""
        wanted = part in self._options.wind_parts and stamp_ns == self._stamp_ns
        if wanted:
            self._awaited_wind.discard(part)
        return wanted

    def proceed(self) -> None:
        """End the tick if all answers are in; begin the next if it is due."""
        if self.phase is Phase.WAITING:
            self._continue()
        if self.phase is not Phase.BETWEEN:
            return
        now, period = self._clock(), self.period
        if period > 0 and now < self._due - 0.25 * period:
            return
        if self._may_go_on():
            self._due = max(self._due + period, now - period)
            self._ask()

    def watch(self) -> None:
        """Start when all nodes are connected, ask silent ones again, time out."""
        now = self._awake()  # in any phase: what it is not asked for does not count
        if self.phase is Phase.CONNECTING:
            self._start_if_connected()
        elif self.phase is Phase.WAITING:
            for gone in self._peers.left() if self._has_outside else ():
                raise InputError(f'{gone} (at tick {self._actions.tick()})')
            self.proceed()
        if self.phase is Phase.WAITING and now - self._asked >= self._retry_after:
            self._ask_again()

    def pause(self, on: bool) -> None:
        """Pause between two ticks, or resume; the time-out counts from the end of a pause."""
        if not on:
            self._asked = self._waiting_since = self._awake()
        super().pause(on)

    def _start_if_connected(self) -> None:
        connected = not self._waits_for(self._peers.missing())
        waited = self._awake.lasts('connected', connected)
        # Controllers announce goals, users' own need not; a first goal must not come late.
        if connected and (self._peers.goals_announced() or waited >= _GOAL_TIMEOUT):
            self._due = self._clock()
            self._start()
            self.proceed()

    def _ask(self) -> None:
        """Publish a tick and wait for the answers."""
        self._answers.begin()
        self._turns.begin(self._stamp_ns)
        self._awaited_wind.update(self._options.wind_parts)
        self._felt = self._clock_sent = False
        self.phase = Phase.WAITING
        self._asked = self._waiting_since = self._awake()
        self._course = self._steps()
        self._continue()

    def _continue(self) -> None:
        """Take the steps of the tick that can be taken; after the last one end it."""
        if next(self._course, self) is self:
            self._answers.end()
            for robot in self._turns.overdue():
                self._actions.stop(robot)
            self._finish()
            if self.is_over and (silent := self._turns.speechless()):
                self._actions.wait(f'{", ".join(map(self._name_of, silent))}: sent no command')
            if self.is_over and self._empty:
                self._actions.wait(f'{", ".join(self._empty)}: no message in this run')

    def _steps(self) -> Iterator[None]:
        """Do a tick, step by step; yield while something has to come first."""
        timed, others = self._turns.timed, self._turns.others
        if timed:  # their timers fire on /clock, so it comes when they know the rest
            yield from self._sent(self._actions.publish_snapshot())
        self._turns.open(timed)
        self._actions.publish_clock()
        self._clock_sent = True
        if self._has_outside:
            self._actions.ask_for_time()
            yield from self._have_answered(timed)
        if not timed:
            yield from self._sent(self._actions.publish_snapshot())
        while self._awaited_wind:
            yield
        self._felt = True
        yield from self._sent(self._actions.publish_wind())
        self._turns.open(others)
        yield from self._sent(self._actions.publish_triggers())
        yield from self._have_answered(others)
        while not self._answers.complete(self._awake()):
            yield

    def _sent(self, turns: Iterable[Sequence[int]]) -> Iterator[None]:
        """Send messages in turns: wait until external nodes have handled one before the next."""
        for teams in turns:
            self._actions.ask(teams)
            yield from self._have_answered(())

    def _have_answered(self, robots: Sequence[int]) -> Iterator[None]:
        """Wait until the nodes that were asked have answered, and for the commands of robots."""
        while self._actions.unheard() or self._turns.missing(robots):
            yield

    def _name_of(self, robot: int) -> str:
        node = self._actions.node_of(robot)
        return f'robot {robot} ({node})' if node else f'robot {robot}'

    def _ask_again(self) -> None:
        """Repeat the tick to silent nodes; raise InputError after the time-out."""
        now = self._awake()
        silent = self._answers.silent()
        asked = list(self._actions.unheard())
        names = asked or [self._name_of(i) for i in sorted({*silent, *self._turns.silent()})]
        names += ['wind_model'] if self._awaited_wind else []
        timeout = self._options.lockstep_timeout
        if names and not self.paused and now - self._waiting_since > timeout:
            raise InputError(f'{", ".join(names)} silent for {timeout:g} s (lockstep_timeout; '
                             'longer: --set lockstep_timeout=600) at tick '
                             f'{self._actions.tick()}'
                             + ''.join(  # of an external node that could act and did not
                                 f': {self._turns.external[robot].silence_in_words()}'
                                 for robot in self._turns.silent()[:1] if not asked))
        self._asked = now
        if not self._felt:
            if self._clock_sent:
                self._actions.publish_clock()
            return  # controllers may be waiting for the wind, too
        for robot in silent:
            self._answers.ask_again(robot)
            self._actions.publish_inputs(robot)


# Free-running mode: a tick at each period of the wall clock, with the newest inputs.

class FreeRunning(RunControl):
    """Times ticks by the wall clock; does not wait, stops robots with old commands."""

    def __init__(self, options: Options, actions: Actions, clock: Callable[[], float],
                 peers: Peers) -> None:
        super().__init__(options, actions, clock, peers)
        self._heard: list[int | None] = [None] * len(options.awaited)  # tick of the last command

    def accept_command(self, robot: int, raw: bytes = b'') -> bool:
        """Note the tick before which a command came."""
        self._heard[robot] = self._actions.tick()
        return True

    def accept_wind(self, part: str, stamp_ns: int) -> bool:
        """Accept any wind."""
        return True

    def proceed(self) -> None:
        """Do nothing: only the timer begins ticks."""

    def watch(self) -> None:
        """Start at once, unless another run publishes the same topics."""
        if self.phase is Phase.CONNECTING and not self._waits_for(self._peers.others()):
            self._start()

    def on_timer(self) -> None:
        """Do a tick."""
        if self.phase is not Phase.BETWEEN or not self._may_go_on():
            return
        self._stop_silent()
        for publish in (self._actions.publish_snapshot, self._actions.publish_wind):
            list(publish())  # all turns at once: nobody is waited for
        # Last, as it makes the controllers' timers due: then they find the inputs of this tick.
        self._actions.publish_clock()
        self._finish()

    def _stop_silent(self) -> None:
        """Stop the robots whose last command is too old, in simulated time."""
        # Not by the wall clock: a machine that cannot keep up gives nodes fewer ticks, too.
        timeout_ns = self._options.cmd_vel_timeout * NANOSECONDS
        tick, stamp_ns = self._actions.tick(), self._options.rate.stamp_ns
        for robot, heard in enumerate(self._heard):
            if heard is not None and heard > tick:  # time began anew
                self._heard[robot] = heard = tick
            if timeout_ns > 0 and (heard is None
                                   or stamp_ns(tick) - stamp_ns(heard) > timeout_ns):
                self._actions.stop(robot)
