"""Comparison of policies: trained ones, random actions, the rule and ``navigate``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.api.networks import save_policy
from sbot.learn.proof.evolve import Trained, evolve
from sbot.learn.proof.play import play, play_randomly, play_runs
from sbot.learn.proof.ppo import ppo
from sbot.learn.proof.rows import Point, Row
from sbot.learn.task import Floats
from sbot.learn.tasks.entry import Entry
from sbot.learn.tasks.registry import entry_of
from sbot.runner.progress import now_and_then


def baselines(entry: Entry, seeds: Sequence[int]) -> list[Row]:
    """Return the rows of random actions, and of the hand-written rule and ``navigate`` if any."""
    tracks = {'random': play_randomly(entry, seeds)}
    if entry.rule is not None:
        tracks['rule'] = play(entry, seeds, entry.rule_policy(), np.array(entry.rule.weights))
    if entry.navigate is not None:
        tracks['navigate'] = play_runs(entry, seeds, 'navigate', entry.navigate)
    return [row for policy, track in tracks.items()
            for row in rows_of(entry, policy, 0, seeds, entry.measure(track))]


def rows_of(entry: Entry, policy: str, training: int, seeds: Sequence[int],
            values: Floats) -> list[Row]:
    """Return a row for each seed."""
    return [Row(entry.name, policy, training, seed, float(value))
            for seed, value in zip(seeds, values, strict=True)]


class Proved(NamedTuple):
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


def prove(plan: Plan, check: Callable[[], None], training: int) -> Proved:
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
            return Proved([], curve, stopped=True)
        values = entry.measure(play(entry, plan.seeds, found.policy, found.weights))
    except KeyboardInterrupt:
        return Proved([], curve, stopped=True)
    unit = f' {entry.metric.unit}' if entry.metric.has_unit else ''
    print(f'{name}: {entry.metric.name} {values.mean():.3f}{unit} (mean), '
          f'{used:.0f} s of processor time', flush=True)
    return Proved(rows_of(entry, plan.learner, training, plan.seeds, values), curve)
