"""Small worlds for tests of whole ticks."""

import numpy as np

from sbot_sim.engine.state import Parameters, SensorParameters
from sbot_sim.sensors.infrared.sensor import infrared_reach, make_infrared_parameters
from sbot_sim.sensors.odometry import make_odometry_parameters
from sbot_sim.sensors.scan import make_scan_parameters
from sbot_sim.world.bodies import ROBOT, body_arrays
from sbot_sim.world.geometry import make_world
from sbot_sim.world.scene import make_scene
from wind_model.parameters import make_wake_parameters


def make_parameters(bodies=(ROBOT,), *, bounds=(0, 0, 20, 20), circles=(), rectangles=(), dt=0.1,
                    scan=None, infrared=None, wake=None, odometry=None, rab=False):
    """Return simulator parameters of a small world."""
    world = make_world(bounds, (), circles, rectangles)
    arrays = body_arrays(bodies)
    scan = make_scan_parameters({'scan_beams': 31, **(scan or {})})
    infrared = make_infrared_parameters(infrared or {})
    scene = make_scene(world, scan.range_max + 1.0)
    return Parameters(
        dt, arrays, world,
        SensorParameters(scan, scene, infrared,
                         scene if infrared is None else make_scene(
                             world, infrared_reach(arrays.radius, infrared)),
                         rab, 8.0, False),
        make_odometry_parameters(odometry or {}), make_wake_parameters(wake or {}), 0.5)


def random_poses(n, seed, low=1.0, high=19.0, apart=0.8):
    """Return (n, 3) poses in a square, none nearer to another than ``apart`` (m)."""
    rng = np.random.default_rng(seed)
    poses = []
    while len(poses) < n:
        x, y = rng.uniform(low, high, 2)
        if all(np.hypot(x - p[0], y - p[1]) > apart for p in poses):
            poses.append((x, y, rng.uniform(-np.pi, np.pi)))
    return np.array(poses)
