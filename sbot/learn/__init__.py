# SPDX-License-Identifier: Apache-2.0
"""Environments for learning: PettingZoo and Gymnasium on ``sbot.Worlds`` (extra ``learn``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.neural.function_policy import FunctionPolicy, load_policy
from sbot.controllers.neural.network import Network
from sbot.learn.task import Draws, Moment, Task
from sbot.learn.tasks.entry import Entry, Metric, Rule, Scene, Track
from sbot.learn.tasks.goals import ReachGoal
from sbot.learn.tasks.registry import entries, entry_of, scene_of
from sbot.learn.tasks.roaming import AvoidObstacles
from sbot.learn.tasks.swarms import Aggregate
from sbot.learn.tasks.teams import FollowLeader
from sbot.scenario.load import Source, Sources
from sbot_common.errors import InputError, bad_value, install_command

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sbot.api.overrides import SeededOverrides
    from sbot.learn.benchmarl import RobotsTask
    from sbot.learn.evaluation import Evaluation
    from sbot.learn.gymnasium_api import RobotsEnv, RobotsVectorEnv
    from sbot.learn.parallel import SwarmEnv
    from sbot.learn.stable_baselines import RobotsVecEnv
    from sbot.learn.torchrl import RobotsTorchEnv

__all__ = ['TASKS', 'Aggregate', 'AvoidObstacles', 'Draws', 'Entry', 'FollowLeader', 'Metric',
           'Moment', 'ReachGoal', 'Rule', 'Scene', 'Task', 'Track', 'benchmarl_network',
           'benchmarl_task', 'env', 'evaluate', 'parallel_env', 'sb3_buffer', 'sb3_env',
           'sb3_network', 'scene', 'torchrl_env', 'vector_env']

TASKS: dict[str, type[Task]] = {name: entry.task for name, entry in entries().items()}
"""The tasks of the package, for any scenario (``sbot list tasks``)."""


def __dir__() -> list[str]:
    return sorted(__all__)


@contextmanager
def _needing(function: str, library: str, extra: str) -> Iterator[None]:
    """Name what is not installed, with the extra that brings it."""
    try:
        yield
    except ImportError:
        raise InputError(f'sbot.learn.{function}() needs {library}: '
                         f'{install_command(extra)}') from None


def scene(name: str, /) -> Scene:
    """Return a task with its own scenes, one for each seed.

    ``env(scene.scenario(seed), task=scene)`` draws a new scene for each episode.
    ``sbot.run(scene.scenario(seed, controller, parameters))`` runs the episode of that seed.

    Parameters
    ----------
    name : name of the task (``sbot list tasks``), or ``module:ENTRY`` for your own task

    Raises
    ------
    InputError
        for an unknown name, with the nearest known one; or if the module cannot be imported, or
        has no such task.

    """
    return scene_of(name)


def evaluate(policy: str | Path | tuple[Network | FunctionPolicy, NDArray[np.float64]],
             task: str | Entry, /, *, seeds: Sequence[int] = range(90001, 90021),
             threads: int = 1) -> Evaluation:
    """Let a policy play scenes of a task; return metric, contacts and clean robots of each.

    The episodes of a file have the same bits on every machine.

    Parameters
    ----------
    policy : path of a file of ``sbot.save_network`` or ``sbot.save_policy``; or a policy and its
        weights (W,), as ``sb3_network`` and ``benchmarl_network`` return them
    task : name of a task (``sbot list tasks``) or 'module:ENTRY', or an ``Entry``
    seeds : of the scenes; give such as training never had
    threads : number of threads; changes no bit of the result

    Raises
    ------
    InputError
        for an unknown task, one with ``observation`` or ``script``, a bad file, seed or shape of
        weights.

    """
    from sbot.learn.evaluation import Evaluation
    if not isinstance(policy, str | Path | tuple):
        raise bad_value('policy', policy, 'a file, or a network and its weights')
    found, weights = load_policy(policy) if isinstance(policy, str | Path) else policy
    return Evaluation.of(task if isinstance(task, Entry) else entry_of(task), seeds, found,
                         weights, threads)


def parallel_env(scenario: Source | None = None, /, *, task: Task | str | None = None,
                 render_mode: str | None = None, discrete: bool = False,
                 **overrides: Unpack[SeededOverrides]) -> SwarmEnv:
    """Return a PettingZoo ``ParallelEnv``: every robot of a scenario is an agent, `robot_0`, ….

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it; only controllers of robots in ``scripted`` of the task
        are used. None: the task's own scenes, a new one in each episode
    task : a ``Task``; a name (``sbot list tasks``); or 'module:ENTRY' for your own task, whose
        module may be in the current folder. None: the task that fits the scenario's goals
    render_mode : 'rgb_array': ``render()`` returns an image (height, width, 3); 'html': it
        returns a page that replays the episode in any browser; 'human': a browser shows the
        (first) world live, at most in real time
    discrete : actions are indices of the task's ``moves`` instead of shares
    overrides : as ``sbot.load`` takes them

    Raises
    ------
    InputError
        if PettingZoo is not installed, or if the scenario lacks a sensor or goal of the task.

    """
    with _needing('parallel_env', 'pettingzoo', 'learn'):
        from sbot.learn.parallel import SwarmEnv
    return SwarmEnv(scenario, task, render_mode, discrete, **overrides)


def vector_env(scenario: Sources | None, count: int, /, *, task: Task | str | None = None,
               render_mode: str | None = None, threads: int = 1, discrete: bool = False,
               rewards: str = 'mean', autoreset: str = 'same_step',
               **overrides: Unpack[SeededOverrides]) -> RobotsVectorEnv:
    """Return a Gymnasium ``VectorEnv`` of many worlds, stepped in one call.

    World 0 of ``reset(seed=s)`` equals ``env`` with the same seed, and each other one ``env`` with
    a seed of its own, which follows from s and its number (docs/environments.md).

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it; or a list of scenarios, of which world k has number k
        modulo their number. They may differ in obstacles, starts, goals, wind and noise. None:
        the task's own scenes, a new one in each episode
    count : number of worlds
    threads : number of threads; changes no bit of the result
    rewards : 'mean': the mean over the robots of a world, (K,); 'robots': a reward for each robot,
        (K, N), which is always in ``infos['reward_of_robots']``
    autoreset : when a world is reset after its episode. 'same_step': in the same step, with
        the last observation in ``infos['final_obs']``; 'next_step': in the next step, which
        ignores its action; 'disabled': only by ``reset(options={'reset_mask': mask})``
    task, render_mode, discrete, overrides : as in ``parallel_env``

    Raises
    ------
    InputError
        if Gymnasium is not installed, or if the scenario lacks a sensor or goal of the task.

    """
    with _needing('vector_env', 'gymnasium', 'learn'):
        from sbot.learn.gymnasium_api import RobotsVectorEnv
    return RobotsVectorEnv(scenario, count, task, render_mode, threads, discrete, rewards,
                           autoreset, **overrides)


def env(scenario: Source | None = None, /, *, task: Task | str | None = None,
        render_mode: str | None = None, discrete: bool = False,
        **overrides: Unpack[SeededOverrides]) -> RobotsEnv:
    """Return a Gymnasium ``Env`` of one world; parameters as in ``parallel_env``.

    With one robot, observations are (I,) and actions (2,). With N robots they are (N, I) and
    (N, 2), and the reward is the mean over the robots.

    Raises
    ------
    InputError
        if Gymnasium is not installed, or if the scenario lacks a sensor or goal of the task.

    """
    with _needing('env', 'gymnasium', 'learn'):
        from sbot.learn.gymnasium_api import RobotsEnv
    return RobotsEnv(scenario, task, render_mode, discrete, **overrides)


def sb3_env(scenario: Sources | None, count: int, /, *, task: Task | str | None = None,
            render_mode: str | None = None, threads: int = 1, squash: bool = True,
            discrete: bool = False, dones: str = 'world',
            **overrides: Unpack[SeededOverrides]) -> RobotsVecEnv:
    """Return a ``VecEnv`` of Stable-Baselines3: many worlds, stepped in one call.

    Each robot of each world is an environment: robot i of world k has number k N + i. So all
    robots learn one policy. ``seed(s)`` seeds worlds as ``reset(seed=s)`` of ``vector_env``.
    A world is reset in the step in which its last robot is done or its time is over.

    Parameters
    ----------
    scenario : as in ``vector_env``
    count : number of worlds
    threads : number of threads; changes no bit of the result
    squash : True: actions are any numbers, and ``tanh`` makes them shares in [-1, 1]. Use it for
        PPO and A2C, whose policies do not apply tanh. False: actions are the shares, for SAC and
        TD3
    dones : 'world': a robot is done when its world is reset; 'robots': as soon as it is done,
        and what comes after is not learned with ``PPO(..., **sb3_buffer(env))``
    task, render_mode, discrete, overrides : as in ``parallel_env``

    Raises
    ------
    InputError
        if Stable-Baselines3 is not installed, or if the scenario lacks a sensor or goal of the
        task.

    """
    with _needing('sb3_env', 'stable-baselines3', 'train'):
        from sbot.learn.stable_baselines import RobotsVecEnv
    return RobotsVecEnv(scenario, count, task, render_mode, threads, squash, discrete, dones,
                        overrides)


def sb3_buffer(env: RobotsVecEnv, /) -> dict[str, Any]:
    """Return arguments of PPO or A2C, which then do not learn from robots that are done.

    Parameters
    ----------
    env : of ``sb3_env(..., dones='robots')``, below all wrappers. A model that is loaded needs
        them again: PPO.load(path, env, **sb3_buffer(env))

    """
    from sbot.learn.stable_baselines import LivingRows
    return {'rollout_buffer_class': LivingRows, 'rollout_buffer_kwargs': {'acted': env.acted}}


def sb3_network(model: Any, /) -> tuple[Network, NDArray[np.float64]]:  # noqa: ANN401
    """Return the policy of a Stable-Baselines3 model as a network, for ``sbot.save_network``.

    It is the deterministic policy: a network, and its weights (W,), which are exactly the model's
    float32 numbers. A decision of the network lasts as many ticks as in the task (``hold``).

    Parameters
    ----------
    model : a model of PPO or A2C with 'MlpPolicy' and tanh (its default), or of RecurrentPPO of
        sb3-contrib with 'MlpLstmPolicy', on ``sb3_env``

    Raises
    ------
    InputError
        if a network cannot have a part of the model, which the error names.

    """
    with _needing('sb3_network', 'stable-baselines3', 'train'):
        from sbot.learn.stable_baselines import network_of
    return network_of(model)


def torchrl_env(scenario: Sources | None, count: int, /, *, task: Task | str | None = None,
                threads: int = 1, discrete: bool = False,
                groups: Mapping[str, Sequence[int]] | None = None, device: str = 'cpu',
                **overrides: Unpack[SeededOverrides]) -> RobotsTorchEnv:
    """Return a batched multi-agent environment of TorchRL: many worlds, stepped in one call.

    A group has 'observation' (K, N, I), 'action', 'reward' (K, N, 1), 'mask' (K, N) of the robots
    that are not done, and 'action_mask' (K, N, moves) if the task has a mask. Outside the groups
    are 'state' (K, S) for critics, and 'done', 'terminated' and 'truncated' (K, 1).
    ``set_seed(s)`` seeds worlds as ``reset(seed=s)`` of ``vector_env``.

    Parameters
    ----------
    scenario : as in ``vector_env``
    count : number of worlds
    groups : numbers of robots by the name of their group; None: all robots in group 'robots'
    device : device of the tensors; the worlds are always on the processor
    task, threads, discrete, overrides : as in ``vector_env``

    Raises
    ------
    InputError
        if TorchRL is not installed, or if the scenario lacks a sensor or goal of the task.

    """
    with _needing('torchrl_env', 'torchrl', 'marl'):
        from sbot.learn.torchrl import RobotsTorchEnv
    return RobotsTorchEnv(scenario, count, task, threads, discrete, groups, device, overrides)


def benchmarl_task(scenario: Sources | None = None, /, *, task: Task | str | None = None,
                   threads: int = 1, groups: Mapping[str, Sequence[int]] | None = None,
                   **overrides: Unpack[SeededOverrides]) -> RobotsTask:
    """Return a task for BenchMARL's ``Experiment``: IPPO, MAPPO and its other algorithms.

    Parameters
    ----------
    scenario : as in ``vector_env``
    task, threads, groups, overrides : as in ``torchrl_env``

    Raises
    ------
    InputError
        if BenchMARL is not installed.

    """
    with _needing('benchmarl_task', 'benchmarl', 'marl'):
        from sbot.learn.benchmarl import RobotsTask
    return RobotsTask(scenario, task, threads, groups, overrides)


def benchmarl_network(experiment: Any, group: str = 'robots',  # noqa: ANN401
                      /) -> tuple[Network, NDArray[np.float64]]:
    """Return the policy of a team from BenchMARL as a network, for ``sbot.save_network``.

    It is the deterministic policy of a group: a network, and its weights: (W,) if the robots share
    them, or (N, W), a row for each robot. They are exactly the policy's float32 numbers. A
    decision of the network lasts as many ticks as in the task (``hold``).

    Parameters
    ----------
    experiment : an experiment of IPPO, MAPPO or another algorithm with continuous actions and a
        policy of ``MlpConfig``, ``GruConfig`` or ``LstmConfig`` with tanh, on ``benchmarl_task``
    group : name of the group of robots

    Raises
    ------
    InputError
        if a network cannot have a part of the policy, which the error names.

    """
    with _needing('benchmarl_network', 'torchrl', 'marl'):
        from sbot.learn.torchrl import networks_of
    return networks_of(experiment, group)


# Gymnasium's ids of tasks; a version counts up when the numbers of a task or its scenes change.
# The last one is for tasks of users: ``gymnasium.make('sbot/Task-v0', task='module:ENTRY')``.
_IDS = {**{f"sbot/{name.title().replace('_', '')}-v0": {'task': name} for name in TASKS},
        'sbot/Task-v0': {}}


def _register_ids() -> None:
    """Tell Gymnasium the ids of tasks, where it is installed."""
    try:
        import gymnasium
    except ImportError:
        return
    for name, given in _IDS.items():
        gymnasium.register(name, entry_point='sbot.learn.gymnasium_api:RobotsEnv',
                           vector_entry_point='sbot.learn.gymnasium_api:RobotsVectorEnv',
                           kwargs=given)


_register_ids()
