"""Arrays of a compiled policy in a batch of worlds, and checks that the worlds give its inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neural_controller.function_policy import FunctionPolicy
from neural_controller.inputs import READING, SCAN, check_beams, field_of, input_table, parse_input
from neural_controller.network import Network
from sbot.scenario.model import Scenario
from sbot.worlds.episode import COLUMNS
from sbot_common.arguments import numbers
from sbot_common.errors import InputError, bad_value
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.batch import Policy

Floats = NDArray[np.float64]


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
        inputs=np.zeros((rows, network.input_count)), outputs=np.zeros((rows, 2)),
        memory=np.zeros((rows, policy.memory_count)), weights=np.ascontiguousarray(values),
        layers=network.layers, table=input_table(network.inputs),
        goal=_goals(goals, scenarios, 'goal' in network.inputs),
        limits=np.array([network.max_speed, network.turn]),
        kept=np.zeros((ticks if keep else 0, rows, at)), kept_columns=columns,
        first_tick=tick.copy(),
        decision=np.array([(network.hold or 1) * scenarios[0].rate.dt]))


def _goals(given: ArrayLike | None, scenarios: Sequence[Scenario], needed: bool) -> Floats:
    """Return the goals of all robots (K*N, 2) m; NaN for none where they are not needed."""
    if given is None:
        places = np.array([[robot.goal or (np.nan, np.nan) for robot in scenario.robots]
                           for scenario in scenarios], np.float64)
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
    beams : of a scan

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
            raise bad_value('inputs', name, 'a name of neural_controller.inputs'
                            if rows is None else f'{sense}:{rows.shape[1]}')
