"""Random generators by seed, robot and purpose; no global generator."""

from __future__ import annotations

import numpy as np

CONTROLLER, INFRARED, SCAN, ODOMETRY, PLACEMENT, TURBULENCE, IMU, GNSS = range(8)


def generator(seed: int, robot_id: int, stream: int) -> np.random.Generator:
    """Return a robot's generator for one use: PCG64 of SeedSequence([seed, robot id, stream])."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, robot_id, stream])))
