"""A function policy as the controller of one robot: `controller: function_policy`."""

from __future__ import annotations

import numpy as np

from neural_controller.controller import network_inputs
from neural_controller.function_policy import compile_for_robot
from neural_controller.inputs import input_table
from neural_controller.outputs import WHEELS, command_of_twist, command_of_wheels
from neural_controller.saved_policy import Find, read_policy
from sbot_common.observation import Observation


class FunctionController:
    """Controller that asks a compiled function, with the bits that ``sbot.Worlds`` gives.

    Parameters
    ----------
    policy : path of a file that ``save_policy`` wrote; its function is executed
    find : returns the function that a file calls 'module:function'

    Raises
    ------
    InputError
        naming the file, and what was expected.
    UserCodeError
        if numba cannot compile the function.

    """

    def __init__(self, policy: str, find: Find) -> None:
        saved = read_policy(policy)
        self.network = saved.network
        self._function = saved.function(find)
        compile_for_robot(self._function, policy)
        self._table = input_table(self.network.inputs)
        self._weights, self._layers = saved.weights, self.network.layers
        self._weights.flags.writeable = self._layers.flags.writeable = False
        # Outputs keep what they are from tick to tick, too, as in a batch.
        self._memory, self._outputs = np.zeros(saved.memory_count), np.zeros(2)

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s)."""
        outputs, n = self._outputs, self.network
        self._function(network_inputs(n, self._table, observation), self._weights, self._memory,
                       outputs, self._layers, observation.dt)
        command = command_of_wheels if n.outputs == WHEELS else command_of_twist
        v, omega = command(outputs[0], outputs[1], n.max_speed, n.turn)
        return float(v), float(omega)
