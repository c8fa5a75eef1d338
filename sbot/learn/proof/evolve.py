"""Evolution of a task's policy by CMA-ES, all candidates in one call (extra ``evolve``)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot.api.worlds import Worlds
from sbot.learn.proof.play import episode, senses
from sbot.learn.task import Floats
from sbot.learn.tasks.entry import Entry, drawn
from sbot_common.errors import InputError, install_command

TRAINING_SEEDS = range(1, 1001)  # of the scenes in which candidates are judged
_STEP = 0.5  # standard deviation of the first weights


class Trained(NamedTuple):
    """What a training found."""

    policy: Any  # as ``sbot.save_policy`` takes it
    weights: Floats  # (W,)
    curve: Floats  # (R, 3) processor time (s), agent-steps, mean score of what was tried
    stopped: bool = False  # by a KeyboardInterrupt; policy and curve are those so far


Note = Callable[[int, float], None]  # given generations or decisions so far, and the mean score


class Judge:
    """Scores of candidates, each in the same few scenes of a task.

    Parameters
    ----------
    entry : the task
    candidates, scenes : how many
    threads : changes no bit

    """

    def __init__(self, entry: Entry, candidates: int, scenes: int, threads: int) -> None:
        self._entry, self._scene, self._scenes = entry, entry.make_scene(), scenes
        self._policy = entry.trained_policy()
        self.worlds = Worlds(self._scene.scenario(0), candidates * scenes,
                             sense=senses(self._scene), threads=threads)
        self.steps = (self.worlds.count * self.worlds.robots
                      * round(self._scene.seconds / self.worlds.dt))

    def __call__(self, weights: Floats, seeds: Sequence[int]) -> Floats:
        """Return mean scores (candidates,) of weights (candidates, W) in the scenes of seeds."""
        worlds, every = self.worlds, self._scenes
        starts, goals = worlds.start.copy(), np.full((worlds.count, worlds.robots, 2), np.nan)
        placed = False
        for k, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            start = drawn(self._scene, 'begin', worlds, k, rng)
            for air in (worlds.wind_velocity, worlds.gust_velocity, worlds.gust_ticks):
                air[k::every] = air[k]
            if start is not None:
                placed = True
                starts[k::every] = start
                aims = drawn(self._scene, 'aims', rng, start)
                goals[k::every] = np.nan if aims is None else aims
        worlds.reset(np.tile(seeds, len(weights)), start=starts if placed else None)
        track = episode(self._entry, worlds, self._policy, np.repeat(weights, every, axis=0),
                        goals)
        mean: Floats = self._entry.score(track).reshape(len(weights), every).mean(axis=1)
        return mean


def evolve(entry: Entry, seed: int, generations: int = 60, population: int = 24, scenes: int = 6,
           threads: int = 1, note: Note = lambda *_: None) -> Trained:
    """Return the result of CMA-ES (N. Hansen, The CMA Evolution Strategy, arXiv 1604.00772).

    Parameters
    ----------
    entry : the task
    seed : of the search; scenes are drawn by it from ``TRAINING_SEEDS``
    generations, population, scenes : how many; each candidate is judged in so many scenes
    threads : changes no bit
    note : is called after each generation

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
    judge, policy = Judge(entry, population, scenes, threads), entry.trained_policy()
    first = np.zeros(policy.weight_count) if entry.learned is None else np.array(
        entry.learned.weights, np.float64)
    search = cma.CMAEvolutionStrategy(first, _STEP, {
        'popsize': population, 'seed': seed + 1, 'verbose': -9, 'CMA_diagonal': False})
    began, rows, stopped = time.process_time(), [], False
    try:
        for generation in range(generations):
            weights = np.array(search.ask())
            scores = judge(weights, rng.choice(TRAINING_SEEDS, scenes, replace=False).tolist())
            search.tell(list(weights), (-scores).tolist())
            best = np.array(search.result.xfavorite)
            rows.append([time.process_time() - began, (generation + 1) * judge.steps,
                         scores.mean()])
            note(generation + 1, rows[-1][2])
    except KeyboardInterrupt:
        stopped = True
        if not rows:
            raise
    return Trained(policy, best, np.array(rows), stopped)
