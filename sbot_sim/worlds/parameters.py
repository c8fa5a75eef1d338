"""Parameters of a simulation, and the look-up tables that are derived from them once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import hypot
from sbot_sim.collision.fixed_objects import FixedObjects, make_fixed_objects
from sbot_sim.collision.moving_bodies import Movers
from sbot_sim.dynamics.hooks import Hooks
from sbot_sim.dynamics.inertia import Inertia
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.infrared.sensor import InfraredParameters, infrared_reach
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.rectangles import Rectangles
from sbot_sim.sensors.scan import ScanParameters, scan_fan
from sbot_sim.world.bodies import BodyArrays, body_arrays, joined
from sbot_sim.world.boxes import Boxes, world_with_boxes
from sbot_sim.world.geometry import World, with_solids
from sbot_sim.world.line_of_sight import make_line_of_sight
from sbot_sim.world.moving import MovingDiscs, make_moving_discs, world_with
from sbot_sim.world.scene import Scene, make_scene
from wind_model.parameters import Height, WakeParameters
from wind_model.turbulence import Waves

_NO_HOOKS = Hooks()


class SensorParameters(NamedTuple):
    """The sensors of the robots."""

    scan: ScanParameters
    fan: Fan  # the beams of ``scan``
    scene: Scene  # what lasers see of the world
    infrared: InfraredParameters | None  # None: no infrared sensors
    infrared_scene: Scene  # what infrared sees of the world
    range_and_bearing: bool
    rab_range: float  # m
    line_of_sight: Scene  # what stops broadcasts
    stops_broadcasts: bool  # whether the world does
    threads: int = 1  # changes no bit
    fitted: Mapping[str, Any] = {}  # of other sensors: settings by name
    rectangles: Rectangles | None = None  # bodies that lasers see as such; None: all are round


class Obstacles(NamedTuple):
    """Obstacles that move, and what it takes to make the tables of a world with them."""

    discs: MovingDiscs  # on their paths
    boxes: Boxes  # that are pushed
    bodies: BodyArrays  # of the robots, then of the boxes
    movers: Movers | None  # the shapes of both; None: there are no boxes, and robots are discs
    still: World  # without discs and boxes
    fixed: FixedObjects  # ``still`` as collisions look it up
    far: float  # m, how far lasers see
    near: float  # m, how far infrared sees
    stop_broadcasts: bool


class SimulationParameters(NamedTuple):
    """What does not change during a run."""

    dt: float  # s
    bodies: BodyArrays
    world: World
    fixed: FixedObjects  # ``world`` as collisions look it up
    sensors: SensorParameters
    odometry: OdometryParameters
    wake: WakeParameters
    wind_height: Height | float  # where robots feel a gridded wind; a number is z (m)
    waves: Waves | None = None  # of the gusts; None: no turbulence
    hooks: Hooks = _NO_HOOKS
    obstacles: Obstacles | None = None  # moving ones; ``world`` has them at one tick
    movers: Movers | None = None  # the robots' shapes; None: all are discs
    inertia: Inertia | None = None  # None: robots drive at once what they are told


def make_simulation_parameters(
        *, dt: float, bodies: BodyArrays, world: World, scan: ScanParameters,
        infrared: InfraredParameters | None, range_and_bearing: bool, rab_range: float,
        rab_blocked_by_walls: bool, odometry: OdometryParameters, wake: WakeParameters,
        wind_height: Height | float, threads: int = 1, waves: Waves | None = None,
        hooks: Hooks = _NO_HOOKS, fitted: Mapping[str, Any] = {},
        moving: MovingDiscs | None = None, boxes: Boxes | None = None,
        movers: Movers | None = None, all_movers: Movers | None = None,
        rectangles: Rectangles | None = None,
        inertia: Inertia | None = None) -> SimulationParameters:
    """Return the parameters of a simulation with all derived tables; units as in the tuples.

    ``movers`` are the shapes of the robots, ``all_movers`` those of robots and boxes.
    """
    far, near = _sights(scan, infrared, bodies)
    scene = make_scene(world, far)
    sensors = SensorParameters(
        scan=scan, fan=scan_fan(scan), scene=scene, infrared=infrared,
        infrared_scene=scene if infrared is None or near == far else make_scene(world, near),
        range_and_bearing=range_and_bearing, rab_range=rab_range,
        line_of_sight=make_line_of_sight(world if rab_blocked_by_walls else None),
        stops_broadcasts=rab_blocked_by_walls, threads=threads, fitted=fitted,
        rectangles=rectangles)
    parameters = SimulationParameters(
        dt=dt, bodies=bodies, world=world, sensors=sensors, odometry=odometry, wake=wake,
        fixed=make_fixed_objects(world, reach_of(bodies, movers)), wind_height=wind_height,
        waves=waves, hooks=hooks, movers=movers, inertia=inertia)
    if moving is None and boxes is None:
        return parameters
    moving, boxes = moving or make_moving_discs((), dt), boxes or Boxes()
    all_bodies = joined(bodies, body_arrays(boxes.bodies))
    all_movers = all_movers if boxes.bodies else movers
    obstacles = Obstacles(moving, boxes, all_bodies, all_movers, world,
                          make_fixed_objects(world, reach_of(all_bodies, all_movers)), far, near,
                          rab_blocked_by_walls)
    return _at_start(parameters, obstacles)


def with_objects(parameters: SimulationParameters, circles: Sequence[Sequence[float]],
                 rectangles: Sequence[Sequence[float]]) -> SimulationParameters:
    """Return the parameters with more fixed objects; those that move are as at tick 0.

    Parameters
    ----------
    parameters : of the world
    circles : x, y, radius (m) of each
    rectangles : cx, cy, width, height (m), yaw (rad) of each

    """
    sensors, bodies, obstacles = parameters.sensors, parameters.bodies, parameters.obstacles
    if obstacles is not None:
        still = with_solids(obstacles.still, circles, rectangles)
        return _at_start(parameters, obstacles._replace(
            still=still,
            fixed=make_fixed_objects(still, reach_of(obstacles.bodies, obstacles.movers))))
    far, near = _sights(sensors.scan, sensors.infrared, bodies)
    return tables_of(parameters, with_solids(parameters.world, circles, rectangles), Obstacles(
        make_moving_discs((), parameters.dt), Boxes(), bodies, parameters.movers,
        parameters.world, parameters.fixed, far, near, sensors.stops_broadcasts))


def _at_start(parameters: SimulationParameters, obstacles: Obstacles) -> SimulationParameters:
    discs, boxes = obstacles.discs, obstacles.boxes
    world = world_with(obstacles.still, discs, np.zeros(len(discs.radius), np.int64))
    return tables_of(parameters._replace(obstacles=obstacles),
                     world_with_boxes(world, boxes.bodies, boxes.start), obstacles)


def _sights(scan: ScanParameters, infrared: InfraredParameters | None,
            bodies: BodyArrays) -> tuple[float, float]:
    """Return how far lasers and infrared see (m)."""
    near = 1.0 if infrared is None else infrared_reach(bodies.radius, infrared)
    far = scan.range_max + hypot(scan.laser_x, scan.laser_y) if scan.beams else near
    return far, near


def reach_of(bodies: BodyArrays, movers: Movers | None) -> NDArray[np.float64]:
    """Return how far from its centre each robot may touch something (m); (N,)."""
    return bodies.safety_radius if movers is None else movers.around


def tables_of(parameters: SimulationParameters, world: World,
              obstacles: Obstacles) -> SimulationParameters:
    """Return the parameters with another world, and all that is derived from it."""
    sensors, infrared = parameters.sensors, parameters.sensors.infrared
    scene = make_scene(world, obstacles.far)
    separate_scene = infrared is not None and obstacles.near != obstacles.far
    return parameters._replace(
        world=world, fixed=make_fixed_objects(world, reach_of(parameters.bodies,
                                                              parameters.movers)),
        sensors=sensors._replace(
            scene=scene,
            infrared_scene=make_scene(world, obstacles.near) if separate_scene else scene,
            line_of_sight=make_line_of_sight(world if obstacles.stop_broadcasts else None)))
