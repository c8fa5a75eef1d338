"""How well followers keep up: distances (m) from centre to centre, to a millimetre."""

from __future__ import annotations

import numpy as np

import sbot


def followers(run: sbot.Run) -> dict[str, float]:
    """Return the farthest and the mean distance of followers from robot 0."""
    away = np.linalg.norm(run.poses[:, 1:, :2] - run.poses[:, :1, :2], axis=2)
    return {'farthest_m': round(float(away.max()), 3), 'mean_m': round(float(away.mean()), 3)}
