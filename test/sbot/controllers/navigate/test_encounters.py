"""Evasion of moving obstacles by a body that follows its commands slowly; rows that meet."""

import math

import numpy as np

from sbot.controllers.navigate.damping import Place
from sbot.controllers.navigate.encounters import Around, evading
from sbot.controllers.navigate.map import make_grid
from sbot.controllers.navigate.parameters import SPACE, Inertia, Parameters, Size, resolved
from sbot.controllers.navigate.passages import Passage
from sbot.controllers.navigate.yielding import FREE, _is_taken

DT, RADIUS = 1 / 30, 0.4
SLOW = Inertia(1.0, 1.0)  # m/s^2
ENCOUNTERS = [((1.5, -2.0), (-0.75, 1.0)), ((2.0, -1.5), (-1.2, 0.9)), ((0.5, -2.5), (-0.2, 1.2)),
              ((3.0, 0.3), (-1.5, 0.0)), ((0.0, -2.2), (0.3, 1.3)), ((-2.0, 0.2), (1.6, 0.0)),
              ((1.5, 2.0), (-0.5, -1.2))]  # where a disc is (m), and its velocity (m/s)


def least_distance(disc, velocity, believed):
    """Return how near (m) a slow robot comes to a disc if it reckons with an inertia."""
    p, least, v = resolved(Parameters(), Size(0.3, 3.0, SLOW)), math.inf, 0.0
    grid, pose, disc = make_grid(-51.84, -51.84, p.cell_m), np.zeros(3), np.array(disc)
    for _ in range(120):
        cosine, sine = math.cos(pose[2]), math.sin(pose[2])
        near = np.array([[*(disc - pose[:2]), *velocity, 0.0, 0.0,
                          p.robot_radius_m + SPACE * p.margin_m + RADIUS, 1.0]])
        around = Around(grid, Place(pose[0], pose[1], cosine, sine), 0.0, 0.0, near, 0, 1, v,
                        believed)
        limits = np.array([[0.0, 0.0, math.inf]])
        wanted, omega = evading(p, around, limits, 1, 1, p.margin_m, 1.5 * max(0.0, cosine),
                                -8.0 * math.atan2(sine, cosine), (1.5, 0.0), 10.0 - pose[0],
                                -pose[1], DT)
        v += min(max(wanted - v, -SLOW.deceleration * DT), SLOW.acceleration * DT)
        pose += DT * np.array([v * cosine, v * sine, omega])
        disc += DT * np.array(velocity)
        least = min(least, math.hypot(*(disc - pose[:2])) - 0.3 - RADIUS)
    return least


def test_a_slow_body_that_knows_its_inertia_touches_nothing():
    known = np.array([least_distance(*each, SLOW) for each in ENCOUNTERS])
    assert known.min() > 0.15
    unknown = np.array([least_distance(*each, Inertia()) for each in ENCOUNTERS])
    assert (known - unknown).mean() > 0.05


def test_a_row_of_robots_has_the_rank_of_its_lowest_number():
    places = np.array([[26.1, 4.0], [16.9, 4.0], [25.2, 4.0], [18.0, 4.0]])
    headings = np.array([[-1.0, 0, 1], [1, 0, 1], [-1, 0, 1], [1, 0, 1]])
    assert [_is_taken(resolved(Parameters()), Passage(Place(*places[me], *headings[me, :2]), 8.2),
                      me, places, places, headings, FREE, 1.0, 0.0)
            for me in range(4)] == [False, True, False, True]
