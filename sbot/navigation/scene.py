"""Parts of benchmark scenes: walls with gaps, robots, and what one scene is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Values = dict[str, Any]  # of a scenario file
Draw = Callable[[np.random.Generator], Values]

RADIUS = 0.3  # m, of the body `robot`
DIGITS = 6  # behind the point, so that libm's last bit does not change a scene


class Scene(NamedTuple):
    """A scene of the library: one scenario for each seed."""

    text: str  # what happens there, and from where it is
    draw: Draw  # the scenario's values by a generator of its seed
    gap: float | None = None  # m, width of the passage, for the flow rate
    seed_matters: bool = True


def scene(duration: float, world: Values, robots: list[Values], **more: Any) -> Values:  # noqa: ANN401
    """Return the values of a scenario that ends when all have arrived."""
    return {'duration': duration, 'until': 'goal_reached', 'world': world, 'robots': robots,
            'sensors': {'scan_noise_std': 0.01, **more.pop('sensors', {})}, **more}


def robot(x: float, y: float, yaw: float, goal: tuple[float, float], **more: Any) -> Values:  # noqa: ANN401
    """Return an entry of a robot with a goal."""
    return {'pose': [x, y, yaw], 'goal': [*goal], 'goal_tolerance': 0.5, **more}


def box(x: float, y: float, width: float, height: float) -> Values:
    """Return a rectangle by its centre and size (m)."""
    return {'center': [x, y], 'size': [width, height]}


def wall_with_gaps(x: float, low: float, high: float, gaps: list[tuple[float, float]],
                   thick: float = 0.2) -> list[Values]:
    """Return a wall along y, from ``low`` to ``high``, with gaps (middle, width) (m)."""
    parts, at = [], low
    for middle, width in sorted(gaps):
        parts.append((at, middle - width / 2))
        at = middle + width / 2
    parts.append((at, high))
    return [box(x, (a + b) / 2, thick, b - a) for a, b in parts]


def turned(part: Values) -> Values:
    """Return a rectangle with x and y changed over: a wall along x."""
    return {key: value[::-1] for key, value in part.items()}


def rounded(value: Any) -> Any:  # noqa: ANN401 - values of a scenario
    """Return values with Python's numbers, rounded to ``DIGITS``."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value
