"""The generator's name, and purposes of random numbers: half of its key is a purpose's number."""

from __future__ import annotations

from hashlib import sha256

# What the numbers are made with: recordings name it, so that those of another generator tell.
SOURCE = 'Philox4x64-10 by tick'

# New purposes go to the end: another number is another stream, and changes recorded results.
# 6, 7 and 9 are those of sensors (``sbot_sim.sensors.kinds``).
CONTROLLER, INFRARED, SCAN, ODOMETRY, PLACEMENT, TURBULENCE = range(6)
WHEEL_RADIUS, KNOWLEDGE = 8, 10


def purpose_of(name: str) -> int:
    """Return the purpose of a name, without a central list of purposes.

    It is at least 2**32: no number of this list.
    """
    return int.from_bytes(sha256(name.encode()).digest()[:7], 'big') | 1 << 56
