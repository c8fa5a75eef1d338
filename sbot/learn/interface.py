"""Inputs and commands of the robots in a batch, by name, as networks use them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neural_controller.inputs import input_table
from neural_controller.network import Network
from sbot.worlds.many import Worlds
from sbot.worlds.policy import deciding_phases
from sbot_sim.worlds.batch import no_policy

Floats = NDArray[np.float64]


class Interface:
    """Inputs and commands of K worlds, by the compiled code of policies: the same bits.

    Parameters
    ----------
    worlds : kept alive
    network : names of the inputs, outputs and greatest speeds; it has no weights
    goal : (K, N, 2) m
    limits : (N, 2) greatest speeds (m/s), and distances of wheels (m) or turn rates (rad/s)

    """

    def __init__(self, worlds: Worlds, network: Network, goal: Floats, limits: Floats) -> None:
        rows = worlds.count * worlds.robots
        self._worlds = worlds
        self._arrays = no_policy()._replace(
            inputs=np.zeros((rows, network.input_count)), outputs=np.zeros((rows, 2)),
            table=input_table(network.inputs), goal=goal.reshape(-1, 2).copy(),
            limits=np.tile(limits.ravel(), worlds.count))
        gather, _, act = deciding_phases(network)
        self._gather = worlds.program(
            [gather, *worlds.reading_phases(network, self._arrays)], self._arrays)
        self._act = worlds.program([act], self._arrays)

    def aim(self, goal: Floats) -> None:
        """Set the goals (K, N, 2) m."""
        self._arrays.goal[:] = goal.reshape(-1, 2)

    def inputs(self) -> Floats:
        """Return the inputs (K, N, I) of all robots now."""
        w = self._worlds
        w.simulation.run(self._gather)
        return self._arrays.inputs.reshape(w.count, w.robots, -1).copy()

    def commands(self, actions: Floats) -> Floats:
        """Return the commands (K, N, 3) vx, vy, omega of actions (K, N, 2) in [-1, 1]."""
        w = self._worlds
        self._arrays.outputs[:] = actions.reshape(-1, 2)
        w.simulation.run(self._act)
        return w.state.command.reshape(w.count, w.robots, 3).copy()
