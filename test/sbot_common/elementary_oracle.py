"""The elementary functions beside mpmath's: errors in units of the last place, and inputs."""

import math
from collections.abc import Callable
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mp, mpf

from sbot_common import elementary

PRECISION = 200
Rng = np.random.Generator


class Range(NamedTuple):
    """Arguments of a function."""

    function: str
    where: str
    inputs: Callable[[Rng, int], tuple[np.ndarray, ...]]
    bound: float = 0.65  # units in the last place
    precision: int = PRECISION


class Accuracy(NamedTuple):
    """What was measured."""

    worst: float  # units in the last place
    at: tuple[float, ...]
    equal: float  # share of correctly rounded results


def error_in_ulps(got: float, want: mpf) -> float:
    """The distance in units of the last place of the double nearest to what is right."""
    if mpmath.isinf(want) or abs(want) >= mpf(2) ** 1024:
        return 0.0 if got == want or (math.isinf(got) and (got > 0) == (want > 0)) else math.inf
    return float(abs(mpf(got) - want) / mpf(math.ulp(float(want)))) if math.isfinite(got) else (
        0.5 if float(want) == got else math.inf)


def measured(case: Range, count: int, seed: int = 1) -> Accuracy:
    """Compare with mpmath for ``count`` inputs."""
    function = getattr(elementary, case.function)
    oracle = getattr(mp, {'pow': 'power'}.get(case.function, case.function))
    worst, at, equal = 0.0, (), 0
    with mp.workprec(case.precision):
        columns = case.inputs(np.random.default_rng(seed), count)
        for values in zip(*(column.tolist() for column in columns), strict=True):
            want = oracle(*map(mpf, values))
            got = function(*values)
            error = error_in_ulps(got, want)
            equal += got == float(want)
            if error > worst:
                worst, at = error, values
    return Accuracy(worst, at, equal / len(columns[0]))


def between(low: float, high: float) -> Callable[[Rng, int], tuple[np.ndarray]]:
    return lambda rng, n: (rng.uniform(low, high, n),)


def pairs(*limits: float) -> Callable[[Rng, int], tuple[np.ndarray, np.ndarray]]:
    return lambda rng, n: (rng.uniform(*limits[:2], n), rng.uniform(*limits[2:], n))


def finite(rng: Rng, n: int) -> np.ndarray:
    """Any finite bits of both signs: exponents of equal share."""
    sign = rng.integers(0, 2, n, np.uint64) << np.uint64(63)
    return (rng.integers(0, 0x7ff0 << 48, n, np.uint64) | sign).view(np.float64)


def subnormal(rng: Rng, n: int) -> np.ndarray:
    return (rng.integers(1, 1 << 52, n) >> rng.integers(0, 52, n)).view(np.float64)


def near_multiples(rng: Rng, n: int) -> tuple[np.ndarray]:
    """The doubles next to k pi/2: small k, then some of all sizes; those nearest of all, too."""
    exponent = rng.uniform(0, 1020, n - n // 2)
    with mp.workprec(2200):
        small = [float(mp.pi / 2 * k) for k in range(1, n // 2 + 1)]
        large = [float(mp.pi / 2 * mp.floor(mpf(2) ** e)) for e in exponent.tolist()]
    worst = [6381956970095103.0 * 2.0 ** 797, 5319372648326541.0 * 2.0 ** 255,
             22.0, 355.0, 103993.0, 1e22, 25735.0, math.nextafter(25735.0, 9e9)]
    return (np.array([*small, *large, *worst]),)


def near_one(rng: Rng, n: int) -> tuple[np.ndarray]:
    return (rng.choice([-1.0, 1.0], n) * (1.0 - np.ldexp(rng.uniform(0.5, 1, n),
                                                        -rng.integers(0, 53, n))),)


def close_powers(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers near 1 to powers so large that the result is anything."""
    size = np.ldexp(rng.uniform(0.5, 1, n), -rng.integers(1, 53, n))
    x = 1.0 + rng.choice([-1.0, 0.5], n) * size
    with np.errstate(divide='ignore', invalid='ignore'):
        y = rng.uniform(-740, 709, n) / np.log(x)
    keep = np.isfinite(y)
    return x[keep], y[keep]


RANGES = [
    *(Range(name, where, inputs, precision=precision) for name in ('sin', 'cos')
      for where, inputs, precision in (
          ('-pi/4 to pi/4', between(-0.7854, 0.7854), PRECISION),
          ('-100 to 100', between(-100.0, 100.0), PRECISION),
          ('-25,735 to 25,735', between(-25735.0, 25735.0), PRECISION),
          ('next to multiples of pi/2', near_multiples, 1400),
          ('subnormal', lambda rng, n: (subnormal(rng, n),), 2300),
          ('all doubles', lambda rng, n: (finite(rng, n),), 2300))),
    Range('atan', '-3 to 3', between(-3.0, 3.0)),
    Range('atan', 'all doubles', lambda rng, n: (finite(rng, n),), precision=2300),
    Range('atan2', 'of -1 to 1', pairs(-1.0, 1.0, -1.0, 1.0)),
    Range('atan2', 'all doubles', lambda rng, n: (finite(rng, n), finite(rng, n))),
    Range('atan2', 'subnormal', lambda rng, n: (subnormal(rng, n), subnormal(rng, n))),
    Range('asin', '-1 to 1', between(-1.0, 1.0)),
    Range('asin', 'next to -1 and 1', near_one),
    Range('asin', 'subnormal', lambda rng, n: (subnormal(rng, n),), precision=2300),
    Range('acos', '-1 to 1', between(-1.0, 1.0)),
    Range('acos', 'next to -1 and 1', near_one),
    Range('exp', '-1 to 1', between(-1.0, 1.0)),
    Range('exp', '-708 to 710', between(-708.0, 709.8)),
    Range('exp', 'subnormal result', between(-745.2, -708.4), 0.8),
    Range('log', '0 to 2', between(0.0, 2.0)),
    Range('log', '0.7 to 1.5', between(0.7, 1.5)),
    Range('log', 'all positive doubles', lambda rng, n: (np.abs(finite(rng, n)),)),
    Range('log', 'subnormal', lambda rng, n: (subnormal(rng, n),)),
    Range('log10', '0 to 2', between(0.0, 2.0)),
    Range('log10', 'all positive doubles', lambda rng, n: (np.abs(finite(rng, n)),)),
    Range('pow', '0 to 3, to -5 to 5', pairs(0.0, 3.0, -5.0, 5.0)),
    Range('pow', 'next to 1, to large powers', close_powers),
    Range('pow', 'subnormal result', pairs(0.0009, 0.001, 103.0, 108.0), 0.8),
    Range('pow', 'all positive doubles, to -1 to 1',
          lambda rng, n: (np.abs(finite(rng, n)), rng.uniform(-1, 1, n))),
    Range('hypot', 'of -1 to 1', pairs(-1.0, 1.0, -1.0, 1.0)),
    Range('hypot', 'all doubles', lambda rng, n: (finite(rng, n), finite(rng, n))),
    Range('hypot', 'subnormal', lambda rng, n: (subnormal(rng, n), subnormal(rng, n)), 0.8)]
