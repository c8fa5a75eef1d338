"""Share of runs in which something happened, with Wilson's confidence interval."""

from __future__ import annotations

import math
from collections.abc import Iterable

_Z = 1.959963984540054  # 0.975 quantile of the normal distribution: 95 %


def is_share(values: Iterable[object]) -> bool:
    """Tell whether a column has a yes or no for each run: only 0 and 1; None is missing."""
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and value in (0, 1)
                               for value in known)


def wilson_interval(count: float, runs: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share of runs.

    Parameters
    ----------
    count : runs in which it happened
    runs : all runs, at least one

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
       Journal of the American Statistical Association 22 (1927), pp. 209-212.

    """
    share, weight = count / runs, _Z * _Z / runs
    middle = (share + weight / 2.0) / (1.0 + weight)
    half = _Z * math.sqrt(share * (1.0 - share) / runs + weight / (4.0 * runs)) / (1.0 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)
