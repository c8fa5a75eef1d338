# SPDX-License-Identifier: Apache-2.0
"""External robots in lockstep, without ROS: when commands are due, and which have arrived.

An external robot is driven by somebody's own node, which knows nothing of lockstep
(docs/lockstep.md has the protocol and why it gives the same bits).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from sbot_common.errors import InputError
from sbot_common.topics import BASE_SCAN, SCAN, Topic

HAS_LEFT = 'has left: no node publishes'  # of an external robot, or a topic that is recorded

# What a robot needs whose node does not act on its trigger.
CURES = 'without the parameter trigger it may act on any topic, or on none'


class External(NamedTuple):
    """How the node of one external robot gives its commands.

    As it likes, unless there is a trigger or a period: then one command a turn is waited for.
    """

    trigger: str = ''  # the node gives one command after each message of this topic
    period_ns: int = 0  # the node gives one command a period of simulated time, by a timer
    timeout_ns: int = 0  # its commands hold for so long, and none is waited for; 0: for ever

    def acts_on(self, robot: int, num_robots: int, published: Container[str]) -> list[str]:
        """Return the published topics on which a robot's node acts: they are sent last.

        Those are none where it has a timer, and two with ``publish_scan``.
        """
        name = self.trigger or BASE_SCAN.name
        own = (name, SCAN.name) if name == BASE_SCAN.name else (name,)
        names = [Topic(each, '').resolve(robot, num_robots) for each in own]
        return [] if self.timed else [each for each in names if each in published]

    @property
    def timed(self) -> bool:
        """Whether the node acts on /clock."""
        return self.period_ns > 0

    @property
    def optional(self) -> bool:
        """Whether it may give no command in a tick, or several."""
        return self.timeout_ns > 0 or not (self.trigger or self.timed)

    def too_old(self, age_ns: int) -> bool:
        """Tell whether a command of this age holds no longer."""
        return 0 < self.timeout_ns <= age_ns

    def in_words(self) -> str:
        """Return how many commands are expected, and when."""
        if self.timed:
            return (f'one every {self.period_ns / 1e9:g} s of simulated time, counted from 0 '
                    '(command_period)')
        return f'one after each {self.trigger}'

    def silence_in_words(self) -> str:
        """Return what a missing command may mean."""
        if self.timed:
            return (f'its timer sent no command; command_period is {self.period_ns / 1e9:g} s: '
                    'does the node have such a timer, and use_sim_time: true?')
        return (f'it sent no command after {self.trigger}; {CURES}')


def in_turns(messages: Iterable[Any],
             hearers: Mapping[str, Iterable[int]]) -> list[tuple[list[Any], list[int]]]:
    """Return messages in turns, so that nobody gets two in one turn, and all get them in order.

    Parameters
    ----------
    messages : to send; each has the ``name`` of its topic
    hearers : by a topic's name, the teams of nodes that subscribe to it

    Returns
    -------
    list
        of each turn the messages, and the teams that get one

    """
    turns: list[tuple[list[Any], set[int]]] = []
    place: dict[int, int] = {}  # the turn that is next, by team
    for message in messages:
        teams = hearers.get(message.name, ())
        turn = max((place.get(team, 0) for team in teams), default=0)
        place.update(dict.fromkeys(teams, turn + 1))
        turns += [([], set())] * (turn == len(turns))
        turns[turn][0].append(message)
        turns[turn][1].update(teams)
    return [(sent, sorted(teams)) for sent, teams in turns]


class Turns:
    """Turns of external robots: whose command is due, has arrived, or is too old.

    Timers of ROS on simulated time are due at the first stamp at or after each multiple of their
    period. When time goes back, one that has fired counts its period from there.

    Parameters
    ----------
    external : by robot

    """

    def __init__(self, external: Mapping[int, External]) -> None:
        self.external = dict(external)
        self.timed = [i for i, each in external.items() if each.timed]
        self.others = [i for i, each in external.items() if not each.timed]
        self._due: set[int] = set()  # robots whose command of this tick is not in
        self._open: set[int] = set()  # of them, those that have what they act on
        self._anchors = dict.fromkeys(external, 0)  # ns
        self._fired: set[int] = set()
        self._last_ns = 0
        self._heard: dict[int, int] = {}  # stamps of the newest commands, ns
        self._stamp_ns = 0

    def begin(self, stamp_ns: int) -> None:
        """Start a tick; one that is not later than the last one is the first after a reset."""
        if stamp_ns <= self._last_ns:
            self._anchors.update(dict.fromkeys(self._fired, stamp_ns))
            self._fired.clear()
            self._heard.clear()
            self._last_ns = 0
        self._stamp_ns = stamp_ns
        self._due = {i for i, each in self.external.items()
                     if not each.optional and (not each.timed or self._fires(i, stamp_ns))}
        self._fired |= {i for i in self.timed if self._fires(i, stamp_ns)}
        self._open.clear()
        self._last_ns = stamp_ns

    def _fires(self, robot: int, stamp_ns: int) -> bool:
        period, anchor = self.external[robot].period_ns, self._anchors[robot]
        return (stamp_ns - anchor) // period > max(0, self._last_ns - anchor) // period

    def open(self, robots: Iterable[int]) -> None:
        """Note that these robots have been sent their triggers."""
        self._open |= self._due & set(robots)

    def answer(self, robot: int) -> None:
        """Note a command.

        Raises
        ------
        InputError
            if a command for each turn is expected, and this is one more.

        """
        each = self.external[robot]
        self._heard[robot] = self._stamp_ns
        if each.optional:
            return
        if robot not in self._open:
            raise InputError(
                f'robot {robot}: got an unexpected command, expected {each.in_words()}; to allow '
                'any number, leave out trigger and command_period; if the node has a timer, set '
                'use_sim_time: true')
        self._open.remove(robot)
        self._due.remove(robot)

    def silent(self) -> list[int]:
        """Return the robots whose command of this tick is due and not in."""
        return sorted(self._due)

    def speechless(self) -> list[int]:
        """Return the robots that have sent no command since the start, or the last reset."""
        return [i for i in self.external if i not in self._heard]

    def missing(self, robots: Iterable[int]) -> bool:
        """Tell whether one of these has still to answer."""
        return not self._due.isdisjoint(robots)

    def overdue(self) -> list[int]:
        """Return the robots whose newest command is older than their time-out."""
        return [i for i, each in self.external.items()
                if each.too_old(self._stamp_ns - self._heard.get(i, self._stamp_ns))]
