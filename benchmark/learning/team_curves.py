# SPDX-License-Identifier: Apache-2.0
"""Train teams with MAPPO, IPPO, PPO and QMIX: python benchmark/learning/team_curves.py.

It needs the extras `train` and `marl`. After every tenth batch it writes to team_curves.csv what
the deterministic policy reaches in the same 64 scenes. It repeats no training that is there.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent
PORTS = FOLDER.parents[1] / 'examples' / 'ports'
TASKS = ('mpe_spread:SimpleSpread', 'vmas_navigation:Navigation', 'formation', 'follow_leader')
PAIRS = [*product(TASKS, ('mappo', 'ippo', 'ppo')), (TASKS[0], 'qmix')]  # qmix: with its moves
COLUMNS = ('task', 'algorithm', 'training', 'team_decisions', 'processor_s', 'mean_return')

# Near those of BenchMARL for VMAS (its fine_tuned/vmas), but small: 10 epochs of 4 minibatches of
# 800, not 40 of 15 of 4096, so with a larger rate. With gamma 0.99 and the
# rate 7e-4 MAPPO and IPPO diverged. QMIX makes as many steps of Adam of as large minibatches.
WORLDS, STEPS, EPOCHS, MINIBATCH = 128, 25, 10, 800
RATE, GAMMA, LAMBDA, CLIP, NORM, HIDDEN = 3e-4, 0.9, 0.9, 0.2, 5.0, [64, 64]
BATCH = WORLDS * STEPS  # decisions of teams
EVERY, SCENES, FIRST = 10, 64, 90001  # batches between points; scenes; seed of the first

Act = Callable[[Any], Any]  # of observations (K, N, I) float32: shares (K, N, columns)


class Curve:
    """Points of a training; its processor time is without that of the judging."""

    def __init__(self, task: str, discrete: bool = False) -> None:
        from sbot import learn
        self._episodes = learn.vector_env(None, SCENES, task=task, discrete=discrete).episodes
        self._judging, self._began = 0.0, time.process_time()
        self.points: list[tuple[int, float, float]] = []

    def add(self, decisions: int, act: Act) -> None:
        """Add a point: decisions of the team so far, and what the present policy reaches.

        That is the sum of the rewards of an episode, its mean over scenes and robots.
        """
        now, total, episodes = time.process_time(), 0.0, self._episodes
        episodes.seed(FIRST)
        episodes.reset()
        while not episodes.over.all():
            total += float(episodes.step(act(episodes.observation())).reward.mean())
        used = now - self._began - self._judging
        self.points.append((decisions, round(used, 2), round(total, 5)))
        self._judging += time.process_time() - now


def train_ppo(task: str, seed: int, batches: int) -> Curve:
    """Train with PPO of Stable-Baselines3: each robot is a row, all share one network."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback

    from sbot import learn
    curve, env = Curve(task), learn.sb3_env(None, WORLDS, task=task)
    robots = env.num_envs // WORLDS
    model = PPO('MlpPolicy', env, RATE, STEPS, MINIBATCH * robots, EPOCHS, GAMMA, LAMBDA, CLIP,
                max_grad_norm=NORM, seed=seed, device='cpu', policy_kwargs={'net_arch': HIDDEN})

    def act(seen: Any) -> Any:  # noqa: ANN401
        found = model.predict(seen.reshape(-1, seen.shape[2]), deterministic=True)[0]
        return np.tanh(found.astype(np.float64)).reshape(*seen.shape[:2], -1)

    class Points(BaseCallback):
        def _on_step(self) -> bool:
            return True

        def _on_rollout_start(self) -> None:
            done = self.num_timesteps // robots
            if done // BATCH % EVERY == 0:
                curve.add(done, act)

    model.learn(batches * BATCH * robots, Points())
    curve.add(batches * BATCH, act)
    return curve


def train_with_benchmarl(task: str, seed: int, batches: int, algorithm: str) -> Curve:
    """Train with MAPPO, IPPO or QMIX of BenchMARL; the robots share one network."""
    import torch
    from benchmarl import algorithms
    from benchmarl.experiment import Callback, Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig
    from tensordict import TensorDict
    from torchrl.envs.utils import ExplorationType, set_exploration_type

    from sbot import learn
    discrete = algorithm == 'qmix'
    curve, config = Curve(task, discrete), ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.max_n_frames, config.loggers = batches, None, []
    config.on_policy_collected_frames_per_batch, config.on_policy_n_envs_per_worker = BATCH, WORLDS
    config.on_policy_minibatch_size, config.on_policy_n_minibatch_iters = MINIBATCH, EPOCHS
    config.off_policy_collected_frames_per_batch = BATCH
    config.off_policy_n_envs_per_worker, config.off_policy_train_batch_size = WORLDS, MINIBATCH
    config.off_policy_n_optimizer_steps = EPOCHS * BATCH // MINIBATCH
    config.prefer_continuous_actions = not discrete
    config.lr, config.gamma, config.clip_grad_val = RATE, GAMMA, NORM
    config.evaluation = config.create_json = False
    kind = getattr(algorithms, f'{algorithm.title()}Config').get_from_yaml()
    if not discrete:
        kind.lmbda, kind.clip_epsilon, kind.entropy_coef = LAMBDA, CLIP, 0.0
    model = MlpConfig(HIDDEN, torch.nn.Linear, activation_class=torch.nn.Tanh)

    def act(seen: Any) -> Any:  # noqa: ANN401
        given = TensorDict({'robots': {'observation': torch.from_numpy(seen)}}, len(seen))
        given['robots'].batch_size = seen.shape[:2]
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            found = experiment.group_policies['robots'](given)['robots', 'action']
        return (found if discrete else found.double()).numpy()

    class Points(Callback):  # type: ignore[misc]
        def on_train_end(self, training_td: Any, group: str) -> None:  # noqa: ANN401
            done = self.experiment.n_iters_performed + 1
            if done % EVERY == 0 or done == batches:
                curve.add(done * BATCH, act)

    with TemporaryDirectory() as config.save_folder:
        experiment = Experiment(
            task=learn.benchmarl_task(task=task), algorithm_config=kind, model_config=model,
            critic_model_config=model, seed=seed, config=config)
        points = Points()
        points.experiment = experiment
        experiment.callbacks.append(points)  # now, as those given above would be pickled
        curve.add(0, act)
        experiment.run()
    return curve


def train(task: str, algorithm: str, seed: int, batches: int) -> list[tuple[Any, ...]]:
    """Return the rows of a training."""
    import torch
    torch.set_num_threads(1)
    sys.path[0] = str(PORTS)  # for FOLDER, whose folder coverage numba would take for a package
    curve = (train_ppo(task, seed, batches) if algorithm == 'ppo' else
             train_with_benchmarl(task, seed, batches, algorithm))
    return [(task, algorithm, seed, *point) for point in curve.points]


def missing(path: Path, trainings: int) -> Iterator[tuple[str, str, int]]:
    """Yield the trainings that a file does not have."""
    there = {tuple(line.split(',')[:3]) for line in path.read_text('utf-8').splitlines()}
    for seed, (task, algorithm) in product(range(1, trainings + 1), PAIRS):
        if (task, algorithm, str(seed)) not in there:
            yield task, algorithm, seed


def main() -> None:
    """Train, and append the rows of each training to the file as soon as it is over."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument('--trainings', type=int, default=5, help='of each algorithm and task')
    parser.add_argument('--batches', type=int, default=100, help=f'of {BATCH} team decisions')
    parser.add_argument('--processes', type=int, default=1, help='changes times alone')
    parser.add_argument('-o', '--output', type=Path, default=FOLDER / 'team_curves.csv')
    given = parser.parse_args()
    os.environ['OMP_NUM_THREADS'] = '1'
    if not given.output.exists():
        given.output.write_text(','.join(COLUMNS) + '\n', 'utf-8')
    with ProcessPoolExecutor(given.processes, get_context('spawn'), max_tasks_per_child=1) as pool:
        for work in as_completed([pool.submit(train, *each, given.batches)
                                  for each in missing(given.output, given.trainings)]):
            with given.output.open('a', encoding='utf-8', newline='') as file:
                csv.writer(file, lineterminator='\n').writerows(work.result())
            print(*work.result()[-1], flush=True)


if __name__ == '__main__':
    main()
