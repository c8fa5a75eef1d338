# SPDX-License-Identifier: Apache-2.0
"""Engine: the simulation of one world, tick by tick, and its snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Floats32
from sbot_common.errors import InputError
from sbot_sim.collision.overlap import placement_error
from sbot_sim.engine.many import Simulation, Winds
from sbot_sim.sensors.range_and_bearing import Heard
from sbot_sim.sensors.registry import Arrays, simulated
from sbot_sim.world.bodies import NOWHERE, is_there
from sbot_sim.worlds.batch import Program
from sbot_sim.worlds.parameters import SimulationParameters
from wind_model.grid import Lattice
from wind_model.gust import Wind


class Snapshot(NamedTuple):
    """The world at one tick, as messages carry it; N robots, frame `map` unless noted."""

    tick: int
    pose: Floats  # (N, 3) x, y (m), yaw (rad) as decoded from the quaternion that is sent
    twist: Floats  # (N, 3) m/s, m/s, rad/s in the robot's own frame, wind included
    wind: Floats  # (N, 2) m/s, effective wind of this tick and the push of forces
    free_wind: Floats  # (N, 2) m/s, the same before other robots took their share
    true_pose: Floats  # (N, 3) with the simulator's own yaw; ``NOWHERE`` if not in the world
    odometry: Floats  # (N, 3) frame `odom`
    odometry_twist: Floats  # (N, 3) by the wheels
    ranges: Floats32  # (N, beams) m
    infrared: Floats32  # (N, 15, 2) range (m), reading; or (N, 0, 2)
    heard: Heard  # compressed rows
    heard_sent: bool  # range and bearing is on
    rab_data: NDArray[np.uint8]  # (N, 10)
    updraft: Floats  # (N,) m/s, vertical part of the effective wind
    collided: NDArray[np.bool_]  # (N,) intersected something in the last tick
    reverted: NDArray[np.bool_]  # (N,) was put back where it was
    readings: Mapping[str, Floats] = {}  # (N, columns) of sensors with a kernel, by name
    moved: NDArray[np.int64] | None = None  # (M,) ticks in which obstacles on paths have moved
    obstacles: Floats | None = None  # (M, 2) m, centres of those on a path
    boxes: Floats | None = None  # (B, 3) x, y (m), yaw (rad) of pushable boxes

    @classmethod
    def of(cls, worlds: Simulation, sensed_wind: bool = True, k: int = 0) -> Snapshot:
        """Return the snapshot of world k; ``sensed_wind``: with the wind of its tick."""
        state, moving = worlds.state, worlds.tick.moving
        n = worlds.setting.robots
        own = slice(k * n, (k + 1) * n)
        moved = boxes = obstacles = None
        if moving is not None:
            moved, boxes = (rows.reshape(worlds.count, -1, *rows.shape[1:])[k].copy()
                            for rows in (state.moved, state.boxes))
            centres = moving.positions()
            obstacles = None if centres is None else centres[k]
        rows: Arrays = {}
        for each in simulated():
            rows |= each.copied(state, own)
        wind = rows.pop('observed_wind')
        return _as_felt(cls(
            **rows, tick=int(state.tick[k]), pose=state.sent_pose[own].copy(),
            wind=wind if sensed_wind else np.zeros((n, 2)),
            free_wind=state.observed_free_wind[own].copy() if sensed_wind else np.zeros((n, 2)),
            updraft=state.updraft[own].copy() if sensed_wind else np.zeros(n),
            true_pose=state.pose[own].copy(), heard=worlds.tick.heard(k),
            heard_sent=worlds.setting.sensing.range_and_bearing,
            rab_data=state.rab_data[own].copy(), collided=state.collided[own].copy(),
            reverted=state.reverted[own].copy(),
            readings={name: rows[own].copy()
                      for name, rows in worlds.tick.fitted.readings.items()},
            moved=moved, obstacles=obstacles,
            boxes=boxes if boxes is not None and len(boxes) else None))


# Snapshot of a world: copies of its arrays, for observers that keep them.

def _as_felt(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot, in which a robot that is not in the world feels and does nothing."""
    absent = ~is_there(snapshot.true_pose)
    if absent.any():
        for rows in (snapshot.twist, snapshot.wind, snapshot.free_wind, snapshot.updraft,
                     snapshot.reverted):
            rows[absent] = 0
    return snapshot


_ALWAYS = np.iinfo(np.int64).max  # ticks

# Where to put a robot: x, y (m), yaw (rad), or out of the world (None).
Place = tuple[float, float, float] | None


class SavedWorld(NamedTuple):
    """A moment of an ``Engine``, for its ``restore``."""

    arrays: Mapping[str, NDArray[Any]]
    heard: Heard


class Engine:
    """A batch of one world; commands and wind come tick by tick, snapshots are copies.

    Parameters
    ----------
    parameters : of the world
    pose : (N, 3) x, y (m), yaw (rad) at tick 0
    seed : of the sensors' noise

    """

    def __init__(self, parameters: SimulationParameters, pose: Floats, seed: int) -> None:
        self._start, self._seeds = pose.copy()[np.newaxis], np.array([seed], np.int64)
        self._scenario = self._given = parameters
        self._worlds = world_of(parameters)
        self._field: Lattice | None = None
        self._snapshot: Snapshot | None = None
        self.has_wind = False  # whether the snapshot has this tick's wind
        self.reset()

    @cached_property
    def _beginning(self) -> Program:
        return self._worlds.program(self._worlds.tick.beginning(self._worlds.setting))

    @cached_property
    def _advancing(self) -> Program:
        tick, setting = self._worlds.tick, self._worlds.setting
        return self._worlds.program(tick.advancing(setting) + tick.sensing(setting))

    @cached_property
    def _sensing_wind(self) -> Program:
        return self._worlds.program(self._worlds.tick.sensing_wind(self._worlds.setting))

    @property
    def tick(self) -> int:
        """How many ticks have passed."""
        return int(self._worlds.state.tick[0])

    @property
    def parameters(self) -> SimulationParameters:
        """The world's parameters, with moving obstacles where they are."""
        moving = self._worlds.tick.moving
        return self._given if moving is None else moving.parameters[0]

    @property
    def snapshot(self) -> Snapshot:
        """What messages carry of this tick; with its wind once that is felt."""
        if self._snapshot is None:
            self._snapshot = Snapshot.of(self._worlds, self.has_wind)
        return self._snapshot

    def reset(self) -> None:
        """Go back to tick 0, without objects that were added."""
        if self._given is not self._scenario:
            self._simulate(self._scenario)
        self._worlds.reset(np.zeros(1, np.int64), self._start, self._seeds, self._beginning)
        self._snapshot, self.has_wind = None, False

    def place_objects(self, circles: Sequence[Sequence[float]],
                      rectangles: Sequence[Sequence[float]],
                      teleports: Mapping[int, Place]) -> None:
        """Replace the fixed objects that were added by the last call, until a reset.

        The rest of the run is what it would be had they stood there from the start, but for what
        has happened by now. The tick's snapshot stays: they are seen from the next one on.

        Parameters
        ----------
        circles : x, y, radius (m) of each
        rectangles : cx, cy, width, height (m), yaw (rad) of each
        teleports : robots that are to be put elsewhere in the next tick

        Raises
        ------
        InputError
            if one stands in a robot, where one will be, or in a box; nothing is changed.

        """
        given = self._scenario.with_objects(circles, rectangles)
        for places in ({}, teleports):
            problem = self._problem(given, places)
            if problem is not None:
                raise InputError(problem)
        saved = self.save()
        self._simulate(given)
        self._restore(saved)

    def save(self) -> SavedWorld:
        """Return this moment of the world, without objects that were added."""
        return SavedWorld({name: array.copy() for name, array in self._worlds.arrays().items()},
                          self._worlds.tick.heard(0))

    def restore(self, saved: SavedWorld) -> None:
        """Put the world to a saved moment."""
        self._restore(saved)
        self._snapshot, self.has_wind = None, False

    def _restore(self, saved: SavedWorld) -> None:
        self._worlds.reset(np.zeros(1, np.int64), self._start, self._seeds, self._beginning)
        for name, array in self._worlds.arrays().items():
            array[:] = saved.arrays[name]
        self._worlds.restore_rest(0, saved.heard)

    def _simulate(self, parameters: SimulationParameters) -> None:
        """Make the world anew, of other parameters."""
        self._given, self._worlds = parameters, world_of(parameters)
        self._field = None
        for name in ('_beginning', '_advancing', '_sensing_wind'):
            self.__dict__.pop(name, None)

    def sense_wind(self, wind: Wind) -> None:
        """Let the robots feel this tick's wind: the snapshot has it from now on.

        ``advance`` must then be given the same wind.
        """
        self._find_wind(wind)
        state = self._worlds.state
        if self._snapshot is not None:
            self._snapshot = _as_felt(self._snapshot._replace(
                wind=state.observed_wind.copy(), free_wind=state.observed_free_wind.copy(),
                updraft=state.updraft.copy()))
        self.has_wind = True

    def _find_wind(self, wind: Wind) -> None:
        """Find the wind at the robots."""
        if wind.field is not self._field:
            self._worlds.set_field(wind.field)
            self._field = wind.field
            self.__dict__.pop('_sensing_wind', None)
        winds = self._worlds.setting
        winds.wind_velocity[0], winds.wind_force[0] = wind.velocity, wind.force
        winds.gust_velocity[0] = wind.gust
        winds.gust_ticks[0, 1] = _ALWAYS if wind.gust.any() else 0
        self._worlds.run(self._sensing_wind)

    def advance(self, command: Floats, wind: Wind, rab_data: NDArray[np.uint8]) -> None:
        """Go one tick on, and sense.

        Parameters
        ----------
        command : (N, 3) vx, vy (m/s), omega (rad/s)
        wind : of this tick
        rab_data : (N, 10) heard in the next tick; byte 0 is overwritten

        """
        state = self._worlds.state
        if not self.has_wind:
            self._find_wind(wind)
        state.command[:], state.rab_next[:] = command, rab_data
        self._worlds.run(self._advancing)
        self._snapshot, self.has_wind = None, False

    def poses_after(self, places: Mapping[int, Place]) -> Floats:
        """Return the true poses (N, 3) with some robots elsewhere."""
        after = self.snapshot.true_pose.copy()
        for robot, place in places.items():
            after[robot] = NOWHERE if place is None else place
        return after

    def _problem(self, parameters: SimulationParameters,
                 places: Mapping[int, Place]) -> str | None:
        """Return a line on why robots cannot be put elsewhere, or None."""
        now, after = self.snapshot, self.poses_after(places)
        there = is_there(after)
        there[[robot for robot, place in places.items() if place is not None]] = True
        return placement_error(*parameters.all_bodies(now.moved, now.boxes, after), len(after),
                               there)

    def check_places(self, places: Mapping[int, Place]) -> None:
        """Raise InputError if robots cannot be put elsewhere, all of them at once."""
        problem = self._problem(self.parameters, places)
        if problem is not None:
            robot, place = list(places.items())[-1]
            raise InputError(f'teleport of robot {robot} to {list(place or NOWHERE)}: {problem}')

    def teleport(self, places: Mapping[int, Place]) -> None:
        """Put robots elsewhere before the next ``advance``; they are there from the next tick on.

        Odometry knows nothing of it, but begins anew where a robot comes into the world.

        Raises
        ------
        InputError
            if they cannot stand there; nothing is changed.

        """
        self.check_places(places)
        before, state, after = self.snapshot, self._worlds.state, self.poses_after(places)
        robots = list(places)
        new = [robot for robot in robots if not is_there(state.pose)[robot]]
        state.pose[robots] = after[robots]
        for rows in (state.twist, state.impulse_velocity, state.wind):
            rows[robots] = 0.0
        if len(state.momentum.twist):
            state.momentum.twist[robots] = state.momentum.asked[robots] = 0.0
        state.odometry[new] = state.odometry_twist[new] = state.rab_data[new, 1:] = 0
        self._snapshot = before._replace(true_pose=state.pose.copy())
        self.has_wind = False
        self._worlds.forget_cells(0)
        tick = self._worlds.tick
        self._worlds.run(self._worlds.program(tick.hearing(self._worlds.setting)))


def world_of(parameters: SimulationParameters) -> Simulation:
    """Return one world with all sensors that its robots have, in still air."""
    winds = Winds.none(1)
    # The force of a gust is in that of the tick. -0 changes nothing, 0 would change -0.
    winds.gust_force[:] = -0.0
    # Whom robots hear takes as much room as there are pairs, not as there may be: ``hears``.
    return Simulation([parameters], winds, _senses(parameters), lambda _, __: parameters.waves,
                      parameters.sensors.threads, hears=False)


def _senses(parameters: SimulationParameters) -> frozenset[str]:
    """Return all that the robots have."""
    return frozenset([*parameters.sensors.fitted,
                      *(each.name for each in simulated() if each.has(parameters.sensors))])
