# SPDX-License-Identifier: Apache-2.0
"""TorchRL: a batched environment of teams; export of networks that BenchMARL trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDict
from tensordict.base import NO_DEFAULT
from torchrl.data import Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MultiAgentMLP, TanhNormal

from sbot.controllers.neural.network import Network
from sbot.learn.episodes import Episodes
from sbot.learn.task import Task
from sbot.learn.task_checks import check_robots_have, gates_of
from sbot.scenario.load import Sources
from sbot_common.arrays import Flags
from sbot_common.compiled.jit import njit
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
            name: ... if rows == every else (slice(None), rows)
            for name, rows in self.rows.items()}
        self._sizes = {name: torch.Size((count, len(rows))) for name, rows in self.rows.items()}
        super().__init__(device=device, batch_size=[count])
        self.group_map = {name: [f'robot_{i}' for i in each] for name, each in robots.items()}
        self._actions = self.episodes.actions.none(count, len(learners))  # written at each step
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
        return self._observed(np.ones((count, robots), np.bool_), none, none)

    def step(self, tensordict: Any) -> Any:  # noqa: ANN401
        """Let all robots act, and write what follows to `next`, as ``EnvBase.step`` does.

        That checks at each step the tensors that this class has just made, in the time that 32
        worlds take; it is asked only where it has more to do.
        """
        if (self.run_type_checks or not _plain(tensordict, self.batch_size)
                or tensordict.device not in (None, self.device)
                or tensordict._get_str('_step', None) is not None
                or tensordict._get_str('next', None) is not None):
            return super().step(tensordict)
        return tensordict._set_str('next', self._step(tensordict), inplace=False, validated=True)

    def _step_mdp(self, tensordict: Any) -> Any:  # noqa: ANN401
        """Return what the next step begins with, as that of ``EnvBase``, in a third of the time.

        That is asked where tensors are not as ``step`` writes them.
        """
        after = tensordict._get_str('next', None)
        if not (_plain(tensordict, self.batch_size) and _plain(after, self.batch_size)
                and len(after.items()) == 4 + len(self._sizes)):
            return super()._step_mdp(tensordict)
        groups = {}
        for name, size in self._sizes.items():
            old, new = tensordict._get_str(name, None), after._get_str(name, None)
            if not (_plain(old, size) and _plain(new, size)
                    and len(new.items()) == 6 + self._masked):
                return super()._step_mdp(tensordict)
            groups[name] = _continued(old, dict(new.items()), 'reward')
        return _continued(tensordict, {**dict(after.items()), **groups}, 'next')

    @classmethod
    def _complete_done(cls, _: Any, data: Any) -> Any:  # noqa: ANN401
        """Return what a step or a reset gave: it says of all who are done."""
        return data

    def _step(self, tensordict: Any) -> Any:  # noqa: ANN401
        """Let all robots act for as long as the task says."""
        episodes = self.episodes
        kind, actions = episodes.actions, self._actions
        for name, rows in self._places.items():
            given = tensordict._get_str(name, NO_DEFAULT)._get_str('action', NO_DEFAULT)
            actions[rows] = given.numpy(force=True)  # of [name, 'action'], without its checks
        outcome = episodes.step(kind.checked('actions', actions, [actions.shape], finite=False))
        return self._observed(episodes.active, outcome.all_ended, outcome.late,
                              outcome.reward[..., None].astype(np.float32))

    def _set_seed(self, seed: int | None) -> None:
        """Seed all worlds, each by its own of ``world_seeds``."""
        self.episodes.seed(seed)

    def _observed(self, active: Flags, all_ended: Flags, late: Flags,
                  reward: NDArray[np.float32] | None = None) -> Any:  # noqa: ANN401
        """Return what robots see, who is done (K, N), and rewards (K, N, 1) after a step.

        ``active`` : who is not done, (K, N); ``all_ended``, ``late`` : worlds (K,), as in
        ``Outcome``
        """
        episodes, device = self.episodes, self.device
        of_worlds = np.empty((3, len(late), 1), np.bool_)
        ends = np.empty((3, *active.shape, 1), np.bool_)
        _write_ends(active, all_ended, late, of_worlds, ends)
        of_robots = {'observation': episodes.observation(), 'mask': episodes.active,
                     'action_mask': episodes.mask(), 'reward': reward}
        tensor: Any = torch.from_numpy
        if device is not None and device.type != 'cpu':
            tensor = partial(torch.as_tensor, device=device)
        found: dict[str, Any] = {'state': tensor(episodes.state())}
        found['done'], found['terminated'], found['truncated'] = tensor(of_worlds).unbind()
        for name, rows in self._places.items():
            every = rows is ...  # a tensor of a view takes half as long again
            parts = {part: tensor(values if every else values[rows])
                     for part, values in of_robots.items() if values is not None}
            parts['done'], parts['terminated'], parts['truncated'] = tensor(
                ends if every else ends[:, :, self.rows[name]]).unbind()
            found[name] = TensorDict._new_unsafe(parts, device=device,
                                                 batch_size=self._sizes[name])
        # As TensorDict(...), but for checks of each tensor: in a tenth of the time.
        return TensorDict._new_unsafe(found, batch_size=self.batch_size, device=device)


def _plain(given: Any, size: torch.Size) -> bool:  # noqa: ANN401
    """Tell whether something is a ``TensorDict`` of a size whose axes have no names."""
    return type(given) is TensorDict and given.batch_size == size and not given._has_names()


def _continued(old: Any, new: dict[str, Any], without: str) -> Any:  # noqa: ANN401
    """Return new tensors, and those old ones that nothing replaces, without one of a name."""
    kept = {key: value if isinstance(value, torch.Tensor) else value.copy()
            for key, value in old.items()
            if key not in new and key not in ('_reset', without)}
    found = {**kept, **new}
    found.pop(without, None)
    return TensorDict._new_unsafe(found, old.batch_size, old.device)


@njit
def _write_ends(active: Flags, all_ended: Flags, late: Flags, of_worlds: Flags,
                of_robots: Flags) -> None:
    """Write who is done, whether by the task, and by the time: (3, K, 1) and (3, K, N, 1)."""
    for k in range(len(late)):
        of_worlds[0, k, 0], of_worlds[1, k, 0] = all_ended[k] or late[k], all_ended[k]
        of_worlds[2, k, 0] = late[k] and not all_ended[k]
        for i in range(active.shape[1]):
            of_robots[0, k, i, 0] = late[k] or not active[k, i]
            of_robots[1, k, i, 0] = not active[k, i]
            of_robots[2, k, i, 0] = late[k] and active[k, i]


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
