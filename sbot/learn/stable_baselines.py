# SPDX-License-Identifier: Apache-2.0
"""Stable-Baselines3: its ``VecEnv`` of a batch of worlds, and its policies as networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecNormalize

from sbot.controllers.neural.controller import tanh_in_place
from sbot.controllers.neural.network import Network
from sbot.learn.episodes import Episodes
from sbot.learn.gymnasium_api import Renderer, action_space, observation_space
from sbot.learn.task import Task
from sbot.learn.task_checks import check_robots_have, gates_of
from sbot.scenario.load import Sources
from sbot_common.arrays import Floats
from sbot_common.errors import InputError, bad_value

# Stable-Baselines3 wants finite bounds and clips to them; ``tanh`` of these is 1 to the last bit.
_MOST = 20.0


class RobotsVecEnv(VecEnv):  # type: ignore[misc]
    """K worlds of N robots as a ``VecEnv`` of K N; make one by ``sbot.learn.sb3_env``."""

    def __init__(self, scenario: Sources | None, count: int, task: Task | str | None,
                 render_mode: str | None, threads: int, squash: bool, discrete: bool, dones: str,
                 overrides: Mapping[str, object]) -> None:
        if dones not in ('world', 'robots'):
            raise bad_value('dones', dones, 'world or robots')
        self.episodes = Episodes(scenario, count, task, overrides, threads, discrete)
        self.render_mode = render_mode
        self._renderer = Renderer(self.episodes, render_mode)
        kind = self.episodes.actions
        self.squash = squash and not kind.discrete
        actions = (spaces.Box(-_MOST, _MOST, kind.shape, np.float32) if self.squash
                   else action_space(kind))
        super().__init__(count * self.episodes.robots,
                         observation_space((self.episodes.columns,)), actions)
        self._of_robots = dones == 'robots'
        self.acted = np.ones(self.num_envs, np.bool_)  # rows that were not done at the last step

    def reset(self) -> NDArray[np.float32]:
        """Begin episodes in all worlds; ``seed(s)`` seeds them by ``world_seeds``."""
        if self._seeds[0] is not None:
            self.episodes.seed(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self.episodes.reset()
        self._renderer.keep()
        return self._observed()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions of the next step: (K N, 2), or (K N,) numbers of moves."""
        self._actions = self.episodes.actions.checked('actions', actions, [
            (self.num_envs, *self.episodes.actions.shape)])
        if self.squash:
            self._actions = self._actions.copy()
            tanh_in_place(self._actions.reshape(-1))

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_],
                                 list[dict[str, Any]]]:
        """Let all robots act; reset worlds whose robots are all done, or whose time is over.

        A robot that is done before the others stands still, at a reward of 0, until then. With
        ``dones='robots'`` it is done at once, and not again when its world is reset.
        """
        episodes = self.episodes
        self.acted[:] = episodes.active.reshape(-1)
        outcome = episodes.step(self._actions.reshape(
            episodes.count, episodes.robots, *episodes.actions.shape))
        over: NDArray[np.bool_] = outcome.late | outcome.all_ended
        done = np.repeat(over, episodes.robots)
        if self._of_robots:
            done = self.acted & (done | episodes.ended.reshape(-1))
        truncated = done & ~episodes.ended.reshape(-1)
        infos: list[dict[str, Any]] = [{'TimeLimit.truncated': late}
                                       for late in truncated.tolist()]
        if done.any():
            last = self._observed()
            for row in np.flatnonzero(done).tolist():
                infos[row]['terminal_observation'] = last[row]
        if over.any():
            episodes.reset(over)
        self._renderer.keep()
        reward = outcome.reward.reshape(-1).astype(np.float32)
        return self._observed(), reward, done, infos

    def close(self) -> None:
        """Close the browser view of `render_mode='human'`."""
        self._renderer.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ANN401
        """Return an attribute, the same for each of the chosen environments."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ANN401
        """Set an attribute of all environments."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None,  # noqa: ANN401
                   **method_kwargs: Any) -> list[Any]:  # noqa: ANN401
        """Call a method once; return its result for each of the chosen environments."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        if method_name == 'action_masks':
            return [result[row] for row in self._get_indices(indices)]
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:  # noqa: ANN401
        """Tell that no environment has a wrapper of its own."""
        return [False for _ in self._get_indices(indices)]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which moves each robot may choose, (K N, moves), for MaskablePPO."""
        mask = self.episodes.mask()
        if mask is None:
            return np.ones((self.num_envs, len(self.episodes.actions.moves)), np.bool_)
        return mask.reshape(self.num_envs, -1)

    def get_images(self) -> Sequence[Any]:
        """Return an image (height, width, 3) of each world."""
        return [self._renderer.render(k) for k in range(self.episodes.count)]

    def render(self, mode: str | None = None) -> Any:  # noqa: ANN401
        """Return the images of all worlds as one; with `html` a page of each world."""
        if self.render_mode == 'human':
            return None
        if self.render_mode == 'html':
            return self.get_images()
        return super().render(mode)

    def _observed(self) -> NDArray[np.float32]:
        return self.episodes.observation().reshape(self.num_envs, -1)


class LivingRows(RolloutBuffer):  # type: ignore[misc]
    """A rollout of which only what robots did before they were done is learned from.

    ``acted`` : (K N,) of the environment
    """

    def __init__(self, *given: Any, acted: NDArray[np.bool_], **named: Any) -> None:  # noqa: ANN401
        self._acted = acted
        super().__init__(*given, **named)

    def reset(self) -> None:
        """Forget all rows."""
        super().reset()
        self.living = np.zeros((self.buffer_size, self.n_envs), np.bool_)

    def add(self, *given: Any, **named: Any) -> None:  # noqa: ANN401
        """Take over a step of all robots."""
        self.living[self.pos] = self._acted
        super().add(*given, **named)

    def _get_samples(self, batch_inds: NDArray[np.int64], env: Any = None) -> Any:  # noqa: ANN401
        living = batch_inds[self.living.T.reshape(-1)[batch_inds]]  # flat, as the buffer is
        return super()._get_samples(living if len(living) > 1 else batch_inds, env)


def network_of(model: Any) -> tuple[Network, Floats]:  # noqa: ANN401
    """Return a model's deterministic policy as a network and its weights; see ``sb3_network``."""
    env = _robots_of(model.get_env())
    policy = model.policy
    if not isinstance(policy, ActorCriticPolicy) or policy.squash_output:
        raise InputError(f"policy: got {type(policy).__name__}, expected the 'MlpPolicy' of PPO "
                         'or A2C')
    if not isinstance(policy.pi_features_extractor, FlattenExtractor):
        raise InputError(f'features_extractor_class: got '
                         f'{type(policy.pi_features_extractor).__name__}, expected '
                         'FlattenExtractor')
    layers = list(policy.mlp_extractor.policy_net)
    if [type(layer) for layer in layers] != [torch.nn.Linear, torch.nn.Tanh] * (len(layers) // 2):
        names = sorted({type(layer).__name__ for layer in layers[1::2]})
        raise InputError(f"activation_fn: got {', '.join(names)}, expected torch.nn.Tanh in "
                         '`policy_kwargs`')
    linear = [*layers[::2], policy.action_net]
    hidden = [layer.out_features for layer in linear[:-1]]
    network = env.episodes.network._replace(kind='mlp' if hidden else 'perceptron',
                                            hidden=tuple(hidden))
    rows = [torch.column_stack([layer.bias, layer.weight]).flatten() for layer in linear]
    memory = getattr(policy, 'lstm_actor', None)  # of RecurrentPPO
    if memory is not None:
        if memory.num_layers > 1:
            raise bad_value('n_lstm_layers', memory.num_layers, '1 in `policy_kwargs`')
        network = network._replace(kind='lstm', hidden=(memory.hidden_size, *hidden))
        rows.insert(0, gates_of(memory.weight_ih_l0, memory.weight_hh_l0, memory.bias_ih_l0,
                                memory.bias_hh_l0))
    return network, torch.cat(rows).detach().cpu().double().numpy()


def _robots_of(env: VecEnv | None) -> RobotsVecEnv:
    """Return the environment below wrappers, none of which may change what a policy sees."""
    if env is None:
        raise InputError('model: needs an environment of sbot.learn.sb3_env; load it with '
                         'PPO.load(path, env=env)')
    outer = env
    while isinstance(env, VecEnvWrapper):
        if isinstance(env, VecNormalize) and env.norm_obs:
            raise InputError('VecNormalize with norm_obs=True cannot be combined with a network '
                             'that drives robots, which do not normalise; give norm_obs=False')
        env = env.venv
    if not isinstance(env, RobotsVecEnv) or not env.squash:
        raise InputError(f'model: its environment is {type(env).__name__}, expected one of '
                         'sbot.learn.sb3_env with squash=True')
    if outer.observation_space != env.observation_space:
        raise InputError('model: a wrapper that changes observations cannot be combined with a '
                         'network that drives robots; use those of sbot.learn.sb3_env')
    check_robots_have(env.episodes.task, env.episodes.limits[env.episodes.learners])
    return env
