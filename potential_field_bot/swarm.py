"""Commands of many followers in one compiled call, equal to ``controller.actuate`` bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


class Scans(NamedTuple):
    """The scans of N robots."""

    ranges: NDArray[np.float32]  # (N, beams) m
    angle_min: float  # rad, as in their messages, promoted to double
    angle_increment: float  # rad


class Turns(NamedTuple):
    """What M robots decide; written to."""

    commands: Floats  # (M, 2) linear.x (m/s), angular.z (rad/s)
    valid: Flags  # (M,) false where the command is (0, 0): the force was not a number


@njit
def actuate_block(first: int, end: int, parameters: Parameters, robot_ids: NDArray[np.int64],
                  averages: Floats, poses: Floats, scans: Scans, draws: Floats, grid: BucketGrid,
                  turns: Turns) -> None:
    """Take the turns first ... end-1 of M of the N robots, none of them the leader.

    Parameters
    ----------
    parameters : the constants, the same for all M
    robot_ids : (M,) which robots take a turn
    averages : (M, 2) moving averages of their positions (m), brought up to date
    poses : (N, 3) x, y (m), yaw (rad) of all robots in `map`
    scans : of all robots
    draws : (M,) one number of each robot's generator, in [0, 1)
    grid : ``neighbours.repulsion_grid`` of ``poses``
    turns : of the M

    """
    room = make_room(poses.shape[0])
    _actuate_block(first, end, parameters, borrowed(robot_ids), borrowed(averages),
                   borrowed(poses), borrowed(scans), borrowed(draws), borrowed(grid),
                   borrowed(room), borrowed(turns))
    for part in (room.dx, room.dy, room.distance, room.angle, room.x, room.y):
        part[0] = 0.0  # keeps them alive until here
    room.number[0] = 0


@njit_inline
def _actuate_block(first: int, end: int, parameters: Parameters, robot_ids: NDArray[np.int64],
                   averages: Floats, poses: Floats, scans: Scans, draws: Floats,
                   grid: BucketGrid, room: Room, turns: Turns) -> None:
    for m in range(first, end):
        i = robot_ids[m]
        state = State(averages[m, 0], averages[m, 1], 0.0, 0.0, 0)  # followers have no goals
        other_x, other_y = nearby_repulsion(parameters, i, poses, grid, room)
        state, turn = decide(parameters, state, i, poses, scans.ranges[i],
                             laser_angle_min(poses[i, 2], scans.angle_min),
                             scans.angle_increment, angle_of_draw(draws[m]), other_x, other_y)
        averages[m, 0], averages[m, 1] = state.ema_x, state.ema_y
        turns.commands[m, 0], turns.commands[m, 1] = turn.v, turn.omega
        turns.valid[m] = turn.valid


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
        scans = Scans(np.array(ranges, np.float32, order='C'), angle_min, angle_increment)
        turns = Turns(np.empty((len(self._ids), 2)), np.empty(len(self._ids), np.bool_))
        grid = repulsion_grid(self._parameters, everybody)
        in_blocks(self._threads, len(self._ids), actuate_block, self._parameters, self._ids,
                  self._averages, everybody, scans, draws, grid, turns)
        self.invalid_turns += ~turns.valid
        return turns.commands
