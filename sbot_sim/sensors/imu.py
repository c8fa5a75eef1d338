# SPDX-License-Identifier: Apache-2.0
"""Inertial measurement unit (IMU): heading, turn rate and acceleration of each robot, with noise.

In the robot's own frame (REP 103), as REP 145 asks for: the acceleration is what an accelerometer
at the robot's centre feels, so at rest it points up. Robots stay in the plane: all other angles
and rates are zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from sbot_common.angles import decoded_yaws, quaternion_from_yaw, yaw_from_quaternion
from sbot_common.arrays import Floats
from sbot_common.elementary import sincos_of
from sbot_common.params import Param
from sbot_common.topics import Topic
from sbot_sim.dynamics.motion import wrap_yaw
from sbot_sim.sensors.registry import Kernel, Motion, Sensor, View

TOPIC = Topic('imu', 'sensor_msgs/msg/Imu')
GRAVITY = 9.80665  # m/s^2, the standard acceleration (third CGPM, 1901)
NOISE, BIAS = 6, 9  # purposes of random numbers (``sbot_common.random.numbers``)
# Columns of a reading, and of the memory: what is read too much, and the acceleration.
YAW, TURN_RATE, FORWARDS, LEFT = range(4)
_BIASES, _ACCELERATION = slice(0, 4), slice(4, 6)


class Imu(NamedTuple):
    """What an inertial measurement unit reads, in the robot's own frame."""

    yaw: float  # rad, frame `map`
    omega: float  # rad/s
    forwards: float  # m/s^2, acceleration
    left: float  # m/s^2


class _ImuSettings(NamedTuple):
    """The IMU of all robots; noise 0 is off."""

    imu: Annotated[bool, Param('', 'Robots have an IMU: topic `imu`.')] = False
    imu_noise_yaw: Annotated[float, Param(
        'rad', 'Standard deviation of the noise of each heading.', minimum=0.0)] = 0.0
    imu_noise_turn_rate: Annotated[float, Param(
        'rad/s/sqrt(Hz)', 'Noise density of the turn rate: its white noise at 1 Hz.',
        minimum=0.0)] = 0.0
    imu_noise_acceleration: Annotated[float, Param(
        'm/s^2/sqrt(Hz)', 'Noise density of each acceleration.', minimum=0.0)] = 0.0
    imu_bias_turn_rate: Annotated[float, Param(
        'rad/s', 'Standard deviation of the bias of the turn rate, drawn once per robot.',
        minimum=0.0)] = 0.0
    imu_bias_acceleration: Annotated[float, Param(
        'm/s^2', 'Standard deviation of the bias of each acceleration, drawn once per robot.',
        minimum=0.0)] = 0.0


def _start(settings: _ImuSettings, view: View) -> Floats:
    """Draw what each robot's IMU reads too much; nothing has accelerated."""
    turn_rate, push = settings.imu_bias_turn_rate, settings.imu_bias_acceleration
    memory = np.zeros((len(view.pose), 6))
    if turn_rate > 0.0 or push > 0.0:
        memory[:, _BIASES] += view.normals(BIAS, 4) * np.array([0.0, turn_rate, push, push])
    return memory


def _accelerations(twist_before: Floats, yaw_before: Floats, twist: Floats, yaw: Floats,
                  dt: float) -> Floats:
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


def _remember(_: _ImuSettings, before: Motion, view: View, memory: Floats) -> Floats:
    after = memory.copy()
    after[:, _ACCELERATION] = _accelerations(before.twist, before.pose[:, 2], view.twist,
                                            view.pose[:, 2], view.dt)
    return after


def _read(settings: _ImuSettings, view: View, memory: Floats) -> Floats:
    readings = np.column_stack([view.pose[:, 2], view.twist[:, 2], memory[:, _ACCELERATION]])
    readings += memory[:, _BIASES]
    variance = _variances(settings, view.dt, bias_known=True)
    if variance.any():
        readings += view.normals(NOISE, 4) * np.sqrt(variance)
    readings[:, YAW] = [wrap_yaw(angle) for angle in readings[:, YAW].tolist()]
    return readings


def _variances(settings: _ImuSettings, dt: float, bias_known: bool = False) -> Floats:
    """Return the variances (4,) of a reading; those of the biases are in them unless known."""
    rate, push = settings.imu_noise_turn_rate, settings.imu_noise_acceleration
    of_noise: Floats = np.array([settings.imu_noise_yaw * settings.imu_noise_yaw, rate * rate / dt,
                         push * push / dt, push * push / dt])
    if bias_known:
        return of_noise
    rate, push = settings.imu_bias_turn_rate, settings.imu_bias_acceleration
    of_bias: Floats = np.array([0.0, rate * rate, push * push, push * push])
    return of_noise + of_bias


def _encode(settings: _ImuSettings, dt: float, frame_id: str) -> Callable[..., bytes]:
    from sbot_common.wire.cdr import header
    from sbot_common.wire.messages import quaternion, vector3
    from sbot_common.wire.templates import NumbersTemplate, diagonal
    of_yaw, of_rate, forwards, left = _variances(settings, dt).tolist()
    template = NumbersTemplate(
        TOPIC.type, 'orientation', 'angular_velocity', 'linear_acceleration',
        header=header(0, frame_id), orientation=quaternion(),
        orientation_covariance=diagonal(0.0, 0.0, of_yaw), angular_velocity=vector3(),
        angular_velocity_covariance=diagonal(0.0, 0.0, of_rate), linear_acceleration=vector3(),
        linear_acceleration_covariance=diagonal(forwards, left, 0.0))

    def fill(stamp_ns: int, yaw: float, turn_rate: float, forwards: float, left: float) -> bytes:
        return template.fill(stamp_ns, 0.0, 0.0, *quaternion_from_yaw(yaw), 0.0, 0.0, turn_rate,
                             forwards, left, GRAVITY)
    return fill


def _decode(raw: bytes) -> tuple[int, Imu]:
    """Return the stamp (ns) and the planar reading of a sensor_msgs/Imu."""
    from sbot_common.wire import cdr
    message = cdr.decode(raw, TOPIC.type)
    q, acceleration = message.orientation, message.linear_acceleration
    return cdr.stamp_ns(message.header.stamp), Imu(
        yaw_from_quaternion(q.x, q.y, q.z, q.w), message.angular_velocity.z, acceleration.x,
        acceleration.y)


def _sent(readings: Floats) -> Floats:
    sent = readings.copy()
    sent[:, YAW] = decoded_yaws(np.ascontiguousarray(readings[:, YAW]))
    return sent


def _turned(readings: Floats, angle: float) -> Floats:
    turned = readings.copy()
    turned[..., YAW] += angle
    return turned


SENSOR = Sensor(
    'imu', '(N, 4) yaw (rad), rad/s, m/s^2 forwards and to the left', TOPIC, _decode, Kernel(
        ('yaw (rad)', 'turn rate (rad/s)', 'forwards (m/s^2)', 'left (m/s^2)'), _read, _encode,
        Imu, _sent, 'imu_link', memory=6, start=_start, remember=_remember),
    _ImuSettings(), 'imu', order=(30, 30), turned=_turned)
