"""Task ``corridor``: four robots, two from each end, through a corridor of 2 m."""

from __future__ import annotations

from typing import ClassVar

from sbot.learn.shipped import ReachGoal
from sbot.learn.tasks.doorway import BEAMS, TOLERANCE, Passing, through_the_gap
from sbot.learn.tasks.entry import Entry, Metric, Rule, Values
from sbot.learn.tasks.measures import NAVIGATE, mean_time, nearing, robots
from sbot.learn.tasks.reach import fan
from sbot.navigation.scene import box


class Corridor(Passing):
    """A corridor of 2 m, 5 m long, after ``corridor/2.0`` of ``sbot bench navigation``."""

    seconds = 40.0
    sides = (4.0, 13.0)
    arena: ClassVar[Values] = robots(
        {'bounds': [0, 0, 17, 8],
         'rectangles': [box(8.5, 1.5, 5.0, 3.0), box(8.5, 6.5, 5.0, 3.0)]},
        BEAMS, 4.0, TOLERANCE)


ENTRY = Entry(
    'corridor', 'Four robots, two from each end, through a corridor of 2 m.', ReachGoal, Corridor,
    Metric('time', 's', 'until a robot is at its goal, on average; 40 s for one that is not',
           'Chandra et al. 2025, arXiv 2508.13459', mean_time(TOLERANCE), higher=False),
    Rule(through_the_gap, (1.0, 1.0, 0.1, *fan(BEAMS))), NAVIGATE, nearing, (8,))
