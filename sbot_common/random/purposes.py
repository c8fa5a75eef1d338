"""Purposes of random numbers; the number of a purpose is half of the generator's key."""

from __future__ import annotations

from hashlib import sha256

# New purposes go to the end: another number is another stream, and changes recorded results.
# 6, 7 and 9 are those of sensors (``sbot_sim.sensors.kinds``).
CONTROLLER, INFRARED, SCAN, ODOMETRY, PLACEMENT, TURBULENCE = range(6)
WHEEL_RADIUS, KNOWLEDGE = 8, 10


def purpose_of(name: str) -> int:
    """Return the purpose that belongs to a name, so that nobody else's list has to hold it.

    It is at least 2**32: no number of this list.
    """
    return int.from_bytes(sha256(name.encode()).digest()[:7], 'big') | 1 << 56
