# SPDX-License-Identifier: Apache-2.0
"""Trainings side by side, here or on a cluster, and their policies in scenes that none has seen.

The rows of a comparison are those of policies in files, and are made again from these files.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from functools import partial
from hashlib import sha256
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from sbot.api.functions import run
from sbot.api.worlds import save_policy
from sbot.controllers.neural.function_policy import load_policy
from sbot.learn.evaluation import measured, play
from sbot.learn.proof.report import Point, Row, read_rows
from sbot.learn.proof.training import Note, Trained
from sbot.learn.tasks.entry import Entry, Track
from sbot.learn.tasks.registry import entry_of
from sbot.sweeps.engine import engine_of
from sbot.worlds.policy import scenario_goals
from sbot.worlds.setting import senses_of
from sbot_common.errors import InputError, install_command
from sbot_common.signals import blocked, unblock

_BETWEEN = 10.0  # s from line to line


def _now_and_then(*, shown: bool = True) -> Callable[[Callable[[], str]], None]:
    """Return what prints a line of progress on stderr: the first one, then one each ten seconds.

    For work of several processes, whose bars would overwrite each other, and of logs. It takes a
    function that returns the line.
    """
    due = 0.0

    def show(line: Callable[[], str]) -> None:
        nonlocal due
        if shown and time.monotonic() >= due:
            due = time.monotonic() + _BETWEEN
            print(line(), file=sys.stderr, flush=True)
    return show


# Rows: what policies reach in the scenes of the comparison.

Training = tuple[str, int]  # policy and seed; seed 0 of a rule: as it is written


class _Policy(NamedTuple):
    """A file that drives robots; without a name: the controller ``navigate``."""

    file: str
    data: bytes


_NAVIGATE = _Policy('', b'')


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


def _rows_of(entry: Entry, training: Training, seeds: Sequence[int], policy: _Policy,
             folder: Path) -> list[Row]:
    """Return a row for each seed of a policy, which is in a folder."""
    track = (play(entry, seeds, *load_policy(folder / policy.file)) if policy.file else
             _play_runs(entry, seeds, 'navigate', entry.navigate or {}))
    digest = sha256(policy.data).hexdigest() if policy.file else ''
    return [Row(entry.name, *training, seed, float(value), float(contact), float(clean),
                policy.file, digest)
            for seed, value, contact, clean in zip(seeds, *measured(entry, track), strict=True)]


def navigate_rows(entry: Entry, seeds: Sequence[int]) -> list[Row]:
    """Return the rows of the controller ``navigate``, if it is a baseline."""
    if entry.navigate is None:
        return []
    return _rows_of(entry, ('navigate', 0), seeds, _NAVIGATE, Path())


def differences(path: Path) -> Iterator[str]:
    """Yield a line for each policy of rows that is another file, or gives other bits."""
    for key, group in groupby(read_rows(path), lambda row: (*row[:3], *row[-2:])):
        (task, name, training, file, digest), rows = key, list(group)
        policy = _Policy(file, (path.parent / file).read_bytes()) if file else _NAVIGATE
        if file and sha256(policy.data).hexdigest() != digest:
            yield f'{file}: another file than that of the rows'
            continue
        again = _rows_of(entry_of(task), (name, training), [row.seed for row in rows], policy,
                         path.parent)
        if other := [row.seed for row, new in zip(rows, again, strict=True) if row != new]:
            yield f'{task} {name} {training}: other bits for the seeds {other}'


# Trainings side by side, which one Ctrl-C ends with what they have.

class _Proved(NamedTuple):
    """Result of one training: rows of its comparison, its learning curve, its policy."""

    rows: list[Row]
    curve: list[Point]
    policy: _Policy | None = None
    stopped: bool = False  # by a KeyboardInterrupt; then it may have no rows, and no policy


class Plan(NamedTuple):
    """What all trainings of a task share."""

    name: str  # of the task
    seeds: Sequence[int]  # of the scenes of the comparison
    options: dict[str, dict[str, Any]]  # of what is trained
    quiet: bool = False  # no lines of progress

    def prove_all(self, trainings: Sequence[Training], processes: int,
                  scheduler: str | None = None) -> Iterator[_Proved]:
        """Yield the result of each training; the rows do not depend on where they are trained.

        Parameters
        ----------
        trainings : each
        processes : how many of this machine
        scheduler : address of a Dask scheduler, whose workers are used instead

        Raises
        ------
        KeyboardInterrupt
            after the results so far, if a signal came.

        """
        if scheduler is not None:
            with engine_of(0, scheduler, None) as engine:
                yield from _in_pool(engine.executor, partial(_prove, self, _go_on), trainings)
        elif processes > 1:
            yield from _in_children(self, trainings, processes)
        else:
            for training in trainings:
                proved = _prove(self, _go_on, training)
                yield proved
                if proved.stopped:
                    raise KeyboardInterrupt


def _prove(plan: Plan, check: Callable[[], None], training: Training) -> _Proved:
    """Train with a seed, and compare the policy.

    Parameters
    ----------
    plan : what to train
    check : called first, and after each generation or rollout; a KeyboardInterrupt that it
        raises ends the training, as one of a signal does
    training : what, and the seed

    """
    entry, began, (learner, seed) = entry_of(plan.name), time.process_time(), training
    show = _now_and_then(shown=not plan.quiet)
    name, options = f'{plan.name} {learner} {seed}', plan.options[learner]
    step = 'decision' if learner == 'ppo' else 'generation'

    def note(done: int, score: float) -> None:
        show(lambda: f"{name}: {step} {done} of {options[f'{step}s']}, mean score "
             f'{score:.3g}, {time.process_time() - began:.0f} s of processor time')
        check()
    curve: list[Point] = []
    policy: _Policy | None = None
    try:
        check()  # a process may have taken this training before the signal
        found = _trained(entry, training, {**options, 'note': note})
        used = time.process_time() - began
        curve = [Point(plan.name, learner, seed, *map(float, row)) for row in found.curve]
        # A colon is no character of a file's name on every system.
        file = f"{plan.name.replace(':', '_')}_{learner}_{seed}.json"
        with TemporaryDirectory() as folder:
            path = Path(folder) / file
            save_policy(path, found.policy, found.weights,
                        scenario=entry.make_scene().scenario(0))
            policy = _Policy(file, path.read_bytes())
            if found.stopped:
                return _Proved([], curve, policy, stopped=True)
            rows = _rows_of(entry, training, plan.seeds, policy, Path(folder))
    except KeyboardInterrupt:
        return _Proved([], curve, policy, stopped=True)
    unit = f' {entry.metric.unit}' if entry.metric.has_unit else ''
    mean = np.mean([row.value for row in rows])
    print(f'{name}: {entry.metric.name} {mean:.3f}{unit} (mean), '
          f'{used:.0f} s of processor time', flush=True)
    return _Proved(rows, curve, policy)


def _trained(entry: Entry, training: Training, options: dict[str, Any]) -> Trained:
    learner, seed = training
    if training == ('rule', 0) and entry.rule is not None:
        return Trained(entry.rule_policy(), np.array(entry.rule.weights), np.empty((0, 3)))
    return (_ppo(entry, seed, **options) if learner == 'ppo' else
            Trained.evolve(entry, seed, **options, rule=learner == 'rule'))


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
    from sbot.learn.stable_baselines import RobotsVecEnv, network_of
    torch.set_num_threads(1)  # the network is small; and sums keep their order
    scene = entry.make_scene()
    env = RobotsVecEnv(scene.scenario(0), worlds, scene, None, threads, squash=True,
                       discrete=False, dones='world', overrides={})
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


_stops: list[Event] = []  # of a child: set where its trainings are to end


def _go_on() -> None:
    pass


def _in_pool(pool: Executor, prove: Callable[[Training], _Proved], trainings: Sequence[Training],
             stop: Callable[[], None] = _go_on) -> Iterator[_Proved]:
    """Yield results in order; after a signal those that there are, once ``stop`` is called."""
    stopped = False
    with blocked():  # a child that a signal meets before _begin would print a traceback
        works: list[Future[_Proved]] = [pool.submit(prove, each) for each in trainings]
    try:
        wait(works, return_when='FIRST_EXCEPTION')
    except KeyboardInterrupt:
        stopped = True
        stop()  # they return in a moment, with what they have
        for work in works:
            work.cancel()
    for work in works:
        if not work.cancelled():
            yield work.result()
    if stopped:
        raise KeyboardInterrupt


def _in_children(plan: Plan, trainings: Sequence[Training], processes: int) -> Iterator[_Proved]:
    # On Linux forks of a process that has imported everything; elsewhere the system's libraries do
    # not survive a fork.
    context = get_context('forkserver' if sys.platform == 'linux' else 'spawn')
    context.set_forkserver_preload([__name__, 'cma'])
    stop = context.Event()
    with ProcessPoolExecutor(processes, context, _begin, (stop,)) as pool:
        try:
            yield from _in_pool(pool, partial(_prove, plan, _check), trainings, stop.set)
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
