"""A network as the controller of one robot: `controller: neural_controller.controller:Neural`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neural_controller import inputs as kinds
from neural_controller.layers import ctrnn, mlp, perceptron
from neural_controller.network import Network, load_network
from neural_controller.outputs import WHEELS, command_of_twist, command_of_wheels
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Observation

Floats = NDArray[np.float64]

FORWARD: dict[str, Callable[..., None]] = {'perceptron': perceptron, 'mlp': mlp, 'ctrnn': ctrnn}


class Neural:
    """Controller that asks a network: what evolves in ``sbot.Worlds`` drives robots and nodes.

    Parameters
    ----------
    network : path of a file that ``save_network`` wrote

    """

    def __init__(self, network: str) -> None:
        self.network, self._weights = load_network(network)
        self._table = kinds.input_table(self.network.inputs)
        self._layers = self.network.layers
        self._memory = np.zeros(self.network.memory_count)
        self._forward = FORWARD[self.network.kind]

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        outputs = np.empty(2)
        self._forward(network_inputs(self.network, self._table, observation), self._weights,
                      self._memory, outputs, self._layers, observation.dt)
        n = self.network
        command = command_of_wheels if n.outputs == WHEELS else command_of_twist
        v, omega = command(outputs[0], outputs[1], n.max_speed, n.turn)
        return float(v), float(omega)


def network_inputs(network: Network, table: NDArray[np.int64], observation: Observation) -> Floats:
    """Return the input values (I,) of an observation.

    Raises
    ------
    InputError
        naming the input, where the robot has no such sensor, or no goal.

    """
    values = np.zeros(network.input_count)
    own = np.array(observation.poses[observation.robot_id], np.float64)
    for name, (kind, first, size) in zip(network.inputs, table.tolist(), strict=True):
        out = values[first:first + size]
        field = kinds.field_of(name)
        sensed: Any = None if field is None else getattr(observation, field)
        if sensed is None and field is not None:
            raise InputError(f'input {name}: the robot does not sense it; see `sensors` of the '
                             'scenario')
        if kind == kinds.INFRARED:
            if len(sensed) != size:  # compiled code would write behind its end
                raise bad_value(f'input {name}', f'{len(sensed)} readings', f'{size}')
            kinds.infrared_inputs(np.array(sensed, np.float32), out)
        elif kind == kinds.SCAN:
            kinds.scan_inputs(np.array(sensed.ranges, np.float32), sensed.range_max, out)
        elif kind == kinds.NEIGHBOURS:
            kinds.neighbour_inputs(np.array(sensed.range, np.float32),
                                   np.array(sensed.bearing, np.float32), observation.num_robots,
                                   out)
        elif kind == kinds.WIND:
            kinds.wind_inputs(float(own[2]), float(sensed[0]), float(sensed[1]), out)
        elif kind == kinds.TWIST:
            out[:] = sensed
        elif kind == kinds.READING:
            if len(sensed) != size:
                raise bad_value('inputs', name, f"{name.partition(':')[0]}:{len(sensed)}")
            out[:] = sensed
        elif kind == kinds.POSE:
            kinds.pose_inputs(own, out)
        else:
            goal = observation.goal if kind == kinds.GOAL else tuple(observation.poses[0, :2])
            if goal is None:
                raise bad_value('goal', None, f'a goal for the input {name}')
            kinds.place_inputs(own, float(goal[0]), float(goal[1]), out)
    return values
