"""Scenes without narrow passages: circles, RVO2's blocks, streams that cross, moving obstacles.

``circle`` and ``blocks`` are the examples of RVO2 (van den Berg, Guy, Lin, Manocha, ISRR 2009)
with fewer robots: everybody goes to the opposite place.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from sbot.navigation.scene import RADIUS, Scene, Values, box, robot, scene


def circle(rng: np.random.Generator, count: int, radius: float, body: str = 'robot') -> Values:
    """Return robots on a circle (m) that change places with the opposite one; two: head on."""
    size, robots = {'robot': RADIUS, 'e-puck2': 0.035}[body], []
    for k in range(count):
        angle = 2 * math.pi * k / count
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        dx, dy = rng.uniform(-0.1, 0.1, 2) * size
        robots.append(robot(x + dx, y + dy, math.remainder(angle + math.pi, 2 * math.pi),
                            (-x, -y), body=body, goal_tolerance=size))
    half = 2 * radius
    scale = size / RADIUS
    return scene(90, {'bounds': [-half, -half, half, half]}, robots, sensors={
        'scan_range_max': 8.0 * scale, 'scan_noise_std': 0.01 * scale})


def blocks(rng: np.random.Generator) -> Values:
    """Return four groups of four that cross between four blocks."""
    robots = []
    for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        for i in range(2):
            for j in range(2):
                x, y = 7.5 + 1.2 * i, 7.5 + 1.2 * j
                dx, dy = rng.uniform(-0.1, 0.1, 2)
                robots.append(robot(sx * x + dx, sy * y + dy, math.atan2(-sy, -sx),
                                    (-sx * x, -sy * y)))
    return scene(90, {'bounds': [-11, -11, 11, 11], 'rectangles': [
        box(sx * 3.5, sy * 3.5, 4.0, 4.0) for sx in (-1, 1) for sy in (-1, 1)]}, robots)


def streams(rng: np.random.Generator, rows: int, columns: int) -> Values:
    """Return two crossing streams, one to the east and one to the north."""
    robots = []
    for i in range(rows):
        for j in range(columns):
            along, across = 1.6 * i, 1.6 * (j - (columns - 1) / 2)
            for north in (False, True):
                dx, dy = rng.uniform(-0.4, 0.4, 2)
                x, y = 12 - 8 - along + dx, 12 + across + dy
                goal = 12 + 8 + 1.6 * (rows - 1) - along, 12 + across
                robots.append(robot(y, x, math.pi / 2, goal[::-1]) if north
                              else robot(x, y, 0.0, goal))
    edge = 1.6 * rows
    return scene(90, {'bounds': [-edge, -edge, 24 + edge, 24 + edge]}, robots)


def moving(rng: np.random.Generator) -> Values:
    """Return one robot among six discs that go to and fro across its way."""
    discs = []
    for k in range(6):
        x = 4.0 + 2.2 * k + rng.uniform(-0.5, 0.5)
        low, high = rng.uniform(1, 3.5), rng.uniform(6.5, 9)
        ends = [[x, low], [x + rng.uniform(-1, 1), high]]
        discs.append({'radius': rng.uniform(0.25, 0.5),
                      'path': ends[::-1] if rng.uniform() < 0.5 else ends,
                      'speed': rng.uniform(0.3, 1.0)})
    return scene(90, {'bounds': [0, 0, 20, 10], 'moving': discs},
                 [robot(1.5, 5 + rng.uniform(-1, 1), 0.0, (18.5, 5))])


FAMILIES: dict[str, dict[str, Scene]] = {
    'circle': {
        '8': Scene('Eight on a circle of 4 m change places.',
                   partial(circle, count=8, radius=4.0)),
        '20': Scene('Twenty on a circle of 8 m change places.',
                    partial(circle, count=20, radius=8.0))},
    'rvo2': {'blocks': Scene('Four groups of four cross between four blocks.', blocks)},
    'streams': {
        '12': Scene('Six to the east, six to the north.', partial(streams, rows=3, columns=2)),
        '30': Scene('Fifteen to the east, fifteen to the north.',
                    partial(streams, rows=5, columns=3))},
    'e-puck': {
        'pair': Scene('Two e-pucks head on.', partial(circle, count=2, radius=0.35,
                                                      body='e-puck2')),
        '8': Scene('Eight e-pucks on a circle: `circle/8` at their size.',
                   partial(circle, count=8, radius=0.467, body='e-puck2'))},
    'moving': {'six': Scene('One robot among six discs that move.', moving)},
}
