"""Gymnasium's ids of tasks: ``gymnasium.make('sbot/ReachGoal-v0')`` and ``make_vec``."""

from __future__ import annotations

from typing import Any

from sbot.api.loading import Source
from sbot.learn.single import RobotsEnv
from sbot.learn.task import Task
from sbot.learn.vector import RobotsVectorEnv
from sbot_common.errors import InputError


def make(task: Task | str | None = None, scenario: Source | None = None,
         render_mode: str | None = None, discrete: bool = False,
         **overrides: Any) -> RobotsEnv:  # noqa: ANN401
    """Return the environment of one world, for Gymnasium's ``make``."""
    return RobotsEnv(scenario, _given(task), render_mode, discrete, overrides)


def make_vec(task: Task | str | None = None, scenario: Source | None = None, num_envs: int = 1,
             render_mode: str | None = None, threads: int = 1, discrete: bool = False,
             rewards: str = 'mean', autoreset: str = 'next_step',
             **overrides: Any) -> RobotsVectorEnv:  # noqa: ANN401
    """Return the environment of many worlds, for Gymnasium's ``make_vec``.

    A world begins anew in the step after its last, as Gymnasium's own vector environments do and
    its wrappers want it.
    """
    return RobotsVectorEnv(scenario, num_envs, _given(task), render_mode, threads, discrete,
                           rewards, autoreset, overrides)


def _given(task: Task | str | None) -> Task | str:
    """Return the task; InputError without one."""
    if task is None:  # every other id has its own
        raise InputError("sbot/Task-v0 needs task; give task='module:ENTRY' or an object of Scene")
    return task
