"""Gymnasium's ids of tasks: ``gymnasium.make('sbot/ReachGoal-v0')`` and ``make_vec``."""

from __future__ import annotations

from typing import Any

from sbot.api.loading import Source
from sbot.learn.single import RobotsEnv
from sbot.learn.task import Task
from sbot.learn.tasks.registry import scene_of
from sbot.learn.vector import RobotsVectorEnv


def make(task: str, scenario: Source | None = None, render_mode: str | None = None,
         discrete: bool = False, **overrides: Any) -> RobotsEnv:  # noqa: ANN401
    """Return the environment of one world, for Gymnasium's ``make``."""
    return RobotsEnv(*_home(task, scenario), render_mode, discrete, overrides)


def make_vec(task: str, scenario: Source | None = None, num_envs: int = 1,
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


def _home(task: str, scenario: Source | None) -> tuple[Source, Task | str]:
    """Return where a task is played: a given scenario, or the task's own scenes."""
    if scenario is not None:
        return scenario, task
    scene = scene_of(task)
    return scene.scenario(0), scene
