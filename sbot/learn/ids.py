"""Gymnasium's ids of shipped tasks: ``gymnasium.make('sbot/ReachGoal-v0')`` and ``make_vec``."""

from __future__ import annotations

from typing import Any

from sbot.learn.single import RobotsEnv
from sbot.learn.vector import RobotsVectorEnv


def make(task: str, scenario: Any, render_mode: str | None = None,  # noqa: ANN401
         discrete: bool = False, **overrides: Any) -> RobotsEnv:  # noqa: ANN401
    """Return the environment of one world, for Gymnasium's ``make``."""
    return RobotsEnv(scenario, task, render_mode, discrete, overrides)


def make_vec(task: str, scenario: Any, num_envs: int = 1,  # noqa: ANN401
             render_mode: str | None = None, threads: int = 1, discrete: bool = False,
             rewards: str = 'mean', autoreset: str = 'next_step',
             **overrides: Any) -> RobotsVectorEnv:  # noqa: ANN401
    """Return the environment of many worlds, for Gymnasium's ``make_vec``.

    A world begins anew in the step after its last, as Gymnasium's own vector environments do and
    its wrappers want it.
    """
    return RobotsVectorEnv(scenario, num_envs, task, render_mode, threads, discrete, rewards,
                           autoreset, overrides)
