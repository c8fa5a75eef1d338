# SPDX-License-Identifier: Apache-2.0
"""The potential-field controller as an object; followers in one call; rates within the loop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from potential_field_bot.controller import (
    COMMAND,
    THETA,
    Scans,
    State,
    Turn,
    generate_goal,
    is_on_goal,
    take_turns,
)
from potential_field_bot.forces import one_cell, repulsion_grid
from potential_field_bot.parameters import Parameters
from sbot_common.arrays import Floats
from sbot_common.clock import Rate
from sbot_common.compiled.jit import njit
from sbot_common.compiled.threads import in_blocks
from sbot_common.observation import Observation, Point, Scan, checked_goal, make_observation
from sbot_common.params import updated

# Rate limiting of actions within the control loop (document 001, section 14).

@njit
def _ticks_between(hz: float, loop_rate: float) -> int:
    """Return after how many turns something that happens at ``hz`` is due again; at least 1.

    The listing takes hz as a float: 0.2 Hz at 30 Hz are 149 turns, not 150 (docs/errata.md P4).
    A frequency that rounds to more than the loop rate is due at every turn.
    """
    return max(1, int(loop_rate / np.float64(np.float32(hz))))


@njit
def check_frequency(tick_counter: int, hz: float, loop_rate: float) -> bool:
    """Tell whether something that happens at ``hz`` is due, given the turns counted so far."""
    return tick_counter % _ticks_between(hz, loop_rate) == 0


_NO_SCAN = Scan(np.empty(0, np.float32), 0.0, 0.0, 0.0, 0.0)


class PotentialField:
    """Leader/follower controller of one robot: document 001 with its memory.

    Draws from the generator that ``step`` is given: one number for each turn; on a random walk the
    leader draws two before its first turn and two after each turn at which a goal is due.

    Parameters
    ----------
    goal : x, y (m) of the goal; an observation's goal, when there is one, goes first
    rate_hz : turns per second; without it, ``loop_rate`` and ``parameters`` 1/dt of the first
        observation
    parameters : to start from, already checked
    given : constants that replace some of ``parameters``, by name

    Raises
    ------
    InputError
        for an unknown parameter, a bad value or a goal that is not finite

    """

    def __init__(self, goal: Point | None = None, rate_hz: float | None = None,
                 parameters: Parameters | None = None, **given: object) -> None:
        if rate_hz is not None:
            given['loop_rate'] = rate_hz
        self._rate_is_known = parameters is not None
        self._parameters = parameters or Parameters()
        self.set_parameters(**given)
        self._first_goal = None if goal is None else checked_goal(*goal)
        self.reset()

    def reset(self) -> None:
        """Forget everything since construction; parameters stay as they are."""
        self._memory = np.zeros((1, 4))  # as the states of ``take_turns``
        self._turns = np.empty((1, len(Turn._fields)))
        self._count = 0
        self._ids, self._draws, self._headings = np.zeros(1, np.int64), np.zeros(1), np.zeros(1)
        self._grid = one_cell(0)
        self._seen_goal: Point | None = None
        self._next_goal: Point | None = None
        self._reached = False
        self.goals = 0  # how many goals were taken up so far, the first one included
        self.just_reached: Point | None = None  # the goal, after the first turn on it
        self.invalid_turns = 0  # turns whose force was not a number

    @property
    def parameters(self) -> Parameters:
        """The constants in force."""
        return self._parameters

    @property
    def state(self) -> State | None:
        """The memory after the last turn; None before the first."""
        if not self.goals:
            return None
        ema_x, ema_y, goal_x, goal_y = self._memory[0].tolist()
        return State(ema_x, ema_y, goal_x, goal_y, self._count)

    @property
    def turn(self) -> Turn | None:
        """The last turn, and why it was so; None before the first."""
        return Turn(*self._turns[0].tolist()) if self._count else None

    @property
    def goal(self) -> Point | None:
        """The goal (m) in force; None before the first turn."""
        s = self.state
        return None if s is None else (s.goal_x, s.goal_y)

    @property
    def on_goal(self) -> bool:
        """Whether the average position is within the goal's radius (document 001 section 15)."""
        s = self.state
        return s is not None and is_on_goal(s.goal_x, s.goal_y, s.ema_x, s.ema_y,
                                            self._parameters.goal_radius_sigma_m)

    def set_goal(self, x: float, y: float) -> None:
        """Take up the goal (x, y) (m, `map`) at the next turn, which also restarts the average."""
        self._next_goal = checked_goal(x, y)

    def set_parameters(self, **changes: object) -> None:
        """Change constants from the next turn on.

        Raises
        ------
        InputError
            if a value is refused; then nothing has changed.

        """
        self._parameters = updated(self._parameters, changes)
        self._rate_is_known |= 'loop_rate' in changes

    def step(self, observation: Observation, rng: np.random.Generator) -> Point:
        """Take one turn.

        Parameters
        ----------
        observation : a scan of None counts as one without readings
        rng : the robot's generator

        Returns
        -------
        linear.x (m/s), angular.z (rad/s)

        """
        robot_id = observation.robot_id
        # Copies are cheap and always writable: compiled code has one signature, not several.
        poses = np.array(observation.poses, np.float64, order='C')
        located = bool(np.isfinite(poses[robot_id]).all())
        self.just_reached = None
        if located:
            self._take_up_goal(observation, rng)
        if not self.goals:
            return 0.0, 0.0
        p = self._parameters
        v, omega, theta = self._take_turn(robot_id, poses, observation, rng.random())
        self.invalid_turns += math.isnan(theta)
        self._notice_goal(robot_id)
        if located and self._walks(robot_id) and check_frequency(
                self._count, p.goal_regeneration_frequency_hz, p.loop_rate):
            self._draw_goal(poses[robot_id], rng)
        return v, omega

    def _take_turn(self, robot_id: int, poses: Floats, observation: Observation,
                   draw: float) -> list[float]:
        """Take a turn as a batch of one; return v (m/s), omega (rad/s), theta (rad)."""
        scan, heading = observation.scan or _NO_SCAN, observation.scan_heading
        if len(self._grid.items) != len(poses):
            self._grid = one_cell(len(poses))
        self._ids[0], self._draws[0] = robot_id, draw
        self._headings[0] = poses[robot_id, 2] if heading is None else heading
        ranges = np.array(scan.ranges, np.float32, ndmin=2)
        take_turns(0, 1, self._parameters, self._ids, self._memory, self._draws, poses,
                   Scans(ranges, self._headings, scan.angle_min, scan.angle_increment),
                   self._grid, self._turns)
        self._count += 1
        decided: list[float] = self._turns[0, :3].tolist()
        return decided

    def _walks(self, robot_id: int) -> bool:
        return self._parameters.on_random_walk and robot_id == 0

    def _take_up_goal(self, observation: Observation, rng: np.random.Generator) -> None:
        """Begin (document 001 section 11), or move on to a new goal."""
        goal = self._next_goal
        if observation.goal is not None and observation.goal != self._seen_goal:
            self._seen_goal = observation.goal
            goal = goal or checked_goal(*observation.goal)
        pose = observation.poses[observation.robot_id]
        if not self.goals:
            if not self._rate_is_known:
                self.set_parameters(loop_rate=round(1 / observation.dt, 9))
            self._start(goal or self._first_goal or (0.0, 0.0), pose)
            if self._walks(observation.robot_id):
                self._draw_goal(pose, rng)
        elif goal is not None:
            self._start(goal, pose)
        self._next_goal = None

    def _start(self, goal: Point, pose: Floats) -> None:
        """Set the goal; the average starts at the position (section 11)."""
        self._memory[0] = pose[0], pose[1], *goal
        self.goals += 1
        self._reached = False

    def _draw_goal(self, pose: Floats, rng: np.random.Generator) -> None:
        """Draw a goal near the robot (document 001 section 16)."""
        goal = generate_goal(float(pose[0]), float(pose[1]), rng.random(), rng.random())
        self._start(goal, pose)

    def _notice_goal(self, robot_id: int) -> None:
        """Note the first turn on a goal; only the leader has one."""
        if robot_id == 0 and not self._reached and self.on_goal:
            self._reached = True
            self.just_reached = self.goal


def warm_up() -> None:
    """Compile (or load from the cache) everything a turn calls."""
    scan = Scan(np.ones(4, np.float32), 0.0, 0.5, 0.0, 2.0)
    for robot_id in range(2):
        bot = PotentialField(goal=(1.0, 1.0), rate_hz=30.0, on_random_walk=True)
        # Read-only arrays, as those of a run, are types of their own.
        bot.step(make_observation(robot_id, Rate(30, 1), None, 1, np.zeros((2, 3)),
                                  {'scan': scan}),
                 np.random.default_rng(0))


# Commands of followers with common parameters, all in one compiled call.

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


def warm_up_swarm() -> None:
    """Compile (or load from the cache) what followers together call besides their turns."""
    repulsion_grid(Parameters(), np.zeros((1, 3)))
