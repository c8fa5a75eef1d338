"""Gymnasium's ids of tasks: ``gymnasium.make('sbot/ReachGoal-v0')`` and ``make_vec``."""

from __future__ import annotations

from typing import Any

from sbot.api.loading import Source
from sbot.learn.single import RobotsEnv
from sbot.learn.task import Task
from sbot.learn.tasks.entry import Scene
from sbot.learn.tasks.registry import scene_of
from sbot.learn.vector import RobotsVectorEnv
from sbot_common.errors import InputError


def make(task: Task | str | None = None, scenario: Source | None = None,
         render_mode: str | None = None, discrete: bool = False,
         **overrides: Any) -> RobotsEnv:  # noqa: ANN401
    """Return the environment of one world, for Gymnasium's ``make``."""
    return RobotsEnv(*_home(task, scenario), render_mode, discrete, overrides)


def make_vec(task: Task | str | None = None, scenario: Source | None = None, num_envs: int = 1,
             render_mode: str | None = None, threads: int = 1, discrete: bool = False,
             rewards: str = 'mean', autoreset: str = 'next_step',
             **overrides: Any) -> RobotsVectorEnv:  # noqa: ANN401
    """Return the environment of many worlds, for Gymnasium's ``make_vec``.

    A world begins anew in the step after its last, as Gymnasium's own vector environments do and
    its wrappers want it.
    """
    where, what = _home(task, scenario)
    return RobotsVectorEnv(where, num_envs, what, render_mode, threads, discrete, rewards,
                           autoreset, overrides)


def _home(task: Task | str | None, scenario: Source | None) -> tuple[Source, Task | str]:
    """Return where a task is played: a given scenario, or the task's own scenes.

    Raises
    ------
    InputError
        without a task; without a scenario, if the task has no scenes.

    """
    if task is None:  # every other id has its own
        raise InputError("sbot/Task-v0 needs task; give task='module:ENTRY' or an object of Scene")
    if scenario is not None:
        return scenario, task
    if isinstance(task, Task) and not isinstance(task, Scene):
        raise InputError(f'sbot/Task-v0 needs scenario, as {type(task).__name__} has no scenes of '
                         'its own; give scenario=')
    scene = task if isinstance(task, Scene) else scene_of(task)
    return scene.scenario(0), scene
