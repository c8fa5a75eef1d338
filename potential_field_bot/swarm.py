"""Commands of followers with common parameters, all in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.controller import COMMAND, THETA, Scans, Turn, take_turns
from potential_field_bot.neighbours import repulsion_grid
from potential_field_bot.parameters import Parameters
from sbot_common.compiled.threads import in_blocks

Floats = NDArray[np.float64]


class Followers:
    """Followers with common parameters, and their memory; the leader is a ``PotentialField``.

    Equal, bit for bit, to one ``PotentialField`` for each of them.

    Parameters
    ----------
    robot_ids : rising numbers of the followers, without 0
    parameters : their constants
    threads : share the work among so many threads; changes no bit

    """

    def __init__(self, robot_ids: Sequence[int], parameters: Parameters,
                 threads: int = 1) -> None:
        if min(robot_ids, default=1) < 1:
            raise ValueError('robot 0 is the leader, not a follower')
        self._ids = np.array(robot_ids, np.int64)
        self._parameters = parameters
        self._threads = threads
        self.reset()

    def reset(self) -> None:
        """Forget everything since construction."""
        self._states: Floats | None = None  # (M, 4) as in ``take_turns``
        self.invalid_turns = np.zeros(len(self._ids), np.int64)  # of each follower

    def step(self, poses: Floats, ranges: NDArray[np.float32], angle_min: float,
             angle_increment: float, draws: Floats) -> Floats:
        """Take one turn of all of them.

        Parameters
        ----------
        poses : (N, 3) x, y (m), yaw (rad) of all robots as decoded from the messages
        ranges : (N, beams) float32 m of all robots; beams may be 0
        angle_min, angle_increment : rad, float32 promoted to double
        draws : (M,) a number of each follower's generator, in [0, 1)

        Returns
        -------
        (M, 2) linear.x (m/s), angular.z (rad/s) in the order of ``robot_ids``

        """
        if self._states is None:  # followers have no goals
            self._states = np.zeros((len(self._ids), 4))
            self._states[:, :2] = poses[self._ids, :2]
        everybody = np.array(poses, np.float64, order='C')
        scans = Scans(ranges.take(self._ids, 0), everybody[:, 2].take(self._ids), angle_min,
                      angle_increment)
        turns = np.empty((len(self._ids), len(Turn._fields)))
        in_blocks(self._threads, len(self._ids), take_turns, self._parameters, self._ids,
                  self._states, draws, everybody, scans,
                  repulsion_grid(self._parameters, everybody), turns)
        self.invalid_turns += np.isnan(turns[:, THETA])
        return turns[:, COMMAND]


def warm_up() -> None:
    """Compile (or load from the cache) what followers together call besides their turns."""
    repulsion_grid(Parameters(), np.zeros((1, 3)))
