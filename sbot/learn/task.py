"""A task: what robots observe, how they are rewarded, and when they are done."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neural_controller.network import Network
from sbot.worlds.many import Worlds
from sbot.worlds.observation import Observations

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Moment(NamedTuple):
    """K worlds of N robots when they are to decide."""

    seen: Observations  # poses, contacts and what else is sensed, arrays (K, N, …)
    inputs: Floats  # (K, N, I) the task's inputs, as networks get them
    commands: Floats  # (K, N, 3) vx, vy (m/s), omega (rad/s): what robots did until now
    goal: Floats  # (K, N, 2) m; NaN: none
    network: Network  # inputs, outputs and greatest speeds
    dt: float  # s, length of a tick


class Task:
    """Base class of tasks; write ``reward``, and what else is to be different.

    Everything is computed for K worlds of N robots at once. A task keeps no state of an episode.
    """

    inputs: tuple[str, ...] = ('infrared',)
    """Names of inputs (``neural_controller.inputs``), side by side in an observation."""
    senses: tuple[str, ...] = ()
    """Names of sensors to simulate, too, as ``sbot.Worlds`` takes them."""
    outputs: str = 'wheels'
    """What the two actions in [-1, 1] are: 'wheels', or 'twist' (speed and turn rate)."""
    max_speed: float | None = None
    """Greatest speed of a wheel, or of the robot (m/s); None: of robot 0's wheels."""
    turn: float | None = None
    """Distance of the wheels (m), or turn rate (rad/s); None: robot 0's wheels'."""
    seconds: float = 60.0
    """Length of an episode."""
    hold: int = 1
    """Ticks for which an action is kept."""

    def begin(self, worlds: Worlds, world: int, rng: np.random.Generator) -> Floats | None:
        """Change a world before its episode, e.g. ``worlds.wind_velocity[world]``.

        Returns
        -------
        Poses (N, 3) x, y (m), yaw (rad) to start from; None: those of scenario and seed.

        """
        return None

    def goals(self, worlds: Worlds, world: int, rng: np.random.Generator) -> Floats | None:
        """Draw goals for an episode; its robots stand at ``worlds.start[world]`` (N, 3).

        Returns
        -------
        Goals (N, 2) m, or one (2,) for all; None: those of the scenario.

        """
        return None

    def observation(self, now: Moment) -> Floats:
        """Return what robots observe, (K, N, columns)."""
        return now.inputs

    def reward(self, before: Moment, now: Moment) -> Floats:
        """Return the reward (K, N) of what was done between two decisions."""
        raise NotImplementedError(f'{type(self).__name__}.reward(before, now)')

    def ended(self, now: Moment) -> Flags:
        """Tell which robots are done (K, N), before the time is over."""
        return np.zeros(now.seen.pose.shape[:2], np.bool_)
