"""Comparison of policies: trained ones, random actions, the rule and ``navigate``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from sbot.api.networks import save_policy
from sbot.learn.proof.evolve import Trained, evolve
from sbot.learn.proof.play import play, play_randomly, play_runs
from sbot.learn.proof.ppo import ppo
from sbot.learn.proof.rows import Point, Row
from sbot.learn.task import Floats
from sbot.learn.tasks.entry import Entry
from sbot.learn.tasks.registry import entry_of


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


def prove(name: str, learner: str, seeds: Sequence[int], folder: Path, options: dict[str, Any],
          training: int) -> tuple[list[Row], list[Point]]:
    """Train with a seed, save the policy, and return rows of evaluation and of the curve."""
    entry, began = entry_of(name), time.process_time()
    found: Trained = (evolve if learner == 'evolved' else ppo)(entry, training, **options)
    used = time.process_time() - began
    # A colon is no character of a file's name on every system.
    save_policy(folder / f"{name.replace(':', '_')}_{learner}_{training}.json", found.policy,
                found.weights, scenario=entry.make_scene().scenario(0))
    values = entry.measure(play(entry, seeds, found.policy, found.weights))
    unit = f' {entry.metric.unit}' if entry.metric.has_unit else ''
    print(f'{name} {learner} {training}: {entry.metric.name} {values.mean():.3f}{unit} (mean), '
          f'{used:.0f} s of processor time', flush=True)
    return (rows_of(entry, learner, training, seeds, values),
            [Point(name, learner, training, *map(float, row)) for row in found.curve])


def prove_all(work: Callable[[int], tuple[list[Row], list[Point]]], trainings: Sequence[int],
              processes: int) -> list[tuple[list[Row], list[Point]]]:
    """Do the work of each training, side by side in so many processes; the same rows."""
    if processes == 1:
        return [work(training) for training in trainings]
    with ProcessPoolExecutor(processes, get_context('spawn')) as pool:
        return list(pool.map(work, trainings))
