# SPDX-License-Identifier: Apache-2.0
"""Compiled policies of a batch as phases, their arrays, and the history of episodes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.controller import FORWARD, tanh_in_place, weighted_sums
from sbot.controllers.neural.function_policy import FunctionPolicy, place_of
from sbot.controllers.neural.inputs import (
    CONTACT_READING,
    READING,
    SCAN,
    Heard,
    Senses,
    check_beams,
    field_of,
    gather_goals,
    gather_inputs,
    input_table,
    parse_input,
)
from sbot.controllers.neural.network import (
    HOLONOMIC,
    TWIST,
    WHEELS,
    Network,
    bounded,
    command_of_twist,
    command_of_wheels,
)
from sbot.runner.history import Episode
from sbot.scenario.model import Scenario
from sbot_common.arguments import numbers
from sbot_common.arrays import Floats, Floats32
from sbot_common.compiled.jit import njit_inner
from sbot_common.elementary import copy_numbers
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import OMEGA, VX, VY
from sbot_common.user_code import UserCodeError, reason
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.batch import Interpreted
from sbot_sim.worlds.python_phases import FittedSensors
from sbot_sim.worlds.state import Batch, Phase, Policy

# History of episodes under a compiled policy.

# Columns of what can be kept, each robot, each tick.
COLUMNS = {'pose': 3, 'command': 3, 'collided': 1, 'infrared': 15, 'wind': 2}


def columns_of(keep: Collection[str]) -> list[str]:
    """Return the names to keep, in order of the columns.

    Raises
    ------
    InputError
        for anything else than a list of known ones, a single text among it.

    """
    expected = f"any of {', '.join(COLUMNS)}"
    if isinstance(keep, str | bytes) or not isinstance(keep, Collection):
        raise bad_value('keep', keep, f'a list of {expected}')
    for name in keep:
        if not isinstance(name, str) or name not in COLUMNS:
            raise bad_value('keep', name, expected)
    return [name for name in COLUMNS if name in keep]


def split(kept: Floats, names: list[str], count: int, dt: float) -> Episode:
    """Return the kept rows (T, K*N, columns) of K worlds by name; ``dt``: s of a tick."""
    fields: dict[str, Any] = dict.fromkeys(COLUMNS)
    column = 0
    for name in names:
        rows = kept[:, :, column:column + COLUMNS[name]]
        fields[name] = rows.reshape(len(kept), count, -1, COLUMNS[name])
        column += COLUMNS[name]
    if 'collided' in names:
        fields['collided'] = fields['collided'][..., 0] > 0.0
    return Episode(**fields, dt=dt)


@Phase
def keep_rows(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write this tick's rows of the history; ``policy.kept_columns`` has the columns."""
    worlds, policy, n = batch.worlds, batch.policy, batch.setting.robots
    for k in range(first, end):
        t = worlds.tick[k] - policy.first_tick[k]
        for row in range(k * n, (k + 1) * n):
            out, at = policy.kept[t, row], policy.kept_columns
            if at[0] >= 0:
                copy_numbers(worlds.sent_pose[row], out[at[0]:at[0] + 3])
            if at[1] >= 0:
                copy_numbers(worlds.command[row], out[at[1]:at[1] + 3])
            if at[2] >= 0:
                out[at[2]] = 1.0 if worlds.collided[row] else 0.0
            if at[3] >= 0:
                copy_numbers(worlds.infrared[row, :, 1], out[at[3]:at[3] + 15])
            if at[4] >= 0:
                copy_numbers(worlds.observed_wind[row], out[at[4]:at[4] + 2])


# Arrays of a compiled policy in a batch of worlds, and checks that the worlds give its inputs.

def policy_arrays(policy: Network | FunctionPolicy, weights: ArrayLike, goals: ArrayLike | None,
                  keep: Sequence[str], ticks: int, scenarios: Sequence[Scenario],
                  tick: NDArray[np.int64]) -> Policy:
    """Return what the phases of a policy work on, in K worlds of N robots.

    Parameters
    ----------
    policy : what decides
    weights : (K, W), or (W,) for all
    goals : (K, N, 2) or (N, 2) m, for the input 'goal'; None: those of the scenarios
    keep : names of what is kept of each tick, in order of the columns
    ticks : how many are kept
    scenarios : (K,) of each world
    tick : (K,) that of each world now

    Raises
    ------
    InputError
        for weights or goals of another shape, or goals that are missing.

    """
    network = policy.network if isinstance(policy, FunctionPolicy) else policy
    count, robots = len(scenarios), len(scenarios[0].robots)
    rows, size = count * robots, (policy.weight_count,)
    values = numbers('weights', weights, (count, *size), size)
    if values.ndim == 1:
        values = np.tile(values, (count, 1))
    columns, at = np.full(len(COLUMNS), -1, np.int64), 0
    for name in keep:
        columns[list(COLUMNS).index(name)] = at
        at += COLUMNS[name]
    return Policy(
        inputs=np.zeros((rows, network.input_count)), outputs=np.zeros((rows, network.layers[-1])),
        memory=np.zeros((rows, policy.memory_count)), weights=np.ascontiguousarray(values),
        layers=network.layers, table=input_table(network.inputs),
        goal=_goals(goals, scenarios, 'goal' in network.inputs),
        limits=np.array([network.max_speed, network.turn]),
        kept=np.zeros((ticks if keep else 0, rows, at)), kept_columns=columns,
        first_tick=tick.copy(),
        decision=np.array([(network.hold or 1) * scenarios[0].rate.dt]))


def scenario_goals(scenarios: Sequence[Scenario]) -> Floats:
    """Return the goals (K, N, 2) m of all robots; NaN: none."""
    return np.array([[robot.goal or (np.nan, np.nan) for robot in scenario.robots]
                     for scenario in scenarios], np.float64)


def _goals(given: ArrayLike | None, scenarios: Sequence[Scenario], needed: bool) -> Floats:
    """Return the goals of all robots (K*N, 2) m; NaN for none where they are not needed."""
    if given is None:
        places = scenario_goals(scenarios)
    else:
        shape = (len(scenarios), len(scenarios[0].robots), 2)
        places = np.broadcast_to(numbers('goals', given, shape, shape[1:]), shape)
    if needed and not np.isfinite(places).all():
        raise InputError('the input goal needs a goal of every robot; give goals')
    return places.reshape(-1, 2).copy()


def check_inputs(network: Network, senses: Collection[str],
                 readings: Mapping[str, Floats], beams: int) -> None:
    """Raise InputError for an input of a network that worlds do not give.

    Parameters
    ----------
    network : whose inputs
    senses : what the worlds simulate
    readings : (K*N, numbers) of the sensors with a kernel, by name
    beams : of the scan that has fewest

    """
    for name in network.inputs:
        kind, size = parse_input(name)
        sense = field_of(name)
        if sense is not None and sense not in senses:
            if sense not in sensors():
                raise bad_value('inputs', name, 'the name of a sensor and how many numbers it '
                                'reads, e.g. imu:4')
            raise InputError(f"inputs: {name} needs {sense} in sense; add '{sense}'")
        rows = readings.get(sense or '')
        if kind == SCAN:
            check_beams(name, size, beams)
        if kind == READING and (rows is None or size != rows.shape[1]):
            raise bad_value('inputs', name, 'a name of sbot.controllers.neural.inputs'
                            if rows is None else f'{sense}:{rows.shape[1]}')


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
def _gather(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write the inputs of all robots (``sbot.controllers.neural.inputs``)."""
    setting, worlds, policy = batch.setting, batch.worlds, batch.policy
    n = setting.robots
    lasers = setting.sensing.lasers
    senses = Senses(worlds.sent_pose, policy.goal, worlds.infrared[:, :, 1], worlds.ranges,
                    lasers.kit, lasers.first_beams, lasers.first_range, worlds.observed_wind,
                    worlds.twist)
    gather_goals(first * n, end * n, policy.table, senses, policy.inputs)
    for k in range(first, end):
        heard = Heard(worlds.heard_starts[k], worlds.heard_range[k], worlds.heard_bearing[k])
        gather_inputs(k * n, (k + 1) * n, k * n, n, policy.table, senses, heard,
                      policy.inputs)


@njit_inner
def _scale_readings(infrared: Floats32, out: Floats) -> None:
    """Write scaled readings (S,) of distances and readings in turn (2 S,)."""
    for i in range(len(out)):
        out[i] = float(infrared[2 * i + 1]) / CONTACT_READING


@Phase
def gather_infrared(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write inputs of infrared alone: all rows in one loop take a third of ``_gather``'s time."""
    size = batch.setting.robots * batch.policy.inputs.shape[1]
    a, z = first * size, end * size
    _scale_readings(batch.worlds.infrared.reshape(-1)[2 * a:2 * z],
                    batch.policy.inputs.reshape(-1)[a:z])


def gather_readings(network: Network, policy: Policy, fitted: FittedSensors,
                    robots: int) -> list[Interpreted]:
    """Return a phase that writes readings of sensors with a kernel, where a network has any."""
    columns = [(name.partition(':')[0], slice(first, first + size))
               for name, (kind, first, size) in zip(network.inputs, policy.table.tolist(),
                                                    strict=True) if kind == READING]

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
def _perceptrons(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Do ``controller._perceptron`` for all robots, and the hyperbolic tangents at once."""
    policy, n = batch.policy, batch.setting.robots
    for k in range(first, end):
        for row in range(k * n, (k + 1) * n):
            weighted_sums(policy.inputs[row], policy.weights[k], policy.outputs[row])
    tanh_in_place(policy.outputs[first * n:end * n].ravel())


_FORWARD = {**{kind: Phase(_forward(function)) for kind, function in FORWARD.items()},
            'perceptron': _perceptrons}


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


@Phase
def _act_aside(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Write commands of three shares: ahead, to the left, turning."""
    policy, worlds, n = batch.policy, batch.worlds, batch.setting.robots
    for row in range(first * n, end * n):
        at = 2 * row if len(policy.limits) > 2 else 0
        shares, command = policy.outputs[row], worlds.command[row]
        command[VX] = policy.limits[at] * bounded(shares[0])
        command[VY] = policy.limits[at] * bounded(shares[1])
        command[OMEGA] = policy.limits[at + 1] * bounded(shares[2])


_ACT = {WHEELS: Phase(_act(command_of_wheels)), TWIST: Phase(_act(command_of_twist)),
        HOLONOMIC: _act_aside}


def deciding_phases(policy: Network | FunctionPolicy) -> list[Phase]:
    """Return the phases by which robots decide, in order."""
    network = policy.network if isinstance(policy, FunctionPolicy) else policy
    forward = (_phase_of(policy.function) if isinstance(policy, FunctionPolicy)
               else _FORWARD[network.kind])
    return [gather_infrared if network.inputs == ('infrared',) else _gather, forward,
            _ACT[network.outputs]]
