"""Laser scans of all robots: parameters, casting and noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.params import Param
from sbot_common.random.generators import SCAN
from sbot_common.random.numbers import WORDS, fill_normals
from sbot_sim.sensors.beams import Fan, make_fan
from sbot_sim.sensors.scan_kernel import cast_all, mounted
from sbot_sim.world.scene import Scene

Floats = NDArray[np.float64]
Scans = NDArray[np.float32]


class ScanSettings(NamedTuple):
    """The laser as a scenario describes it."""

    scan_beams: Annotated[int, Param('', 'Number of beams of a scan.', '', 1, 100_000)] = 180
    scan_angle_min: Annotated[float, Param(
        'rad', 'Angle of the first beam, from straight ahead.')] = -math.pi / 2
    scan_angle_max: Annotated[float, Param(
        'rad', 'Angle of the last beam; below the first for a clockwise scan.')] = math.pi / 2
    scan_range_min: Annotated[float, Param(
        'm', 'A smaller distance reads -inf.', 'REP 117', 0.0)] = 0.0
    scan_range_max: Annotated[float, Param(
        'm', 'A larger distance reads +inf.', 'REP 117', 0.0, 10_000.0, open_minimum=True)] = 10.0
    scan_sees_robots: Annotated[bool, Param(
        '', 'Whether scans see the other robots.', '001 section 8')] = False
    scan_noise_std: Annotated[float, Param(
        'm', 'Standard deviation of the noise added to each range.', '', 0.0)] = 0.0
    laser_x: Annotated[float, Param(
        'm', "Position of the laser forward of the robot's origin.")] = 0.0
    laser_y: Annotated[float, Param(
        'm', "Position of the laser to the left of the robot's origin.")] = 0.0
    laser_yaw: Annotated[float, Param(
        'rad', 'Yaw of the laser on the robot, counter-clockwise.')] = 0.0

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield a least range that is not below the greatest."""
        if self.scan_range_min >= self.scan_range_max:
            yield ('scan_range_min', self.scan_range_min,
                   f'a number < scan_range_max = {self.scan_range_max} (m)')


class ScanParameters(NamedTuple):
    """The laser as simulated; angles and ranges are float32 values in double, as in messages."""

    beams: int
    angle_min: float  # rad, beam i points at angle_min + i*angle_increment
    angle_increment: float  # rad
    range_min: float  # m
    range_max: float  # m
    sees_robots: bool
    noise_std: float  # m
    laser_x: float  # m, in base_link
    laser_y: float  # m
    laser_yaw: float  # rad


def as_float32(value: float) -> float:
    """Return the nearest float32 as a double: the value that a receiver computes with."""
    return float(np.float32(value))


def make_scan_parameters(settings: ScanSettings) -> ScanParameters:
    """Return the parameters of scans, rounded to float32 as in messages."""
    s = settings
    span = s.scan_angle_max - s.scan_angle_min
    return ScanParameters(
        beams=s.scan_beams, angle_min=as_float32(s.scan_angle_min),
        angle_increment=as_float32(span / (s.scan_beams - 1) if s.scan_beams > 1 else 0),
        range_min=as_float32(s.scan_range_min), range_max=as_float32(s.scan_range_max),
        sees_robots=s.scan_sees_robots, noise_std=s.scan_noise_std,
        laser_x=s.laser_x, laser_y=s.laser_y, laser_yaw=s.laser_yaw)


def angle_max(parameters: ScanParameters) -> float:
    """Return the angle of the last beam (rad) as the message carries it: a float32, promoted."""
    return as_float32(parameters.angle_min + (parameters.beams - 1) * parameters.angle_increment)


def scan_fan(parameters: ScanParameters) -> Fan:
    """Return the table of the laser's beams."""
    return make_fan(parameters.beams, parameters.angle_min, parameters.angle_increment)


def laser_poses(pose: Floats, parameters: ScanParameters) -> Floats:
    """Return where the lasers of robots at ``pose`` (N, 3) are: (N, 3) m, m, rad, frame `map`."""
    mount = (parameters.laser_x, parameters.laser_y, parameters.laser_yaw)
    return mounted(pose, *mount) if any(mount) else pose


def cast_scans(scene: Scene, fan: Fan, pose: Floats, radius: Floats,
               parameters: ScanParameters, threads: int = 1) -> Scans:
    """Return the scans of all robots, without noise.

    Parameters
    ----------
    scene : made with a reach of at least ``parameters.range_max``
    fan : ``scan_fan(parameters)``
    pose : (N, 3) x, y (m), yaw (rad) of the robots in frame `map`
    radius : (N,) m, the bodies, seen by others if ``parameters.sees_robots``
    threads : how many to use; no bit of the result depends on it

    Returns
    -------
    (N, beams) float32, m: the distance from the laser to the nearest hit, computed in double and
    rounded once; +inf beyond range_max, -inf below range_min (REP 117). See ``rays.py`` for what
    counts as a hit.

    """
    p = parameters
    if p.beams == 0:  # no laser
        return np.empty((pose.shape[0], 0), np.float32)
    if scene.reach < p.range_max:
        raise ValueError(f'scene has reach {scene.reach}, needs {p.range_max} (m)')
    # One memory layout, one compiled version.
    pose = np.ascontiguousarray(pose, np.float64)
    radius = np.ascontiguousarray(radius, np.float64)
    seen = pose.shape[0] if p.sees_robots else 0
    return cast_all(threads, scene, pose[:seen], radius[:seen], laser_poses(pose, p), fan,
                    p.range_min, p.range_max)


@njit
def add_scan_noise(ranges: Scans, noise_std: float, range_min: float, range_max: float,
                   seed: int, tick: int, first: int = 0) -> None:
    """Add Gaussian noise to ranges that are finite, in place.

    Parameters
    ----------
    ranges : (N, beams) m
    noise_std : m; 0: nothing is drawn
    range_min, range_max : m, where noisy ranges stay
    seed, tick : of the noise; the index of a number is that of its beam
    first : id of the first robot

    """
    if noise_std <= 0.0:
        return
    n, beams = ranges.shape
    noise = np.empty(beams + WORDS)
    for j in range(n):
        fill_normals(seed, SCAN, first + j, tick, beams, noise)
        for i in range(beams):
            if math.isfinite(ranges[j, i]):
                noisy = float(ranges[j, i]) + noise_std * noise[i]
                ranges[j, i] = np.float32(min(max(noisy, range_min), range_max))
