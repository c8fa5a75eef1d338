"""Parameters of a simulation, and the look-up tables that are derived from them once."""

from __future__ import annotations

from typing import NamedTuple

from sbot_common.elementary import hypot
from sbot_sim.collision.fixed_objects import FixedObjects, make_fixed_objects
from sbot_sim.sensors.beams import Fan
from sbot_sim.sensors.infrared.sensor import InfraredParameters, infrared_reach
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.scan import ScanParameters, scan_fan
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import World
from sbot_sim.world.line_of_sight import make_line_of_sight
from sbot_sim.world.scene import Scene, make_scene
from wind_model.parameters import WakeParameters


class SensorParameters(NamedTuple):
    """What robots sense, and how well."""

    scan: ScanParameters
    fan: Fan  # the beams of ``scan``
    scene: Scene  # what lasers see of the world
    infrared: InfraredParameters | None  # None: no infrared sensors
    infrared_scene: Scene  # what infrared sees of the world
    range_and_bearing: bool
    rab_range: float  # m
    line_of_sight: Scene  # what stops broadcasts
    threads: int = 1  # changes no bit


class SimulationParameters(NamedTuple):
    """What does not change during a run."""

    dt: float  # s
    bodies: BodyArrays
    world: World
    fixed: FixedObjects  # ``world`` as collisions look it up
    sensors: SensorParameters
    odometry: OdometryParameters
    wake: WakeParameters
    wind_height: float  # m, z at which robots feel a gridded wind


def make_simulation_parameters(
        *, dt: float, bodies: BodyArrays, world: World, scan: ScanParameters,
        infrared: InfraredParameters | None, range_and_bearing: bool, rab_range: float,
        rab_blocked_by_walls: bool, odometry: OdometryParameters, wake: WakeParameters,
        wind_height: float, threads: int = 1) -> SimulationParameters:
    """Return the parameters of a simulation with all derived tables; units as in the tuples."""
    near = 1.0 if infrared is None else infrared_reach(bodies.radius, infrared)
    far = scan.range_max + hypot(scan.laser_x, scan.laser_y) if scan.beams else near
    scene = make_scene(world, far)
    sensors = SensorParameters(
        scan=scan, fan=scan_fan(scan), scene=scene, infrared=infrared,
        infrared_scene=scene if infrared is None or near == far else make_scene(world, near),
        range_and_bearing=range_and_bearing, rab_range=rab_range,
        line_of_sight=make_line_of_sight(world if rab_blocked_by_walls else None),
        threads=threads)
    return SimulationParameters(
        dt=dt, bodies=bodies, world=world, sensors=sensors, odometry=odometry, wake=wake,
        fixed=make_fixed_objects(world, bodies.safety_radius), wind_height=wind_height)
