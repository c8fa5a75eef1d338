# SPDX-License-Identifier: Apache-2.0
"""The laser: settings, casting, noise and messages.

For each sensor, each object that a coarse grid finds within range gets the interval of beams that
may hit it, a little too wide; exactly those beams are intersected with it, by the formulas of
``rays``, and the minimum is kept (``cover``). A minimum does not depend on order, so neither cells
nor threads can change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Floats32, Integers
from sbot_common.compiled.jit import borrowed, njit, njit_inline
from sbot_common.elementary import hypot, sincos
from sbot_common.observation import Scan
from sbot_common.params import Param
from sbot_common.random import SCAN
from sbot_common.random.numbers import WORDS, fill_normals
from sbot_common.topics import BASE_SCAN
from sbot_sim.collision.detection import FEW
from sbot_sim.sensors.cover import cover_discs, cover_static
from sbot_sim.sensors.objects import lower_by_rectangles, rectangle_boxes
from sbot_sim.sensors.rays import Fan, Fans, fan_of
from sbot_sim.sensors.registry import Encode, Place, Sensor, decoded_as
from sbot_sim.world.bodies import shapes_of
from sbot_sim.world.scene import Discs, Scene, discs_of
from sbot_sim.worlds.state import Batch, LaserTable, Phase, Setting, all_in_view, scene_of


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

    def parameters(self) -> ScanParameters:
        """Return the parameters of scans, rounded to float32 as in messages."""
        s = self
        span = s.scan_angle_max - s.scan_angle_min
        return ScanParameters(
            beams=s.scan_beams, angle_min=_as_float32(s.scan_angle_min),
            angle_increment=_as_float32(span / (s.scan_beams - 1) if s.scan_beams > 1 else 0),
            range_min=_as_float32(s.scan_range_min), range_max=_as_float32(s.scan_range_max),
            sees_robots=s.scan_sees_robots, noise_std=s.scan_noise_std,
            laser_x=s.laser_x, laser_y=s.laser_y, laser_yaw=s.laser_yaw)


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

    def angle_max(self) -> float:
        """Return the angle of the last beam (rad) as its message has it: a float32, promoted."""
        return _as_float32(self.angle_min + (self.beams - 1) * self.angle_increment)

    def fan(self) -> Fan:
        """Return the table of the laser's beams."""
        return Fan.even(self.beams, self.angle_min, self.angle_increment)


def _as_float32(value: float) -> float:
    """Return the nearest float32 as a double: the value that a receiver computes with."""
    return float(np.float32(value))


class Lasers(NamedTuple):
    """The lasers of N robots: robots with equal ones share a kit."""

    kits: tuple[tuple[ScanParameters, ...], ...]  # the first of a kit is what controllers see
    kit: Integers  # (N,) of each robot

    def of(self, robot: int) -> tuple[ScanParameters, ...]:
        """Return the lasers of a robot, the one that its controller sees first."""
        return self.kits[int(self.kit[robot])]

    @property
    def all(self) -> tuple[ScanParameters, ...]:
        """All lasers, kit by kit."""
        return tuple(each for kit in self.kits for each in kit)

    @property
    def columns(self) -> int:
        """How many beams the lasers of a robot have together, at most."""
        return max(sum(each.beams for each in kit) for kit in self.kits)

    @property
    def reach(self) -> float:
        """How far (m) from a robot's origin any of its lasers sees; 0 without beams."""
        return max(each.range_max + hypot(each.laser_x, each.laser_y) if each.beams else 0.0
                   for each in self.all)

    def table(self, worlds: int = 1) -> LaserTable:
        """Return the arrays of the lasers of robots in so many equal worlds."""
        every, kit = self.all, np.zeros(worlds * len(self.kit), np.int64)  # no memory as yet
        if len(self.kits) > 1:
            kit = np.tile(self.kit, worlds)
        columns = [sum(each.beams for each in kit[:k]) for kit in self.kits
                   for k in range(len(kit))]
        return LaserTable(
            kit, np.repeat(np.arange(len(self.kits)), [len(kit) for kit in self.kits]),
            np.array(columns, np.int64), self.columns, Fans.of([p.fan() for p in every]),
            np.array([p.range_min for p in every]), np.array([p.range_max for p in every]),
            np.array([p.sees_robots for p in every], np.bool_),
            np.array([(p.laser_x, p.laser_y, p.laser_yaw) for p in every], np.float64),
            np.array([own[0].beams for own in self.kits], np.int64),
            np.array([own[0].range_max for own in self.kits]))

    @classmethod
    def pack(cls, each: Sequence[tuple[ScanParameters, ...]]) -> Lasers:
        """Return the lasers of robots, given those of each."""
        kits: dict[tuple[ScanParameters, ...], int] = {}
        numbers = [kits.setdefault(kit, len(kits)) for kit in each]
        return cls(tuple(kits), np.array(numbers, np.int64))


@njit
def _add_scan_noise(ranges: Floats32, noise_std: float, range_min: float, range_max: float,
                    seed: int, tick: int, kit: Integers, carried: int, column: int, beams: int,
                    first: int = 0) -> None:
    """Add Gaussian noise to ranges of one laser that are finite, in place.

    Parameters
    ----------
    ranges : (N, columns) m
    noise_std : m; 0: nothing is drawn
    range_min, range_max : m, where noisy ranges stay
    seed, tick : of the noise; the index of a number is that of its column
    kit, carried : (N,) of each robot, and that of this laser; of others nothing is changed
    column, beams : the first of the laser's columns, and how many there are
    first : id of the first robot

    """
    if noise_std <= 0.0:
        return
    end = column + beams
    noise = np.empty(end + WORDS)
    for j in range(len(ranges)):
        if kit[j] != carried:
            continue
        fill_normals(seed, SCAN, first + j, tick, end, noise)
        for i in range(column, end):
            if math.isfinite(ranges[j, i]):
                noisy = float(ranges[j, i]) + noise_std * noise[i]
                ranges[j, i] = np.float32(min(max(noisy, range_min), range_max))


@Phase.shared_apart
def _scan(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Cast the lasers' beams, one laser of all robots that carry it after the other."""
    setting, worlds = batch.setting, batch.worlds
    n, lasers, radius = setting.robots, setting.sensing.lasers, setting.bodies.laser_radius
    best, ends = np.empty(lasers.fans.directions.shape[2]), np.empty(2, np.int32)
    by_place = n > FEW and lasers.sees_robots.any()
    rows = all_in_view(worlds, radius, first * n, 0 if by_place else end * n, ends)
    scene = scene_of(setting.scan_scenes, setting.layout[first])
    for k in range(first, end):
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.scan_scenes, setting.layout[k])
        places = discs_of(worlds.laser_discs, k, n) if by_place else rows
        for m in range(len(lasers.column)):
            low, high, discs = max(a, k * n), min(z, (k + 1) * n), rows
            ends[0], ends[1] = (k * n, (k + 1) * n) if lasers.sees_robots[m] else (0, 0)
            if lasers.sees_robots[m] and by_place:
                discs, low, high = places, low - k * n, high - k * n
            _cast_rows(low, high, borrowed(scene), borrowed(discs), borrowed(worlds.pose),
                       borrowed(lasers.kit), (lasers.carried[m], lasers.column[m]),
                       borrowed(lasers.mount[m]), borrowed(fan_of(lasers.fans, m)),
                       (lasers.range_min[m], lasers.range_max[m]), borrowed(best),
                       borrowed(worlds.ranges))
    ends[0] = 0  # keeps these alive until here
    best[0] = 0.0


@Phase.shared_apart
def _scan_rectangles(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Let lasers see rectangular bodies; after ``_scan``."""
    setting, worlds = batch.setting, batch.worlds
    n, lasers, shape = setting.robots, setting.sensing.lasers, setting.bodies.shape
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        boxes, robots = rectangle_boxes(shapes_of(shape, k * n, (k + 1) * n),
                                        worlds.pose[k * n:(k + 1) * n])
        for m in range(len(lasers.column)):
            if lasers.sees_robots[m]:
                lower_by_rectangles(
                    boxes, robots, _mounted(worlds.pose[low:high], lasers.mount[m]), low - k * n,
                    fan_of(lasers.fans, m), lasers.range_min[m], lasers.range_max[m],
                    lasers.kit[low:high], lasers.carried[m], lasers.column[m],
                    worlds.ranges[low:high])


@Phase.shared_apart
def _add_noise(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Add noise to the ranges of lasers."""
    setting, worlds = batch.setting, batch.worlds
    n, lasers = setting.robots, setting.sensing.lasers
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        for m in range(len(lasers.column)):
            if setting.scan_noise[k, m] > 0.0:
                _add_scan_noise(
                    worlds.ranges[low:high], setting.scan_noise[k, m], lasers.range_min[m],
                    lasers.range_max[m], worlds.seed[k], worlds.tick[k],
                    lasers.kit[low:high], lasers.carried[m], lasers.column[m],
                    lasers.fans.beams[m], low - k * n)


def _seeing(setting: Setting) -> list[Phase]:
    lasers = setting.sensing.lasers
    if not lasers.columns:
        return []
    rectangles = bool(setting.bodies.shape.half_size.any() and lasers.sees_robots.any())
    return [_scan, *[_scan_rectangles] * rectangles, _add_noise]


def _observe(snapshot: Any, lasers: Lasers, robot: int) -> Scan:  # noqa: ANN401
    own = lasers.of(robot)[0]
    return Scan(snapshot.ranges[robot, :own.beams], own.angle_min, own.angle_increment,
                own.range_min, own.range_max)


def _encoder(place: Place) -> Encode:
    lasers = place.sensors.lasers
    encoders = [scan_encoder(place, i, lasers.of(i), 0) for i in range(place.num_robots)]
    return lambda stamp_ns, snapshot, robot: encoders[robot](stamp_ns, snapshot)


def scan_encoder(place: Place, robot: int, own: Sequence[ScanParameters],
                 number: int) -> Callable[[int, Any], bytes]:
    """Return the function of stamp (ns) and snapshot that encodes one laser of a robot.

    ``own`` are the robot's lasers, ``number`` says which of them.
    """
    from sbot_common.wire.templates import ScanTemplate
    p, column = own[number], sum(each.beams for each in own[:number])
    template = ScanTemplate(place.frame(link_of(number), robot), p.beams, p.angle_min,
                            p.angle_max(), p.angle_increment, place.dt, p.range_min, p.range_max)
    return lambda stamp_ns, snapshot: template.fill(
        stamp_ns, snapshot.ranges[robot, column:column + p.beams])


def link_of(number: int) -> str:
    """Return the frame of a robot's laser: `laser`, and `laser_1`, … of further ones."""
    return f'laser_{number}' if number else 'laser'


@njit_inline
def _cast_rows(first: int, end: int, scene: Scene, discs: Discs, pose: Floats, kit: Integers,
               laser: tuple[int, int], mount: Floats, fan: Fan, span: tuple[float, float],
               best: Floats, out: NDArray[np.float32]) -> None:
    """Cast a laser of those robots first … end-1 whose kit it is part of, on borrowed arrays.

    They are counted in the order of ``discs``, if there are any: neighbours in turn find what they
    look at in the processor's cache. A range is the distance from the laser to the nearest hit,
    rounded once; +inf beyond the greatest range, -inf below the least (REP 117). See ``rays`` for
    what counts as a hit.

    ``laser``: that kit, and its first column; ``span``: its least and greatest range (m);
    ``best`` has room for its beams; the rest is as in ``LaserTable``.
    """
    (carried, column), (range_min, range_max) = laser, span
    # What is farther than this by rounding only is still intersected, and judged then.
    reach = range_max * (1.0 + 1e-9)
    off_centre = mount[0] != 0.0 or mount[1] != 0.0 or mount[2] != 0.0
    for k in range(first, end):
        j = discs.robot[k] if discs.robot.shape[0] else k
        if kit[j] != carried:
            continue
        x, y = pose[j, 0], pose[j, 1]
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        if off_centre:  # as in ``_mounted``
            x += mount[0] * cos_yaw - mount[1] * sin_yaw
            y += mount[0] * sin_yaw + mount[1] * cos_yaw
            sin_yaw, cos_yaw = sincos(pose[j, 2] + mount[2])
        best[:] = math.inf
        touched = cover_static(scene, x, y, cos_yaw, sin_yaw, fan, reach, best)
        touched = touched or cover_discs(discs, k, x, y, cos_yaw, sin_yaw, fan, reach, best)
        if touched:
            best[:] = 0.0
        for i in range(fan.beams):
            t = best[i]
            t = math.inf if t > range_max else t
            # Unsigned: no index is from the end, so the loop can be vectorised.
            out[j, np.uint64(column + i)] = np.float32(-math.inf if t < range_min else t)


@njit
def _mounted(pose: Floats, mount: Floats) -> Floats:
    """Return (N, 3) poses of sensors mounted at x, y (m), yaw (rad) of robots at ``pose``."""
    out = np.empty((pose.shape[0], 3))
    for j in range(pose.shape[0]):
        sin_yaw, cos_yaw = sincos(pose[j, 2])
        out[j, 0] = pose[j, 0] + (mount[0] * cos_yaw - mount[1] * sin_yaw)
        out[j, 1] = pose[j, 1] + (mount[0] * sin_yaw + mount[1] * cos_yaw)
        out[j, 2] = pose[j, 2] + mount[2]
    return out


SENSOR = Sensor('scan', '(N, beams) m, +inf: no echo', BASE_SCAN, decoded_as('scan'),
                settings=ScanSettings(), order=(10, 10), encoder=_encoder, observe=_observe,
                keep=lambda snapshot: snapshot.ranges, arrays={'scan': 'ranges'}, seeing=_seeing)
