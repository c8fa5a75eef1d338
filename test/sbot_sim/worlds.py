"""Small worlds for tests of whole ticks."""

import numpy as np

from sbot_sim.sensors.infrared import InfraredSettings
from sbot_sim.sensors.laser import ScanSettings
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.sensors.range_and_bearing import RangeAndBearing
from sbot_sim.world.bodies import ROBOT, BodyArrays
from sbot_sim.world.geometry import make_world
from sbot_sim.worlds.parameters import Senses, SimulationParameters
from wind_model.parameters import WakeParameters


def make_parameters(bodies=(ROBOT,), *, bounds=(0, 0, 20, 20), segments=(), circles=(),
                    rectangles=(), dt=0.1, scan=None, infrared=None, wake=None, odometry=None,
                    rab=False):
    """Return simulator parameters of a small world."""
    world = make_world(bounds, segments, circles, rectangles)
    arrays = BodyArrays.of(bodies)
    scan = ScanSettings(**{'scan_beams': 31, **(scan or {})}).parameters()
    return SimulationParameters.make(
        dt=dt, bodies=arrays, world=world, senses=Senses(
            scan, InfraredSettings(**(infrared or {})).parameters(),
            RangeAndBearing(rab, 8.0, rab_blocked_by_walls=False)),
        odometry=[OdometryParameters(**(odometry or {}))] * len(bodies),
        wake=WakeParameters(**(wake or {})), wind_height=0.5)


def random_poses(n, seed, low=1.0, high=19.0, apart=0.8):
    """Return (n, 3) poses in a square, none nearer to another than ``apart`` (m)."""
    rng = np.random.default_rng(seed)
    poses = []
    while len(poses) < n:
        x, y = rng.uniform(low, high, 2)
        if all(np.hypot(x - p[0], y - p[1]) > apart for p in poses):
            poses.append((x, y, rng.uniform(-np.pi, np.pi)))
    return np.array(poses)
