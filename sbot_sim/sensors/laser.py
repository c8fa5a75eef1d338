"""The laser: settings, casting, noise and messages.

For each sensor, each object that a coarse grid finds within range gets the interval of beams that
may hit it, a little too wide; exactly those beams are intersected with it, by the formulas of
``rays``, and the minimum is kept (``cover``). A minimum does not depend on order, so neither cells
nor threads can change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Floats32
from sbot_common.compiled.jit import borrowed, njit, njit_inline
from sbot_common.compiled.threads import in_blocks
from sbot_common.elementary import sincos
from sbot_common.elementary.arrays import copy_rows
from sbot_common.observation import Scan
from sbot_common.params import Param
from sbot_common.random.numbers import SCAN, WORDS, fill_normals
from sbot_common.topics import BASE_SCAN
from sbot_sim.collision.separation import FEW
from sbot_sim.sensors.cover import cover_discs, cover_static
from sbot_sim.sensors.objects import lower_by_rectangles, rectangle_boxes
from sbot_sim.sensors.rays import Fan, make_fan
from sbot_sim.sensors.registry import Encode, Place, Sensor, decoded_as
from sbot_sim.world.scene import Discs, Scene, sort_discs
from sbot_sim.worlds.batch import Batch, Phase, all_in_view, discs_of_world, shared, shared_apart
from sbot_sim.worlds.state import Setting, scene_of


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
               parameters: ScanParameters, threads: int = 1) -> Floats32:
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
    rounded once; +inf beyond range_max, -inf below range_min (REP 117). See ``rays`` for what
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
    discs, lasers = sort_discs(pose[:seen], radius[:seen], p.range_max / 2), laser_poses(pose, p)
    out = np.empty((len(lasers), fan.beams), np.float32)
    in_blocks(threads, len(lasers), cast_block, scene, discs, lasers, fan, p.range_min,
              p.range_max, out)
    return out


@njit
def add_scan_noise(ranges: Floats32, noise_std: float, range_min: float, range_max: float,
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


@shared
def mount_lasers(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Find where lasers are that are mounted off the robots' centres; before ``scan``."""
    worlds, mount = batch.worlds, batch.setting.sensing.mount
    copy_rows(mounted(worlds.pose[a:z], mount[0], mount[1], mount[2]), worlds.laser_pose[a:z])


@shared_apart
def scan(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Cast the lasers' beams."""
    setting, worlds = batch.setting, batch.worlds
    n, s, lasers = setting.robots, setting.sensing, worlds.pose
    radius = setting.bodies.laser_radius
    if worlds.laser_pose.shape[0] > 0:
        lasers = worlds.laser_pose
    best, ends = np.empty(s.fan.directions.shape[1]), np.empty(2, np.int32)
    discs = all_in_view(worlds, radius, first * n, end * n, ends)
    scene = scene_of(setting.scan_scenes, setting.layout[first])
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.scan_scenes, setting.layout[k])
        ends[0], ends[1] = (k * n, (k + 1) * n) if s.sees_robots else (0, 0)
        if s.sees_robots and n > FEW:
            discs = discs_of_world(worlds.pose, radius, k * n, (k + 1) * n, s.range_max / 2)
            low, high = low - k * n, high - k * n  # by place
        _cast_rows(low, high, borrowed(scene), borrowed(discs), borrowed(lasers), borrowed(s.fan),
                   s.range_min, s.range_max, borrowed(best), borrowed(worlds.ranges))
    ends[0] = 0  # keeps these alive until here
    best[0] = 0.0


@shared_apart
def scan_rectangles(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Let lasers see rectangular bodies; after ``scan``."""
    setting, worlds = batch.setting, batch.worlds
    n, s, lasers, shape = setting.robots, setting.sensing, worlds.pose, setting.bodies.shape
    if worlds.laser_pose.shape[0] > 0:
        lasers = worlds.laser_pose
    for k in range(first, end):
        rows, low, high = slice(k * n, (k + 1) * n), max(a, k * n), min(z, (k + 1) * n)
        boxes, robots = rectangle_boxes(shape.half_size[rows], shape.offset[rows],
                                        worlds.pose[rows])
        lower_by_rectangles(boxes, robots, lasers[low:high], low - k * n, s.fan, s.range_min,
                            s.range_max, worlds.ranges[low:high])


@shared_apart
def add_noise(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Add noise to the ranges of lasers."""
    setting, worlds = batch.setting, batch.worlds
    n, s = setting.robots, setting.sensing
    for k in range(first, end):
        if setting.scan_noise[k] > 0.0:
            low, high = max(a, k * n), min(z, (k + 1) * n)
            add_scan_noise(worlds.ranges[low:high], setting.scan_noise[k], s.range_min,
                           s.range_max, worlds.seed[k], worlds.tick[k], low - k * n)


def _seeing(setting: Setting) -> list[Phase]:
    s, shape = setting.sensing, setting.bodies.shape
    if not s.fan.beams:
        return []
    rectangles = bool(shape.half_size.any() and s.sees_robots)
    return [*[mount_lasers] * bool(s.mount.any()), scan, *[scan_rectangles] * rectangles,
            add_noise]



def _observe(snapshot: Any, scan: ScanParameters, robot: int) -> Scan:  # noqa: ANN401
    return Scan(snapshot.ranges[robot], scan.angle_min, scan.angle_increment, scan.range_min,
                scan.range_max)


def _encoder(place: Place) -> Encode:
    from sbot_common.wire.templates import ScanTemplate
    scan = place.sensors.scan
    templates = [ScanTemplate(
        place.frame('laser', i), scan.beams, scan.angle_min, angle_max(scan), scan.angle_increment,
        place.dt, scan.range_min, scan.range_max) for i in range(place.num_robots)]
    return lambda stamp_ns, snapshot, robot: templates[robot].fill(
        stamp_ns, snapshot.ranges[robot])


@njit
def cast_block(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, fan: Fan,
               range_min: float, range_max: float, out: NDArray[np.float32]) -> None:
    """Write the scans of sensors first … end-1 in the order of ``discs``, if there are any.

    Neighbours in turn find what they look at in the processor's cache.
    """
    best = np.empty(fan.directions.shape[1])
    _cast_rows(first, end, borrowed(scene), borrowed(discs), borrowed(pose), borrowed(fan),
               range_min, range_max, borrowed(best), borrowed(out))
    best[0] = 0.0  # keeps it alive until here


@njit_inline
def _cast_rows(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, fan: Fan,
               range_min: float, range_max: float, best: Floats,
               out: NDArray[np.float32]) -> None:
    """Do the work of ``cast_block`` on borrowed arrays; ``best`` has room for a sensor's beams."""
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = range_max * (1.0 + 1e-9)
    for k in range(first, end):
        j = discs.robot[k] if discs.robot.shape[0] else k
        x, y = pose[j, 0], pose[j, 1]
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        best[:] = math.inf
        touched = cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
        touched = touched or cover_discs(discs, k, x, y, cos_yaw, sin_yaw, fan, reach, best)
        if touched:
            best[:] = 0.0
        for i in range(fan.beams):
            t = best[i]
            t = math.inf if t > range_max else t
            out[j, i] = np.float32(-math.inf if t < range_min else t)


@njit
def mounted(pose: Floats, x: float, y: float, yaw: float) -> Floats:
    """Return (N, 3) poses of sensors mounted at (x, y, yaw) of robots at ``pose``."""
    out = np.empty((pose.shape[0], 3))
    for j in range(pose.shape[0]):
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        out[j, 0] = pose[j, 0] + (x * cos_yaw - y * sin_yaw)
        out[j, 1] = pose[j, 1] + (x * sin_yaw + y * cos_yaw)
        out[j, 2] = pose[j, 2] + yaw
    return out


SENSOR = Sensor('scan', '(N, beams) m, +inf: no echo', BASE_SCAN, decoded_as('scan'),
                settings=ScanSettings(), order=(10, 10), encoder=_encoder, observe=_observe,
                keep=lambda snapshot: snapshot.ranges, arrays={'scan': 'ranges'}, seeing=_seeing)
