# SPDX-License-Identifier: Apache-2.0
"""Drift by wind (the wind triangle), noise of the laser, and damping of velocity near obstacles.

The nearest of N noisy readings of a flat wall is too near by about sigma sqrt(2 ln N). So a laser
of much noise would close gaps that are wide enough. Neighbouring beams on one surface differ by
their noise and by little else: the median of their second differences tells its standard deviation
(Gasser, Sroka, Jennen-Steinmetz, "Residual variance and residual pattern in nonlinear regression",
Biometrika 73, 1986), and is found by stochastic approximation (Robbins and Monro 1951). Where it
is large, a distance is the mean of the readings beside it that may be of the same surface (sigma
filter: Lee, "Digital image smoothing and the sigma filter", CVGIP 24, 1983).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.navigate.parameters import (
    AT_REST,
    BACKS,
    BESIDE_BEAM,
    CAR_TURNED,
    CONFIRMED,
    CREEPING,
    DENSE,
    DUST,
    DUST_GAIN,
    ENOUGH,
    NOISE_STEP,
    SAME_SURFACE,
    SMOOTH,
    SPARE,
    STILL,
    SURFACE,
    TURNING,
    Car,
    Inertia,
    Parameters,
)
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, sincos

# Wind triangle: drift from commanded and achieved motion, and the drive that compensates for it.
#
# What moves a robot over ground is its drive along the heading plus the drift: wind, mean force
# and gust alike (document 000 section 4.1).

# Frame of the start: origin and x axis at the robot's first pose.
#
# Everything is computed in it, so that turning or moving a whole world changes no decision.

class Frame(NamedTuple):
    """A pose in `map`."""

    x: float  # m
    y: float  # m
    yaw: float  # rad
    cosine: float  # of yaw
    sine: float


class Place(NamedTuple):
    """Where a robot is in a frame, and where it heads."""

    x: float  # m
    y: float
    cosine: float  # of the heading
    sine: float


@njit
def frame_at(x: float, y: float, yaw: float) -> Frame:
    """Return the frame of a pose (m, m, rad)."""
    sine, cosine = sincos(yaw)
    return Frame(x, y, yaw, cosine, sine)


@njit_inner
def into(frame: Frame | Place, x: float, y: float) -> tuple[float, float]:
    """Return a point (m) in a frame, or as seen from a place: ahead and to its left."""
    dx, dy = x - frame.x, y - frame.y
    return frame.cosine * dx + frame.sine * dy, frame.cosine * dy - frame.sine * dx


class Drift(NamedTuple):
    """Estimate of the motion that wheels do not cause, and the command that it belongs to."""

    x: float  # m/s, frame of the start
    y: float
    v: float  # m/s, linear.x of the last command
    omega: float  # rad/s, angular.z of the last command


@njit_inner
def is_calm(p: Parameters, drift: Drift) -> bool:
    """Tell whether the drift is too slow to act on: no wind, but noise."""
    slow = AT_REST * p.forward_speed_mps
    return drift.x * drift.x + drift.y * drift.y < slow * slow


@njit
def _driven_chord(v: float, omega: float, dt: float) -> tuple[float, float]:
    """Return the mean velocity (forward, left) (m/s) of the drive in a tick, in the new frame.

    The way is an arc; its chord points half of the turn back from the new heading.
    """
    half = omega * dt / 2
    sine, cosine = sincos(half)
    speed = v * sine / half if half != 0.0 else v
    return speed * cosine, -speed * sine


@njit
def updated_drift(drift: Drift, weight: float, limit: float, forward: float, left: float,
                  cosine: float, sine: float, dt: float) -> tuple[float, float]:
    """Return the estimate of the drift (x, y) (m/s) after one more measurement.

    Parameters
    ----------
    drift : before, with the command of the last turn
    weight : of the new measurement in the moving average
    limit : m/s, largest drift; a robot that pushes against something measures more
    forward, left : m/s, achieved velocity in the robot's frame
    cosine, sine : of the heading
    dt : s

    """
    driven_forward, driven_left = _driven_chord(drift.v, drift.omega, dt)
    ahead, aside = forward - driven_forward, left - driven_left
    x = drift.x + weight * (cosine * ahead - sine * aside - drift.x)
    y = drift.y + weight * (sine * ahead + cosine * aside - drift.y)
    return min(limit, max(-limit, x)), min(limit, max(-limit, y))


@njit
def driven(inertia: Inertia, asked: Floats, turn: int, before: Drift, v: float, omega: float,
           dt: float) -> tuple[float, float]:
    """Return what the wheels do (m/s, rad/s) after a command, ``dt`` (s) after ``before``.

    ``asked`` are the commands on their way, of which one arrives now.
    """
    if asked.shape[0] > 0:
        place = turn % asked.shape[0]
        late_v, late_omega = asked[place, 0], asked[place, 1]
        asked[place, 0], asked[place, 1] = v, omega
        v, omega = late_v, late_omega
    gain, turns = inertia.acceleration * dt, inertia.angular * dt
    if v < before.v:
        gain = inertia.deceleration * dt
    return (min(max(v, before.v - gain), before.v + gain),
            min(max(omega, before.omega - turns), before.omega + turns))


@njit
def drive(x: float, y: float, cosine: float, sine: float) -> tuple[float, float]:
    """Return the speed (m/s, >= 0) and the angle to turn (rad) for a velocity through the air.

    Parameters
    ----------
    x, y : m/s, wanted velocity over ground minus the drift
    cosine, sine : of the heading

    """
    ahead = cosine * x + sine * y
    aside = cosine * y - sine * x
    return max(0.0, ahead), atan2(aside, ahead)


# Velocity damper: the nearer an obstacle is, the slower the robot may approach it.
#
# Faverjon and Tournassoud, "A local based approach for path planning of manipulators with a high
# number of degrees of freedom" (ICRA 1987). A limit (n_x, n_y, b) holds for velocities u over
# ground with n . u <= b, where n points to what is near. Two robots that keep half the limit each
# never meet. A robot that only drives forwards must turn before it can drive against the wind, so
# what the wind blows it towards counts as nearer by what it blows meanwhile.

_PASSES = 4
ALONG = 0.02  # cosine; a heading this nearly along something does not approach it


@njit
def wall_limit(p: Parameters, distance: float, blown: float, margin: float) -> float:
    """Return the largest speed of approach (m/s) to an obstacle ``distance`` (m) away.

    ``blown`` (m/s) is the drift towards it, ``margin`` (m) what is kept beside the radius.
    """
    left = distance - p.robot_radius_m - margin - TURNING * max(0.0, blown)
    return p.damper_gain * left


@njit
def robot_limit(p: Parameters, distance: float, margin: float) -> float:
    """Return the largest speed (m/s) towards a robot whose centre is ``distance`` (m) away.

    ``margin`` (m) is what is kept between both.
    """
    return p.damper_gain / 2 * (distance - 2 * p.robot_radius_m - margin)


@njit
def projected(limits: NDArray[np.float64], seen: int, count: int, x: float, y: float,
              ) -> tuple[float, float]:
    """Return a velocity (m/s) near (x, y) that keeps the limits, or nearly all of them.

    The farthest limit is corrected first, some times over. The first ``seen`` limits are of what
    the robot sees, and may drive it back. The others only stop it: what is there may have gone.
    """
    for _ in range(_PASSES):
        worst, most = -1, 1e-9
        for k in range(count):
            bound = limits[k, 2] if k < seen else max(0.0, limits[k, 2])
            excess = limits[k, 0] * x + limits[k, 1] * y - bound
            if excess > most:
                worst, most = k, excess
        if worst < 0:
            break
        x -= most * limits[worst, 0]
        y -= most * limits[worst, 1]
    return x, y


@njit
def room_ahead(p: Parameters, limits: NDArray[np.float64], count: int, place: Place,
               drift_x: float, drift_y: float, margin: float) -> float:
    """Return the speed (m/s) along the heading that limits leave; < 0 if they are exceeded.

    They are softer here by a part of the margin, so that the robot turns away from what is near
    before it stops. inf: there is none ahead.
    """
    spare, least = SPARE * margin * p.damper_gain, np.inf
    for k in range(count):
        along = limits[k, 0] * place.cosine + limits[k, 1] * place.sine
        if along > ALONG:
            left = limits[k, 2] + spare - limits[k, 0] * drift_x - limits[k, 1] * drift_y
            least = min(least, left / along)
    return least


@njit
def fastest(p: Parameters, limits: NDArray[np.float64], count: int, place: Place, drift_x: float,
            drift_y: float, speed: float, margin: float) -> float:
    """Return the greatest speed (m/s) along the heading, at most ``speed``, that keeps the limits.

    0 if there is none: what the wind does alone cannot be helped.
    """
    return max(0.0, min(speed, room_ahead(p, limits, count, place, drift_x, drift_y, margin)))


@njit
def steered(p: Parameters, limits: NDArray[np.float64], count: int, place: Place, drift: Drift,
            margin: float, car: Car, backs: bool, seen_behind: float, x: float, y: float,
            dt: float) -> tuple[bool, float, float]:
    """Return whether a car backs now, its speed (m/s) and turn (rad/s).

    A car whose way is behind it, or blocked, turns in several moves, forwards and backwards: its
    heading turns to its way in each (Reeds and Shepp, "Optimal paths for a car that goes both
    forwards and backwards", Pacific Journal of Mathematics 145, 1990).

    Parameters
    ----------
    limits, count, margin : as ``room_ahead`` takes them
    car : how it steers
    backs : whether it did in the last turn
    seen_behind : m, how far there are no unknown places behind it; it creeps into these
    x, y : m/s, wanted velocity through the air

    """
    speed, most = math.sqrt(x * x + y * y), p.forward_speed_mps
    if speed <= STILL * most:
        return backs, 0.0, 0.0
    _, angle = drive(x, y, place.cosine, place.sine)
    off, least, creeping = abs(angle), AT_REST * most, CREEPING * most
    full = car.curvature if angle > 0.0 else -car.curvature
    curve = min(p.turn_gain, 1.0 / dt) * angle / max(creeping, speed)
    curve = min(car.curvature, max(-car.curvature, curve))
    ahead = fastest(p, limits, count, _course(place, 1.0, curve * car.middle), drift.x, drift.y,
                    most, margin)
    behind = fastest(p, limits, count, _course(place, -1.0, full * car.middle), drift.x, drift.y,
                     BACKS * most, margin)
    slow = min(behind, max(least, p.damper_gain * seen_behind))
    if backs:
        backs = (off > CAR_TURNED or ahead < creeping) and (slow > least or ahead < creeping)
    else:
        backs = ahead < least or (off > math.pi / 2 and slow >= creeping)
    if backs and slow >= min(least, ahead):
        return True, -slow, full * slow
    v = min(ahead, max(creeping, place.cosine * x + place.sine * y))
    return False, v, curve * v


@njit_inner
def _course(place: Place, ahead: float, aside: float) -> Place:
    """Return a place that heads where a body goes, ``ahead`` and ``aside`` of its heading."""
    size = math.sqrt(ahead * ahead + aside * aside)
    cosine, sine = ahead / size, aside / size
    return Place(place.x, place.y, place.cosine * cosine - place.sine * sine,
                 place.sine * cosine + place.cosine * sine)


@njit
def steady_room(p: Parameters, before: float, room: float, dt: float) -> float:
    """Return the mean (m/s) of what obstacles leave to a slow robot, ``dt`` (s) after ``before``.

    A robot drives forwards only. So if it believed single readings, the noise of its laser would
    bring it nearer to what it stands before, little by little, until it touches. inf: the robot
    need not be slow.
    """
    most = CREEPING * p.forward_speed_mps
    if room >= most:
        return np.inf
    before, room = min(before, most), max(-most, room)
    return before + min(1.0, dt / SMOOTH) * (room - before)


# Median of the absolute second difference of three values with a standard deviation of 1
_SECOND_DIFFERENCE = 0.6744897501960817 * math.sqrt(6.0)


@njit_inner
def between(beams: NDArray[np.float64]) -> float:
    """Return the sine of the angle between the first two beams; 0: they are no neighbours."""
    if beams.shape[1] < 2 or beams[0, 0] * beams[0, 1] + beams[1, 0] * beams[1, 1] <= 0.0:
        return 0.0
    return abs(float(beams[0, 0] * beams[1, 1] - beams[1, 0] * beams[0, 1]))


@njit
def estimated_noise(p: Parameters, noise: float, ranges: NDArray[np.float32],
                    beams: NDArray[np.float64]) -> float:
    """Return the standard deviation (m) of ranges after one more look; ``noise``: before.

    Only beams count that are so close together where they end that they see the same surface.
    """
    apart, least = between(beams), _SECOND_DIFFERENCE * noise
    if apart == 0.0:
        return noise
    far, count, below = DENSE * p.robot_radius_m / apart, 0, 0
    for i in range(1, ranges.shape[0] - 1):
        before, after = np.float64(ranges[i - 1]), np.float64(ranges[i + 1])
        if 0.0 <= before < far and 0.0 <= after < far:
            difference = abs(before - 2.0 * np.float64(ranges[i]) + after)
            count += bool(difference < math.inf)
            below += bool(difference < least)
    step = NOISE_STEP * p.robot_radius_m * (count - 2 * below) / max(ENOUGH, count)
    return max(0.0, noise + step)


@njit
def mean_beside(p: Parameters, noise: float, ranges: NDArray[np.float32], apart: float,
                i: int) -> float:
    """Return the distance (m) of what beam i sees, the mean of the beams on the same surface.

    Those are ``SURFACE`` wide together, and differ from it by no more than noise (m) does.
    ``apart`` is the sine of the angle between two beams.
    """
    own, n = np.float64(ranges[i]), ranges.shape[0]
    aside = 0.5 * SURFACE * p.robot_radius_m
    beside = math.floor(min(float(n), aside / (apart * max(own, p.robot_radius_m))))
    total, count, differs = 0.0, 0, SAME_SURFACE * noise
    for k in range(max(0, i - beside), min(n, i + beside + 1)):
        reading = np.float64(ranges[k])
        if abs(reading - own) <= differs:
            total += reading
            count += 1
    return total / count


# Dust, rain, insects: beams that end in the air, each at a random place.
#
# What a robot may touch is seen by several beams, so a reading that no other one confirms tells
# nothing (REP 117: NaN). Where the air is clear every reading counts, as the edge of something
# thin may be seen by one beam only; so does one from where the beams are too far apart.

@njit_inner
def _agreeing(ranges: NDArray[np.float32], i: int, differs: float) -> tuple[int, int]:
    """Return how many readings beside beam i end no farther than ``differs`` (m) from it.

    And how many end that much behind it.
    """
    own, agree, behind = float(ranges[i]), 0, 0
    for k in range(max(0, i - BESIDE_BEAM), min(ranges.shape[0], i + BESIDE_BEAM + 1)):
        if k != i:
            farther = float(ranges[k]) - own
            agree += abs(farther) <= differs
            behind += farther > differs
    return agree, behind


@njit_inner
def _confirmed_within(p: Parameters, beams: NDArray[np.float64]) -> float:
    """Return within which distance (m) a disc as large as the robot is seen by four beams."""
    apart = between(beams)
    return 0.5 * p.robot_radius_m / apart if apart > 0.0 else 0.0


@njit
def estimated_dust(p: Parameters, dust: float, noise: float, ranges: NDArray[np.float32],
                   beams: NDArray[np.float64]) -> float:
    """Return the share of beams that end in the air after one more look; ``dust``: before."""
    differs, alone = max(SURFACE * p.robot_radius_m, SAME_SURFACE * noise), 0
    far = _confirmed_within(p, beams)
    for i in range(BESIDE_BEAM, ranges.shape[0] - BESIDE_BEAM):
        alone += int(0.0 <= ranges[i] < far
                     and _agreeing(ranges, i, differs)[1] == 2 * BESIDE_BEAM)
    return float(dust + DUST_GAIN * (alone / max(1, ranges.shape[0]) - dust))


@njit
def without_dust(p: Parameters, dust: float, noise: float, ranges: NDArray[np.float32],
                 beams: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return ranges (m) in which NaN stands for those that no beams beside them confirm."""
    if dust < DUST:
        return ranges
    sure, differs = ranges.copy(), max(SURFACE * p.robot_radius_m, SAME_SURFACE * noise)
    far = _confirmed_within(p, beams)
    for i in range(ranges.shape[0]):
        if ranges[i] < far and _agreeing(ranges, i, differs)[0] < CONFIRMED:
            sure[i] = math.nan
    return sure
