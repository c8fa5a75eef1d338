# SPDX-License-Identifier: Apache-2.0
"""Episodes of a task's scenes under a policy; trainings by CMA-ES and PPO, side by side."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.api.functions import run
from sbot.api.worlds import Worlds, save_policy
from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import Network
from sbot.learn.proof.report import Point, Row
from sbot.learn.task import Interface
from sbot.learn.tasks.entry import Entry, Track, drawn
from sbot.learn.tasks.registry import entry_of
from sbot.runner.summary import now_and_then
from sbot.worlds.policy import scenario_goals
from sbot.worlds.setting import senses_of
from sbot_common.arrays import Floats
from sbot_common.errors import InputError, install_command
from sbot_common.signals import blocked, unblock

# Episodes of a task's scenes under a policy, random actions, or a controller of runs.

def _worlds_of(entry: Entry, seeds: Sequence[int], threads: int = 1) -> Worlds:
    """Return a world for each seed: the task's scenario of it."""
    scene = entry.make_scene()
    return Worlds([scene.scenario(seed) for seed in seeds], seeds=list(seeds),
                  sense=senses_of(scene.inputs), threads=threads)


def play(entry: Entry, seeds: Sequence[int], policy: Network | FunctionPolicy, weights: Floats,
         threads: int = 1) -> Track:
    """Return the episodes of seeds under a policy with weights (W,)."""
    worlds = _worlds_of(entry, seeds, threads)
    return _episode(entry, worlds, policy, weights, scenario_goals(worlds.scenarios))


def _episode(entry: Entry, worlds: Any, policy: Network | FunctionPolicy,  # noqa: ANN401
             weights: Floats, goals: Floats) -> Track:
    """Return the episode of worlds at their tick 0; weights (W,) or (K, W), goals (K, N, 2) m."""
    ticks = round(worlds.scenarios[0].duration / worlds.dt)
    begin = worlds.observe().boxes
    keep = ['pose', 'command', 'collided', *['infrared'] * entry.infrared]
    aimed = None if np.isnan(goals).any() else goals
    kept = worlds.run(policy, weights, ticks, goals=aimed, keep=keep)
    end = worlds.observe().boxes
    return Track(kept.pose, kept.command, kept.collided, kept.infrared, goals,
                 _begin_and_end(begin, end), worlds.dt)


def play_randomly(entry: Entry, seeds: Sequence[int]) -> Track:
    """Return the episodes of seeds under actions that are drawn at each decision of the task."""
    worlds, scene = _worlds_of(entry, seeds), entry.make_scene()
    goals = scenario_goals(worlds.scenarios)
    network = entry.network()
    acting = Interface(worlds, network, goals,
                       np.tile([network.max_speed, network.turn], (worlds.robots, 1)))
    rng = np.random.default_rng([1, *seeds])
    rows: list[Any] = []
    seen = worlds.observe()
    begin = seen.boxes
    for tick in range(round(scene.seconds / worlds.dt)):
        if tick % scene.hold == 0:
            commands = acting.commands(rng.uniform(-1.0, 1.0, (*seen.pose.shape[:2], 2)))
        rows.append((seen.pose, commands, seen.collided, seen.infrared))
        seen = worlds.step(commands)
    pose, command, collided, infrared = zip(*rows, strict=True)
    return Track(np.array(pose), np.array(command), np.array(collided),
                 None if infrared[0] is None else np.array(infrared),
                 goals, _begin_and_end(begin, seen.boxes), worlds.dt)


def _play_runs(entry: Entry, seeds: Sequence[int], controller: str,
               parameters: Mapping[str, Any]) -> Track:
    """Return the episodes of seeds as ``sbot.run`` gives them with a controller."""
    scene = entry.make_scene()
    runs = [run(scene.scenario(seed, controller, parameters), hashed=False, overlaps=False,
                sense=[name for name in senses_of(scene.inputs) if name == 'infrared'])
            for seed in seeds]
    ticks = round(scene.seconds / runs[0].scenario.rate.dt)
    infrared = [each.infrared for each in runs]
    boxes = [each.boxes for each in runs if each.boxes is not None]
    return Track(
        np.stack([each.poses[:ticks] for each in runs], axis=1),
        np.stack([each.commands[:ticks] for each in runs], axis=1),
        np.stack([each.collided[:ticks] for each in runs], axis=1),
        None if infrared[0] is None else np.stack([each[:ticks] for each in infrared], axis=1),
        scenario_goals([each.scenario for each in runs]),
        np.stack([np.stack([each[0], each[-1]]) for each in boxes], axis=1)
        if boxes else None, runs[0].scenario.rate.dt)


def _begin_and_end(begin: Floats | None, end: Floats | None) -> Floats | None:
    """Return boxes at the beginning and the end, (2, K, B, 3); None: there are none."""
    return None if begin is None or end is None else np.stack([begin, end])


# Evolution of a task's policy by CMA-ES, all candidates in one call (extra ``evolve``).

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
                             sense=senses_of(self._scene.inputs), threads=threads)
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
        track = _episode(self._entry, worlds, self._policy, np.repeat(weights, every, axis=0),
                         goals)
        return np.asarray(self._entry.score(track).reshape(len(weights), every).mean(axis=1))


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


def _ppo(entry: Entry, seed: int, decisions: int = 400_000, worlds: int = 32, threads: int = 1,
         note: Note = lambda *_: None) -> Trained:
    """Return the policy that PPO of Stable-Baselines3 learns: IPPO with shared parameters.

    Each robot of each world is a row of the batch, with its own observation and reward (de Witt
    et al., Is Independent Learning All You Need?, arXiv 2011.09533).

    Parameters
    ----------
    entry : the task
    seed : of the learner and, spawned for each world, of the scenes
    decisions : of all robots of all worlds
    worlds : how many are stepped at once
    threads : changes no bit
    note : is called after each rollout

    Raises
    ------
    InputError
        if Stable-Baselines3 is not installed.
    KeyboardInterrupt
        before the end of the first episode. Later ones end the training and keep its result.

    """
    try:
        import torch
        from stable_baselines3 import PPO
        from stable_baselines3.common.vec_env import VecMonitor
    except ImportError:
        raise InputError(f"ppo needs stable-baselines3: {install_command('train')}") from None
    from sbot.learn import sb3_env
    from sbot.learn.stable_baselines import network_of
    torch.set_num_threads(1)  # the network is small; and sums keep their order
    scene = entry.make_scene()
    env = sb3_env(scene.scenario(0), worlds, task=scene, threads=threads)
    model = PPO('MlpPolicy', VecMonitor(env), n_steps=32,
                batch_size=8 * worlds * scene.team, n_epochs=6, gamma=0.98, seed=seed,
                learning_rate=lambda left: 1e-3 * left, device='cpu',
                policy_kwargs={'net_arch': {'pi': [16, 16], 'vf': [32, 32]},
                               'log_std_init': -0.5})
    began, curve, stopped = time.process_time(), [], False

    def keep(names: dict[str, Any], _: dict[str, Any]) -> bool:
        last = model.ep_info_buffer
        if not names['n_steps'] and last:  # a rollout begins
            curve.append([time.process_time() - began, model.num_timesteps * scene.hold,
                          np.mean([episode['r'] for episode in last])])
            note(model.num_timesteps, curve[-1][2])
        return True

    try:
        model.learn(decisions, callback=keep)
    except KeyboardInterrupt:
        stopped = True
        if not curve:
            raise
    network, weights = network_of(model)
    # It decided every scene.hold ticks in training. As evolved ones it is compared by decisions in
    # every tick, and its file drives as compared (docs/learned_results.md).
    return Trained(network._replace(hold=1), weights, np.array(curve).reshape(-1, 3), stopped)


# Comparison of policies in scenes that training never saw.

def baselines(entry: Entry, seeds: Sequence[int]) -> list[Row]:
    """Return the rows of random actions, and of the hand-written rule and ``navigate`` if any."""
    tracks = {'random': play_randomly(entry, seeds)}
    if entry.rule is not None:
        tracks['rule'] = play(entry, seeds, entry.rule_policy(), np.array(entry.rule.weights))
    if entry.navigate is not None:
        tracks['navigate'] = _play_runs(entry, seeds, 'navigate', entry.navigate)
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
        found: Trained = (evolve if plan.learner == 'evolved' else _ppo)(
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
