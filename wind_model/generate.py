# SPDX-License-Identifier: Apache-2.0
"""Generated wind fields: uniform, vortex, flow past a cylinder, flow over a hill."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Annotated, NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.elementary import exp_of, sincos
from sbot_common.errors import bad_value
from sbot_common.params import Param, updated
from wind_model.grid import WindGrid

MAX_POINTS = 10_000_000


class FieldParameters(NamedTuple):
    """Extent, resolution and flow of a generated field."""

    xmin: Annotated[float, Param('m', 'West edge.')] = 0.0
    ymin: Annotated[float, Param('m', 'South edge.')] = 0.0
    xmax: Annotated[float, Param('m', 'East edge.')] = 40.0
    ymax: Annotated[float, Param('m', 'North edge.')] = 24.0
    resolution: Annotated[float, Param(
        'm', 'Greatest distance between neighbouring points in x and y.', minimum=0.0,
        open_minimum=True)] = 1.0
    height: Annotated[float, Param(
        'm', 'Height of the field above the lowest ground.', minimum=0.0,
        open_minimum=True)] = 4.0
    layers: Annotated[int, Param(
        '', 'Number of layers, denser near the ground.', minimum=2, maximum=1000)] = 6
    speed: Annotated[float, Param(
        'm/s', 'Wind speed far away; in a vortex, the largest speed.', minimum=0.0)] = 0.3
    angle_deg: Annotated[float, Param(
        'deg', 'Direction the wind blows towards; 0 is east, 90 north.')] = 0.0
    center_x: Annotated[float, Param('m', 'Centre of the vortex, cylinder or hill.')] = 20.0
    center_y: Annotated[float, Param('m', 'Centre of the vortex, cylinder or hill.')] = 12.0
    radius: Annotated[float, Param(
        'm', 'Radius of the cylinder or hill; the vortex is fastest at it.', minimum=0.0,
        open_minimum=True)] = 3.0

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield edges in the wrong order, and a resolution that makes too many points."""
        if not self.xmin < self.xmax:
            yield 'xmax', self.xmax, f'a number > xmin ({self.xmin:g} m)'
        if not self.ymin < self.ymax:
            yield 'ymax', self.ymax, f'a number > ymin ({self.ymin:g} m)'
        n_x, n_y = self.intervals
        if not (n_x + 1) * (n_y + 1) * self.layers <= MAX_POINTS:
            yield 'resolution', self.resolution, f'at most {MAX_POINTS} points in the field'

    @property
    def intervals(self) -> tuple[float, float]:
        """How many times the resolution fits into the edges, along x and y."""
        return ((self.xmax - self.xmin) / self.resolution,
                (self.ymax - self.ymin) / self.resolution)


# A micrometre a second is less than any wind sensor resolves, and files stay short.
_DECIMALS = 6


_Flow = Callable[[FieldParameters, Floats, Floats, Floats], tuple[Floats, Floats, Floats]]


def _uniform(p: FieldParameters, s: Floats, n: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the same wind everywhere; arguments and result as for the other flows.

    ``s`` and ``n`` (m) are along the wind and to its left from the centre, ``z`` (m) is above the
    lowest ground; the result is along s, n and z (m/s), in the shape of ``z``.
    """
    return np.full_like(z, p.speed), np.zeros_like(z), np.zeros_like(z)


def _vortex(p: FieldParameters, s: Floats, n: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a counter-clockwise vortex: fastest at the radius, still in the middle and far."""
    half = 0.5 * (1.0 - (s * s + n * n) / (p.radius * p.radius))
    decay = np.empty_like(half)
    exp_of(half.ravel(), decay.reshape(-1))
    turn = p.speed / p.radius * decay + np.zeros_like(z)
    return -turn * n, turn * s, np.zeros_like(z)


def _around(along: Floats, across: Floats, p: FieldParameters) -> tuple[Floats, Floats]:
    """Return potential flow past a circle about the origin; nothing moves inside."""
    square = along * along + across * across
    radius_square = p.radius * p.radius
    outside = square >= radius_square
    safe = np.where(outside, square, 1.0)
    factor = radius_square / (safe * safe)
    first = p.speed * (1.0 - factor * (along * along - across * across))
    second = -2.0 * p.speed * factor * along * across
    return np.where(outside, first, 0.0), np.where(outside, second, 0.0)


def _cylinder(p: FieldParameters, s: Floats, n: Floats,
              z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return potential flow past an upright cylinder."""
    along, across = _around(s + np.zeros_like(z), n + np.zeros_like(z), p)
    return along, across, np.zeros_like(z)


def _hill(p: FieldParameters, s: Floats, n: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return potential flow over a half-cylinder lying across the wind."""
    along, up = _around(s + np.zeros_like(z), z, p)
    return along, np.zeros_like(z), up


FLOWS: dict[str, _Flow] = {
    'uniform': _uniform, 'vortex': _vortex, 'cylinder': _cylinder, 'hill': _hill}


def generate(kind: str, **given: float) -> WindGrid:
    """Return a generated field.

    Parameters
    ----------
    kind : a name of ``FLOWS``
    given : values for ``FieldParameters``, by name

    Raises
    ------
    InputError
        for an unknown kind or name, a bad value, edges in the wrong order or too many points.

    """
    if kind not in FLOWS:
        raise bad_value('kind of field', kind, 'one of ' + ', '.join(FLOWS))
    p = updated(FieldParameters(), given)
    # A hair less than the quotient, so that 0.3 / 0.1 is 3 steps.
    n_x, n_y = (max(1, math.ceil(count - 1e-9)) + 1 for count in p.intervals)
    x = np.linspace(p.xmin, p.xmax, n_x)[np.newaxis, :]
    y = np.linspace(p.ymin, p.ymax, n_y)[:, np.newaxis]
    angle = math.radians(p.angle_deg)
    s, c = sincos(angle)
    along = c * (x - p.center_x) + s * (y - p.center_y)
    left = c * (y - p.center_y) - s * (x - p.center_x)
    bottom = np.zeros((n_y, n_x))
    if kind == 'hill':
        bottom = np.sqrt(np.maximum(0.0, p.radius * p.radius - along * along))
    top = np.full((n_y, n_x), p.height + bottom.max())
    k = np.arange(p.layers, dtype=np.float64)
    # Distances upwards grow linearly (document 003, grid specifications).
    factors = k * (k + 1) / (k[-1] * (k[-1] + 1))
    z = bottom + factors[:, np.newaxis, np.newaxis] * (top - bottom)
    u, v, w = FLOWS[kind](p, along, left, z)
    return WindGrid.make(
        p.xmin, p.ymin, n_x, n_y, (p.xmax - p.xmin) / (n_x - 1),
        (p.ymax - p.ymin) / (n_y - 1), factors, _rounded(bottom), _rounded(top),
        (_rounded(c * u - s * v), _rounded(s * u + c * v), _rounded(w)))


def _rounded(values: Floats) -> Floats:
    """Return values as they are written; adding 0 turns -0 into 0."""
    return np.round(values, _DECIMALS) + 0.0
