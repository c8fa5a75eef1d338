"""Simulation engine: state between ticks, for the in-process run and the node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.errors import InputError, bad_value
from sbot_sim.collision.placement import placement_error
from sbot_sim.engine.obstacles import all_bodies, place_obstacles
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.snapshot import observe
from sbot_sim.engine.state import (
    Felt,
    SimulationState,
    Snapshot,
    StepInputs,
    Wind,
    initial_state,
    teleported,
)
from sbot_sim.engine.step import feel, hear, step

Array = NDArray[np.float64]


class Engine:
    """Holds state and snapshot between ticks; ``step`` and ``observe`` compute them.

    Parameters
    ----------
    parameters : of the world
    pose : (N, 3) x, y (m), yaw (rad) at tick 0
    seed : of the sensors' noise

    """

    def __init__(self, parameters: SimulationParameters, pose: Array, seed: int) -> None:
        self.parameters = parameters
        self._initial_pose = pose.copy()
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Go back to tick 0."""
        self.state: SimulationState = initial_state(self.parameters, self._initial_pose,
                                                    self._seed)
        self.parameters = place_obstacles(self.parameters, self.state.moved, self.state.boxes)
        self._observe()

    def _observe(self) -> None:
        self._heard = hear(self.parameters, self.state.pose)
        self._felt: Felt | None = None
        self.snapshot: Snapshot
        self.snapshot = observe(self.parameters, self.state, self._seed, self._heard)

    def feel(self, wind: Wind) -> None:
        """Let the robots feel this tick's wind: the snapshot has it from now on.

        ``advance`` must then be given the same wind.
        """
        felt = feel(self.parameters, self.state, wind, self._heard)
        self.snapshot = self.snapshot._replace(
            wind=felt.wind + felt.push, free_wind=felt.free_wind + felt.push,
            updraft=felt.updraft)
        self._felt = felt

    @property
    def has_felt(self) -> bool:
        """Whether the snapshot has this tick's wind."""
        return self._felt is not None

    def advance(self, inputs: StepInputs) -> None:
        """Go one tick on, and sense.

        Raises
        ------
        InputError
            for commands of another shape, which compiled code would read beyond their end.

        """
        if inputs.command.shape != self.state.pose.shape:
            raise bad_value('command', f'shape {inputs.command.shape}',
                            f'shape {self.state.pose.shape}: vx, vy, omega')
        self.state = step(self.parameters, self.state, inputs, self._heard, self._seed,
                          self._felt)
        self.parameters = place_obstacles(self.parameters, self.state.moved, self.state.boxes)
        self._observe()

    def teleport(self, robot: int, pose: tuple[float, float, float]) -> None:
        """Put a robot elsewhere before the next ``advance``; it is there from the next tick on.

        Raises
        ------
        InputError
            if it cannot stand there; nothing is changed.

        """
        after = teleported(self.state, robot, np.array(pose))
        problem = placement_error(*all_bodies(self.parameters, after.moved, after.boxes,
                                              after.pose), len(after.pose))
        if problem is not None:
            raise InputError(f'teleport of robot {robot} to {list(pose)}: {problem}')
        self.state = after
        self._felt = None
        self._heard = hear(self.parameters, self.state.pose)
