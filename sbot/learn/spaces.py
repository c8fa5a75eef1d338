"""Spaces of observations and actions."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from sbot.learn.episodes import Episodes


def observation_space(shape: tuple[int, ...]) -> spaces.Box:
    """Return the space of observations of a shape."""
    return spaces.Box(-np.inf, np.inf, shape, np.float32)


def action_space(shape: tuple[int, ...]) -> spaces.Box:
    """Return the space of actions of a shape, shares of the greatest speeds."""
    return spaces.Box(-1.0, 1.0, shape, np.float32)


def spaces_of(episodes: Episodes) -> tuple[spaces.Box, spaces.Box]:
    """Return the spaces of one world: (I,) and (2,), or of N robots (N, I) and (N, 2)."""
    rows = () if episodes.robots == 1 else (episodes.robots,)
    return observation_space((*rows, episodes.columns)), action_space((*rows, 2))
