"""Statistics of results: interquartile means with bands of a stratified bootstrap.

As rliable has them (Agarwal, Schwarzer, Castro, Courville, Bellemare, Deep Reinforcement Learning
at the Edge of the Statistical Precipice, NeurIPS 2021, arXiv 2108.13264).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sbot.learn.task import Floats

RESAMPLES = 2000
_LOW, _HIGH = 2.5, 97.5  # percentiles of a band


class Band(NamedTuple):
    """A number and its 95 % band."""

    value: float
    low: float
    high: float


def interquartile_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of values (..., M), a quarter cut off at each end."""
    rows = np.sort(values, axis=-1)
    cut = rows.shape[-1] // 4
    mean: Floats = rows[..., cut:rows.shape[-1] - cut].mean(axis=-1)
    return mean


def band(results: Floats, seed: int = 0) -> Band:
    """Return the interquartile mean of results (R, S) of R trainings on S seeds, and its band.

    Each resample draws trainings and seeds with replacement; for each of its seeds the trainings
    are drawn anew, so that no seed's share changes: the seeds are the strata. A policy that was
    not trained has R = 1, and its band is that of the seeds.
    """
    rng = np.random.default_rng(seed)
    runs, seeds = results.shape
    columns = rng.integers(seeds, size=(RESAMPLES, 1, seeds))
    rows = rng.integers(runs, size=(RESAMPLES, runs, seeds))
    drawn = interquartile_mean(results[rows, columns].reshape(RESAMPLES, -1))
    low, high = np.percentile(drawn, [_LOW, _HIGH])
    return Band(float(interquartile_mean(results.ravel())), float(low), float(high))


def better(results: Floats, other: Floats, higher: bool) -> Floats:
    """Return the share of seeds on which each training (R, S) is better than another (1, S)."""
    wins = results > other if higher else results < other
    share: Floats = wins.mean(axis=1)
    return share
