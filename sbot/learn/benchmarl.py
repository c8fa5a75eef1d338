# SPDX-License-Identifier: Apache-2.0
"""BenchMARL: a scenario and a task as its ``TaskClass``, for IPPO, MAPPO and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarl.environments.common import TaskClass

from sbot.learn.task import Task
from sbot.learn.torchrl import Groups, RobotsTorchEnv
from sbot.scenario.load import Sources


class RobotsTask(TaskClass):  # type: ignore[misc]
    """A task for BenchMARL's ``Experiment``; make one by ``sbot.learn.benchmarl_task``."""

    def __init__(self, scenario: Sources | None, task: Task | str | None, threads: int,
                 groups: Groups | None, overrides: Mapping[str, object]) -> None:
        super().__init__(name=task if isinstance(task, str) else type(task).__name__, config={})
        self._given = scenario, task, threads, groups, overrides

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None,
                    device: Any) -> Callable[[], RobotsTorchEnv]:  # noqa: ANN401
        """Return a function that makes an environment with this number of worlds."""
        scenario, task, threads, groups, overrides = self._given

        def make() -> RobotsTorchEnv:
            env = RobotsTorchEnv(scenario, num_envs, task, threads, not continuous_actions,
                                 groups, device, overrides)
            if seed is not None:
                env.set_seed(seed)
            return env
        return make

    def supports_continuous_actions(self) -> bool:
        """Tell that shares are actions."""
        return True

    def supports_discrete_actions(self) -> bool:
        """Tell that numbers of moves are actions."""
        return True

    def max_steps(self, env: RobotsTorchEnv) -> int:
        """Return how many decisions an episode has."""
        return -(-env.episodes.ticks // env.episodes.task.hold)

    def has_render(self, env: RobotsTorchEnv) -> bool:
        """Tell that BenchMARL cannot render it."""
        return False

    def group_map(self, env: RobotsTorchEnv) -> dict[str, list[str]]:
        """Return the robots of each group."""
        return env.group_map

    def observation_spec(self, env: RobotsTorchEnv) -> Any:  # noqa: ANN401
        """Return the spec of observations."""
        return _spec_with_only(env.full_observation_spec_unbatched, env, 'observation')

    def info_spec(self, env: RobotsTorchEnv) -> None:
        """Return None: there is no further information."""

    def state_spec(self, env: RobotsTorchEnv) -> Any:  # noqa: ANN401
        """Return the state of the world, for MAPPO's critic and others."""
        spec = env.full_observation_spec_unbatched.clone()
        for group in env.group_map:
            del spec[group]
        return spec

    def action_spec(self, env: RobotsTorchEnv) -> Any:  # noqa: ANN401
        """Return the spec of actions."""
        return env.full_action_spec_unbatched

    def action_mask_spec(self, env: RobotsTorchEnv) -> Any:  # noqa: ANN401
        """Return the masks of moves; None where the task has none."""
        spec = _spec_with_only(env.full_observation_spec_unbatched, env, 'action_mask')
        return None if any(spec[group].is_empty() for group in env.group_map) else spec

    @staticmethod
    def env_name() -> str:
        """Return the name of the folder of files, of which there are none."""
        return 'sbot'


def _spec_with_only(given: Any, env: RobotsTorchEnv, wanted: str) -> Any:  # noqa: ANN401
    """Return a spec with one entry of each group."""
    spec = given.clone()
    del spec['state']
    for group in env.group_map:
        for name in list(spec[group].keys()):
            if name != wanted:
                del spec[group, name]
    return spec
