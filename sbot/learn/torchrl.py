# SPDX-License-Identifier: Apache-2.0
"""TorchRL: a batched environment of teams; export of networks that BenchMARL trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDict
from torchrl.data import Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MultiAgentMLP, TanhNormal

from sbot.controllers.neural.network import Network
from sbot.learn.episodes import Episodes
from sbot.learn.task import Task
from sbot.learn.task_checks import check_robots_have, gates_of
from sbot.scenario.load import Sources
from sbot_common.arrays import Flags
from sbot_common.errors import InputError, bad_value

# TorchRL: a batched environment of teams, with groups, rewards of robots and masks.

Groups = Mapping[str, Sequence[int]]
_ENDS = ('done', 'terminated', 'truncated')


class RobotsTorchEnv(EnvBase):  # type: ignore[misc]
    """K worlds as a batch of TorchRL; make one by ``sbot.learn.torchrl_env``."""

    def __init__(self, scenario: Sources | None, count: int, task: Task | str | None, threads: int,
                 discrete: bool, groups: Groups | None, device: str,
                 overrides: Mapping[str, object]) -> None:
        self.episodes = Episodes(scenario, count, task, overrides, threads, discrete)
        learners = self.episodes.learners.tolist()
        robots = _robots_by_group(groups, learners)
        count, every = self.episodes.count, [*range(len(learners))]
        self.rows = {name: [learners.index(i) for i in each] for name, each in robots.items()}
        self._places: dict[str, Any] = {  # all robots in order: without a copy
            name: slice(None) if rows == every else rows for name, rows in self.rows.items()}
        self._sizes = {name: torch.Size((count, len(rows))) for name, rows in self.rows.items()}
        super().__init__(device=device, batch_size=[count])
        self.group_map = {name: [f'robot_{i}' for i in each] for name, each in robots.items()}
        self._masked = self.episodes.mask() is not None
        self._make_specs()

    def _make_specs(self) -> None:
        """Say what tensors there are: a group's robots share a second axis."""
        episodes, device = self.episodes, self.device
        actions = episodes.actions
        observed: dict[str, Any] = {'state': Unbounded((episodes.state().shape[1],),
                                                       device=device)}
        acted, rewarded = {}, {}
        for name, rows in self.rows.items():
            n = len(rows)
            parts = {'observation': Unbounded((n, episodes.columns), device=device),
                     'mask': _flags(n, device)}
            if actions.discrete:
                moves = len(actions.moves)
                kind = Categorical(moves, (n,), device=device, dtype=torch.int64)
                if self._masked:
                    parts['action_mask'] = _flags(n, moves, device)
            else:
                kind = Bounded(-1.0, 1.0, (n, actions.columns), device=device)
            observed[name] = Composite(parts, shape=(n,), device=device)
            acted[name] = Composite({'action': kind}, shape=(n,), device=device)
            rewarded[name] = Composite({'reward': Unbounded((n, 1), device=device)},
                                       shape=(n,), device=device)
        self.full_observation_spec_unbatched = Composite(observed, device=device)
        self.full_action_spec_unbatched = Composite(acted, device=device)
        self.full_reward_spec_unbatched = Composite(rewarded, device=device)
        ends: dict[str, Any] = {name: _flags(1, device) for name in _ENDS}
        for name, rows in self.rows.items():
            n = len(rows)
            ends[name] = Composite({end: _flags(n, 1, device) for end in _ENDS}, shape=(n,),
                                   device=device)
        self.full_done_spec_unbatched = Composite(ends, device=device)

    def _reset(self, tensordict: Any = None, **_: object) -> Any:  # noqa: ANN401
        """Begin episodes in all worlds, or in those of the flags `_reset` (K, 1)."""
        chosen = None
        if tensordict is not None and '_reset' in set(tensordict.keys()):
            chosen = tensordict['_reset'].reshape(-1).cpu().numpy().astype(np.bool_)
        self.episodes.reset(chosen)
        count, robots = self.episodes.count, self.episodes.robots
        none = np.zeros(count, np.bool_)
        return self._observed(np.zeros((count, robots), np.bool_), none, none)

    def step(self, tensordict: Any) -> Any:  # noqa: ANN401
        """Let all robots act, and write what follows to `next`, as ``EnvBase.step`` does.

        That checks at each step the tensors that this class has just made, in three times the
        time that 32 worlds take; it is asked only where it has more to do.
        """
        if self.run_type_checks or not {'_step', 'next'}.isdisjoint(tensordict.keys()):
            return super().step(tensordict)
        self._assert_tensordict_shape(tensordict)
        return tensordict.set('next', self._step(tensordict))

    def _step(self, tensordict: Any) -> Any:  # noqa: ANN401
        """Let all robots act for as long as the task says."""
        episodes = self.episodes
        kind = episodes.actions
        actions = kind.none(episodes.count, episodes.robots)
        for name, rows in self._places.items():
            actions[:, rows] = tensordict[name, 'action'].numpy(force=True)
        outcome = episodes.step(kind.checked('actions', actions, [actions.shape]))
        return self._observed(episodes.ended, outcome.all_ended, outcome.late,
                              outcome.reward[..., None].astype(np.float32))

    def _set_seed(self, seed: int | None) -> None:
        """Seed all worlds, each by its own of ``world_seeds``."""
        self.episodes.seed(seed)

    def _observed(self, ended: Flags, all_ended: Flags, late: Flags,
                  reward: NDArray[np.float32] | None = None) -> Any:  # noqa: ANN401
        """Return what robots see, who is done (K, N), and rewards (K, N, 1) after a step.

        ``all_ended``, ``late`` : worlds (K,), as in ``Outcome``
        """
        episodes = self.episodes
        of_robots = {'observation': episodes.observation(), 'mask': episodes.active,
                     'action_mask': episodes.mask(), 'reward': reward,
                     **_ends(ended[..., None], late[:, None, None])}
        given = {**_ends(all_ended[:, None], late[:, None]), 'state': episodes.state()}
        device = self.device
        found = _tensors(given, device)
        for name, rows in self._places.items():
            parts = {part: values[:, rows] for part, values in of_robots.items()
                     if values is not None}
            found[name] = TensorDict._new_unsafe(_tensors(parts, device), device=device,
                                                 batch_size=self._sizes[name])
        # As TensorDict(...), but for checks of each tensor: in a tenth of the time.
        return TensorDict._new_unsafe(found, batch_size=self.batch_size, device=device)


def _tensors(arrays: Mapping[str, NDArray[Any]], device: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return arrays that nobody else has as tensors; on the processor without a copy."""
    found = {name: torch.from_numpy(values) for name, values in arrays.items()}
    if device is None or device.type == 'cpu':
        return found
    return {name: values.to(device) for name, values in found.items()}


def _ends(ended: NDArray[np.bool_], late: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    """Return what is done, and whether by the task or by the time."""
    return {'done': ended | late, 'terminated': ended.copy(), 'truncated': late & ~ended}


def _flags(*shape: Any) -> Categorical:  # noqa: ANN401
    """Return the space of truth values: lengths of the axes, and the device."""
    return Categorical(2, shape[:-1], dtype=torch.bool, device=shape[-1])


def _robots_by_group(groups: Groups | None, learners: list[int]) -> dict[str, list[int]]:
    """Return the robots of each group; each that learns is in one."""
    if groups is None:
        return {'robots': learners}
    if not isinstance(groups, Mapping):
        raise bad_value('groups', groups, 'lists of robots by name')
    found = {str(name): list(rows) for name, rows in groups.items()}
    if sorted(row for rows in found.values() for row in rows) != learners:
        raise bad_value('groups', found, f'each robot from 0 to {learners[-1]} in one group')
    if {'state', *_ENDS} & {*found}:
        raise InputError('groups: a group cannot be named state, done, terminated or truncated')
    return found


def networks_of(experiment: Any, group: str) -> tuple[Network, NDArray[np.float64]]:  # noqa: ANN401
    """Return the deterministic policy of a group and its weights; see ``benchmarl_network``."""
    env = _robots_of(getattr(experiment, 'test_env', None))
    policies = experiment.group_policies
    if group not in policies:
        raise bad_value('group', group, f"one of {', '.join(policies)}")
    check_robots_have(env.episodes.task, env.episodes.limits[env.episodes.learners])
    actor = policies[group]
    kinds = [getattr(part, 'distribution_class', None) for part in actor.modules()]
    if TanhNormal not in kinds:
        raise InputError('experiment: the policy of its algorithm does not end with tanh and a '
                         'normal distribution, as those of IPPO and MAPPO with continuous actions '
                         'do')
    found = {type(part).__name__: part for part in actor.modules()
             if type(part).__name__.startswith('MultiAgent')}
    memory = found.get('MultiAgentGRU') or found.get('MultiAgentLSTM')
    mlps = [part for part in actor.modules() if isinstance(part, MultiAgentMLP)]
    if len(mlps) != 1 or len(found) != 1 + (memory is not None) or mlps[0].centralized or (
            memory is not None and (memory.n_layers > 1 or not memory.bias)):
        raise InputError('experiment: its policy is not one MLP of what each robot observes, or '
                         'of one layer of a GRU or LSTM with biases; use MlpConfig, GruConfig or '
                         'LstmConfig alone')
    return _converted(mlps[0], memory, env.episodes.network)


def _converted(mlp: Any, memory: Any, given: Network  # noqa: ANN401
               ) -> tuple[Network, NDArray[np.float64]]:
    """Return a network and weights (W,), or (N, W) where each robot has its own."""
    inner = [layer for layer in mlp._empty_net.children() if not isinstance(
        layer, torch.nn.Linear)]
    wrong = {type(layer).__name__ for layer in inner} - {'Tanh'}
    if wrong:
        raise InputError(f"activation_class: got {', '.join(sorted(wrong))}, expected "
                         'torch.nn.Tanh')
    names = sorted({int(key.split('.')[0]) for key, _ in mlp.params.flatten_keys('.').items()})
    layers = [(mlp.params[str(name), 'bias'], mlp.params[str(name), 'weight']) for name in names]
    bias, weight = layers[-1]
    means = given.layers[-1]
    layers[-1] = bias[..., :means], weight[..., :means, :]  # the others are for the noise
    hidden = [bias.shape[-1] for bias, _ in layers[:-1]]
    network = given._replace(kind='mlp' if hidden else 'perceptron', hidden=tuple(hidden))
    rows = [torch.cat([bias[..., None], weight], dim=-1).flatten(-2) for bias, weight in layers]
    if memory is not None:
        kind = type(memory).__name__.removeprefix('MultiAgent').lower()
        network = network._replace(kind=kind, hidden=(memory.hidden_size, *hidden))
        cell = memory.params[f'{kind}s', '0']
        rows.insert(0, gates_of(cell['weight_ih'], cell['weight_hh'], cell['bias_ih'],
                                cell['bias_hh']))
    return network, torch.cat(rows, dim=-1).detach().cpu().double().numpy()


def _robots_of(env: Any) -> RobotsTorchEnv:  # noqa: ANN401
    """Return the environment below transforms."""
    while env is not None and not isinstance(env, RobotsTorchEnv):
        env = getattr(env, 'base_env', None)
    if env is None:
        raise InputError('experiment: needs a task of sbot.learn.benchmarl_task')
    return env
