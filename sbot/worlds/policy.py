"""Compiled policies of a batch: networks and functions, as phases that decide for all robots."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from neural_controller import inputs as kinds
from neural_controller.layers import ctrnn, mlp, tanh_in_place, weighted_sums
from neural_controller.network import Network, make_network
from neural_controller.outputs import TWIST, WHEELS, command_of_twist, command_of_wheels
from sbot_common.arguments import whole
from sbot_common.compiled.jit import borrowed
from sbot_common.errors import bad_value
from sbot_common.twist import OMEGA, VX, VY
from sbot_common.user_code import UserCodeError, call_user_code, reason
from sbot_sim.worlds.batch import Batch, Phase

Floats = NDArray[np.float64]

_ROW = numba.float64[::1]
_ARGUMENTS = (_ROW, _ROW, _ROW, _ROW, numba.int64[::1], numba.float64)  # of a function
_MOST_NUMBERS = 1_000_000  # weights of a world, memory of a robot


class FunctionPolicy(NamedTuple):
    """A compiled function of one's own as a policy; make one by ``function_policy``."""

    function: Any
    network: Network  # its inputs and outputs
    weight_count: int
    memory_count: int


def function_policy(function: Callable[..., None], inputs: Sequence[str], *, weights: int,
                    memory: int = 0, outputs: str = WHEELS, max_speed: float = 0.08,
                    turn: float = 0.095) -> FunctionPolicy:
    """Return a policy of a function that numba can compile.

    Parameters
    ----------
    function : called for each robot as ``function(inputs, weights, memory, outputs, layers, dt)``
        with float64 arrays (I,), (W,), (M,), (2,), int64 (L,) and the tick's length (s); it
        writes ``outputs`` (and ``memory``) and returns nothing
    inputs, outputs, max_speed, turn : as of ``make_network``
    weights, memory : how many

    Raises
    ------
    InputError
        for bad parameters.
    UserCodeError
        if numba cannot compile the function.

    """
    if not isinstance(function, FunctionType) and not hasattr(function, 'py_func'):
        raise bad_value('function', function, 'a function that is written in Python')
    compiled: Any = function if hasattr(function, 'py_func') else numba.njit(
        error_model='numpy')(function)
    network = make_network('perceptron', inputs, outputs=outputs, max_speed=max_speed, turn=turn)
    weight_count = whole('weights', weights, 0, _MOST_NUMBERS)
    memory_count = whole('memory', memory, 0, _MOST_NUMBERS)
    # Now, not within our own functions, whose lines numba would name instead of the user's.
    call_user_code(partial(compiled.get_call_template, _ARGUMENTS, {}),
                   lambda: f'function_policy: {_place(compiled)}')
    return FunctionPolicy(compiled, network, weight_count, memory_count)


def _place(compiled: Any) -> str:  # noqa: ANN401
    """Return a function's name, file and line in words."""
    code = compiled.py_func.__code__
    return f'{compiled.py_func.__name__}() at {code.co_filename}:{code.co_firstlineno}'


@contextlib.contextmanager
def exceptions_of(policy: Network | FunctionPolicy) -> Iterator[None]:
    """Raise what a policy's function raises in a block, which Python would only print.

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
        raise UserCodeError(f'{_place(policy.function)}: {reason(error)}') from error


@Phase
def gather(first: int, end: int, batch: Batch) -> None:
    """Write the inputs of all robots (``neural_controller.inputs``)."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    policy = borrowed(batch.policy)
    n, table = setting.robots, policy.table
    for k in range(first, end):
        for i in range(n):
            row = k * n + i
            pose = worlds.sent_pose[row]
            for t in range(len(table)):
                out = policy.inputs[row, table[t, 1]:table[t, 1] + table[t, 2]]
                kind = table[t, 0]
                if kind == kinds.INFRARED:
                    kinds.infrared_inputs(worlds.infrared[row, :, 1], out)
                elif kind == kinds.SCAN:
                    kinds.scan_inputs(worlds.ranges[row], setting.sensing.range_max, out)
                elif kind == kinds.GOAL:
                    kinds.place_inputs(pose, policy.goal[row, 0], policy.goal[row, 1], out)
                elif kind == kinds.LEADER:
                    kinds.place_inputs(pose, worlds.sent_pose[k * n, 0],
                                       worlds.sent_pose[k * n, 1], out)
                elif kind == kinds.NEIGHBOURS:
                    a, z = worlds.heard_starts[k, i], worlds.heard_starts[k, i + 1]
                    kinds.neighbour_inputs(worlds.heard_range[k, a:z].astype(np.float32),
                                           worlds.heard_bearing[k, a:z].astype(np.float32), n, out)
                elif kind == kinds.WIND:
                    kinds.wind_inputs(pose[2], worlds.felt_wind[row, 0],
                                      worlds.felt_wind[row, 1], out)
                elif kind == kinds.TWIST:
                    out[:] = worlds.twist[row]
                else:
                    kinds.pose_inputs(pose, out)


@Phase
def gather_infrared(first: int, end: int, batch: Batch) -> None:
    """Write the inputs of robots whose networks get infrared alone."""
    worlds, policy, n = borrowed(batch.worlds), borrowed(batch.policy), batch.setting.robots
    for row in range(first * n, end * n):
        kinds.infrared_inputs(worlds.infrared[row, :, 1], policy.inputs[row])


def _forward(function: Any) -> Callable[[int, int, Batch], None]:  # noqa: ANN401
    def forward(first: int, end: int, batch: Batch) -> None:
        policy, n, dt = borrowed(batch.policy), batch.setting.robots, batch.setting.dt
        for k in range(first, end):
            for row in range(k * n, (k + 1) * n):
                function(policy.inputs[row], policy.weights[k], policy.memory[row],
                         policy.outputs[row], policy.layers, dt)
    return forward


@Phase
def perceptrons(first: int, end: int, batch: Batch) -> None:
    """Do the work of ``layers.perceptron`` for all robots, and the hyperbolic tangents at once."""
    policy, n = borrowed(batch.policy), batch.setting.robots
    for k in range(first, end):
        for row in range(k * n, (k + 1) * n):
            weighted_sums(policy.inputs[row], policy.weights[k], policy.outputs[row])
    tanh_in_place(policy.outputs[first * n:end * n].ravel())


_FORWARD = {'perceptron': perceptrons, 'mlp': Phase(_forward(mlp)),
            'ctrnn': Phase(_forward(ctrnn))}


@lru_cache(maxsize=64)
def _phase_of(function: Any) -> Phase:  # noqa: ANN401
    return Phase(_forward(function))


def _act(command_of: Any) -> Callable[[int, int, Batch], None]:  # noqa: ANN401
    def act(first: int, end: int, batch: Batch) -> None:
        policy, worlds = borrowed(batch.policy), borrowed(batch.worlds)
        n = batch.setting.robots
        for row in range(first * n, end * n):
            command = worlds.command[row]
            command[VY] = 0.0
            command[VX], command[OMEGA] = command_of(
                policy.outputs[row, 0], policy.outputs[row, 1], policy.limits[0],
                policy.limits[1])
    return act


_ACT = {WHEELS: Phase(_act(command_of_wheels)), TWIST: Phase(_act(command_of_twist))}


def deciding_phases(policy: Network | FunctionPolicy) -> list[Phase]:
    """Return the phases by which robots decide, in order."""
    network = policy.network if isinstance(policy, FunctionPolicy) else policy
    forward = (_phase_of(policy.function) if isinstance(policy, FunctionPolicy)
               else _FORWARD[network.kind])
    return [gather_infrared if network.inputs == ('infrared',) else gather, forward,
            _ACT[network.outputs]]
