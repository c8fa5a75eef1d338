"""Commands of many followers in one compiled call, equal to ``controller.actuate`` to the bit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.controller import State, decide
from potential_field_bot.goals import angle_of_draw
from potential_field_bot.leader import laser_angle_min
from potential_field_bot.neighbours import Room, make_room, nearby_repulsion, repulsion_grid
from potential_field_bot.parameters import Parameters
from sbot_common.compiled.jit import borrowed, njit, njit_inline
from sbot_common.compiled.threads import in_blocks
from sbot_common.spatial import BucketGrid

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@njit
def actuate_block(first: int, end: int, parameters: Parameters, robot_ids: NDArray[np.int64],
                  averages: Floats, poses: Floats, ranges: NDArray[np.float32], angle_min: float,
                  angle_increment: float, draws: Floats, grid: BucketGrid,
                  commands: Floats, valid: Flags) -> None:
    """Take the turns first ... end-1 of M of the N robots, none of them the leader.

    Parameters
    ----------
    parameters : the constants, the same for all M
    robot_ids : (M,) which robots take a turn
    averages : (M, 2) moving averages of their positions (m), brought up to date
    poses : (N, 3) x, y (m), yaw (rad) of all robots in `map`
    ranges : (N, beams) float32 m; row i is robot i's scan
    angle_min, angle_increment : rad, as in the scans' messages, promoted to double
    draws : (M,) one number of each robot's generator, in [0, 1)
    grid : ``neighbours.repulsion_grid`` of ``poses``
    commands : (M, 2) linear.x (m/s), angular.z (rad/s), written
    valid : (M,) written; false where the command is (0, 0) because the force was not a number

    """
    room = make_room(poses.shape[0])
    _actuate_block(first, end, parameters, borrowed(robot_ids), borrowed(averages),
                   borrowed(poses), borrowed(ranges), angle_min, angle_increment, borrowed(draws),
                   borrowed(grid), borrowed(room), borrowed(commands), borrowed(valid))
    for part in (room.dx, room.dy, room.distance, room.angle, room.x, room.y):
        part[0] = 0.0  # keeps them alive until here
    room.number[0] = 0


@njit_inline
def _actuate_block(first: int, end: int, parameters: Parameters, robot_ids: NDArray[np.int64],
                   averages: Floats, poses: Floats, ranges: NDArray[np.float32],
                   angle_min: float, angle_increment: float, draws: Floats, grid: BucketGrid,
                   room: Room, commands: Floats, valid: Flags) -> None:
    for m in range(first, end):
        i = robot_ids[m]
        state = State(averages[m, 0], averages[m, 1], 0.0, 0.0, 0)  # followers have no goals
        other_x, other_y = nearby_repulsion(parameters, i, poses, grid, room)
        state, turn = decide(parameters, state, i, poses, ranges[i],
                             laser_angle_min(poses[i, 2], angle_min), angle_increment,
                             angle_of_draw(draws[m]), other_x, other_y)
        averages[m, 0], averages[m, 1] = state.ema_x, state.ema_y
        commands[m, 0], commands[m, 1] = turn.v, turn.omega
        valid[m] = turn.valid


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
        self._threads = threads
        self.reset()

    def reset(self) -> None:
        """Forget everything since construction."""
        self._averages: Floats | None = None
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
        if self._averages is None:
            self._averages = poses[self._ids, :2].copy()
        everybody = np.array(poses, np.float64, order='C')
        scans = np.array(ranges, np.float32, order='C')
        commands = np.empty((len(self._ids), 2))
        valid = np.empty(len(self._ids), np.bool_)
        grid = repulsion_grid(self._parameters, everybody)
        in_blocks(self._threads, len(self._ids), actuate_block, self._parameters, self._ids,
                  self._averages, everybody, scans, angle_min, angle_increment, draws, grid,
                  commands, valid)
        self.invalid_turns += ~valid
        return commands
