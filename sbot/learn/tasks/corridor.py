"""Task ``corridor``: four robots, two from each end, pass a corridor of 2 m."""

from __future__ import annotations

from typing import ClassVar

from sbot.learn.tasks.doorway import BEAMS, TOLERANCE, Passing, passing_entry
from sbot.learn.tasks.entry import Values, robots
from sbot.navigation.scenes import box


class Corridor(Passing):
    """A corridor of 2 m, 5 m long, after ``corridor/2.0`` of ``sbot bench navigation``."""

    seconds = 40.0
    sides = (4.0, 13.0)
    arena: ClassVar[Values] = robots(
        {'bounds': [0, 0, 17, 8],
         'rectangles': [box(8.5, 1.5, 5.0, 3.0), box(8.5, 6.5, 5.0, 3.0)]},
        BEAMS, 4.0, TOLERANCE)


ENTRY = passing_entry(
    'corridor', 'Four robots, two from each end, pass a corridor of 2 m.', Corridor)
