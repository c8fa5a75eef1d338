"""Contacts of robots with obstacles, walls and each other: a cross where one begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from sbot.figures.arena.colours import MOST_NAMED
from sbot.figures.data import RunData
from sbot.figures.palette import palette

_APART = 1.0  # s without a touch, after which a touch is a new contact

Rows = NDArray[np.intp]


def contact_begins(data: RunData) -> tuple[Rows, Rows]:
    """Return at which stamps contacts begin, and of which robots; both (K,).

    There are none of more than eight robots, or where contacts are not known, as of a recording.
    """
    if data.contacts is None or len(data.radius) > MOST_NAMED:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    rows, robots = [], []
    for robot, touches in enumerate(data.contacts.T):
        touching = np.flatnonzero(touches)
        begins = touching[np.diff(data.seconds[touching], prepend=-np.inf) > _APART]
        rows.append(begins)
        robots.append(np.full(len(begins), robot, np.intp))
    return np.concatenate(rows), np.concatenate(robots)


def contact_style() -> dict[str, Any]:
    """Return the style of a cross."""
    return {'marker': 'x', 'markersize': 6.0, 'markeredgewidth': 1.4, 'color': palette().ink}


def draw_contacts(axes: Axes, data: RunData) -> None:
    """Draw a cross at each place where a contact begins, on the track of its robot."""
    rows, robots = contact_begins(data)
    if len(rows):
        axes.plot(*data.poses[rows, robots, :2].T, linestyle='none', **contact_style(),
                  zorder=6.0, gid='contacts')
