"""Comparison of policies, trained side by side in several processes."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.api.networks import save_policy
from sbot.learn.proof.report import Point, Row
from sbot.learn.proof.training import Trained, evolve, play, play_randomly, play_runs, ppo
from sbot.learn.tasks.entry import Entry
from sbot.learn.tasks.registry import entry_of
from sbot.runner.summary import now_and_then
from sbot_common.arrays import Floats
from sbot_common.signals import blocked, unblock


def baselines(entry: Entry, seeds: Sequence[int]) -> list[Row]:
    """Return the rows of random actions, and of the hand-written rule and ``navigate`` if any."""
    tracks = {'random': play_randomly(entry, seeds)}
    if entry.rule is not None:
        tracks['rule'] = play(entry, seeds, entry.rule_policy(), np.array(entry.rule.weights))
    if entry.navigate is not None:
        tracks['navigate'] = play_runs(entry, seeds, 'navigate', entry.navigate)
    return [row for policy, track in tracks.items()
            for row in _rows_of(entry, policy, 0, seeds, entry.measure(track))]


def _rows_of(entry: Entry, policy: str, training: int, seeds: Sequence[int],
            values: Floats) -> list[Row]:
    """Return a row for each seed."""
    return [Row(entry.name, policy, training, seed, float(value))
            for seed, value in zip(seeds, values, strict=True)]


class _Proved(NamedTuple):
    """Rows of one training: those of its comparison, and its learning curve."""

    rows: list[Row]
    curve: list[Point]
    stopped: bool = False  # by a KeyboardInterrupt; then it may have no rows of the comparison


class Plan(NamedTuple):
    """What all trainings of a task share."""

    name: str  # of the task
    learner: str
    seeds: Sequence[int]  # of the scenes of the comparison
    folder: Path  # of the policies
    options: dict[str, Any]  # of the learner
    quiet: bool = False  # no lines of progress


def _prove(plan: Plan, check: Callable[[], None], training: int) -> _Proved:
    """Train with a seed, save the policy, and compare it.

    Parameters
    ----------
    plan : what to train
    check : called first, and after each generation or rollout; a KeyboardInterrupt that it
        raises ends the training, as one of a signal does
    training : the seed

    """
    entry, began = entry_of(plan.name), time.process_time()
    show = now_and_then(shown=not plan.quiet)
    name = f'{plan.name} {plan.learner} {training}'
    step = 'generation' if plan.learner == 'evolved' else 'decision'

    def note(done: int, score: float) -> None:
        show(lambda: f"{name}: {step} {done} of {plan.options[f'{step}s']}, mean score "
             f'{score:.3g}, {time.process_time() - began:.0f} s of processor time')
        check()
    curve: list[Point] = []
    try:
        check()  # a process may have taken this training before the signal
        found: Trained = (evolve if plan.learner == 'evolved' else ppo)(
            entry, training, **plan.options, note=note)
        used = time.process_time() - began
        curve = [Point(plan.name, plan.learner, training, *map(float, row)) for row in found.curve]
        # A colon is no character of a file's name on every system.
        save_policy(plan.folder / f"{plan.name.replace(':', '_')}_{plan.learner}_{training}.json",
                    found.policy, found.weights, scenario=entry.make_scene().scenario(0))
        if found.stopped:
            return _Proved([], curve, stopped=True)
        values = entry.measure(play(entry, plan.seeds, found.policy, found.weights))
    except KeyboardInterrupt:
        return _Proved([], curve, stopped=True)
    unit = f' {entry.metric.unit}' if entry.metric.has_unit else ''
    print(f'{name}: {entry.metric.name} {values.mean():.3f}{unit} (mean), '
          f'{used:.0f} s of processor time', flush=True)
    return _Proved(_rows_of(entry, plan.learner, training, plan.seeds, values), curve)


# Trainings side by side in several processes, which one Ctrl-C ends with what they have.

_stops: list[Event] = []  # of a child: set where its trainings are to end


def prove_all(plan: Plan, trainings: Sequence[int], processes: int) -> Iterator[_Proved]:
    """Yield the result of each training; the rows do not depend on the number of processes.

    Raises
    ------
    KeyboardInterrupt
        after the results so far, if a signal came.

    """
    if processes > 1:
        yield from _in_children(plan, trainings, processes)
        return
    for training in trainings:
        proved = _prove(plan, lambda: None, training)
        yield proved
        if proved.stopped:
            raise KeyboardInterrupt


def _in_children(plan: Plan, trainings: Sequence[int], processes: int) -> Iterator[_Proved]:
    # On Linux forks of a process that has imported everything; elsewhere the system's libraries do
    # not survive a fork.
    context = get_context('forkserver' if sys.platform == 'linux' else 'spawn')
    context.set_forkserver_preload([__name__, 'cma'])
    stop = context.Event()
    with ProcessPoolExecutor(processes, context, _begin, (stop,)) as pool:
        with blocked():  # a child that a signal meets before _begin would print a traceback
            works = [pool.submit(partial(_prove, plan, _check), each) for each in trainings]
        try:
            try:
                wait(works, return_when='FIRST_EXCEPTION')
            except KeyboardInterrupt:
                stop.set()  # they return in a moment, with what they have
                for each in works:
                    each.cancel()
            for each in works:
                if not each.cancelled():
                    yield each.result()
            if stop.is_set():
                raise KeyboardInterrupt
        finally:  # an error, or a second signal
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _begin(stop: Event) -> None:
    """Ignore a terminal's Ctrl-C in a child, whose parent tells it to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stops[:] = [stop]
    unblock()


def _check() -> None:
    if _stops[0].is_set():
        raise KeyboardInterrupt
