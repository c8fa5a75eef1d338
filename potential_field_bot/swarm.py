"""The turn of thousands of robots in one call, equal to ``controller.actuate`` to the bit."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.controller import State, decide
from potential_field_bot.forces import repulsion_reach
from potential_field_bot.goals import angle_of_draw
from potential_field_bot.leader import laser_angle_min
from potential_field_bot.neighbours import nearby_repulsion, sort_into_cells
from potential_field_bot.parameters import Parameters
from sbot_common.jit import njit

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@njit
def actuate_all(parameters: Parameters, robot_ids: NDArray[np.int64], averages: Floats,
                 goals: Floats, poses: Floats, ranges: NDArray[np.float32], angle_min: float,
                 angle_increment: float, draws: Floats) -> tuple[Floats, Floats, Flags]:
    """Take one turn of M of the N robots.

    Parameters
    ----------
    parameters : the constants, the same for all M
    robot_ids : (M,) which robots take a turn; 0 is the leader
    averages : (M, 2) moving averages of their positions (m)
    goals : (M, 2) x, y (m); only the leader's matters
    poses : (N, 3) x, y (m), yaw (rad) of all robots in `map`
    ranges : (N, beams) float32 m; row i is robot i's scan
    angle_min, angle_increment : rad, as in the scans' messages, promoted to double
    draws : (M,) one number of each robot's generator, in [0, 1)

    Returns
    -------
    averages : (M, 2) after the turn
    commands : (M, 2) linear.x (m/s), angular.z (rad/s)
    valid : (M,) false where the command is (0, 0) because the force was not a number

    """
    count = robot_ids.shape[0]
    after = np.empty((count, 2))
    commands = np.empty((count, 2))
    valid = np.empty(count, np.bool_)
    cells, starts, items = sort_into_cells(poses, repulsion_reach(parameters))
    for m in range(count):
        i = robot_ids[m]
        state = State(averages[m, 0], averages[m, 1], goals[m, 0], goals[m, 1], 0)
        other_x, other_y = nearby_repulsion(parameters, i, poses, cells, starts, items)
        state, turn = decide(parameters, state, i, poses, ranges[i],
                             laser_angle_min(poses[i, 2], angle_min), angle_increment,
                             angle_of_draw(draws[m]), other_x, other_y)
        after[m, 0], after[m, 1] = state.ema_x, state.ema_y
        commands[m, 0], commands[m, 1] = turn.v, turn.omega
        valid[m] = turn.valid
    return after, commands, valid


class Followers:
    """Followers with common parameters, and their memory; the leader is a ``PotentialField``.

    Equal, to the bit, to one ``PotentialField`` for each of them.

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
        self._threads = max(1, min(threads, len(robot_ids)))
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._goals = np.zeros((len(self._ids), 2))
        self.reset()

    def reset(self) -> None:
        """Forget everything since construction."""
        self._averages: Floats | None = None
        self.invalid_turns = 0

    def step(self, poses: Floats, ranges: NDArray[np.float32], angle_min: float,
             angle_increment: float, generators: Sequence[np.random.Generator]) -> Floats:
        """Take one turn of all of them.

        Parameters
        ----------
        poses : (N, 3) x, y (m), yaw (rad) of all robots as decoded from the messages
        ranges : (N, beams) float32 m of all robots; beams may be 0
        angle_min, angle_increment : rad, float32 promoted to double
        generators : one for each follower; each gives one number

        Returns
        -------
        (M, 2) linear.x (m/s), angular.z (rad/s) in the order of ``robot_ids``

        """
        if self._averages is None:
            self._averages = poses[self._ids, :2].copy()
        draws = np.array([generator.random() for generator in generators])
        everybody = np.array(poses, np.float64, order='C')
        scans = np.array(ranges, np.float32, order='C')
        averages = self._averages

        def turn(part: slice) -> tuple[Floats, Floats, Flags]:
            return actuate_all(self._parameters, self._ids[part], averages[part],
                               self._goals[part], everybody, scans, angle_min, angle_increment,
                               draws[part])

        if self._pool is None:
            self._averages, commands, valid = turn(slice(None))
        else:  # compiled code runs without the interpreter's lock
            bounds = np.linspace(0, len(self._ids), self._threads + 1).astype(int)
            results = list(self._pool.map(turn, map(slice, bounds[:-1], bounds[1:])))
            self._averages, commands, valid = (np.concatenate(part)
                                               for part in zip(*results, strict=True))
        self.invalid_turns += int(np.count_nonzero(~valid))
        return commands
