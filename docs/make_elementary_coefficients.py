"""Print the polynomials of sbot_common/elementary: minimax by Remez' exchange, in mpmath.

    python docs/make_elementary_coefficients.py [NAME ...]

Each polynomial P(z) makes the largest ``weight(z) |P(z) - f(z)|`` smallest on an interval. Its
coefficients are rounded to doubles one after another, lowest first; the others are fitted again
each time, where possible, so that they take up the rounding. The last line of each is the error
that remains, as a power of two, relative to the function that the polynomial is for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from mpmath import mp, mpf

mp.prec = 200
Real = Any  # mpf has no types
Function = Callable[[Real], Real]


class Polynomial(NamedTuple):
    """What to fit: f on [low, high], with a weight, by so many coefficients."""

    f: Function
    weight: Function
    low: Real
    high: Real
    terms: int
    refit: bool = True  # not for odd and even powers on both sides of 0: they are no Haar system


def series(first: int, coefficient: Callable[[int], Real], z: Real) -> Real:
    """Return sum of coefficient(k) z^(k - first) for k >= first, to full precision."""
    total, power, k = mpf(0), mpf(1), first
    while True:
        term = coefficient(k) * power
        total += term
        if abs(term) <= mpf(2) ** -190 * abs(total):
            return total
        power *= z
        k += 1


def _asin_coefficient(k: int) -> Real:
    return mp.binomial(2 * k, k) / (mpf(4) ** k * (2 * k + 1))


LN2_HALF = mp.log(2) / 2
ATANH_MOST = (mp.sqrt(2) - 1) ** 4  # ((m - 1) / (m + 1))^2 for m = sqrt(2)
POLYNOMIALS = {
    # sin(r) = r + r z P(z), z = r^2
    'SIN': Polynomial(lambda z: series(1, lambda k: (-1) ** k / mp.factorial(2 * k + 1), z),
                      lambda z: z, 0, (mp.pi / 4 * (1 + mpf(2) ** -20)) ** 2, 6),
    # cos(r) = 1 - z / 2 + z^2 P(z)
    'COS': Polynomial(lambda z: series(2, lambda k: (-1) ** k / mp.factorial(2 * k), z),
                      lambda z: z * z, 0, (mp.pi / 4 * (1 + mpf(2) ** -20)) ** 2, 6),
    # atan(t) = t + t z P(z), z = t^2
    'ATAN': Polynomial(lambda z: series(1, lambda k: mpf((-1) ** k) / (2 * k + 1), z),
                       lambda z: z, 0, mpf('0.17160'), 11),
    # asin(g) = g + g z P(z), z = g^2
    'ASIN': Polynomial(lambda z: series(1, _asin_coefficient, z), lambda z: z, 0, mpf('0.25'), 13),
    # exp(r) = 1 + r + r^2 / 2 + r^3 P(r)
    'EXP': Polynomial(lambda r: series(3, lambda k: 1 / mp.factorial(k), r),
                      lambda r: abs(r) ** 3, -LN2_HALF * (1 + mpf(2) ** -20),
                      LN2_HALF * (1 + mpf(2) ** -20), 10, refit=False),
    # log(1 + f) = 2 s + s z P(z), s = f / (2 + f), z = s^2
    'LOG': Polynomial(lambda z: series(1, lambda k: mpf(2) / (2 * k + 1), z),
                      lambda z: z, 0, ATANH_MOST, 7),
    # the same, log(1 + f) = 2 s (1 + z / 3 + z^2 / 5 + z^3 P(z)), for pow
    'LOG_TAIL': Polynomial(lambda z: series(3, lambda k: mpf(1) / (2 * k + 1), z),
                           lambda z: z ** 3, 0, ATANH_MOST, 7),
}


def evaluate(coefficients: list[Real], z: Real) -> Real:
    """Return c0 + c1 z + c2 z^2 + ..."""
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * z + c
    return value


def sampled(p: Polynomial) -> list[tuple[Real, Real, Real]]:
    """Return (z, f, weight) at many points, where the weight is not 0."""
    low, high = mpf(p.low), mpf(p.high)
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * i / 400)) / 2 for i in range(401)]
    return [(z, p.f(z), p.weight(z)) for z in grid if p.weight(z) > mpf(2) ** -40]


def remez(terms: int, fixed: list[Real], known: list[tuple[Real, Real, Real]]) -> list[Real]:
    """Return the best polynomial with these lowest coefficients."""
    free = terms - len(fixed)
    # The points of an alternating error, at first about those of a Chebyshev polynomial; not
    # symmetric, or an odd power alone could not be told from the error.
    chosen = [known[round((len(known) - 1) * (i + 0.55) / (free + 1))] for i in range(free + 1)]
    for _ in range(60):
        rows, right = mp.matrix(free + 1, free + 1), mp.matrix(free + 1, 1)
        for i, (z, value, weight) in enumerate(chosen):
            for j in range(free):
                rows[i, j] = z ** (len(fixed) + j)
            rows[i, free] = (-1) ** i / weight
            right[i] = value - evaluate(fixed, z)
        solution = mp.lu_solve(rows, right)
        coefficients = [*fixed, *(solution[j] for j in range(free))]
        errors = [(w * (evaluate(coefficients, z) - value), (z, value, w))
                  for z, value, w in known]
        runs: list[tuple[Real, Any]] = []  # the largest error of each run of one sign
        for error, point in errors:
            if runs and (runs[-1][0] > 0) == (error > 0):
                runs[-1] = max(runs[-1], (error, point), key=lambda run: abs(run[0]))
            else:
                runs.append((error, point))
        while len(runs) > free + 1:
            runs.pop(0 if abs(runs[0][0]) < abs(runs[-1][0]) else -1)
        new = [point for _, point in runs]
        if len(runs) < free + 1 or [q[0] for q in new] == [q[0] for q in chosen]:
            break
        chosen = new
    return coefficients


def rounded(p: Polynomial) -> tuple[list[float], Real]:
    """Return the coefficients as doubles and the largest weighted error that remains."""
    fixed: list[Real] = []
    known = sampled(p)
    for i in range(p.terms):
        if i == 0 or p.refit:
            coefficients = remez(p.terms, fixed, known)
        fixed.append(mpf(float(coefficients[i])))
    worst = max(weight * abs(evaluate(fixed, z) - value) for z, value, weight in known)
    return [float(c) for c in fixed], worst


def two_parts(name: str, value: Real, bits: int) -> None:
    """Print a constant as a double of so many bits and the double nearest to the rest."""
    unit = mpf(2) ** (mp.floor(mp.log(value, 2)) + 1 - bits)
    high = mp.floor(value / unit) * unit
    rest = value - high
    print(f'{name}_HIGH, {name}_LOW = {float(high)!r}, {float(rest)!r}')


def constants() -> None:
    """Print pi, ln 2 and others in parts, of which the first have few bits."""
    rest = mp.pi / 2
    for i in range(2):  # 39 bits: exact products with n < 2^14
        unit = mpf(2) ** (mp.floor(mp.log(rest, 2)) + 1 - 39)
        part = mp.floor(rest / unit) * unit
        print(f'HALF_PI_{i + 1} = {float(part)!r}')
        rest -= part
    print(f'HALF_PI_3 = {float(rest)!r}')
    print(f'TWO_OVER_PI = {float(2 / mp.pi)!r}')
    two_parts('HALF_PI', mp.pi / 2, 53)
    two_parts('QUARTER_PI', mp.pi / 4, 51)
    two_parts('LN2', mp.log(2), 42)
    two_parts('THIRD', mpf(1) / 3, 53)
    two_parts('FIFTH', mpf(1) / 5, 53)
    two_parts('LOG10_E', 1 / mp.log(10), 53)
    print(f'LOG2_E = {float(1 / mp.log(2))!r}')
    mp.prec = 1400
    digits = int(mp.floor(2 / mp.pi * mpf(2) ** (32 * 40)))
    print('TWO_OVER_PI_WORDS =', [f'0x{digits >> 32 * (39 - i) & 0xffffffff:08x}'
                                  for i in range(40)])


def main() -> None:
    """Print the polynomials named, or all, and the constants."""
    for name in sys.argv[1:] or POLYNOMIALS:
        coefficients, worst = rounded(POLYNOMIALS[name])
        for i, c in enumerate(coefficients):
            print(f'{name}_{i} = {c!r}')
        print(f'# error 2^{float(mp.log(worst, 2)):.1f}\n')
    constants()


if __name__ == '__main__':
    main()
