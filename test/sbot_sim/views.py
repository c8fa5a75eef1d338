"""Views for the kernels of sensors: robots that stand still."""

import numpy as np

from sbot_sim.sensors.registry import View
from sbot_sim.world.geometry import make_world


def view(robots, *, seed=1, tick=0, dt=0.1, at=0.0, yaw=0.0):
    """Return the view of one world of robots at rest at (at, at) (m) with a yaw (rad)."""
    pose = np.tile([at, at, yaw], (robots, 1))
    return View(robots, np.array([seed]), np.array([tick]), dt, pose, np.zeros((robots, 3)),
                np.zeros(robots, np.bool_), np.full(robots, 0.2), make_world((0, 0, 99, 99)))
