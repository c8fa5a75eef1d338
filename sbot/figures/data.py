"""Data of figures, from a recording or a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.figures.free_wind import RecordedWind, wind_of
from sbot.runner.history import Run
from sbot.scenario.assemble import robot_bodies, wind_source
from sbot.scenario.load import UNNAMED
from sbot.scenario.model import Scenario
from sbot.scenario.world import box_poses, starting_world
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, one_line
from sbot_sim.world.geometry import World
from wind_model.grid import Lattice

Array = NDArray[np.float64]
Stamps = NDArray[np.int64]

_SHORT = 60  # letters of a description that fits into a title


class Goal(NamedTuple):
    """Goal x, y (m) of a robot from ``stamp_ns`` on."""

    stamp_ns: int
    robot: int
    x: float
    y: float


class RunData(NamedTuple):
    """A run: T stamps, N robots; frame `map`."""

    scenario: Scenario
    stamps_ns: Stamps  # (T,)
    poses: Array  # (T, N, 3) x, y (m), yaw (rad)
    wind: Array  # (T, N, 2) m/s, effective
    free_wind: Array  # (T, N, 2) m/s, if no other robot were in its way
    goals: tuple[Goal, ...]  # in order of time
    world: World
    radius: Array  # (N,) m
    air: RecordedWind  # undisturbed, of each stamp
    obstacles: Array  # (T, M, 2) m, centres of those that move, the last of the world's circles
    boxes: Array  # (T, B, 3) x, y (m), yaw (rad) of pushable boxes, which the world does not have
    contacts: NDArray[np.bool_] | None = None  # (T, N) touched something in the tick before

    @property
    def field(self) -> Lattice | None:
        """The gridded wind."""
        return self.air.field

    @property
    def outside(self) -> Array:
        """Mean wind outside the grid at the end (m/s); (3,)."""
        velocity: Array = self.air.velocity[-1]
        return velocity

    @property
    def still_circles(self) -> Array:
        """The fixed round obstacles; (K, 3) x, y, radius (m)."""
        return self.world.circles[:len(self.world.circles) - self.obstacles.shape[1]]

    @property
    def moving_radius(self) -> Array:
        """The radius of each moving obstacle (m); (M,)."""
        return self.world.circles[len(self.still_circles):, 2]

    @property
    def seconds(self) -> Array:
        """Time since the first stamp (s); (T,)."""
        seconds: Array = (self.stamps_ns - self.stamps_ns[0]) / NANOSECONDS
        return seconds


def name_of(scenario: Scenario) -> str:
    """Return a scenario's name for a title; of one without a name its description, if short."""
    if scenario.name != UNNAMED:
        return one_line(scenario.name, 200)
    return (one_line(scenario.description).removesuffix('.')
            if len(scenario.description) <= _SHORT else '')


def from_result(result: Run) -> RunData:
    """Return the data of a run in this process.

    Raises
    ------
    InputError
        if it was made with ``keep=False``.

    """
    scenario = result.scenario
    stamps = result.stamps_ns
    if not len(stamps):
        raise InputError('run: needs its poses; make it with keep=True')
    goals = tuple(Goal(int(stamps[0]), i, *robot.goal) for i, robot in enumerate(scenario.robots)
                  if robot.goal is not None)
    return RunData(scenario, stamps, result.poses, result.wind, result.free_wind, goals,
                   starting_world(scenario.world, with_boxes=False), radius_of(scenario),
                   wind_of(wind_source(scenario), stamps),
                   np.zeros((len(stamps), 0, 2)) if result.obstacles is None else
                   result.obstacles,
                   np.zeros((len(stamps), 0, 3)) if result.boxes is None else result.boxes,
                   result.collided)


def at_rest(scenario: Scenario) -> RunData:
    """Return a scenario before its first tick: all robots at their starts, one stamp."""
    stamps = np.array([scenario.rate.stamp_ns(0)], np.int64)
    poses = np.array([[robot.pose for robot in scenario.robots]], np.float64)
    still = np.zeros((1, len(scenario.robots), 2))
    return RunData(scenario, stamps, poses, still, still, (),
                   starting_world(scenario.world, with_boxes=False), radius_of(scenario),
                   wind_of(wind_source(scenario), stamps), starts_of(scenario, 1),
                   box_starts_of(scenario, 1))


def radius_of(scenario: Scenario) -> Array:
    """Return the radius of each robot (N,) (m)."""
    return np.array([body.radius for body in robot_bodies(scenario)])


def starts_of(scenario: Scenario, rows: int) -> Array:
    """Return the centres (rows, M, 2) (m) at which moving obstacles start."""
    moving = [disc.path[0] for disc in scenario.world.moving]
    return np.tile(np.array(moving, np.float64).reshape(-1, 2), (rows, 1, 1))


def box_starts_of(scenario: Scenario, rows: int) -> Array:
    """Return the poses (rows, B, 3) (m, m, rad) at which pushable boxes start."""
    return np.tile(box_poses(scenario.world), (rows, 1, 1))
