# SPDX-License-Identifier: Apache-2.0
"""Parameters of a simulation, and the look-up tables that are derived from them once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sbot_common.arrays import Floats, Integers
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.overlap import placement_error
from sbot_sim.dynamics.hooks import Hooks
from sbot_sim.dynamics.inertia import Inertia
from sbot_sim.sensors.infrared import InfraredParameters, infrared_reach
from sbot_sim.sensors.laser import Lasers, ScanParameters
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.range_and_bearing import RangeAndBearing
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import World
from sbot_sim.world.moving import Paths, world_with, world_with_boxes
from sbot_sim.world.scene import Scene
from wind_model.gust import Waves
from wind_model.parameters import Height, WakeParameters

_NO_HOOKS = Hooks()


class Senses(NamedTuple):
    """Sensors of the robots, from which ``_SensorParameters`` are made."""

    scan: ScanParameters | Lasers  # the laser of all robots, or those of each
    infrared: InfraredParameters | None = None
    neighbours: RangeAndBearing = RangeAndBearing()
    threads: int = 1
    fitted: Mapping[str, Any] = {}


class _SensorParameters(NamedTuple):
    """The sensors of the robots."""

    lasers: Lasers
    scene: Scene  # what lasers see of the world
    infrared: InfraredParameters | None  # None: no infrared sensors
    infrared_scene: Scene  # what infrared sees of the world
    range_and_bearing: bool
    rab_range: float  # m
    line_of_sight: Scene  # what stops broadcasts
    stops_broadcasts: bool  # whether the world does
    threads: int = 1  # changes no bit
    fitted: Mapping[str, Any] = {}  # of other sensors: settings by name


class _Obstacles(NamedTuple):
    """Obstacles that move, and the world without them."""

    paths: Paths  # of those that go along one
    bodies: BodyArrays  # of the robots, then of the boxes that are pushed
    start: Floats  # (B, 3) x, y (m), yaw (rad) of the boxes at tick 0
    still: World  # without any of them

    @property
    def boxes(self) -> BodyArrays:
        """The boxes' bodies."""
        return self.bodies.select(slice(len(self.bodies.radius) - len(self.start), None))


class SimulationParameters(NamedTuple):
    """What does not change during a run."""

    dt: float  # s
    bodies: BodyArrays  # of the robots
    world: World
    fixed: FixedObjects  # what stands still, as collisions look it up
    sensors: _SensorParameters
    odometry: Sequence[OdometryParameters]  # (N,) of each robot
    wake: WakeParameters
    wind_height: Height | float  # where robots feel a gridded wind; a number is z (m)
    waves: Waves | None = None  # of the gusts; None: no turbulence
    hooks: Hooks = _NO_HOOKS
    obstacles: _Obstacles | None = None  # moving ones; ``world`` has them at one tick
    inertia: Inertia | None = None  # None: robots drive at once what they are told

    def with_objects(self, circles: Sequence[Sequence[float]],
                     rectangles: Sequence[Sequence[float]]) -> SimulationParameters:
        """Return the parameters with more fixed objects; those that move are as at tick 0.

        Parameters
        ----------
        circles : x, y, radius (m) of each
        rectangles : cx, cy, width, height (m), yaw (rad) of each

        """
        obstacles, bodies, world = self.obstacles, self.bodies, self.world
        if obstacles is not None:
            bodies, world = obstacles.bodies, obstacles.still
        world = world.with_solids(circles, rectangles)
        fixed = FixedObjects.of(world, bodies.shape.outer_radius)
        if obstacles is None:
            return _with_world(self._replace(fixed=fixed), world)
        return _at_start(self._replace(fixed=fixed), obstacles._replace(still=world))

    def with_obstacles(self, moved: Integers, boxes: Floats) -> SimulationParameters:
        """Return the parameters with the present obstacles for sensors.

        Parameters
        ----------
        moved : (M,) in how many ticks those on a path have moved
        boxes : (B, 3) poses of boxes

        """
        obstacles = self.obstacles
        assert obstacles is not None
        before, world = self.world, world_with(obstacles.still, obstacles.paths, moved)
        if len(boxes):
            world = world_with_boxes(world, obstacles.boxes, boxes)
        if world.rectangles is not before.rectangles and not np.array_equal(world.rectangles,
                                                                            before.rectangles):
            return _with_world(self, world)
        if np.array_equal(world.circles, before.circles):
            return self
        return (_with_circles if len(world.circles) == len(before.circles) else _with_world)(
            self, world)

    def start_error(self, pose: Floats, boxes: Floats | None = None) -> str | None:
        """Return the problem of robots that start at ``pose`` (N, 3), or None.

        ``boxes`` : (B, 3) poses of boxes at tick 0; None: those of the parameters
        """
        obstacles = self.obstacles
        if obstacles is None:
            return placement_error(self.world, self.bodies, pose)
        moved = np.zeros(len(obstacles.paths.radius), np.int64)
        return placement_error(*self.all_bodies(
            moved, obstacles.start if boxes is None else boxes, pose), len(pose))

    def all_bodies(self, moved: Integers | None,
                   boxes: Floats | None, pose: Floats) -> tuple[World, BodyArrays, Floats]:
        """Return everything that may overlap: fixed objects, paths, robots, and then boxes.

        Parameters
        ----------
        moved, boxes : as in ``with_obstacles``; None: there are no obstacles
        pose : (N, 3) x, y (m), yaw (rad) of the robots

        Returns
        -------
        The world, and of N + B bodies their arrays and poses (N + B, 3).

        """
        obstacles = self.obstacles
        if obstacles is None or moved is None:
            return self.world, self.bodies, pose
        return (world_with(obstacles.still, obstacles.paths, moved), obstacles.bodies,
                pose if boxes is None else np.vstack([pose, boxes]))

    @classmethod
    def make(cls, *, dt: float, bodies: BodyArrays, world: World, senses: Senses,
             odometry: Sequence[OdometryParameters], wake: WakeParameters,
             wind_height: Height | float, waves: Waves | None = None,
             hooks: Hooks = _NO_HOOKS, paths: Paths | None = None,
             boxes: Floats | None = None, inertia: Inertia | None = None) -> SimulationParameters:
        """Return the parameters of a simulation with all derived tables; units as in the tuples.

        Parameters
        ----------
        dt, odometry, wake, wind_height, waves, hooks, inertia : see ``SimulationParameters``
        bodies : of the robots, and then of the boxes
        world : what stands still
        senses : of all robots
        paths : of obstacles that go along one; None: there are none
        boxes : (B, 3) x, y (m), yaw (rad) of boxes at tick 0; None: there are none

        """
        start = np.zeros((0, 3)) if boxes is None else boxes
        robots = bodies if not len(start) else bodies.select(
            slice(len(bodies.radius) - len(start)))
        infrared, heard = senses.infrared, senses.neighbours
        lasers = senses.scan if isinstance(senses.scan, Lasers) else Lasers.pack(
            [(senses.scan,)] * len(robots.radius))
        sensors = _SensorParameters(
            lasers=lasers, infrared=infrared, range_and_bearing=heard.range_and_bearing,
            rab_range=heard.rab_range, stops_broadcasts=heard.rab_blocked_by_walls,
            threads=senses.threads, fitted=senses.fitted,
            **_scenes(world, lasers, infrared, robots, heard.rab_blocked_by_walls))
        parameters = cls(
            dt=dt, bodies=robots, world=world, sensors=sensors, odometry=odometry, wake=wake,
            fixed=FixedObjects.of(world, bodies.shape.outer_radius), wind_height=wind_height,
            waves=waves, hooks=hooks, inertia=inertia)
        if paths is None and boxes is None:
            return parameters
        return _at_start(parameters, _Obstacles(paths or Paths.of((), dt), bodies, start, world))


def _at_start(parameters: SimulationParameters, obstacles: _Obstacles) -> SimulationParameters:
    return parameters._replace(obstacles=obstacles).with_obstacles(
        np.zeros(len(obstacles.paths.radius), np.int64), obstacles.start)


def _scenes(world: World, lasers: Lasers, infrared: InfraredParameters | None,
            bodies: BodyArrays, stops_broadcasts: bool) -> dict[str, Any]:
    """Return what sensors see of a world, by the fields of ``_SensorParameters``."""
    near = 1.0 if infrared is None else infrared_reach(bodies.radius, infrared)
    far = lasers.reach if lasers.columns else near
    scene = Scene.of(world, far)
    return {'scene': scene,
            'infrared_scene': scene if infrared is None or near == far else Scene.of(world, near),
            'line_of_sight': Scene.of_walls(world if stops_broadcasts else None)}


def _with_circles(parameters: SimulationParameters, world: World) -> SimulationParameters:
    """Return what ``_with_world`` does, where only circles are elsewhere."""
    sensors, sight = parameters.sensors, parameters.sensors.line_of_sight
    scene = sensors.scene.with_circles(world.circles)
    return parameters._replace(world=world, sensors=sensors._replace(
        scene=scene,
        infrared_scene=(scene if sensors.infrared_scene is sensors.scene else
                        sensors.infrared_scene.with_circles(world.circles)),
        line_of_sight=(sight.with_circles(world.circles) if sensors.stops_broadcasts else sight)))


def _with_world(parameters: SimulationParameters, world: World) -> SimulationParameters:
    """Return the parameters with what sensors see of another world."""
    sensors = parameters.sensors
    return parameters._replace(world=world, sensors=sensors._replace(**_scenes(
        world, sensors.lasers, sensors.infrared, parameters.bodies, sensors.stops_broadcasts)))
