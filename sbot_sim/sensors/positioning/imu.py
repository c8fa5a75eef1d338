"""Inertial measurement unit (IMU): heading, turn rate and acceleration of each robot, with noise.

In the robot's own frame (REP 103), as REP 145 asks for: the acceleration is what an accelerometer
at the robot's centre feels, so at rest it points up. Robots stay in the plane: all other angles
and rates are zero.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos_of
from sbot_common.params import Param
from sbot_common.random.numbers import normals
from sbot_common.random.purposes import IMU, IMU_BIAS
from sbot_sim.dynamics.motion import wrap_yaw

Array = NDArray[np.float64]

GRAVITY = 9.80665  # m/s^2, the standard acceleration (third CGPM, 1901)
# Columns of a reading.
YAW, TURN_RATE, FORWARDS, LEFT = range(4)


class ImuSettings(NamedTuple):
    """The IMU of all robots; noise 0 is off."""

    imu: Annotated[bool, Param('', 'Robots have an IMU: topic `imu`.', at_runtime=False)] = False
    imu_noise_yaw: Annotated[float, Param(
        'rad', 'Standard deviation of the noise of each heading.', minimum=0.0,
        at_runtime=False)] = 0.0
    imu_noise_turn_rate: Annotated[float, Param(
        'rad/s/sqrt(Hz)', 'Noise density of the turn rate: its white noise at 1 Hz.', minimum=0.0,
        at_runtime=False)] = 0.0
    imu_noise_acceleration: Annotated[float, Param(
        'm/s^2/sqrt(Hz)', 'Noise density of each acceleration.', minimum=0.0,
        at_runtime=False)] = 0.0
    imu_bias_turn_rate: Annotated[float, Param(
        'rad/s', 'Standard deviation of the bias of the turn rate, drawn once a robot.',
        minimum=0.0, at_runtime=False)] = 0.0
    imu_bias_acceleration: Annotated[float, Param(
        'm/s^2', 'Standard deviation of the bias of each acceleration, drawn once a robot.',
        minimum=0.0, at_runtime=False)] = 0.0


def draw_biases(settings: ImuSettings, robots: int, seed: int) -> Array:
    """Return what each robot's IMU reads too much (N, 4), as in a reading."""
    turn_rate, push = settings.imu_bias_turn_rate, settings.imu_bias_acceleration
    bias = np.zeros((robots, 4))
    if turn_rate > 0.0 or push > 0.0:
        bias += normals(seed, IMU_BIAS, robots, 0, 4) * np.array([0.0, turn_rate, push, push])
    return bias


def accelerations(twist_before: Array, yaw_before: Array, twist: Array, yaw: Array,
                  dt: float) -> Array:
    """Return the mean accelerations (N, 2) m/s^2 from one tick to the next, forwards and left.

    The difference of the mean velocities of two ticks, in the frame that the robot had between
    them: on a circle it points to the centre.

    Parameters
    ----------
    twist_before, yaw_before : (N, 3) m/s, m/s, rad/s in the robot's frame at the end of the tick
        before, and that frame's yaw (N,) rad
    twist, yaw : of this tick
    dt : s

    """
    sine, cosine = np.empty(len(yaw)), np.empty(len(yaw))
    # This tick's velocity in the frame before it: turned by the change of the yaw.
    sincos_of(yaw - yaw_before, sine, cosine)
    return np.column_stack([
        (cosine * twist[:, 0] - sine * twist[:, 1] - twist_before[:, 0]) / dt,
        (sine * twist[:, 0] + cosine * twist[:, 1] - twist_before[:, 1]) / dt])


def read_imus(settings: ImuSettings, yaw: Array, turn_rate: Array, acceleration: Array,
              bias: Array, seed: int, tick: int, dt: float) -> Array:
    """Return readings (N, 4): yaw (rad), turn rate (rad/s), acceleration forwards and left.

    Parameters
    ----------
    settings : of the noise
    yaw, turn_rate : (N,) rad, rad/s
    acceleration : (N, 2) m/s^2, from ``accelerations``
    bias : (N, 4) from ``draw_biases``
    seed, tick : of the noise: four numbers a robot, if there is any
    dt : s, of a tick

    """
    return imu_readings(settings, yaw, turn_rate, acceleration, bias,
                        partial(normals, seed, IMU, len(yaw), tick, 4), dt)


def imu_readings(settings: ImuSettings, yaw: Array, turn_rate: Array, acceleration: Array,
                 bias: Array, draw: Callable[[], Array], dt: float) -> Array:
    """Do the work of ``read_imus``; ``draw`` returns standard normal numbers (N, 4)."""
    readings = np.column_stack([yaw, turn_rate, acceleration]) + bias
    variance = variances(settings, dt, bias_known=True)
    if variance.any():
        readings += draw() * np.sqrt(variance)
    readings[:, YAW] = [wrap_yaw(angle) for angle in readings[:, YAW].tolist()]
    return readings


def variances(settings: ImuSettings, dt: float, bias_known: bool = False) -> Array:
    """Return the variances (4,) of a reading; those of the biases are in them unless known."""
    rate, push = settings.imu_noise_turn_rate, settings.imu_noise_acceleration
    of_noise: Array = np.array([settings.imu_noise_yaw * settings.imu_noise_yaw, rate * rate / dt,
                         push * push / dt, push * push / dt])
    if bias_known:
        return of_noise
    rate, push = settings.imu_bias_turn_rate, settings.imu_bias_acceleration
    of_bias: Array = np.array([0.0, rate * rate, push * push, push * push])
    return of_noise + of_bias
