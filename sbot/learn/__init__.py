"""Environments for learning: PettingZoo and Gymnasium on ``sbot.Worlds`` (extra ``learn``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neural_controller.network import Network
from sbot.api.loading import Source, Sources
from sbot.learn.shipped import Aggregate, AvoidObstacles, FollowLeader, ReachGoal
from sbot.learn.task import Moment, Task
from sbot.learn.tasks.entry import Scene
from sbot.learn.tasks.registry import entries, entry_of
from sbot_common.errors import InputError, install_command

if TYPE_CHECKING:
    from sbot.learn.parallel import SwarmEnv
    from sbot.learn.single import RobotsEnv
    from sbot.learn.stable_baselines import RobotsVecEnv
    from sbot.learn.torchrl.benchmarl import RobotsTask
    from sbot.learn.torchrl.environment import RobotsTorchEnv
    from sbot.learn.vector import RobotsVectorEnv

__all__ = ['IDS', 'TASKS', 'Aggregate', 'AvoidObstacles', 'FollowLeader', 'Moment', 'ReachGoal',
           'Scene', 'Task', 'benchmarl_task', 'env', 'parallel_env', 'sb3_env', 'sb3_network',
           'scene', 'torchrl_env', 'vector_env']

TASKS: dict[str, type[Task]] = {name: entry.task for name, entry in entries().items()}
"""The tasks of the package, for any scenario (``sbot list tasks``)."""


def scene(name: str, /) -> Scene:
    """Return a task of the package with scenes of its own, one for each seed.

    ``env(scene.scenario(seed), task=scene)`` draws a new scene for each episode;
    ``sbot.run(scene.scenario(seed, controller, parameters))`` is the episode of that seed.

    Parameters
    ----------
    name : of the task (``sbot list tasks``)

    Raises
    ------
    InputError
        for an unknown name, with the nearest known one.

    """
    return entry_of(name).scene()


def parallel_env(scenario: Source, /, *, task: Task | str | None = None,
                 render_mode: str | None = None, discrete: bool = False,
                 **overrides: object) -> SwarmEnv:
    """Return a PettingZoo ``ParallelEnv``: every robot of a scenario is an agent, `robot_0`, ….

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it; the controllers it names are not asked
    task : what is observed and rewarded: a ``Task``, or 'reach_goal', 'follow_leader',
        'avoid_obstacles', 'aggregate'. None: what the scenario's goals and sensors suggest
    render_mode : 'rgb_array': ``render()`` returns an image (height, width, 3); 'html': the
        text of a page that replays the episode in any browser; 'human': a browser follows (of
        many worlds the first), no faster than real time
    discrete : actions are numbers of the task's ``moves``, not shares
    overrides : as ``sbot.load`` takes them

    Raises
    ------
    InputError
        where PettingZoo is not installed, or the scenario lacks what the task observes.

    """
    try:
        from sbot.learn.parallel import SwarmEnv
    except ImportError:
        raise _missing('parallel_env', 'pettingzoo', 'learn') from None
    return SwarmEnv(scenario, task, render_mode, discrete, overrides)


def vector_env(scenario: Sources, count: int, /, *, task: Task | str | None = None,
               render_mode: str | None = None, threads: int = 1, discrete: bool = False,
               rewards: str = 'mean', autoreset: str = 'same_step',
               **overrides: object) -> RobotsVectorEnv:
    """Return a Gymnasium ``VectorEnv`` of many worlds, stepped in one call.

    World k of ``reset(seed=s)`` equals ``env`` of ``reset(seed=s + k)``.

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it; or a list of scenarios that differ in obstacles, starts,
        goals, wind and noise: world k plays number k modulo their number
    count : how many worlds
    threads : how many to use; changes no bit
    rewards : 'mean' of the robots of a world, (K,); 'robots': each robot's own, (K, N). These are
        in ``infos['reward_of_robots']``, too
    autoreset : when a world begins anew whose episode is over. 'same_step': in the same step, and
        the last observation is in ``infos['final_obs']``; 'next_step': in the next one, whatever
        its action; 'disabled': by ``reset(options={'reset_mask': mask})`` alone
    task, render_mode, discrete, overrides : as of ``parallel_env``

    Raises
    ------
    InputError
        where Gymnasium is not installed, or the scenario lacks what the task observes.

    """
    try:
        from sbot.learn.vector import RobotsVectorEnv
    except ImportError:
        raise _missing('vector_env', 'gymnasium', 'learn') from None
    return RobotsVectorEnv(scenario, count, task, render_mode, threads, discrete, rewards,
                           autoreset, overrides)


def env(scenario: Source, /, *, task: Task | str | None = None, render_mode: str | None = None,
        discrete: bool = False, **overrides: object) -> RobotsEnv:
    """Return a Gymnasium ``Env`` of one world; parameters as of ``parallel_env``.

    One robot: observations (I,) and actions (2,). N robots: (N, I) and (N, 2); the reward is the
    mean of theirs.

    Raises
    ------
    InputError
        where Gymnasium is not installed, or the scenario lacks what the task observes.

    """
    try:
        from sbot.learn.single import RobotsEnv
    except ImportError:
        raise _missing('env', 'gymnasium', 'learn') from None
    return RobotsEnv(scenario, task, render_mode, discrete, overrides)


def sb3_env(scenario: Sources, count: int, /, *, task: Task | str | None = None,
            render_mode: str | None = None, threads: int = 1, squash: bool = True,
            discrete: bool = False, **overrides: object) -> RobotsVecEnv:
    """Return a ``VecEnv`` of Stable-Baselines3: many worlds, stepped in one call.

    Each robot of each world is an environment, robot i of world k number k N + i; so all robots
    learn one policy. World k of ``seed(s)`` equals ``env`` of ``reset(seed=s + k)``. All robots of
    a world begin anew in the step in which all of them are done, or their time is over.

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it
    count : how many worlds
    threads : how many to use; changes no bit
    squash : actions may be any number, and ``tanh`` makes them shares in [-1, 1]: for PPO and
        A2C, whose policies end without it. False: actions are the shares, as SAC and TD3 have them
    task, render_mode, discrete, overrides : as of ``parallel_env``

    Raises
    ------
    InputError
        where Stable-Baselines3 is not installed, or the scenario lacks what the task observes.

    """
    try:
        from sbot.learn.stable_baselines import RobotsVecEnv
    except ImportError:
        raise _missing('sb3_env', 'stable-baselines3', 'train') from None
    return RobotsVecEnv(scenario, count, task, render_mode, threads, squash, discrete,
                        overrides)


def sb3_network(model: Any, /) -> tuple[Network, NDArray[np.float64]]:  # noqa: ANN401
    """Return what a model of Stable-Baselines3 learned, for ``sbot.save_network``.

    Its deterministic policy as a network and weights (W,); they have its float32 weights exactly.

    Parameters
    ----------
    model : of PPO or A2C with 'MlpPolicy' and its default activation, tanh, on ``sb3_env``

    Raises
    ------
    InputError
        naming what the model has that such a network has not.

    """
    try:
        from sbot.learn.stable_baselines import network_of
    except ImportError:
        raise _missing('sb3_network', 'stable-baselines3', 'train') from None
    return network_of(model)


def _missing(function: str, library: str, extra: str) -> InputError:
    return InputError(f'sbot.learn.{function}() needs {library}: {install_command(extra)}')


def torchrl_env(scenario: Sources, count: int, /, *, task: Task | str | None = None,
                threads: int = 1, discrete: bool = False,
                groups: Mapping[str, Sequence[int]] | None = None, device: str = 'cpu',
                **overrides: object) -> RobotsTorchEnv:
    """Return a batched multi-agent environment of TorchRL: many worlds, stepped in one call.

    A group has 'observation' (K, N, I), 'action', 'reward' (K, N, 1), 'mask' (K, N), which tells
    who is not done, and 'action_mask' (K, N, moves) where the task has one. Beside the groups are
    'state' (K, S) for critics, and 'done', 'terminated' and 'truncated' (K, 1). World k of
    ``set_seed(s)`` equals ``env`` of ``reset(seed=s + k)``.

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it
    count : how many worlds
    groups : numbers of robots by the name of their group; None: all in 'robots'
    device : of the tensors; worlds are on the processor
    task, threads, discrete, overrides : as of ``vector_env``

    Raises
    ------
    InputError
        where TorchRL is not installed, or the scenario lacks what the task observes.

    """
    try:
        from sbot.learn.torchrl.environment import RobotsTorchEnv
    except ImportError:
        raise _missing('torchrl_env', 'torchrl', 'marl') from None
    return RobotsTorchEnv(scenario, count, task, threads, discrete, groups, device, overrides)


def benchmarl_task(scenario: Sources, /, *, task: Task | str | None = None, threads: int = 1,
                   groups: Mapping[str, Sequence[int]] | None = None,
                   **overrides: object) -> RobotsTask:
    """Return a task for BenchMARL's ``Experiment``: IPPO, MAPPO and its other algorithms.

    Parameters
    ----------
    scenario : as ``sbot.load`` takes it
    task, threads, groups, overrides : as of ``torchrl_env``

    Raises
    ------
    InputError
        where BenchMARL is not installed.

    """
    try:
        from sbot.learn.torchrl.benchmarl import RobotsTask
    except ImportError:
        raise _missing('benchmarl_task', 'benchmarl', 'marl') from None
    return RobotsTask(scenario, task, threads, groups, overrides)


# Gymnasium's ids of tasks; a version counts up when the numbers of a task or its scenes change.
IDS = {f"sbot/{name.title().replace('_', '')}-v0": name for name in TASKS}


def _register_ids() -> None:
    """Tell Gymnasium the ids of tasks, where it is installed."""
    try:
        import gymnasium
    except ImportError:
        return
    for name, task in IDS.items():
        gymnasium.register(name, entry_point='sbot.learn.ids:make',
                           vector_entry_point='sbot.learn.ids:make_vec',
                           kwargs={'task': task})


_register_ids()
