# SPDX-License-Identifier: Apache-2.0
"""Episodes of a task's scenes under a controller; trainings by CMA-ES."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import Network
from sbot.learn.evaluation import episode
from sbot.learn.task_checks import controlled_of
from sbot.learn.tasks.entry import Entry
from sbot.scenario.load import loaded
from sbot.worlds.many import Worlds
from sbot.worlds.setting import senses_of
from sbot_common.arrays import Floats
from sbot_common.errors import InputError, install_command

# Evolution of a task's policy by CMA-ES, all candidates in one call (extra ``evolve``).

SCENES = 1_000_000  # of a training; training n has those from n times it on, no other has them
_STEP = 0.5  # standard deviation of the first weights


class Trained(NamedTuple):
    """What a training found."""

    policy: Any  # as ``sbot.save_policy`` takes it
    weights: Floats  # (W,)
    curve: Floats  # (R, 3) processor time (s), agent-steps, mean score of what was tried
    stopped: bool = False  # by a KeyboardInterrupt; policy and curve are those so far

    @classmethod
    def evolve(cls, entry: Entry, seed: int, generations: int = 60, population: int = 24,
               scenes: int = 6, threads: int = 1, note: Note = lambda *_: None,
               rule: bool = False) -> Trained:
        """Return the result of CMA-ES (N. Hansen, The CMA Evolution Strategy, arXiv 1604.00772).

        Parameters
        ----------
        entry : the task
        seed : of the search; no other seed's search sees one of its scenes
        generations, population, scenes : how many; each candidate is judged in so many scenes
        threads : changes no bit
        note : is called after each generation
        rule : True: tune the constants of the hand-written rule, in shares of what they are

        Raises
        ------
        InputError
            where the library ``cma`` is not installed.
        KeyboardInterrupt
            before the end of the first generation. Later ones end the search and keep its result.

        """
        try:
            import cma
        except ImportError:
            raise InputError(f"evolve needs cma: {install_command('evolve')}") from None
        rng = np.random.default_rng(seed)
        policy, begin = ((entry.rule_policy(), entry.rule) if rule else
                         (entry.trained_policy(), entry.learned))
        first = np.zeros(policy.weight_count) if begin is None else np.array(
            begin.weights, np.float64)
        free = len(begin.constants) if rule and begin is not None else len(first)
        unit = np.where(first[:free] == 0.0, 1.0, np.abs(first[:free])) if rule else 1.0
        judge = _Judge(entry, population, scenes, threads, policy)
        search = cma.CMAEvolutionStrategy(np.zeros(free), _STEP, {
            'popsize': population, 'seed': seed + 1, 'verbose': -9, 'CMA_diagonal': False})
        weights, best = np.tile(first, (population, 1)), first.copy()
        began, rows, stopped = time.process_time(), [], False
        try:
            for generation in range(generations):
                steps = search.ask()
                weights[:, :free] = first[:free] + unit * np.array(steps)
                seen = seed * SCENES + rng.choice(SCENES, scenes, replace=False)
                scores = judge(weights, seen.tolist())
                search.tell(steps, (-scores).tolist())
                best[:free] = first[:free] + unit * np.array(search.result.xfavorite)
                rows.append([time.process_time() - began, (generation + 1) * judge.steps,
                             scores.mean()])
                note(generation + 1, rows[-1][2])
        except KeyboardInterrupt:
            stopped = True
            if not rows:
                raise
        return cls(policy, best, np.array(rows), stopped)


Note = Callable[[int, float], None]  # given generations or decisions so far, and the mean score


class _Judge:
    """Scores of candidates, each in the same few scenes of a task.

    Parameters
    ----------
    entry : the task
    candidates, scenes : how many
    threads : changes no bit
    policy : of the candidates; None: that which the task trains

    """

    def __init__(self, entry: Entry, candidates: int, scenes: int, threads: int,
                 policy: Network | FunctionPolicy | None = None) -> None:
        self._entry, self._scene, self._scenes = entry, entry.make_scene(), scenes
        self._policy = entry.trained_policy() if policy is None else policy
        self.worlds = Worlds(loaded(self._scene.scenario(0), {}, None), candidates * scenes,
                             sense=senses_of(self._scene.inputs), threads=threads,
                             controlled=controlled_of(self._scene))
        self.steps = (self.worlds.count * self.worlds.robots
                      * round(self._scene.seconds / self.worlds.dt))

    def __call__(self, weights: Floats, seeds: Sequence[int]) -> Floats:
        """Return mean scores (candidates,) of weights (candidates, W) in the scenes of seeds."""
        worlds, every = self.worlds, self._scenes
        starts, goals = worlds.start.copy(), np.full((worlds.count, worlds.robots, 2), np.nan)
        placed = False
        for k, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            start = self._scene.drawn_by('begin', worlds, k, rng)
            for air in (worlds.wind_velocity, worlds.gust_velocity, worlds.gust_ticks):
                air[k::every] = air[k]
            if start is not None:
                placed = True
                starts[k::every] = start
                aims = self._scene.drawn_by('aims', rng, start)
                goals[k::every] = np.nan if aims is None else aims
        worlds.reset(np.tile(seeds, len(weights)), start=starts if placed else None)
        if placed and worlds.controlled.robots:
            for k in range(worlds.count):
                worlds.controlled.aim(k, goals[k])
        track = episode(self._entry, worlds, self._policy, np.repeat(weights, every, axis=0),
                         goals)
        return np.asarray(self._entry.score(track).reshape(len(weights), every).mean(axis=1))
