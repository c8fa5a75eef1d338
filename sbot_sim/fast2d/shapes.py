"""Fast2D shapes: disc or rectangle (document 004 section 7.4.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sbot_common.elementary import atan2, hypot, sincos
from sbot_common.errors import InputError, bad_value

CORNERS = 4
LARGEST = 1e3  # m, of a size: beyond it, sums of overlaps would not be exact any more
FARTHEST = 1e6  # m, of a coordinate: beyond it, doubles do not resolve overlaps of 1e-9 m
_SQUARE = 1e-6  # how far from a rectangle corners may be, as a fraction of its longer side


class Shape(NamedTuple):
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


def disc(radius: float, where: str) -> Shape:
    """Return a disc about the object's origin; ``where`` begins an error's message."""
    if not 0.0 < radius <= LARGEST:
        raise bad_value(f'{where}: radius', radius, f'a number > 0 and <= {LARGEST:g} (m)')
    return Shape(0.0, 0.0, 0.0, 0.0, 0.0, radius)


def rectangle(x: Sequence[float], y: Sequence[float], where: str) -> Shape:
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
    return Shape(math.fsum(c[0] for c in corners) / CORNERS,
                 math.fsum(c[1] for c in corners) / CORNERS,
                 atan2(ay, ax), width / 2, height / 2, 0.0)
