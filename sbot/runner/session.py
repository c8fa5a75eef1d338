# SPDX-License-Identifier: Apache-2.0
"""A run that is taken tick by tick: its controllers, and what is between two of their turns."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sbot.controllers.registry import load_function
from sbot.runner.controllers import ControllerSet, Decisions
from sbot.runner.history import History, Run
from sbot.runner.summary import Tally
from sbot.scenario import assemble
from sbot.scenario.knowledge import as_known, bare
from sbot.scenario.model import Scenario
from sbot.scenario.warnings import warn_of_reach
from sbot_common.arguments import whole
from sbot_common.compiled.threads import in_background, threads_of
from sbot_common.errors import InputError, bad_value, one_line
from sbot_common.observation import ControlledRobot, Controller, Observation
from sbot_common.user_code import call_user_code
from sbot_sim.engine.simulation import Engine, SavedWorld, Snapshot
from wind_model.gust import Wind

LOG = logging.getLogger(__name__)


_MOST_TICKS = 10**9  # of one ``step``


class _Saved(NamedTuple):
    """A moment of a session, for ``Session.restore``."""

    world: SavedWorld
    controllers: ControllerSet
    tally: Mapping[str, Any]


def _stopping_condition(scenario: Scenario, tally: Tally) -> (
        Callable[[Snapshot], bool] | None):
    """Return a function that tells, once a tick is in the tally, whether the run ends.

    Parameters
    ----------
    scenario : its ``until`` may be a function ``module:function``, called with each tick's
        Snapshot; the run ends when it is true
    tally : of the run

    """
    until = scenario.until
    if until is None:
        return None
    if until == 'goal_reached':
        return lambda _: tally.all_arrived
    if until == 'collision':
        return lambda snapshot: bool(snapshot.collided.any())
    function = load_function(until, scenario.python_path, 'until')
    def ends(snapshot: Snapshot) -> bool:
        where = f'until: {until} at tick {snapshot.tick}'
        answer = call_user_code(partial(function, snapshot), lambda: where)
        try:
            return bool(answer)
        except (TypeError, ValueError):  # e.g. of an array
            raise bad_value(where, answer, 'True or False') from None
    return ends


class Session:
    """A run, tick by tick, with its controllers: to look inside, go back, and go on.

    Its ``run`` gives what ``sbot.run`` gives, to the bit, however the ticks were taken. At a tick
    the robots have moved and sensed, and their controllers have their turn next.

    Parameters
    ----------
    scenario : complete
    threads, keep, sense, overlaps, hashed : as ``sbot.run`` takes them
    announcing, batched : as ``ControllerSet`` takes them

    """

    def __init__(self, scenario: Scenario, *, threads: int | str = 1, keep: bool = True,
                 sense: Collection[str] = (), overlaps: bool = True, hashed: bool = True,
                 announcing: bool = False, batched: bool = False) -> None:
        threads = threads_of(threads)
        self.scenario = scenario
        self.parameters = assemble.simulation_parameters(scenario, threads)
        self.ended = False
        self._source = assemble.wind_source(scenario)
        warn_of_reach(scenario, self._source.field)
        self._engine = Engine(self.parameters, assemble.initial_poses(scenario), scenario.seed)
        self._controllers = ControllerSet(scenario, self.parameters.sensors.lasers, threads,
                                          announcing=announcing, batched=batched)
        self._tally = Tally(scenario, self.parameters, overlaps=overlaps, hashed=hashed)
        self._ticks = scenario.rate.ticks(scenario.duration)
        self._history = History(scenario, self._ticks if keep else -1, sense)
        self._stop, self._stopped = _stopping_condition(scenario, self._tally), False
        self._threads = threads
        self._started = time.perf_counter()

    def __repr__(self) -> str:
        return (f'<Session {self.scenario.name}, seed {self.scenario.seed}: tick {self.tick} of '
                f'{self._ticks}, {self.seconds:g} s{", ended" * self.ended}>')

    @property
    def tick(self) -> int:
        """How many ticks have passed."""
        return self._engine.tick

    @property
    def seconds(self) -> float:
        """Simulated time (s)."""
        return self.tick * self.scenario.rate.dt

    @property
    def snapshot(self) -> Snapshot:
        """What the robots are and sense at this tick: ``pose`` (N, 3), ``ranges`` and the rest."""
        if not self._engine.has_wind:
            self._engine.sense_wind(self._source.at(self._stamp))
        return self._engine.snapshot

    def controller(self, robot: int) -> Controller:
        """Return the object that drives a robot; after ``restore`` it is another object.

        Raises
        ------
        InputError
            if the robot has no controller.

        """
        return bare(self._robot(robot).controller)

    def observation(self, robot: int) -> Observation:
        """Return what the robot's controller is given in its next turn.

        Raises
        ------
        InputError
            if the robot has no controller.

        """
        own = self._robot(robot)
        return as_known(own.controller, own.observe(
            self._stamp, self.snapshot.pose, self._controllers.sensed(robot, self.snapshot)))

    def step(self, n: int = 1) -> None:
        """Let all controllers take their turns, and the world go on, n ticks or to the end.

        Raises
        ------
        InputError
            if the run has ended, or for n < 1: ``save`` and ``restore`` go back.
        UserCodeError
            if a user's controller, hook or condition raises.

        """
        if self.ended:
            raise InputError(f'the run has ended at tick {self.tick}; restore() goes back')
        for _ in range(whole('n', n, 1, _MOST_TICKS)):
            if not self.ended:
                self.turn()

    def run(self) -> Run:
        """Go on to the end; return the run from its beginning, as ``sbot.run`` does."""
        while not self.ended:
            self.turn()
        return self.result()

    def save(self) -> _Saved:
        """Return this moment; with deep copies of its controllers.

        Raises
        ------
        InputError
            for a controller that cannot be copied.

        """
        return _Saved(self._engine.save(), self._copied(self._controllers), self._tally.saved())

    def restore(self, saved: _Saved) -> None:
        """Go back, or forward, to a moment of this session; it can be restored again.

        Raises
        ------
        InputError
            for what ``save`` has not returned.

        """
        if not isinstance(saved, _Saved):
            raise bad_value('saved', saved, 'what save() of this session has returned')
        self._controllers = self._copied(saved.controllers)
        self._engine.restore(saved.world)
        self._tally.restore(saved.tally)
        self.ended = self._stopped = False

    def turn(self, attend: Callable[[int, Wind, Snapshot, Decisions], None] | None = None) -> None:
        """Take the turn of this tick, and go on to the next one unless it is the last.

        ``attend`` may change the decisions before they are executed.
        """
        engine, stamp_ns = self._engine, self._stamp
        engine.sense_wind(wind := self._source.at(stamp_ns))
        snapshot = engine.snapshot
        tallied = in_background(self._threads, len(self.scenario.robots), self._tally.add,
                                snapshot)
        decided = self._controllers.decide(snapshot, stamp_ns)
        if attend is not None:
            attend(stamp_ns, wind, snapshot, decided)
        self._history.add(snapshot, decided.commands)
        if self._stop is not None:
            tallied()
            self._stopped = self._stop(snapshot)
        self.ended = self._stopped or engine.tick == self._ticks
        if not self.ended:
            engine.advance(decided.commands, wind, decided.rab_data)
        if self._stop is None:
            tallied()

    def result(self) -> Run:
        """Return the run so far: its turns, without what follows the last of them."""
        counts = self._controllers.invalid_turns()
        turns, worst = self._tally.ticks + 1, int(counts.argmax())
        if counts[worst]:  # docs/errata.md P2
            LOG.warning('the force on %d robots was not a number in some turns, and they stood '
                        'still in these; robot %d has the most such turns: %d of %d',
                        np.count_nonzero(counts), worst, counts[worst], turns)
        return self._history.run(self._tally.summary(
            time.perf_counter() - self._started, self._stopped, counts,
            self._controllers.reasons()))

    @property
    def _stamp(self) -> int:
        return self.scenario.rate.stamp_ns(self.tick)

    def _robot(self, robot: int) -> ControlledRobot:
        found = self._controllers.robots.get(robot)
        if found is None:
            raise bad_value('robot', robot, 'a robot with a controller: '
                            f'{", ".join(map(str, self._controllers.robots)) or "there is none"}')
        return found

    def _copied(self, controllers: ControllerSet) -> ControllerSet:
        try:
            return deepcopy(controllers, {id(self.scenario): self.scenario})
        except Exception as error:  # whatever a user's object raises
            raise InputError(f'a controller cannot be copied: {one_line(str(error))}') from error
