"""Gymnasium's ids of shipped tasks: ``gymnasium.make('sbot/ReachGoal-v0')`` and ``make_vec``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium

import sbot.learn
from sbot.learn.shipped import TASKS

if TYPE_CHECKING:
    from sbot.learn.single import RobotsEnv
    from sbot.learn.vector import RobotsVectorEnv

# Where a task is at home; another scenario is an argument of ``make``.
SCENARIOS = {'reach_goal': 'single_robot', 'follow_leader': 'leader_follower',
             'avoid_obstacles': 'sbot_aggregation', 'aggregate': 'sbot_aggregation'}


def make(task: str, scenario: Any, **options: Any) -> RobotsEnv:  # noqa: ANN401
    """Return the environment of one world; ``gymnasium.make`` calls it."""
    return sbot.learn.env(scenario, task=task, **options)


def make_vec(task: str, scenario: Any, num_envs: int = 1,  # noqa: ANN401
             autoreset: str = 'next_step', **options: Any) -> RobotsVectorEnv:  # noqa: ANN401
    """Return the environment of many worlds; ``gymnasium.make_vec`` calls it.

    A world begins anew in the step after its last, as Gymnasium's own vector environments do and
    its wrappers want it.
    """
    return sbot.learn.vector_env(scenario, num_envs, task=task, autoreset=autoreset, **options)


def register() -> None:
    """Register the tasks; a version counts up when the numbers of a task change."""
    for name, scenario in SCENARIOS.items():
        gymnasium.register(f'sbot/{TASKS[name].__name__}-v0', entry_point=make,
                           vector_entry_point=make_vec,
                           kwargs={'task': name, 'scenario': scenario})
