# SPDX-License-Identifier: Apache-2.0
"""A policy in scenes of a task that training never saw: metric, contacts, clean robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import Network
from sbot.learn.task_checks import check_evaluated, controlled_of
from sbot.learn.tasks.entry import Entry, Metric, Track
from sbot.scenario.load import loaded
from sbot.worlds.many import Worlds
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

    @classmethod
    def of(cls, entry: Entry, seeds: Sequence[int], policy: Network | FunctionPolicy,
           weights: Floats, threads: int) -> Evaluation:
        """Return what a policy with weights (W,) reaches; see ``sbot.learn.evaluate``."""
        check_evaluated(entry.make_scene())
        return cls(entry.name, entry.metric, seeds, *measured(
            entry, play(entry, seeds, policy, weights, threads)))


def worlds_of(entry: Entry, seeds: Sequence[int], threads: int = 1) -> Worlds:
    """Return a world for each seed: the task's scenario of it."""
    scene = entry.make_scene()
    return Worlds([loaded(scene.scenario(seed), {}, None) for seed in seeds], seeds=list(seeds),
                  sense=senses_of(scene.inputs), threads=threads,
                  controlled=controlled_of(scene))


def play(entry: Entry, seeds: Sequence[int], policy: Network | FunctionPolicy, weights: Floats,
         threads: int = 1) -> Track:
    """Return the episodes of seeds under a policy with weights (W,)."""
    worlds = worlds_of(entry, seeds, threads)
    return episode(entry, worlds, policy, weights, scenario_goals(worlds.scenarios))


def episode(entry: Entry, worlds: Any, policy: Network | FunctionPolicy,  # noqa: ANN401
             weights: Floats, goals: Floats) -> Track:
    """Return the episode of worlds at their tick 0; weights (W,) or (K, W), goals (K, N, 2) m."""
    ticks = round(worlds.scenarios[0].duration / worlds.dt)
    begin = worlds.observe().boxes
    keep = ['pose', 'command', 'collided', *['infrared'] * entry.infrared]
    aimed = None if np.isnan(goals).any() else goals
    kept = worlds.run(policy, weights, ticks, goals=aimed, keep=keep)
    end = worlds.observe().boxes
    return Track(kept.pose, kept.command, kept.collided, kept.infrared, goals,
                 begin_and_end(begin, end), worlds.dt)


def begin_and_end(begin: Floats | None, end: Floats | None) -> Floats | None:
    """Return boxes at the beginning and the end, (2, K, B, 3); None: there are none."""
    return None if begin is None or end is None else np.stack([begin, end])


def measured(entry: Entry, track: Track) -> tuple[Floats, Floats, Floats]:
    """Return metric, seconds in contact, and share of clean robots of each episode, (K,) each.

    A clean robot touches nothing until it arrives, and arrives where the task says what that is.
    Robots with controllers of their own are not counted.
    """
    there = None if entry.arrived is None else entry.arrived(track)
    contact = track.touched(there)
    own = ~np.isin(np.arange(contact.shape[2]), controlled_of(entry.make_scene()))
    contact = contact[:, :, own]
    clean = ~contact.any(axis=0)
    if there is not None:
        clean &= there[:, :, own].any(axis=0)
    return entry.measure(track), contact.sum(axis=0).mean(axis=1) * track.dt, clean.mean(axis=1)
