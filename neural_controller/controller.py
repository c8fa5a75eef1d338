"""A network as the controller of one robot: `controller: neural_controller.controller:Neural`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neural_controller import inputs as kinds
from neural_controller.layers import ctrnn, mlp, perceptron
from neural_controller.network import Network, checked_hold, load_network
from neural_controller.outputs import WHEELS, command_of_twist, command_of_wheels
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Observation

Floats = NDArray[np.float64]

_NO_ROW, _NO_ROW32 = np.empty((1, 0)), np.empty((1, 0), np.float32)  # no input asks for them
_NOBODY = kinds.Heard(np.zeros(2, np.int64), np.empty(0), np.empty(0))

FORWARD: dict[str, Callable[..., None]] = {'perceptron': perceptron, 'mlp': mlp, 'ctrnn': ctrnn}


class Neural:
    """Controller that runs a network: what evolves in ``sbot.Worlds`` drives robots.

    Parameters
    ----------
    network : path of a file that ``save_network`` wrote
    hold : ticks that a decision lasts; None: as the file says, or 1 if it does not. A file of
        ``sbot.learn.proof`` says 1, whatever the task had in training

    Raises
    ------
    InputError
        naming the file or ``hold``, and what was expected.

    """

    def __init__(self, network: str, hold: int | None = None) -> None:
        own = None if hold is None else checked_hold(hold)
        self.network, self._weights = load_network(network)
        self._hold, self._waiting = own or self.network.hold or 1, 0
        self._command = 0.0, 0.0
        self._table = kinds.input_table(self.network.inputs)
        self._layers = self.network.layers
        self._memory = np.zeros(self.network.memory_count)
        self._forward = FORWARD[self.network.kind]

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        if self._waiting == 0:
            self._command, self._waiting = self._decided(observation), self._hold
        self._waiting -= 1
        return self._command

    def _decided(self, observation: Observation) -> tuple[float, float]:
        """Return the command of a new decision."""
        outputs = np.empty(2)
        self._forward(network_inputs(self.network, self._table, observation), self._weights,
                      self._memory, outputs, self._layers, self._hold * observation.dt)
        n = self.network
        command = command_of_wheels if n.outputs == WHEELS else command_of_twist
        v, omega = command(outputs[0], outputs[1], n.max_speed, n.turn)
        return float(v), float(omega)


def network_inputs(network: Network, table: NDArray[np.int64], observation: Observation) -> Floats:
    """Return the input values (I,) of an observation.

    Raises
    ------
    InputError
        naming the input, where the robot has no such sensor, too few beams, or no goal.

    """
    own, poses = observation.robot_id, np.array(observation.poses, np.float64)
    if poses.ndim != 2 or poses.shape[1] != 3 or not 0 <= own < len(poses):
        raise bad_value('observation', f'robot {own} and poses of shape {poses.shape}',
                        'poses (N, 3) with a row of the robot')
    sensed: dict[str, Any] = {}
    out = np.zeros((1, network.input_count))
    for name, (kind, first, size) in zip(network.inputs, table.tolist(), strict=True):
        field = kinds.field_of(name)
        value: Any = None if field is None else getattr(observation, field)
        if field is not None:
            if value is None:
                raise InputError(f'input {name} needs a sensor that the robot does not have; add '
                                 'it to '
                                 '`sensors` of the scenario')
            sensed[field] = value
        if kind == kinds.INFRARED and len(value) != size:  # compiled code would write behind it
            raise bad_value(f'input {name}', f'{len(value)} readings', f'{size}')
        if kind == kinds.SCAN:
            kinds.check_beams(name, size, len(value.ranges))
        if kind == kinds.READING:
            if len(value) != size:
                raise bad_value('inputs', name, f"{name.partition(':')[0]}:{len(value)}")
            out[0, first:first + size] = value
        if kind == kinds.GOAL:
            if observation.goal is None:
                raise InputError(f'input {name} needs a goal; give the robot one')
            sensed['goal'] = observation.goal
    scan, heard = sensed.get('scan'), sensed.get('neighbours')
    senses = kinds.Senses(
        poses, _row('goal', sensed.get('goal'), 2),
        _NO_ROW32 if 'infrared' not in sensed else np.array([sensed['infrared']], np.float32),
        _NO_ROW32 if scan is None else np.array(scan.ranges, np.float32, ndmin=2),
        1.0 if scan is None else float(scan.range_max), _row('wind', sensed.get('wind'), 2),
        _row('twist', sensed.get('twist'), 3))
    if heard is not None and len(heard.bearing) != len(heard.range):
        raise bad_value('neighbours', f'{len(heard.bearing)} bearings', f'{len(heard.range)}')
    kinds.gather_one(own, table, senses, _NOBODY if heard is None else kinds.Heard(
        np.array([0, len(heard.range)]), np.array(heard.range, np.float64),
        np.array(heard.bearing, np.float64)), out)
    inputs: Floats = out[0]
    return inputs


def _row(name: str, values: Sequence[float] | None, count: int) -> Floats:
    """Return numbers as a row (1, count), as compiled code does not look how many there are."""
    if values is None:
        return _NO_ROW
    if len(values) != count:
        raise bad_value(name, f'{len(values)} numbers', f'{count}')
    return np.array([values], np.float64)
