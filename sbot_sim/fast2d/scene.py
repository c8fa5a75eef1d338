# SPDX-License-Identifier: Apache-2.0
"""Fast2D's objects as arrays for a step, and what its sensors see of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Floats, Integers32
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, copy_numbers, copy_rows, hypot, hypot_of, sincos
from sbot_common.errors import InputError, bad_value
from sbot_common.spatial import BucketGrid, cell_index, cell_of, grid_of_circles, grid_shape
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.sensors.objects import SLACK, cover_body, farther, in_rectangle
from sbot_sim.sensors.rays import Fan, Fans, fan_of
from sbot_sim.world.bodies import Shapes, boxes_at, centres
from sbot_sim.world.geometry import SIDES, World, make_world
from sbot_sim.world.scene import Discs, Scene, row_stretch, sort_discs

# Fast2D shapes: disc or rectangle (document 004 section 7.4.3).

CORNERS = 4
LARGEST = 1e3  # m, of a size: beyond it, sums of overlaps would not be exact any more
FARTHEST = 1e6  # m, of a coordinate: beyond it, doubles do not resolve overlaps of 1e-9 m
_SQUARE = 1e-6  # how far from a rectangle corners may be, as a fraction of its longer side


class _Shape(NamedTuple):
    """A rounded box in its object's frame: a disc has no half width, a rectangle no radius."""

    x: float  # m, the centre
    y: float  # m
    yaw: float  # rad, how the box is turned in the object's frame
    half_width: float  # m
    half_height: float  # m
    radius: float  # m

    @property
    def around(self) -> float:
        """Radius of the smallest circle around the shape (m)."""
        return hypot(self.half_width, self.half_height) + self.radius

    @property
    def within(self) -> float:
        """Radius of the largest circle inside the shape (m)."""
        return min(self.half_width, self.half_height) + self.radius

    def contains(self, x: float, y: float) -> bool:
        """Tell whether a point in the object's frame (m) belongs to the shape."""
        s, c = sincos(self.yaw)
        dx, dy = x - self.x, y - self.y
        du = max(0.0, abs(c * dx + s * dy) - self.half_width)
        dv = max(0.0, abs(c * dy - s * dx) - self.half_height)
        return hypot(du, dv) <= self.radius


def disc(radius: float, where: str) -> _Shape:
    """Return a disc about the object's origin; ``where`` begins an error's message."""
    if not 0.0 < radius <= LARGEST:
        raise bad_value(f'{where}: radius', radius, f'a number > 0 and <= {LARGEST:g} (m)')
    return _Shape(0.0, 0.0, 0.0, 0.0, 0.0, radius)


def rectangle(x: Sequence[float], y: Sequence[float], where: str) -> _Shape:
    """Return the rectangle of four corners (m) in the object's frame, counter-clockwise.

    Raises
    ------
    InputError
        beginning with ``where``, for anything but a rectangle given counter-clockwise.

    """
    try:
        if len(x) != CORNERS or len(y) != CORNERS:
            raise bad_value(f'{where}: corners', (len(x), len(y)), 'four x and four y')
        corners = [(float(a), float(b)) for a, b in zip(x, y, strict=False)]
    except InputError:
        raise
    except Exception:  # numbers beyond doubles, or whatever a class of others raises
        raise bad_value(f'{where}: corners', (x, y), 'four x and four y, numbers (m)') from None
    if not all(abs(value) <= LARGEST for corner in corners for value in corner):
        raise bad_value(f'{where}: corners', corners, f'finite numbers up to {LARGEST:g} (m)')
    sides = [(corners[(k + 1) % CORNERS][0] - corners[k][0],
              corners[(k + 1) % CORNERS][1] - corners[k][1]) for k in range(CORNERS)]
    turns = [sides[k - 1][0] * sides[k][1] - sides[k - 1][1] * sides[k][0] for k in range(CORNERS)]
    if all(turn < 0.0 for turn in turns):
        raise bad_value(f'{where}: clockwise corners', corners, 'counter-clockwise ones')
    if not all(turn > 0.0 for turn in turns):
        raise bad_value(f'{where}: corners', corners, 'a convex outline, counter-clockwise')
    # The mean of opposite sides, so that the corners' rounding is shared.
    ax, ay = (sides[0][0] - sides[2][0]) / 2, (sides[0][1] - sides[2][1]) / 2
    bx, by = (sides[1][0] - sides[3][0]) / 2, (sides[1][1] - sides[3][1]) / 2
    width, height = hypot(ax, ay), hypot(bx, by)
    skew = hypot(sides[0][0] + sides[2][0], sides[0][1] + sides[2][1])
    longer = max(width, height)
    if skew > _SQUARE * longer or abs(ax * bx + ay * by) > _SQUARE * width * height:
        raise bad_value(f'{where}: corners', corners, 'those of a rectangle')
    if abs(ay) > abs(ax):  # the side nearer to the x axis is the width: boxes stay axis-parallel
        ax, ay, width, height = bx, by, height, width
    if ax < 0.0:
        ax, ay = -ax, -ay
    return _Shape(math.fsum(c[0] for c in corners) / CORNERS,
                 math.fsum(c[1] for c in corners) / CORNERS,
                 atan2(ay, ax), width / 2, height / 2, 0.0)


_FEW_RAYS = 8  # up to here, trying every ray is faster than choosing
_MOST_CELLS = 512
_WIDE = 3.0  # rad: from here on rays do not make a cone that is worth a test


@dataclass(eq=False)
class ObjectRef:
    """Handle of a robot or a solid, with what the host says of it."""

    name: str  # for messages
    mass: float  # kg, inf allowed
    shape: Any = None  # a ``_Shape``, once it is added
    pose: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])  # m, m, rad
    # m/s, m/s, rad/s; of what is added its row in the array of all
    speed: Floats = field(default_factory=lambda: np.zeros(3))
    added: bool = False
    sensors: list[SensorRef] = field(default_factory=list)
    row: int = -1  # in the arrays of ``Shapes``; -1: it stands still, or is not added

    def __repr__(self) -> str:
        return f'<{self.name}>'

    @property
    def moves(self) -> bool:
        """Whether anything can ever move it."""
        return isinstance(self, RobotRef) or math.isfinite(self.mass)


class RobotRef(ObjectRef):
    """Handle of a robot."""


class SolidRef(ObjectRef):
    """Handle of a solid: anything that does not move by itself."""


@dataclass(eq=False)
class SensorRef:
    """Handle of an infra-red sensor, with what the host says of it, in its robot's frame."""

    name: str
    robot: ObjectRef
    x: float  # m
    y: float  # m
    angle: float  # rad
    range: float  # m
    aperture: float  # rad
    weights: tuple[float, ...]  # one a ray
    row: int = -1  # in the arrays of ``_Sensors``, once the robot is added

    def __repr__(self) -> str:
        return f'<{self.name}>'


class Indexed(NamedTuple):
    """A whole scene as arrays; the order of bodies is that in which they were added."""

    names: list[str]  # of the bodies, then of the fixed objects in the order of their boxes
    shapes: Shapes
    fixed: FixedObjects
    scene: Scene
    solids: _Solids
    sensors: _Sensors
    fans: Fans

    @classmethod
    def of(cls, objects: Sequence[ObjectRef]) -> Indexed:
        """Return the arrays of these objects, and set the ``row`` of each and of its sensors."""
        moving = [o for o in objects if o.moves]
        # Boxes of fixed objects come in this order: see ``FixedObjects.of``.
        still = sorted((o for o in objects if not o.moves), key=lambda o: o.shape.radius > 0.0)
        for row, body in enumerate(moving):
            body.row = row
        shapes = _shapes(moving)
        world = _world(objects, still)
        fixed = FixedObjects.of(world, shapes.outer_radius)
        # There are no bounds: nothing is ever at infinity.
        fixed = fixed._replace(bounds=np.array([-math.inf, -math.inf, math.inf, math.inf]))
        sensors, fans = _sensors(moving)
        scene = Scene.of(world._replace(segments=world.inner_segments),
                         float(sensors.reach.max(initial=0.0)) or 1.0)
        return cls([o.name for o in (*moving, *still)], shapes, fixed, scene,
                   _solids(world, fixed), sensors, fans)


def _shapes(moving: Sequence[ObjectRef]) -> Shapes:
    shapes = [body.shape for body in moving]
    size = np.array([shape[3:] for shape in shapes]).reshape(-1, 3)
    inner = np.array([shape.within for shape in shapes])
    inverse_mass = np.array([1.0 / body.mass for body in moving])
    # A body must not be pushed farther in a step than its own limit: see ``tunnelling``.
    step = np.minimum(inner, inner[inverse_mass > 0.0].min(initial=math.inf))
    return Shapes(size[:, :2].copy(), np.array([shape[:3] for shape in shapes]).reshape(-1, 3),
                  size, np.array([shape.around for shape in shapes]), inner, step, inverse_mass,
                  np.zeros(len(moving)))


def _world(objects: Sequence[ObjectRef], still: Sequence[ObjectRef]) -> World:
    """Return the world of what stands still; its bounds are only where its grids are."""
    rectangles, circles = [], []
    for body in still:
        shape, (x, y, angle) = body.shape, body.pose
        s, c = sincos(angle)
        x, y = x + (c * shape.x - s * shape.y), y + (s * shape.x + c * shape.y)
        if shape.radius > 0.0:
            circles.append((x, y, shape.radius))
        else:
            rectangles.append((x, y, 2 * shape.half_width, 2 * shape.half_height,
                               angle + shape.yaw))
    reach = max((body.shape.around + hypot(body.shape.x, body.shape.y)
                 for body in objects), default=1.0)
    xy = np.array([body.pose[:2] for body in objects], np.float64).reshape(-1, 2)
    low = xy.min(axis=0) - reach if len(xy) else np.array([-1.0, -1.0])
    high = xy.max(axis=0) + reach if len(xy) else np.array([1.0, 1.0])
    return make_world((*low.tolist(), *high.tolist()), circles=circles, rectangles=rectangles)


def _solids(world: World, fixed: FixedObjects) -> _Solids:
    boxes = fixed.boxes[:len(world.rectangles)]
    around = np.empty(len(boxes))
    hypot_of(boxes[:, 4], boxes[:, 5], around)
    around = np.column_stack([boxes[:, 0], boxes[:, 1], around])
    xmin, ymin, xmax, ymax = (float(v) for v in world.bounds)
    wanted = math.sqrt((xmax - xmin) * (ymax - ymin) / (4 * max(16, len(boxes))))
    cell, nx, ny = grid_shape(xmin, ymin, xmax, ymax, wanted, _MOST_CELLS)
    return _Solids(fixed.boxes, len(boxes), grid_of_circles(
        np.ascontiguousarray(around), 0.0, cell, xmin, ymin, nx, ny))


def _sensor_fan(rays: int, aperture: float) -> Fan:
    """Return rays evenly from -aperture/2 to aperture/2, a single one along the axis."""
    if rays == 1:
        fan = Fan.even(1, 0.0, 0.0)
    else:
        fan = Fan.even(rays, -aperture / 2, aperture / (rays - 1))
    if rays <= _FEW_RAYS:
        fan = fan._replace(per_radian=0.0, period=math.inf)
    return fan


def _edge(aperture: float) -> tuple[float, float]:
    """Return the direction of the first ray to the left; 0, 0 if rays point backwards too."""
    if aperture >= _WIDE:
        return 0.0, 0.0
    sine, cosine = sincos(aperture / 2)
    return cosine, sine


def _sensors(moving: Sequence[ObjectRef]) -> tuple[_Sensors, Fans]:
    every = [sensor for body in moving for sensor in body.sensors]
    for row, sensor in enumerate(every):
        sensor.row = row
    kind_of = [(len(sensor.weights), sensor.aperture) for sensor in every]
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(kind_of))}
    fans = [_sensor_fan(*kind) for kind in kinds] or [_sensor_fan(1, 0.0)]
    edges = [_edge(aperture) for _, aperture in kinds] or [(0.0, 0.0)]
    turns = [sincos(sensor.angle) for sensor in every]
    weights = [sensor.weights for sensor in every]
    return (_Sensors(
        np.cumsum([0, *(len(body.sensors) for body in moving)], dtype=np.int32),
        np.array([(sensor.x, sensor.y, cosine, sine) for sensor, (sine, cosine)
                  in zip(every, turns, strict=True)]).reshape(-1, 4),
        np.array([sensor.range for sensor in every]),
        np.array([kinds[kind] for kind in kind_of], np.int32),
        np.array([not sensor.robot.shape.contains(sensor.x, sensor.y) for sensor in every],
                 np.bool_),
        np.array([*chain.from_iterable(weights)]),
        np.cumsum([0, *map(len, weights)], dtype=np.int32)[:-1],
        np.array([_reach(body) for body in moving]), np.array(edges)), Fans.of(fans))


def _reach(body: ObjectRef) -> float:
    """Return how far a body's sensors see from the centre of its box (m)."""
    return max((hypot(sensor.x - body.shape.x, sensor.y - body.shape.y) + sensor.range
                for sensor in body.sensors), default=0.0)


# Rays of sensors.


class _Sensors(NamedTuple):
    """S sensors; the sensors of one body are consecutive."""

    starts: Integers32  # (N + 1,): body i carries the sensors starts[i] … starts[i + 1] - 1
    mount: Floats  # (S, 4) x, y (m), cosine and sine of the angle in the object's frame
    range: Floats  # (S,) m
    fan: Integers32  # (S,)
    outside: NDArray[np.bool_]  # (S,) not on its own body: may be inside of others
    weights: Floats  # all rays' weights
    first_weight: Integers32  # (S,)
    reach: Floats  # (N,) m, how far a body's sensors see from the centre of its box
    edge: Floats  # of each fan: cosine and sine of its first ray's angle; 0, 0: all round


class _Solids(NamedTuple):
    """Fixed bodies: K rounded boxes, R rectangles first."""

    boxes: Floats  # (K, 7)
    rectangles: int  # R
    grid: BucketGrid  # a cell lists the rectangles that may contain a point of it


@njit_inner
def _inside_solid(solids: _Solids, x: float, y: float) -> bool:
    """Tell whether a point (m) is inside a fixed rectangle."""
    grid = solids.grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        if in_rectangle(solids.boxes[grid.items[entry]], x, y):
            return True
    return False


@njit_inner
def _near(discs: Discs, own: int, x: float, y: float, reach: float, found: Integers32) -> int:
    """List in ``found`` the other bodies within ``reach`` (m) of a point; return how many."""
    grid, count, farthest = discs.grid, 0, reach + discs.largest
    first_row = cell_index(y - farthest, grid.y0, grid.cell, grid.ny)
    last_row = cell_index(y + farthest, grid.y0, grid.cell, grid.ny)
    for row in range(first_row, last_row + 1):
        start, end = row_stretch(grid, row, x, y, farthest)
        for k in range(start, end):
            dx, dy, far = discs.x[k] - x, discs.y[k] - y, reach + discs.radius[k]
            if dx * dx + dy * dy <= far * far and discs.robot[k] != own:
                found[count] = discs.robot[k]
                count += 1
    return count


@njit_inner
def _near_fixed(scene: Scene, solids: _Solids, x: float, y: float, reach: float, offset: int,
                count: int, found: Integers32) -> int:
    """List in ``found``, from ``count`` on, what stands still within ``reach`` (m) of a point.

    Their numbers begin at ``offset``. Returns the new count.
    """
    grid, before = scene.segment_grid, count
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        side = scene.segments[grid.items[entry]]
        number = offset + grid.items[entry] // SIDES
        # Sides of one rectangle follow each other in a cell.
        if (count == before or found[count - 1] != number) and not farther(
                side[0] - x, side[1] - y, side[2] - x, side[3] - y, reach):
            found[count] = number
            count += 1
    grid = scene.circle_grid
    cell = cell_of(x, y, grid.x0, grid.y0, grid.cell, grid.nx, grid.ny)
    for entry in range(grid.starts[cell], grid.starts[cell + 1]):
        k = grid.items[entry]
        dx, dy, far = scene.circles[k, 0] - x, scene.circles[k, 1] - y, reach + scene.circles[k, 2]
        if dx * dx + dy * dy <= far * far:
            found[count] = offset + solids.rectangles + k
            count += 1
    return count


@njit_inner
def _with_solids(boxes: Floats, solids: _Solids, around: Floats) -> tuple[Floats, Floats]:
    """Return one table of the bodies' boxes and the solids', and the circles around them.

    A list of what is near a body serves all of its sensors. To look for walls at each sensor, by
    ``cover.cover_static``, takes 8 to 25 % longer with 8 sensors a robot.
    """
    n, k = len(boxes), len(solids.boxes)
    table, radius = np.empty((n + k, 7)), np.empty(n + k)
    copy_rows(boxes, table[:n])
    copy_rows(solids.boxes, table[n:])
    copy_numbers(around, radius[:n])
    for i in range(n, n + k):
        radius[i] = hypot(table[i, 4], table[i, 5]) + table[i, 6]
    return table, radius


@njit
def activations(scene: Scene, solids: _Solids, shapes: Shapes, sensors: _Sensors, fans: Fans,
                pose: Floats) -> Floats:
    """Return the readings (S,) of the sensors: weighted averages of the rays' distances (m).

    Parameters
    ----------
    scene, solids : what stands still
    shapes, pose : the bodies, and where the objects are (N, 3)
    sensors, fans : the sensors and their beams

    """
    centre = centres(shapes, pose)
    n = len(centre)
    boxes, around = _with_solids(boxes_at(shapes, centre), solids, shapes.outer_radius)
    widest = 0.0
    for i in range(n):
        widest = max(widest, sensors.reach[i])
    discs = sort_discs(centre, shapes.outer_radius, max(0.5 * widest, 1e-6))
    out, near = np.empty(len(sensors.mount)), np.empty(len(boxes), np.int32)
    best = np.empty(fans.directions.shape[2])
    for i in range(n):
        if sensors.starts[i] == sensors.starts[i + 1]:
            continue
        reach = sensors.reach[i] * SLACK
        count = _near(discs, i, centre[i, 0], centre[i, 1], reach, near)
        count = _near_fixed(scene, solids, centre[i, 0], centre[i, 1], reach, n, count, near)
        sin_i, cos_i = sincos(pose[i, 2])
        for k in range(sensors.starts[i], sensors.starts[i + 1]):
            mx, my = sensors.mount[k, 0], sensors.mount[k, 1]
            mc, ms = sensors.mount[k, 2], sensors.mount[k, 3]
            x, y = pose[i, 0] + (cos_i * mx - sin_i * my), pose[i, 1] + (sin_i * mx + cos_i * my)
            c, s = cos_i * mc - sin_i * ms, sin_i * mc + cos_i * ms
            kind = sensors.fan[k]
            fan, reach = fan_of(fans, kind), sensors.range[k] * SLACK
            for ray in range(len(best)):
                best[ray] = math.inf
            touched = sensors.outside[k] and _inside_solid(solids, x, y)
            for entry in range(count):
                if touched:
                    break
                j = near[entry]
                touched = cover_body(boxes[j], around[j], x, y, c, s, fan, sensors.edge[kind, 0],
                                     sensors.edge[kind, 1], reach, best)
            total, first = 0.0, sensors.first_weight[k]
            if not touched:
                for ray in range(fan.beams):
                    total += sensors.weights[first + ray] * min(best[ray], sensors.range[k])
            out[k] = total
    return out
