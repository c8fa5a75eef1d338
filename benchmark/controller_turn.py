"""How long a turn of the controllers takes: 180 beams in range, 4 robots.

    python benchmark/controller_turn.py
"""

from __future__ import annotations

import sys
import time

import numpy as np

from potential_field_bot.bot import Followers, PotentialField
from potential_field_bot.parameters import Parameters
from sbot.controllers.navigate.bot import Navigate
from sbot_common.observation import Observation, Scan


def main() -> int:
    parameters = Parameters()
    rng = np.random.default_rng(0)
    poses = rng.uniform(-5, 5, (4, 3))
    ranges = rng.uniform(0.5, 8, 180).astype(np.float32)
    scans = rng.uniform(0.5, 8, (4, 180)).astype(np.float32)
    scans[1], draws, followers = ranges, np.full(3, 0.55), Followers([1, 2, 3], parameters)
    blocks = []
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(1000):
            followers.step(poses, scans, 0.1, 0.0175, draws)
        blocks.append((time.perf_counter() - begin) * 1e3)  # us a turn
    print('turns of 3 followers, 180 beams in range and 4 robots: '
          f'median {np.median(blocks):.1f} us, best {min(blocks):.1f} us')
    for controller in (PotentialField(), Navigate()):
        print(f'{type(controller).__name__}.step() on the same: '
              'median {:.1f} us, best {:.1f} us'.format(*turn(controller, poses, ranges, rng)))
    return 0


def turn(controller: PotentialField | Navigate, poses: np.ndarray, ranges: np.ndarray,
         rng: np.random.Generator) -> tuple[float, float]:
    """Return the median and the best time of a turn (us), observation in and command out."""
    scan = Scan(ranges, -np.pi / 2, np.pi / 179, 0.0, 10.0)
    seen = Observation(1, 4, 0, 0, 1 / 30, poses, scan, twist=(1.0, 0.0, 0.0))
    controller.step(seen, rng)
    blocks = []
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(1000):
            controller.step(seen, rng)
        blocks.append((time.perf_counter() - begin) * 1e3)
    return float(np.median(blocks)), min(blocks)


if __name__ == '__main__':
    sys.exit(main())
