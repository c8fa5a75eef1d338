"""What random numbers are drawn for; the number of a purpose is half of their key."""

from __future__ import annotations

# New purposes go to the end: another number is another stream, and changes recorded results.
(CONTROLLER, INFRARED, SCAN, ODOMETRY, PLACEMENT, TURBULENCE, IMU, GNSS, WHEEL_RADIUS,
 IMU_BIAS, KNOWLEDGE) = range(11)
