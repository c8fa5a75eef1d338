"""Spaces of observations and actions."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from sbot.learn.actions import Actions
from sbot.learn.episodes import Episodes


def observation_space(shape: tuple[int, ...]) -> spaces.Box:
    """Return the space of observations of a shape."""
    return spaces.Box(-np.inf, np.inf, shape, np.float32)


def action_space(actions: Actions, robots: tuple[int, ...] = ()) -> spaces.Space[Any]:
    """Return the space of the actions of robots (N,), or of one robot ().

    Shares of the greatest speeds, and what is broadcast; or numbers of moves.
    """
    if not actions.discrete:
        return spaces.Box(-1.0, 1.0, (*robots, actions.columns), np.float32)
    moves = len(actions.moves)
    return spaces.MultiDiscrete([moves] * robots[0]) if robots else spaces.Discrete(moves)


def spaces_of(episodes: Episodes) -> tuple[spaces.Box, spaces.Space[Any]]:
    """Return the spaces of one world: (I,) and (2,), or of N robots (N, I) and (N, 2)."""
    rows = () if episodes.robots == 1 else (episodes.robots,)
    return (observation_space((*rows, episodes.columns)), action_space(episodes.actions, rows))
