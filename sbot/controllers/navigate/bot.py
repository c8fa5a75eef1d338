# SPDX-License-Identifier: Apache-2.0
"""The controller ``navigate`` as an object, and the data of its turns as one record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.controller import take_turn
from sbot.controllers.navigate.damping import Frame, frame_at
from sbot.controllers.navigate.memory import (
    Memory,
    State,
    Task,
    initial_state,
    make_limits,
    make_memory,
)
from sbot.controllers.navigate.parameters import (
    STANDARD,
    Parameters,
    Size,
    beside_walls,
    resolved,
)
from sbot.controllers.navigate.view import sees_all_round
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_common.compiled.records import Structure, define_structure
from sbot_common.elementary import sincos, sincos_of
from sbot_common.observation import Observation, Scan
from sbot_sim.world.geometry import World

# Data of one robot's turns, as one object for compiled code.
#
# Handing constants, memory and state over array by array takes four times as long as a turn.


class TurnRecord(Structure):  # type: ignore[misc]
    """Constants, state, memory, the followers waited for, and the directions of the beams.

    Made of what ``controller.take_turn`` takes under the same names.
    """

    def __new__(cls, parameters: Parameters, state: State, memory: Memory,  # noqa: D102
                followers: NDArray[np.int64], beams: Floats) -> Any:  # noqa: ANN401
        return _make_record(parameters, state, memory, followers, beams)


define_structure(TurnRecord, ['parameters', 'state', 'memory', 'followers', 'beams'])


@njit
def _make_record(parameters: Parameters, state: State, memory: Memory,
                 followers: NDArray[np.int64], beams: Floats) -> Any:  # noqa: ANN401
    return TurnRecord(parameters, state, memory, followers, beams)


@njit
def _state_of(record: TurnRecord) -> State:
    """Return the state after the last turn."""
    return record.state  # type: ignore[no-any-return]


@njit
def _motion_of(record: TurnRecord) -> tuple[float, float, float, float]:
    """Return the drift (m/s, `map`) and the drive (m/s, rad/s) of the last turn."""
    frame, drift = record.state.frame, record.state.drift
    return (frame.cosine * drift.x - frame.sine * drift.y,
            frame.sine * drift.x + frame.cosine * drift.y, drift.v, drift.omega)


@njit
def turn(record: TurnRecord, task: Task, poses: Floats, ranges: NDArray[np.float32],
         scan_yaw: float, forward: float, left: float, dt: float) -> tuple[float, float]:
    """Take a turn by ``controller.take_turn``; return linear.x (m/s), angular.z (rad/s)."""
    record.state, v, omega = take_turn(
        record.parameters, record.state, record.memory, task, record.followers, poses, ranges,
        record.beams, scan_yaw, forward, left, dt)
    return v, omega


_DEVIATION = 0.05  # cells between a circle and the polygon that stands for it
_SIDES = 100_000  # of that polygon, at most
_NO_SCAN = Scan(np.empty(0, np.float32), 0.0, 0.0, 0.0, 0.0)


NO_WAY = ('no way leads to its goal: obstacles that it knows, or places where it did not get on, '
          'are all round')


class Navigate:
    """Drives a robot to its goal, or after robot 0 if it has none (docs/navigate.md).

    Needs the fields ``scan`` and ``twist`` of an observation; draws no random numbers.

    Parameters
    ----------
    parameters : already checked; None: the defaults
    followers : ids of the robots that follow robot 0, rising
    known : the fixed obstacles, in `map`, for the parameter ``map``
    size : of its body, which parameters of 0 follow
    mount : of the laser: x, y (m), yaw (rad) in base_link. A robot whose laser looks back drives
        backwards
    ages : s, of the robot's own pose, and of the others': what it has done since is added, and how
        far they go in that time

    """

    def __init__(self, parameters: Parameters | None = None, followers: Sequence[int] = (),
                 known: World | None = None, size: Size = STANDARD,
                 mount: tuple[float, float, float] = (0.0, 0.0, 0.0),
                 ages: tuple[float, float] = (0.0, 0.0)) -> None:
        self._parameters, self._size = resolved(parameters or Parameters(), size), size
        self._known, self._followers = known, tuple(followers)
        self._mount, self._backs, self._ages = mount, False, ages
        self.reset()

    def reset(self) -> None:
        """Forget everything since construction."""
        self._record: TurnRecord | None = None
        self._state: State | None = None  # of a copy, until its first turn
        self._memory: Memory | None = None
        self._fan: tuple[int, float, float] | None = None
        self._beams = directions(0, 0.0, 0.0)
        self._since: list[tuple[float, float, float, float]] = []  # velocities, in `map` and own
        self._heard: Floats | None = None  # (num_robots, 2) m, of the last turn

    @property
    def state(self) -> State | None:
        """What is remembered after the last turn; None before the first."""
        return self._state if self._record is None else _state_of(self._record)

    @property
    def reason(self) -> str:
        """Why the robot stands, though it has not arrived; '' where it does not."""
        state = self.state
        return NO_WAY if state is not None and state.route.closed else ''

    def __getstate__(self) -> dict[str, object]:
        """Return what copies and pickles are made of: the record itself cannot be copied."""
        return {**self.__dict__, '_record': None, '_state': self.state}

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (linear.x in m/s, angular.z in rad/s); (0, 0) where the own pose is unknown."""
        me = observation.robot_id
        poses = np.array(observation.poses, np.float64, order='C')
        if not all(map(math.isfinite, poses[me].tolist())):
            return 0.0, 0.0
        if any(self._ages):
            self._advance(poses, me, observation.dt)
        scan = observation.scan or _NO_SCAN
        heading, (forward, left, _) = observation.scan_heading, observation.twist
        if heading is None:
            heading = float(poses[me, 2])
        fan = len(scan.ranges), scan.angle_min, scan.angle_increment
        if fan != self._fan:
            self._beams, self._backs = _beams_on(self._mount, *fan)
        if self._size.car.middle:  # a car is where its middle is, not its rear axle
            sine, cosine = sincos(float(poses[me, 2]))
            poses[me, 0] += self._size.car.middle * cosine
            poses[me, 1] += self._size.car.middle * sine
        if self._backs:  # its front is where it looks
            poses[me, 2], heading = poses[me, 2] + math.pi, heading + math.pi
            forward, left = -forward, -left
        record = self._prepared(fan, observation, poses)
        v, omega = turn(record, self._task(observation), poses,
                        np.array(scan.ranges, np.float32), heading, float(forward), float(left),
                        observation.dt)
        if self._ages[0]:
            self._note_motion(record, int(self._ages[0] / observation.dt + 0.5))
        return -v if self._backs else v, omega

    def _note_motion(self, record: TurnRecord, turns: int) -> None:
        """Remember the drift (m/s, `map`) and the drive (m/s, rad/s) of so many turns."""
        x, y, v, omega = _motion_of(record)
        self._since = [*self._since, (x, y, -v if self._backs else v, omega)][-turns:]

    def _advance(self, poses: Floats, me: int, dt: float) -> None:
        """Move poses of some turns ago, in place, as the robots have moved since."""
        heard, pose = poses[:, :2].copy(), poses[me].copy()
        if self._heard is not None:
            poses[:, :2] += self._ages[1] / dt * (heard - self._heard)
        for x, y, v, omega in self._since:
            sine, cosine = sincos(float(pose[2]) + 0.5 * dt * omega)
            pose += dt * np.array([x + v * cosine, y + v * sine, omega])
        self._heard, poses[me] = heard, pose

    def _task(self, observation: Observation) -> Task:
        me, goal = observation.robot_id, observation.goal
        side = -1.0 if self._backs else 1.0
        body = (side * (self._mount[0] - self._size.car.middle), side * self._mount[1],
                self._size)
        if goal is not None or me == 0:
            x, y = goal or (0.0, 0.0)
            return Task(me, goal is not None, float(x), float(y), -1, 0, *body)
        followers = self._followers or tuple(range(1, observation.num_robots))
        rank = followers.index(me) if me in followers else me - 1
        return Task(me, False, 0.0, 0.0, rank, max(len(followers), rank + 1), *body)

    def _prepared(self, fan: tuple[int, float, float], observation: Observation,
                  poses: NDArray[np.float64]) -> TurnRecord:
        """Return the robot's record; make it anew when the beams are others."""
        me = observation.robot_id
        if self._record is None or fan != self._fan:
            p, robots, beams = self._parameters, len(poses), fan[0]
            if self._memory is None:
                late = int(self._size.inertia.delay / observation.dt + 0.5)
                self._memory = make_memory(robots, beams,
                                           beside_walls(p, self._size.outline), late)
                if self._known is not None:
                    self._memory = self._memory._replace(
                        known=_known_in(frame_at(*poses[me].tolist()), self._known, p.cell_m))
            else:
                self._memory = self._memory._replace(limits=make_limits(robots, beams))
            state = self.state or initial_state(frame_at(*poses[me].tolist()), p)
            followers = np.array(self._followers if me == 0 else (), np.int64)
            self._record = TurnRecord(p, state, self._memory, followers, self._beams)
            self._fan = fan
        return self._record


def _known_in(frame: Frame, known: World, cell: float) -> Floats:
    """Return outlines of `map` as lines (S, 4) (m) in a frame; a circle is a polygon.

    That is ``_DEVIATION`` cells (m) from it, at most.
    """
    def seen(points: Floats) -> list[Floats]:
        dx, dy = points[:, 0] - frame.x, points[:, 1] - frame.y
        return [frame.cosine * dx + frame.sine * dy, frame.cosine * dy - frame.sine * dx]
    lines = [np.column_stack(seen(known.segments) + seen(known.segments[:, 2:]))]
    for x, y, radius in zip(*seen(known.circles), known.circles[:, 2], strict=True):
        sides = 2.0 * math.pi * math.sqrt(radius / (8.0 * _DEVIATION * cell))
        count = math.ceil(min(float(_SIDES), max(8.0, sides)))
        corners = np.array([[x], [y]]) + radius * directions(count + 1, 0.0, 2.0 * math.pi / count)
        lines.append(np.vstack([corners[:, :-1], corners[:, 1:]]).T)
    return np.concatenate(lines)


def directions(count: int, first: float, increment: float) -> NDArray[np.float64]:
    """Return (2, count): cosine and sine of the angles first + i*increment (rad)."""
    out = np.empty((2, count))
    angles = first + np.arange(count) * increment
    sincos_of(angles.astype(np.float64), out[1], out[0])
    return out


def _beams_on(mount: tuple[float, float, float], count: int, first: float,
              increment: float) -> tuple[NDArray[np.float64], bool]:
    """Return ``directions`` on a robot, and whether its laser looks back: then they are turned."""
    beams = directions(count, first + mount[2], increment)
    backs = bool(count and beams[0, count // 2] < 0.0 and not sees_all_round(beams))
    return -beams if backs else beams, backs


def warm_up() -> None:
    """Compile (or load from the cache) everything a turn calls."""
    scan = Scan(np.full(3, 2.0, np.float32), -1.0, 1.0, 0.0, 10.0)
    for me, goal in ((0, (3.0, 0.0)), (1, None)):
        bot = Navigate(ages=(0.1, 0.0))  # late poses need one more function
        bot.step(Observation(me, 2, 0, 0, 1 / 30, np.array([[0.0, 0, 0], [1, 1, 0]]), scan, goal),
                 np.random.default_rng(0))
        assert not bot.reason  # loads that, too
