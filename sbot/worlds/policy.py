"""Compiled policies of a batch: networks and functions, as phases that decide for all robots."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neural_controller import inputs as kinds
from neural_controller.function_policy import FunctionPolicy, place_of
from neural_controller.layers import ctrnn, mlp, tanh_in_place, weighted_sums
from neural_controller.network import Network
from neural_controller.outputs import TWIST, WHEELS, command_of_twist, command_of_wheels
from sbot_common.twist import OMEGA, VX, VY
from sbot_common.user_code import UserCodeError, reason
from sbot_sim.worlds.batch import Batch, Interpreted, Phase, Policy
from sbot_sim.worlds.fitted_sensors import FittedSensors

Floats = NDArray[np.float64]


@contextlib.contextmanager
def exceptions_of(policy: Network | FunctionPolicy) -> Iterator[None]:
    """Raise exceptions of a policy's function, which Python would only print.

    Raises
    ------
    UserCodeError
        at the end of the block, of the first of these exceptions.

    """
    if not isinstance(policy, FunctionPolicy):
        yield
        return
    raised: list[BaseException] = []
    before = sys.unraisablehook

    def keep(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, Exception) and 'CPUContext' in str(lost.object):
            raised.append(lost.exc_value)
        else:
            before(lost)
    sys.unraisablehook = keep
    try:
        yield
    finally:
        sys.unraisablehook = before
    for error in raised[:1]:
        raise UserCodeError(f'{place_of(policy.function)}: {reason(error)}') from error


@Phase
def gather(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write the inputs of all robots (``neural_controller.inputs``)."""
    setting, worlds, policy = batch.setting, batch.worlds, batch.policy
    n = setting.robots
    senses = kinds.Senses(worlds.sent_pose, policy.goal, worlds.infrared[:, :, 1], worlds.ranges,
                          setting.sensing.range_max, worlds.observed_wind, worlds.twist)
    for k in range(first, end):
        heard = kinds.Heard(worlds.heard_starts[k], worlds.heard_range[k], worlds.heard_bearing[k])
        kinds.gather_inputs(k * n, (k + 1) * n, k * n, n, policy.table, senses, heard,
                            policy.inputs)


@Phase
def gather_infrared(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write inputs of infrared alone: an episode takes 2 to 3 % less than by ``gather``."""
    worlds, policy, n = batch.worlds, batch.policy, batch.setting.robots
    for row in range(first * n, end * n):
        kinds.infrared_inputs(worlds.infrared[row, :, 1], policy.inputs[row])


def gather_readings(network: Network, policy: Policy, fitted: FittedSensors,
                    robots: int) -> list[Interpreted]:
    """Return a phase that writes readings of sensors with a kernel, where a network has any."""
    columns = [(name.partition(':')[0], slice(first, first + size))
               for name, (kind, first, size) in zip(network.inputs, policy.table.tolist(),
                                                    strict=True) if kind == kinds.READING]

    def write(first: int, end: int) -> None:
        rows = slice(first * robots, end * robots)
        for name, place in columns:
            policy.inputs[rows, place] = fitted.sent(name, rows)
    return [write] if columns else []


def _forward(function: Any) -> Callable[[int, int, int, int, Batch], None]:  # noqa: ANN401
    def forward(first: int, end: int, a: int, z: int, batch: Batch) -> None:
        policy, n = batch.policy, batch.setting.robots
        dt = policy.decision[0]
        for k in range(first, end):
            for row in range(k * n, (k + 1) * n):
                function(policy.inputs[row], policy.weights[k], policy.memory[row],
                         policy.outputs[row], policy.layers, dt)
    return forward


@Phase
def perceptrons(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Do the work of ``layers.perceptron`` for all robots, and the hyperbolic tangents at once."""
    policy, n = batch.policy, batch.setting.robots
    for k in range(first, end):
        for row in range(k * n, (k + 1) * n):
            weighted_sums(policy.inputs[row], policy.weights[k], policy.outputs[row])
    tanh_in_place(policy.outputs[first * n:end * n].ravel())


_FORWARD = {'perceptron': perceptrons, 'mlp': Phase(_forward(mlp)),
            'ctrnn': Phase(_forward(ctrnn))}


@lru_cache(maxsize=64)
def _phase_of(function: Any) -> Phase:  # noqa: ANN401
    return Phase(_forward(function))


def _act(command_of: Any) -> Callable[[int, int, int, int, Batch], None]:  # noqa: ANN401
    def act(first: int, end: int, a: int, z: int, batch: Batch) -> None:
        policy, worlds = batch.policy, batch.worlds
        n = batch.setting.robots
        for row in range(first * n, end * n):
            command = worlds.command[row]
            command[VY] = 0.0
            at = 2 * row if len(policy.limits) > 2 else 0
            command[VX], command[OMEGA] = command_of(
                policy.outputs[row, 0], policy.outputs[row, 1], policy.limits[at],
                policy.limits[at + 1])
    return act


_ACT = {WHEELS: Phase(_act(command_of_wheels)), TWIST: Phase(_act(command_of_twist))}


def deciding_phases(policy: Network | FunctionPolicy) -> list[Phase]:
    """Return the phases by which robots decide, in order."""
    network = policy.network if isinstance(policy, FunctionPolicy) else policy
    forward = (_phase_of(policy.function) if isinstance(policy, FunctionPolicy)
               else _FORWARD[network.kind])
    return [gather_infrared if network.inputs == ('infrared',) else gather, forward,
            _ACT[network.outputs]]
