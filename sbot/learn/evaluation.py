# SPDX-License-Identifier: Apache-2.0
"""A policy in scenes of a task that training never saw: metric, contacts, clean robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.api.worlds import Worlds
from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import Network
from sbot.learn.tasks.entry import Entry, Metric, Track
from sbot.worlds.policy import scenario_goals
from sbot.worlds.setting import senses_of
from sbot_common.arrays import Floats

_RESAMPLES = 2000
_PERCENTILES = (2.5, 97.5)


class Evaluation(NamedTuple):
    """What a policy reached in the scenes of S seeds; ``str()`` says it in a line."""

    task: str
    metric: Metric
    seeds: Sequence[int]
    value: Floats  # (S,) of the metric
    contact: Floats  # (S,) s, of a robot on its way, on average
    clean: Floats  # (S,) share of the robots that arrived, and touched nothing before

    def interval(self, of: str = 'value') -> tuple[float, float, float]:
        """Return the mean of a field over the scenes, and its 95 % interval.

        The interval has the percentiles of the means of 2000 draws of scenes (a bootstrap), the
        same in each call.
        """
        values: Floats = getattr(self, of)
        rows = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)))
        low, high = np.percentile(values[rows].mean(axis=1), _PERCENTILES)
        return float(values.mean()), float(low), float(high)

    def __str__(self) -> str:
        unit = f' {self.metric.unit}' if self.metric.has_unit else ''
        parts = [(self.metric.name, 'value', 1.0, unit), ('contact', 'contact', 1.0, ' s'),
                 ('clean', 'clean', 100.0, ' %')]
        texts = []
        for name, field, times, of_unit in parts:
            mean, low, high = (times * each for each in self.interval(field))
            texts.append(f'{name} {mean:.3g}{of_unit} ({low:.3g} to {high:.3g})')
        return f"{self.task}, {len(self.seeds)} scenes: {', '.join(texts)}"


def play(entry: Entry, seeds: Sequence[int], policy: Network | FunctionPolicy, weights: Floats,
         threads: int = 1) -> Track:
    """Return the episodes of seeds under a policy with weights (W,)."""
    scene = entry.make_scene()
    worlds = Worlds([scene.scenario(seed) for seed in seeds], seeds=list(seeds),
                    sense=senses_of(scene.inputs), threads=threads)
    begin = worlds.observe().boxes
    kept: Any = worlds.run(policy, weights, round(worlds.scenarios[0].duration / worlds.dt), keep=[
        'pose', 'command', 'collided', *['infrared'] * entry.infrared])
    end = worlds.observe().boxes
    return Track(kept.pose, kept.command, kept.collided, kept.infrared,
                 scenario_goals(worlds.scenarios),
                 None if begin is None or end is None else np.stack([begin, end]), worlds.dt)


def evaluated(entry: Entry, seeds: Sequence[int], policy: Network | FunctionPolicy,
              weights: Floats, threads: int) -> Evaluation:
    """Return what a policy with weights (W,) reaches; see ``sbot.learn.evaluate``."""
    track = play(entry, seeds, policy, weights, threads)
    return Evaluation(entry.name, entry.metric, seeds, entry.measure(track), *cleanness(
        entry, track))


def cleanness(entry: Entry, track: Track) -> tuple[Floats, Floats]:
    """Return the mean seconds of contact of a robot, and the share of clean robots, (K,) each.

    A clean robot touches nothing until it arrives, and arrives where the task says what that is.
    """
    contact = track.collided.copy()
    clean = np.ones(contact.shape[1:], np.bool_)
    if entry.arrived is not None:  # a contact in the tick of the arrival counts
        there = np.logical_or.accumulate(entry.arrived(track), axis=0)
        contact[1:] &= ~there[:-1]
        clean = there[-1]
    clean &= ~contact.any(axis=0)
    return contact.sum(axis=0).mean(axis=1) * track.dt, clean.mean(axis=1)
