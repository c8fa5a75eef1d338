# SPDX-License-Identifier: Apache-2.0
"""Data of figures: from a recording, or from a scenario that is run; undisturbed wind."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.bag.reader import Bag
from sbot.bag.tables import Series, held
from sbot.runner.history import Run
from sbot.scenario.assemble import make_turbulence, robot_bodies, wind_source
from sbot.scenario.controllers import has_leader
from sbot.scenario.load import UNNAMED, parse_scenario
from sbot.scenario.model import Scenario
from sbot_common import topics
from sbot_common.angles import yaw_from_quaternion
from sbot_common.arrays import Floats, Integers
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, one_line, refuse
from sbot_common.observation import checked_goal
from sbot_common.wire.cdr import little_endian
from sbot_common.wire.messages import PoseStamped, read_poses
from sbot_sim.dynamics.hooks import free_wind
from sbot_sim.world.bodies import is_there
from sbot_sim.world.geometry import World, rectangle_corners
from wind_model.grid import Lattice, points_at, sample
from wind_model.gust import WindSource, gusts_at
from wind_model.messages import decode_field

# Undisturbed wind at the robots of a recording, from the messages of the wind.



class _RecordedWind(NamedTuple):
    """Wind of a run at T stamps, e.g. from messages: also where parameters changed in the run."""

    stamps: Integers  # (T,) ns, rising
    velocity: Floats  # (T, 3) m/s, outside the grid
    gust: Floats  # (T, 3) m/s
    force: Floats  # (T, 3) N
    field: Lattice | None

    def row(self, stamp_ns: int) -> int:
        """Return the row of a stamp (ns), or of the last before it."""
        return max(0, int(np.searchsorted(self.stamps, stamp_ns, side='right')) - 1)


def _wind_of(source: WindSource, stamps: Integers) -> _RecordedWind:
    """Return what a source gives at the stamps (T,) (ns)."""
    start, end = source.parameters.gust_window
    blows = ((start <= stamps) & (stamps < end))[:, np.newaxis]
    calm, gusty = source.at(start - 1), source.at(start)
    velocity, gust, force = (np.where(blows, during, otherwise) for during, otherwise in (
        (gusty.velocity, calm.velocity), (gusty.gust, calm.gust), (gusty.force, calm.force)))
    return _RecordedWind(stamps, velocity, gust, force, source.field)


def _free_winds(scenario: Scenario, air: _RecordedWind, poses: Floats) -> Floats:
    """Return the wind (T, N, 2) (m/s) that each robot would feel if it were alone.

    With what forces give it in a tick, as in ``observation.wind``.

    Parameters
    ----------
    scenario : of the recording
    air : the wind of ticks 0, 1, ...
    poses : (T, N, 3) x, y (m), yaw (rad)

    """
    free = np.empty((*poses.shape[:2], 2))
    mass = np.array([body.mass for body in robot_bodies(scenario)])[:, np.newaxis]
    waves, dt = make_turbulence(scenario), scenario.rate.dt
    for k, (velocity, gust, force) in enumerate(zip(air.velocity, air.gust, air.force,
                                                    strict=True)):
        pose = np.ascontiguousarray(poses[k])
        free[k] = free_wind(air.field, np.ascontiguousarray(velocity), pose,
                            scenario.wind.flow.height)
        free[k] += gust[:2] + force[:2] * dt / mass
        if waves is not None:
            x, y, _ = (velocity * (k * dt)).tolist()
            free[k] += gusts_at(waves, pose, x, y, k * dt)
    return free


_SHORT = 60  # letters of a description that fits into a title
MOST_NAMED = 8  # above this robots have one colour and no line of their own
ARROWS = 18  # of wind, along the longer side
# How large a robot is drawn at least, as a share of the arena's longer side: few, or many.
_LEAST_SIZE, _LEAST_SIZE_OF_MANY = 0.006, 0.004
# pt, its radius, also in a small panel; of more robots less, so that they do not hide each other.
_LEAST_POINTS, _LEAST_OF_ALL = 3.0, 16.0
_LEADER_AMONG_MANY = 1.6  # times larger, to be found


class Goal(NamedTuple):
    """Goal x, y (m) of a robot from ``stamp_ns`` on."""

    stamp_ns: int
    robot: int
    x: float
    y: float


class RunData(NamedTuple):
    """A run: T stamps, N robots; frame `map`."""

    scenario: Scenario
    stamps_ns: Integers  # (T,)
    poses: Floats  # (T, N, 3) x, y (m), yaw (rad)
    wind: Floats  # (T, N, 2) m/s, effective
    free_wind: Floats  # (T, N, 2) m/s, if no other robot were in its way
    goals: tuple[Goal, ...]  # in order of time
    world: World
    radius: Floats  # (N,) m
    air: _RecordedWind  # undisturbed, of each stamp
    obstacles: Floats  # (T, M, 2) m, centres of those that move, the last of the world's circles
    boxes: Floats  # (T, B, 3) x, y (m), yaw (rad) of pushable boxes, which the world does not have
    contacts: NDArray[np.bool_] | None = None  # (T, N) touched something in the tick before

    @property
    def field(self) -> Lattice | None:
        """The gridded wind."""
        return self.air.field

    @property
    def outside(self) -> Floats:
        """Mean wind outside the grid at the end (m/s); (3,)."""
        return np.asarray(self.air.velocity[-1])

    @property
    def many(self) -> bool:
        """Whether robots have one colour and no line of their own: more than ``MOST_NAMED``."""
        return len(self.radius) > MOST_NAMED

    @property
    def name(self) -> str:
        """The scenario's name for a title; of one without a name its description, if short."""
        about = self.scenario
        if about.name != UNNAMED:
            return one_line(about.name, 200)
        return (one_line(about.description).removesuffix('.')
                if len(about.description) <= _SHORT else '')

    @property
    def view(self) -> tuple[float, float, float, float]:
        """The view's xmin, ymin, xmax, ymax (m): the bounds, where walls stand on them.

        If no walls keep robots inside, tracks are shown for half an arena beyond the bounds, and
        there is a small margin.
        """
        low, high = self.world.bounds.reshape(2, 2)
        if not self.world.has_walls:
            side, reach = float((high - low).max()), self.radius[:, np.newaxis]
            seen = ((self.poses[:, :, :2] - reach).min(axis=(0, 1)),
                    (self.poses[:, :, :2] + reach).max(axis=(0, 1)))
            low = np.minimum(low, np.maximum(seen[0], low - side / 2)) - 0.01 * side
            high = np.maximum(high, np.minimum(seen[1], high + side / 2)) + 0.01 * side
        (xmin, ymin), (xmax, ymax) = low.tolist(), high.tolist()
        return xmin, ymin, xmax, ymax

    def drawn_radius(self, scale: float) -> Floats:
        """Return how large each robot is drawn (m): its size, but large enough to be seen; (N,).

        ``scale`` is a metre's length (pt).
        """
        xmin, ymin, xmax, ymax = self.view
        least = _LEAST_SIZE_OF_MANY if self.many else _LEAST_SIZE
        points = min(_LEAST_POINTS, _LEAST_OF_ALL / math.sqrt(len(self.radius)))
        radius = np.maximum(self.radius, max(least * max(xmax - xmin, ymax - ymin),
                                             points / scale))
        if self.many and has_leader(self.scenario):
            radius[0] *= _LEADER_AMONG_MANY
        return radius

    def goals_at(self, stamp_ns: int) -> list[Goal]:
        """Return each robot's goal at a time."""
        latest = {goal.robot: goal for goal in self.goals if goal.stamp_ns <= stamp_ns}
        return [latest[robot] for robot in sorted(latest)]

    def in_obstacles(self, points: Floats) -> NDArray[np.bool_]:
        """Tell which points (M, 2) (m) lie in solid obstacles that do not move; (M,)."""
        from matplotlib.path import Path as Outline  # tables of a recording do without it
        world = self.world
        inside = np.zeros(len(points), bool)
        for solid in (*map(rectangle_corners, world.rectangles), *world.polygons):
            inside |= Outline(solid).contains_points(points)
        for x, y, radius in self.still_circles.tolist():
            inside |= np.hypot(points[:, 0] - x, points[:, 1] - y) < radius
        if world.cells is not None:
            inside |= world.cells.occupies(points)
        return inside

    def wind_arrows(self, index: int | None = None, most: int = ARROWS) -> Floats:
        """Return rows x, y, u, v (M, 4) (m): arrows of the undisturbed wind on a regular grid.

        The longest reaches 0.6 of the way to the next; there are none where there is no wind.
        ``index``: of a stamp, with its gust; in a run with gusts the longest of all stamps reaches
        0.9 of the way. ``most``: arrows along the longer side.
        """
        xmin, ymin, xmax, ymax = self.world.bounds.tolist()
        spacing = float(max(xmax - xmin, ymax - ymin)) / most
        x, y = (np.linspace(low, high, max(1, round((high - low) / spacing)) + 1)
                for low, high in ((xmin, xmax), (ymin, ymax)))
        x, y = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])
        points = np.column_stack([each.ravel() for each in np.meshgrid(x, y)])
        wind = self.wind_at(points, index)
        reach, strongest = 0.6, float(np.hypot(*wind.T).max())
        if strongest == 0.0:
            return np.zeros((0, 4))
        if index is not None and self.air.gust.any():
            reach, strongest = 0.9, self._strongest_ever(points)
        arrows = np.column_stack([points, wind * (reach * spacing / strongest)])
        free = np.ones(len(arrows), bool)
        for part in (-0.5, -0.25, 0.0, 0.25, 0.5):  # along an arrow, drawn about its middle
            free &= ~self.in_obstacles(arrows[:, :2] + part * arrows[:, 2:])
        return arrows[free]

    def wind_at(self, points: Floats, index: int | None = None) -> Floats:
        """Return the undisturbed wind (M, 2) (m/s) at points (M, 2) (m), where robots feel it.

        The mean at the end of the run, or with ``index`` that of a stamp with its gust.
        """
        above = points_at(self.field, points, self.scenario.wind.flow.height)
        if index is None:
            return np.asarray(sample(self.field, above, self.outside)[:, :2])
        row = self.air.row(int(self.stamps_ns[index]))
        return np.asarray(sample(self.field, above, self.air.velocity[row])[:, :2]
                          + self.air.gust[row, :2])

    def _strongest_ever(self, points: Floats) -> float:
        """Return the speed (m/s) that the wind at the points does not exceed at any stamp."""
        if self.field is None:
            total = self.air.velocity + self.air.gust
            return float(np.hypot(total[:, 0], total[:, 1]).max())
        gusts = np.hypot(self.air.gust[:, 0], self.air.gust[:, 1])
        return float(np.hypot(*self.wind_at(points).T).max() + gusts.max())

    def strongest_gust(self) -> tuple[Floats, Floats]:
        """Return speed (m/s) and force (N) of the gust, each (3,); 0 without a gust."""
        if len(self.air.gust) <= 1:  # no run, only its start
            return np.zeros(3), np.zeros(3)
        extra = self.extra_force
        speed: Floats = self.air.gust[np.hypot(*self.air.gust[:, :2].T).argmax()]
        force: Floats = extra[np.hypot(*extra[:, :2].T).argmax()]
        return speed, force

    @property
    def extra_force(self) -> Floats:
        """What gusts add to the mean force (T, 3) N."""
        return np.asarray(self.air.force - self.scenario.wind.flow.mean_force)

    @property
    def still_circles(self) -> Floats:
        """The fixed round obstacles; (K, 3) x, y, radius (m)."""
        return self.world.circles[:len(self.world.circles) - self.obstacles.shape[1]]

    @property
    def moving_radius(self) -> Floats:
        """The radius of each moving obstacle (m); (M,)."""
        return self.world.circles[len(self.still_circles):, 2]

    @property
    def seconds(self) -> Floats:
        """Time since the first stamp (s); (T,)."""
        return np.asarray((self.stamps_ns - self.stamps_ns[0]) / NANOSECONDS)

    @classmethod
    def from_result(cls, result: Run) -> RunData:
        """Return the data of a run in this process.

        Raises
        ------
        InputError
            if it was made with ``keep=False``.

        """
        scenario, stamps = result.scenario, result.stamps_ns
        if not len(stamps):
            raise InputError('run: needs its poses; make it with keep=True')
        air = _wind_of(wind_source(scenario), stamps)
        return _run_data(scenario, air, result.poses, result.wind, result.free_wind,
                         _first_goals(scenario, int(stamps[0])), result.obstacles, result.boxes,
                         result.collided)

    @classmethod
    def at_rest(cls, scenario: Scenario) -> RunData:
        """Return a scenario before its first tick: all robots at their starts, one stamp."""
        air = _wind_of(wind_source(scenario), np.array([scenario.rate.stamp_ns(0)], np.int64))
        poses = np.array([[robot.pose for robot in scenario.robots]], np.float64)
        still = np.zeros((1, len(scenario.robots), 2))
        return _run_data(scenario, air, poses, still, still, ())

    @classmethod
    def from_bag(cls, source: str | Path | Bag) -> RunData:
        """Return the data of a recording; of its last run, if the simulation was reset.

        Raises
        ------
        InputError
            if it has no scenario or no poses.

        """
        bag = source if isinstance(source, Bag) else Bag(source)
        scenario = parse_scenario(bag.scenario_text, f'{bag.path}: scenario', bag.path.parent,
                                  import_controllers=False)
        content = _Content(scenario)
        with bag.named_errors():
            for message in bag.messages_of(content.types):
                content.add(message.name, message.payload)
        return content.data(bag)


def _first_goals(scenario: Scenario, begin: int) -> tuple[Goal, ...]:
    return tuple(Goal(begin, i, *robot.goal) for i, robot in enumerate(scenario.robots)
                 if robot.goal is not None)


def _run_data(scenario: Scenario, air: _RecordedWind, poses: Floats, wind: Floats, free: Floats,
              goals: tuple[Goal, ...], obstacles: Floats | None = None,
              boxes: Floats | None = None, contacts: NDArray[np.bool_] | None = None) -> RunData:
    """Return the data of a run; what moves or is pushed is at its start where nothing is known."""
    rows = (len(air.stamps), 1, 1)
    starts = np.array([disc.path[0] for disc in scenario.world.moving], np.float64)
    return RunData(scenario, air.stamps, poses, wind, free, goals,
                   scenario.world.at_start(with_boxes=False),
                   np.array([body.radius for body in robot_bodies(scenario)]), air,
                   np.tile(starts.reshape(-1, 2), rows) if obstacles is None else obstacles,
                   np.tile(scenario.world.box_poses(), rows) if boxes is None else boxes, contacts)


# Data of figures from a recording, or from a scenario that is run.

_BAG_SUFFIXES = ('.mcap', '.db3')
_MOST_HOLES = 20  # of a table of poses, for each pose that was recorded


def is_bag(source: str | Path) -> bool:
    """Tell whether this names a recording rather than a scenario, or is the text of one."""
    return '\n' not in str(source) and (
        os.path.isdir(source) or Path(source).suffix in _BAG_SUFFIXES)


class _Content:
    """Gathers the messages that pictures need."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._n = n = len(scenario.robots)
        self._newest_ns = 0
        self._field: Lattice | None = None
        self._goals: list[Goal] = []
        # How many there are of what moves or is pushed; their x, y (m), yaw (rad) by stamp.
        self._counts = {topics.OBSTACLES.name: len(scenario.world.moving),
                        topics.BOXES.name: len(scenario.world.boxes)}
        self._things: dict[str, dict[int, Floats]] = {name: {} for name in self._counts}
        self._goal_robots = {topics.GOAL.resolve(i, n): i for i in range(n)}
        self._series = {topic.resolve(i, n): Series(topic.resolve(i, n),
                                                            topic.type)
                        for topic in (topics.WIND_VELOCITY, topics.WIND_GUST, topics.WIND_FORCE,
                                      topics.BASE_POSE_GROUND_TRUTH, topics.WIND)
                        for i in range(n)}

    @property
    def types(self) -> dict[str, tuple[str]]:
        return {topics.WIND_FIELD.name: (topics.WIND_FIELD.type,),
                **{name: (topics.OBSTACLES.type,) for name, count in self._counts.items()
                   if count},
                **dict.fromkeys(self._goal_robots, (topics.GOAL.type,)),
                **{name: (series.type,) for name, series in self._series.items()}}

    def add(self, name: str, payload: bytes) -> None:
        if name in self._series:
            stamp = self._series[name].add(payload)
            if stamp < self._newest_ns - NANOSECONDS:  # time began again
                self._newest_ns = 0
                gathered: list[Any] = [*self._series.values(), self._goals,
                                       *self._things.values()]
                for each in gathered:
                    each.clear()
                self._series[name].add(payload)
            self._newest_ns = max(self._newest_ns, stamp)
        elif name in self._goal_robots:
            pose = PoseStamped.of_pose(payload)
            checked_goal(pose.x, pose.y)
            self._goals.append(Goal(pose.stamp_ns, self._goal_robots[name], pose.x, pose.y))
        elif name in self._counts:
            stamp_ns, rows = read_poses(little_endian(payload, topics.OBSTACLES.type),
                                        self._counts[name])
            self._things[name][stamp_ns] = rows
        else:
            self._field = decode_field(payload)

    def data(self, bag: Bag) -> RunData:
        n, scenario = self._n, self._scenario
        names = [topics.BASE_POSE_GROUND_TRUTH.resolve(i, n) for i in range(n)]
        refuse(*((not len(self._series[name]),
                  f'{bag.path}: needs the poses of robot {i}, the topic {name}')
                 for i, name in enumerate(names)))
        tables = [self._series[name].arrays() for name in names]
        stamps: Integers = np.unique(np.concatenate([known for known, _ in tables]))
        messages = sum(len(known) for known, _ in tables)
        if len(stamps) * n > _MOST_HOLES * (messages + 1000):
            raise InputError(f'{bag.path}: the poses of its {n} robots have different stamps: '
                             f'{len(stamps)}')
        poses, wind = np.empty((len(stamps), n, 3)), np.empty((len(stamps), n, 2))
        for i, (known, rows) in enumerate(tables):
            yaws = [yaw_from_quaternion(*q) for q in rows[:, 3:].tolist()]
            poses[:, i] = held(stamps, known, np.column_stack([rows[:, :2], yaws]))
            wind[:, i] = self._vectors(topics.WIND.resolve(i, n), stamps)[:, :2]
        velocity, gust, force = (self._vectors(topic.name, stamps) for topic in (
            topics.WIND_VELOCITY, topics.WIND_GUST, topics.WIND_FORCE))
        air = _RecordedWind(stamps, velocity, gust, force, self._field)
        obstacles, boxes = (self._places(name, stamps) for name in self._counts)
        refuse(*((values is not None and not np.isfinite(values).all(),
                  f'{bag.path}: a {what} is not finite') for what, values in (
                      ('pose', poses[is_there(poses)]), ('wind of a robot', wind),
                      ('wind', velocity), ('gust', gust), ('force', force),
                      ('obstacle', obstacles), ('box', boxes))))
        # The simulation publishes no goal of a robot with ``controller: external``.
        published = {goal.robot for goal in self._goals}
        first = [goal for goal in _first_goals(scenario, int(stamps[0]))
                 if goal.robot not in published]
        return _run_data(scenario, air, poses, wind, _free_winds(scenario, air, poses),
                         (*first, *self._goals),
                         None if obstacles is None else obstacles[:, :, :2], boxes)

    def _places(self, name: str, stamps: Integers) -> Floats | None:
        """Return the places (T, M, 3) of what moves or is pushed; None where none is known."""
        if not self._things[name]:
            return None
        known = np.array(sorted(self._things[name]), np.int64)
        return held(stamps, known, np.stack([self._things[name][k] for k in known.tolist()]))

    def _vectors(self, name: str, stamps: Integers) -> Floats:
        """Return the vectors (T, 3) of a topic; zero where nothing was recorded."""
        series = self._series[name]
        return held(stamps, *series.arrays()) if len(series) else np.zeros((len(stamps), 3))
