"""Noise of the laser, estimated from its beams, and distances that allow for it.

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

import numpy as np
from numpy.typing import NDArray

from navigate.parameters import (
    DENSE,
    ENOUGH,
    LARGE_NOISE,
    NOISE_STEP,
    SAME_SURFACE,
    SURFACE,
    Parameters,
)
from sbot_common.compiled.jit import njit, njit_inner

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
            if difference < math.inf:
                count += 1
                if difference < least:
                    below += 1
    step = NOISE_STEP * p.robot_radius_m * (count - 2 * below) / max(ENOUGH, count)
    return max(0.0, noise + step)


@njit_inner
def is_noisy(p: Parameters, noise: float) -> bool:
    """Tell whether a noise (m) is larger than what the margin holds."""
    return noise > LARGE_NOISE * p.robot_radius_m


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
