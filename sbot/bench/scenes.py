"""Benchmark scenes: constant density of robots and boxes at every size."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_sim.sensors.infrared.sensor import (
    InfraredParameters,
    InfraredSettings,
    make_infrared_parameters,
)
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.range_and_bearing import RangeAndBearing
from sbot_sim.sensors.scan import ScanParameters, ScanSettings, make_scan_parameters
from sbot_sim.world.bodies import ROBOT, S_BOT, Body
from sbot_sim.world.body_arrays import BodyArrays, body_arrays
from sbot_sim.world.geometry import World, make_world
from sbot_sim.worlds.parameters import (
    Senses,
    SimulationParameters,
    make_simulation_parameters,
)
from wind_model.parameters import WakeParameters

Array = NDArray[np.float64]

SPACING = 4.0  # m; the arena's side is SPACING * sqrt(N)
BOX = 1.0  # m
SPEED = 0.5  # m/s
TURN = 1.0  # rad/s, greatest
STEP = 0.1  # s
STEPS_A_DRAW = 10
RADIUS = 0.3  # m
BEAMS, RANGE = 180, 8.0  # over 180 degrees; m
WIND = 0.05  # m/s along x, in the s-bots' scene
HEARD = 3.0  # m, range of the broadcasts by which s-bots know robots upwind


class BenchScene(NamedTuple):
    """What is simulated; every number of the s-bots' scene is scaled to their radius."""

    world: World
    bodies: BodyArrays
    pose: Array  # (N, 3) x, y (m), yaw (rad), free of overlaps
    scale: float  # of lengths


def uniform(rng: np.random.Generator, low: float, high: float,
            shape: int | tuple[int, ...]) -> Array:
    """Return numbers from low to high; NumPy's own is rounded otherwise on some processors."""
    return low + (high - low) * rng.random(shape)


def make_bench_scene(robots: int, body: Body = ROBOT, seed: int = 0) -> BenchScene:
    """Return the arena, N/4 boxes, and N robots on a jittered grid.

    Parameters
    ----------
    robots : N
    body : of all of them
    seed : of places and headings

    """
    rng = np.random.default_rng(seed)
    scale = body.radius / RADIUS
    side = SPACING * math.sqrt(robots)
    sites = math.ceil(math.sqrt(robots))
    pitch = side / sites
    order = rng.permutation(sites * sites)
    centres = (np.stack(np.divmod(order, sites), axis=1) + 0.5) * pitch
    pose = np.empty((robots, 3))
    pose[:, :2] = scale * (centres[:robots] + uniform(rng, -0.4, 0.4, (robots, 2)))
    pose[:, 2] = uniform(rng, -math.pi, math.pi, robots)
    # A box stands at the corner of four sites, out of reach of their robots.
    corners = rng.permutation(sites * sites)[:robots // 4]
    boxes = np.zeros((robots // 4, 5))
    boxes[:, :2] = np.stack(np.divmod(corners, sites), axis=1) * pitch + uniform(
        rng, -0.1, 0.1, (robots // 4, 2))
    boxes[:, :2] = np.clip(boxes[:, :2], BOX / 2, side - BOX / 2)
    boxes[:, 2:4] = BOX
    world = make_world((0.0, 0.0, scale * side, scale * side), rectangles=scale * boxes)
    return BenchScene(world, body_arrays([body] * robots), pose, scale)


def scene_of(case: str, robots: int, seed: int = 0) -> BenchScene:
    """Return the scene of a case: s-bots for ``infrared``, else robots of 0.3 m."""
    return make_bench_scene(robots, S_BOT if case == 'infrared' else ROBOT, seed)


def laser_parameters(scene: BenchScene, threads: int = 1) -> SimulationParameters:
    """Return the simulator's parameters with lasers that see walls, boxes and robots."""
    scan = make_scan_parameters(ScanSettings(scan_beams=BEAMS, scan_range_max=RANGE,
                                             scan_sees_robots=True))
    return _parameters(scene, scan, None, threads, wake=False)


def infrared_parameters(scene: BenchScene, threads: int = 1) -> SimulationParameters:
    """Return those of robots with fifteen infrared beams in a wind with wakes, without lasers."""
    scan = make_scan_parameters(ScanSettings())._replace(beams=0)
    infrared = make_infrared_parameters(InfraredSettings(infrared=True))
    return _parameters(scene, scan, infrared, threads, wake=True)


def _parameters(scene: BenchScene, scan: ScanParameters, infrared: InfraredParameters | None,
                threads: int, *, wake: bool) -> SimulationParameters:
    return make_simulation_parameters(
        dt=STEP, bodies=scene.bodies, world=scene.world,
        senses=Senses(scan, infrared, RangeAndBearing(rab_range=HEARD), threads),
        odometry=OdometryParameters(), wake=WakeParameters(wake=wake), wind_height=0.0)
