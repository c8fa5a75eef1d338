# SPDX-License-Identifier: Apache-2.0
"""Run control: pause, step, reset and end of a run; time-outs of a clock that stands still, too.

A run control gets events (a command came, a timer fired) and calls ``Actions``. Lockstep and
free-running are its two kinds.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value, first_of
from sbot_common.topics import Outgoing, Topic
from sbot_common.wire.messages import PoseStamped
from sbot_sim.engine.simulation import Engine, Place
from sbot_sim.messages.broadcast import Broadcast
from sbot_sim.ros.external import External
from sbot_sim.sensors.range_and_bearing import DATA_BYTES
from wind_model.gust import Wind

# Clock of time-outs: wall time without the times in which the machine stood still.
#
# A machine that is suspended or overloaded, and a process that is stopped, lose seconds in which
# nobody could answer. A time-out that counted them would blame nodes that are well.

class AwakeClock:
    """Clock that advances by at most ``longest`` s between two calls; it is to be called often.

    Parameters
    ----------
    clock : returns wall time (s); never goes back
    longest : s; some times longer than the calls are apart

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic,
                 longest: float = 0.25) -> None:
        self._clock, self._longest = clock, longest
        self._time, self._seen = 0.0, clock()
        self._since: dict[str, float] = {}  # when what lasts began

    def __call__(self) -> float:
        """Return the time since it was made (s)."""
        now = self._clock()
        self._time += min(now - self._seen, self._longest)
        self._seen = now
        return self._time

    def lasts(self, what: str, holds: bool = True) -> float:
        """Return for how long something holds (s): since the first call in a row that says so."""
        if not holds:
            self._since.pop(what, None)
            return 0.0
        now = self()
        return now - self._since.setdefault(what, now)


# s of wall time to wait for the nodes of a run: they may have to compile first, and each node
# more takes some seconds to start on a machine with few processors.
_CONNECTION_TIMEOUT = 60.0
_CONNECTION_TIME_A_NODE = 5.0
_REPORT_PERIOD = 10.0  # s of wall time between lines about who is missing


class Options(NamedTuple):
    """How a run is timed; all of it from the scenario."""

    rate: Rate
    ticks: int  # 0: endless
    lockstep: bool
    lockstep_timeout: float  # s
    target_real_time_factor: float  # 0: lockstep as fast as possible, free-running 1
    cmd_vel_timeout: float  # s of simulated time, free-running only; 0: never
    awaited: Sequence[bool]  # (N,) which robots have a controller
    wind_parts: Sequence[str] = ('velocity', 'force')  # lockstep: what a tick waits for
    external: Mapping[int, External] = {}  # lockstep: robots driven by nodes of the user's
    record_topics: Sequence[str] = ()  # lockstep: topics of such nodes


class Phase(Enum):
    """Phase of a run."""

    CONNECTING = auto()  # before tick 0, until all nodes are connected
    BETWEEN = auto()  # between two ticks
    WAITING = auto()  # lockstep: for the answers to the current tick
    OVER = auto()


class Actions(NamedTuple):
    """Actions of the simulator, called by a run control."""

    tick: Callable[[], int]  # return the current tick
    start: Callable[[], None]  # all nodes are connected: tick 0 is next
    publish_clock: Callable[[], None]
    # Poses, and what robots sense; and when the wind is in, what they feel of it. Yields teams of
    # external robots' nodes that have to handle what was sent, before more is sent.
    publish_snapshot: Callable[[], Iterable[Sequence[int]]]
    publish_wind: Callable[[], Iterable[Sequence[int]]]
    publish_inputs: Callable[[int], None]  # once more what one robot's controller waits for
    stop: Callable[[int], None]  # set a robot's command to zero
    observe: Callable[[], None]  # show the finished tick to the run observer
    advance: Callable[[], None]  # move the world to the next tick
    reset: Callable[[], None]  # go back to tick 0
    end: Callable[[], None]  # the last tick has ended
    wait: Callable[[str], None]  # tell the user who is waited for
    # Of external robots: ask teams of nodes whether they have handled what was sent, all of them
    # whether they have handled the clock, name those that have not, send what they act on, and
    # name a robot's node.
    ask: Callable[[Sequence[int]], None] = lambda _: None
    ask_for_time: Callable[[], None] = lambda: None
    unheard: Callable[[], Sequence[str]] = lambda: ()
    publish_triggers: Callable[[], Iterable[Sequence[int]]] = lambda: ()
    node_of: Callable[[int], str] = lambda _: ''


class Peers(Protocol):
    """The nodes that take part in a run."""

    def others(self) -> list[str]:
        """Return in words which other runs are to end first."""

    def missing(self) -> list[str]:
        """Return the names of those that are not connected yet, and other runs."""

    def goals_announced(self) -> bool:
        """Tell whether every controller has a publisher of goals."""

    def left(self) -> list[str]:
        """Return in words what no external node publishes any more."""

    def rivals(self, robot: int) -> str:
        """Return in words which several nodes publish a robot's commands; '' if they do not."""


class RunControl(ABC):
    """Decides when a run's ticks begin and end.

    Parameters
    ----------
    options : see there
    actions : what is done at each step
    clock : returns wall time (s); never goes back
    peers : whom it waits for before it starts

    """

    def __init__(self, options: Options, actions: Actions, clock: Callable[[], float],
                 peers: Peers) -> None:
        self.phase = Phase.CONNECTING
        self._options = options
        self._actions = actions
        self._clock = clock  # of the pace
        self._awake = AwakeClock(clock)  # of time-outs
        self._peers = peers
        self._reported_at = 0.0
        self.paused = self._reset_wanted = False  # whether time waits between two ticks
        self._steps_wanted = 0

    def change(self, **options: float) -> None:
        """Change options that may change during a run, from the next tick on."""
        self._options = self._options._replace(**options)  # type: ignore[arg-type]

    @property
    def period(self) -> float:
        """How often ``on_timer`` is to be called (s of wall time); 0: never."""
        factor = self._options.target_real_time_factor or float(not self._options.lockstep)
        return self._options.rate.dt / factor if factor > 0 else 0.0

    def on_timer(self) -> None:
        """Begin the next tick, if it is due and the last one has ended."""
        self.proceed()

    @abstractmethod
    def watch(self) -> None:
        """Check connections and time-outs; to be called some times per second."""

    @abstractmethod
    def accept_command(self, robot: int, raw: bytes = b'') -> bool:
        """Note a robot's command, a message; return whether to use it. Call ``proceed`` next."""

    def accept_message(self, name: str, latched: bool) -> bool:
        """Note a message on a topic that is recorded; return whether to record it."""
        return latched or self.phase is not Phase.CONNECTING

    @abstractmethod
    def accept_wind(self, part: str, stamp_ns: int) -> bool:
        """Note wind ('velocity', 'force' or 'gust') of a stamp; return whether to use it."""

    @abstractmethod
    def proceed(self) -> None:
        """End and begin ticks, where they do not depend on a timer."""

    def pause(self, on: bool) -> None:
        """Pause between two ticks, or resume."""
        self.paused, self._steps_wanted = on, 0
        if not on:
            self.proceed()

    @property
    def is_over(self) -> bool:
        """Whether the last tick has ended."""
        return self.phase is Phase.OVER

    def step(self, count: int = 1) -> bool:
        """Go one tick on; False, and nothing happens, unless the run is paused."""
        if self.paused:
            self._steps_wanted += count
            self.proceed()
        return self.paused

    def reset(self) -> None:
        """Go back to tick 0 before the next tick."""
        self._reset_wanted = True
        self.proceed()

    def _may_go_on(self) -> bool:
        """Carry out a reset that is due; return whether a tick may begin, and count it."""
        if self._reset_wanted:
            self._reset_wanted = False
            self._actions.reset()
        if self.paused:
            if self._steps_wanted == 0:
                return False
            self._steps_wanted -= 1
        return True

    def _waits_for(self, missing: Sequence[str]) -> bool:
        """Tell whether anybody is missing; now and then say who.

        Raises
        ------
        InputError
            after too long.

        """
        waited = self._awake()
        if not missing:
            return False
        names = first_of(missing, 20)
        nodes = (sum(self._options.awaited) + len(self._options.external)
                 + len(self._options.record_topics) + 1)
        if waited > max(_CONNECTION_TIMEOUT + _CONNECTION_TIME_A_NODE * max(0, nodes - 8),
                        self._options.lockstep_timeout):
            raise InputError(f'waited {waited:.0f} s for {names}')
        if waited - self._reported_at >= _REPORT_PERIOD:
            self._reported_at = waited
            self._actions.wait(f'waiting for {names}')
        return True

    def _start(self) -> None:
        self.phase = Phase.BETWEEN
        self._actions.start()

    def _finish(self) -> None:
        """End a tick. The last one of a run is answered like all others, but not executed."""
        self._actions.observe()
        if self._options.ticks and self._actions.tick() >= self._options.ticks:
            self.phase = Phase.OVER
            self._actions.end()
        else:
            self.phase = Phase.BETWEEN
            self._actions.advance()


# Arguments of the simulator's node: engine, messages, timing and observer.

class _RunObserver(Protocol):
    """Observer of a run, which changes nothing: a recorder, a tally, a progress bar."""

    recording: bool  # whether it wants messages

    def tick(self, engine: Engine) -> None:
        """Observe a tick's snapshot and state."""

    def record(self, stamp_ns: int, messages: Iterable[Outgoing]) -> None:
        """Record messages of a stamp."""

    def alive(self) -> None:
        """Note that the node is there; called once per second, also while the run is paused."""

    def failed(self, reason: str) -> bool:
        """Note why the run fails; return whether it is told to the user: else it is logged."""

    def reset(self) -> None:
        """Begin again at tick 0."""

    def close(self) -> None:
        """Finish: the run is over."""


class Setup(NamedTuple):
    """A run: simulation, messages, timing and observer."""

    engine: Engine
    broadcast: Broadcast
    options: Options
    observer: _RunObserver
    bodies: Sequence[str] = ()  # (N,) names of the robots' bodies


class Inbox:
    """Commands, wind, range-and-bearing data and teleports since the last tick.

    ``teleports`` has the robots to put elsewhere, into the world or out of it.
    """

    def __init__(self, num_robots: int) -> None:
        self.commands: NDArray[np.float64] = np.zeros((num_robots, 3))  # vx, vy, omega
        self.messages: dict[int, bytes] = {}  # what `commands` were read from
        self.recorded: list[Outgoing] = []  # messages of users' nodes on topics that are recorded
        self.teleports: dict[int, Place] = {}
        self.wind = Wind.still()
        self.rab_data = np.zeros((num_robots, DATA_BYTES), np.uint8)

    def on_teleport(self, robot: int, topic: Topic, raw: bytes) -> None:
        """Store a teleport, from a message of `teleport` or `initialpose`.

        Raises
        ------
        InputError
            if its frame is another one than `map` (or none).

        """
        pose = PoseStamped.of_pose(raw, topic.type)
        if pose.frame_id.lstrip('/') not in ('', 'map'):
            raise bad_value('frame', pose.frame_id, 'map')
        self.teleports[robot] = pose.x, pose.y, pose.yaw

    def reset(self) -> None:
        """Clear everything but the wind's grid, which is sent once."""
        self.commands[:] = 0.0
        self.rab_data[:] = 0
        self.messages.clear()
        self.teleports.clear()
        self.wind = Wind.still()._replace(field=self.wind.field)
