# SPDX-License-Identifier: Apache-2.0
"""Wind of a time, and turbulence with the Dryden spectrum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_common.elementary import asin, sincos
from sbot_common.random import TURBULENCE, generator
from wind_model.grid import Lattice
from wind_model.parameters import PLACE, ROBOT, STILL, TurbulenceParameters, WindParameters
from wind_model.rotors_text import read_grid

# Turbulence with the Dryden spectrum: a sum of waves with random phases.
#
# Its velocity is a sum of waves with fixed random directions, wave numbers, frequencies and phases
# (spectral representation: M. Shinozuka and G. Deodatis, Applied Mechanics Reviews 44(4), 1991;
# R. H. Kraichnan, Physics of Fluids 13(1), 1970). So it is a function of seed, place and time: it
# has no memory, and does not depend on the rate. Waves are drawn so that it has the
# correlations of Dryden's model (MIL-HDBK-1797): exp(-t/T) in time, which is that of an
# Ornstein-Uhlenbeck process, and exp(-r/L) along the line between two places.

_WAVES = 64


class Waves(NamedTuple):
    """Waves of one field (one row) or of each robot's own gusts (a row per robot); (R, _WAVES)."""

    kx: Floats  # rad/m
    ky: Floats  # rad/m
    omega: Floats  # rad/s
    phase: Floats  # rad
    ux: Floats  # m/s
    uy: Floats  # m/s

    @classmethod
    def draw(cls, parameters: TurbulenceParameters, seed: int, num_robots: int) -> Waves:
        """Return the waves of a run, drawn from its seed; no rows without turbulence."""
        # A field is drawn from robot 0's generator.
        count = {STILL: 0, PLACE: 1, ROBOT: num_robots}[parameters.turbulence]
        rows = [_row(parameters, generator(seed, robot, TURBULENCE).random)
                for robot in range(count)]
        columns = zip(*rows, strict=True) if rows else [np.zeros((0, _WAVES))] * 6
        return cls(*(np.array(column).reshape(-1, _WAVES) for column in columns))


def _row(p: TurbulenceParameters, random: Callable[[tuple[int, int]], Floats],
         ) -> tuple[Floats, ...]:
    """Draw a field of the plane, or gusts that are the same wherever the robot is.

    A field has no sources: its velocities are across its wave vectors.
    """
    draws = random((4 if p.turbulence == PLACE else 3, _WAVES))
    x, y = _directions(draws[-3])
    omega, phase = _frequencies(draws[-2], p.turbulence_time), 2 * math.pi * draws[-1]
    size = 2.0 * p.turbulence_speed / math.sqrt(_WAVES)
    if p.turbulence == ROBOT:
        return np.zeros(_WAVES), np.zeros(_WAVES), omega, phase, size * x, size * y
    k = np.array([_wave_number(u, p.turbulence_length) for u in draws[0]])
    return k * x, k * y, omega, phase, -size * y, size * x


def _wave_number(u: float, length: float) -> float:
    """Return the wave number (rad/m) of a draw u in [0, 1).

    Of a plane field without sources whose correlation along the line between two places is
    exp(-r/L), the share of waves beyond k is (3 q - q^3)/2 with q = 1/sqrt(1 + (k L)^2). This is
    its inverse.
    """
    q = 2.0 * sincos(asin(1.0 - u) / 3.0)[0]
    return math.sqrt(max(0.0, 1.0 / (q * q) - 1.0)) / length


def _frequencies(u: Floats, time: float) -> Floats:
    """Return frequencies (rad/s) of draws: Cauchy, so that the correlation is exp(-t/time)."""
    pairs = [sincos(math.pi * (each - 0.5)) for each in u.tolist()]
    return np.array([sine / (cosine * time) for sine, cosine in pairs])


def _directions(u: Floats) -> tuple[Floats, Floats]:
    pairs = np.array([sincos(2 * math.pi * each) for each in u.tolist()])
    return pairs[:, 1], pairs[:, 0]


@njit
def gusts_at(waves: Waves, xy: Floats, moved_x: float, moved_y: float, time: float) -> Floats:
    """Return the gusts (N, 2) in m/s of N robots; zero without waves.

    Parameters
    ----------
    waves : with one row, or a row per robot
    xy : (N, 2) or wider: x, y (m)
    moved_x, moved_y : m, how far the wind has carried the field since the start
    time : s

    """
    out = np.zeros((xy.shape[0], 2))
    rows = waves.kx.shape[0]
    if rows == 0:
        return out
    for i in range(xy.shape[0]):
        r = i if rows > 1 else 0
        x, y = xy[i, 0] - moved_x, xy[i, 1] - moved_y
        for n in range(waves.kx.shape[1]):
            _, cosine = sincos(waves.kx[r, n] * x + waves.ky[r, n] * y + waves.omega[r, n] * time
                               + waves.phase[r, n])
            out[i, 0] += waves.ux[r, n] * cosine
            out[i, 1] += waves.uy[r, n] * cosine
    return out


# Load the wind field that parameters name.

def load_field(parameters: WindParameters) -> Lattice | None:
    """Return the custom field, or None if ``use_custom_static_wind_field`` is false.

    Raises
    ------
    InputError
        if the file cannot be read or is malformed.

    """
    if not parameters.use_custom_static_wind_field:
        return None
    path = parameters.custom_wind_field_path
    return read_grid(path).lattice(path)


_CALM = np.zeros(3)


class Wind(NamedTuple):
    """The wind of one time, as in `/wind/velocity`, `/wind/force`, `/wind/field`, `/wind/gust`."""

    velocity: Floats  # (3,) m/s outside the grid
    force: Floats  # (3,) N on every robot
    field: Lattice | None = None
    gust: Floats = _CALM  # (3,) m/s, added to the wind inside and outside the grid

    @classmethod
    def still(cls) -> Wind:
        """Return no wind and no force."""
        return cls(np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class WindSource:
    """Where the wind of a run comes from."""

    parameters: WindParameters
    field: Lattice | None

    @cached_property
    def _winds(self) -> tuple[int, int, Wind, Wind]:
        """The gust's first nanosecond, the first one after it, and the winds with and without."""
        p = self.parameters
        calm = Wind(p.mean_velocity, p.mean_force, self.field)
        return *p.gust_window, calm._replace(
            force=calm.force + p.gust_force, gust=p.gust_velocity), calm

    def at(self, stamp_ns: int) -> Wind:
        """Return the wind of a stamp (ns)."""
        start, end, gusty, calm = self._winds
        return gusty if start <= stamp_ns < end else calm
