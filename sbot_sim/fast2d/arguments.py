"""Arguments of Fast2D's functions, checked: finite numbers, places, rays and their weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from numbers import Real

import numpy as np

from sbot_common.errors import bad_value
from sbot_sim.fast2d.shapes import FARTHEST

PREFIX = 'webots_fast2d_'  # of the functions' names
MOST_RAYS = 10_000  # of a sensor
_WEIGHTS_SUM = 1e-9  # how far from 1


def number(name: str, what: str, value: float) -> float:
    """Return a finite number."""
    try:
        single = isinstance(value, Real) or (
            not isinstance(value, str | bytes) and np.shape(value) == ())
        found = float(value) if single else math.nan
    except Exception:  # an int beyond doubles, or whatever a user's class raises
        found = math.nan
    if not math.isfinite(found):
        raise bad_value(f'{PREFIX}{name}: {what}', value, 'a finite number')
    return found


def coordinate(name: str, what: str, value: float) -> float:
    """Return a number of metres that doubles resolve well enough."""
    metres = number(name, what, value)
    if not abs(metres) <= FARTHEST:
        raise bad_value(f'{PREFIX}{name}: {what}', value, f'a number up to {FARTHEST:g} (m)')
    return metres


def ray_count(name: str, num_rays: int) -> int:
    """Return a sensor's number of rays, checked: before any list of so many numbers is read."""
    if isinstance(num_rays, bool) or not isinstance(num_rays, int | np.integer) or (
            not 1 <= num_rays <= MOST_RAYS):
        raise bad_value(f'{PREFIX}{name}: num_rays', num_rays,
                        f'a whole number from 1 to {MOST_RAYS}')
    return int(num_rays)


def checked_weights(name: str, num_rays: int, ray_weights: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of the rays, checked."""
    count = ray_count(name, num_rays)
    try:
        given = list(islice(ray_weights, count + 1))
    except TypeError:
        raise bad_value(f'{PREFIX}{name}: ray_weights', ray_weights,
                        f'{count} numbers, one per ray') from None
    weights = tuple(number(name, 'ray_weights', weight) for weight in given)
    if len(weights) != count:
        raise bad_value(f'{PREFIX}{name}: ray_weights', weights, f'{count} numbers, one per ray')
    if min(weights) < 0.0 or abs(math.fsum(weights) - 1.0) > _WEIGHTS_SUM:
        raise bad_value(f'{PREFIX}{name}: ray_weights', weights, 'numbers >= 0 with the sum 1')
    return weights
