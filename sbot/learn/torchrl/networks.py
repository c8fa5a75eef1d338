"""Export of networks that BenchMARL trained to network files, with unchanged weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torchrl.modules import MultiAgentMLP, TanhNormal

from neural_controller.network import Network, make_network
from sbot.learn.task_checks import check_robots_have
from sbot.learn.torchrl.environment import RobotsTorchEnv
from sbot_common.errors import InputError, bad_value


def networks_of(experiment: Any, group: str) -> tuple[Network, NDArray[np.float64]]:  # noqa: ANN401
    """Return the deterministic policy of a group and its weights; see ``benchmarl_network``."""
    env = _robots_of(getattr(experiment, 'test_env', None))
    policies = experiment.group_policies
    if group not in policies:
        raise bad_value('group', group, f"one of {', '.join(policies)}")
    check_robots_have(env.episodes.task, env.episodes.limits)
    actor = policies[group]
    kinds = [getattr(part, 'distribution_class', None) for part in actor.modules()]
    if TanhNormal not in kinds:
        raise InputError('experiment: the policy of its algorithm does not end with tanh and a '
                         'normal distribution, as those of IPPO and MAPPO with continuous actions '
                         'do')
    found = [part for part in actor.modules() if isinstance(part, MultiAgentMLP)]
    if len(found) != 1 or found[0].centralized:
        raise InputError('experiment: its policy is not one MLP of what each robot observes; '
                         'use MlpConfig alone')
    return _converted(found[0], env.episodes.network._replace(hold=env.episodes.task.hold))


def _converted(mlp: Any, given: Network) -> tuple[Network, NDArray[np.float64]]:  # noqa: ANN401
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
    layers[-1] = bias[..., :2], weight[..., :2, :]  # the others are for the noise
    hidden = [bias.shape[-1] for bias, _ in layers[:-1]]
    network = make_network('mlp' if hidden else 'perceptron', given.inputs, hidden=hidden,
                           outputs=given.outputs, max_speed=given.max_speed, turn=given.turn,
                           hold=given.hold or 1)
    network = network._replace(learned_with=given.learned_with)
    rows = [torch.cat([bias[..., None], weight], dim=-1).flatten(-2).detach().cpu().double()
            for bias, weight in layers]
    return network, torch.cat(rows, dim=-1).numpy()


def _robots_of(env: Any) -> RobotsTorchEnv:  # noqa: ANN401
    """Return the environment below transforms."""
    while env is not None and not isinstance(env, RobotsTorchEnv):
        env = getattr(env, 'base_env', None)
    if env is None:
        raise InputError('experiment: needs a task of sbot.learn.benchmarl_task')
    return env
