"""Scenes in which robots must share a passage: the social mini-games, doorways, corridors.

Doorway, hallway, intersection, L-corner and blind corner are those of Chandra et al.,
Multi-Robot Navigation in Social Mini-Games, arXiv 2508.13459; sizes are ours.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from sbot.navigation.scene import Scene, Values, box, robot, scene, turned, wall_with_gaps

_JITTER = 0.2  # m


def opposite_robots(rng: np.random.Generator, a: float, b: float, y: float, count: int,
                    goal_a: float, goal_b: float) -> list[Values]:
    """Return ``count`` robots on each side, in any order, with goals on the other side."""
    robots = []
    for side, (x, to, sign) in enumerate(((a, goal_b, -1.0), (b, goal_a, 1.0))):
        for k in range(count):
            row, column = k % 2, k // 2
            at = y + (row - 0.5) * 1.2 + rng.uniform(-_JITTER, _JITTER)
            robots.append(robot(x + sign * 1.2 * column + rng.uniform(-_JITTER, _JITTER), at,
                                math.pi * side + rng.uniform(-0.3, 0.3),
                                (to - sign * 1.1 * column, y + (row - 0.5) * 1.4)))
    return [robots[i] for i in rng.permutation(len(robots))]


def doorway(rng: np.random.Generator, width: float) -> Values:
    """Return four against four through one door."""
    world = {'bounds': [0, 0, 14, 8], 'rectangles': wall_with_gaps(7.0, 0, 8, [(4.0, width)])}
    return scene(120, world, opposite_robots(rng, 4.0, 10.0, 4.0, 4, 3.5, 10.5))


def corridor(rng: np.random.Generator, width: float, length: float = 8.0) -> Values:
    """Return three against three in a corridor between two rooms."""
    low, high, end = 4.0 - width / 2, 4.0 + width / 2, 6.0 + length
    world = {'bounds': [0, 0, end + 6, 8], 'rectangles': [
        box(6.0 + length / 2, low / 2, length, low),
        box(6.0 + length / 2, (high + 8) / 2, length, 8 - high)]}
    return scene(120, world, opposite_robots(rng, 4.0, end + 2.0, 4.0, 3, 4.5, end + 1.5))


def pair_at_door(rng: np.random.Generator) -> Values:
    """Return two robots side by side before a door for one."""
    world = {'bounds': [0, 0, 10, 6], 'rectangles': wall_with_gaps(5.0, 0, 6, [(3.0, 0.9)])}
    return scene(60, world, [
        robot(2.5 + rng.uniform(-_JITTER, _JITTER), 3.0 + side + rng.uniform(-0.1, 0.1), 0.0,
              (8.0, 3.0 + side)) for side in (-0.6, 0.6)])


def hallway(rng: np.random.Generator) -> Values:
    """Return two robots head on in a hallway of 1.6 m."""
    world = {'bounds': [0, 0, 14, 1.6]}
    y = rng.uniform(0.7, 0.9, 2)
    return scene(60, world, [robot(1.5, y[0], 0.0, (12.5, 0.8)),
                             robot(12.5, y[1], math.pi, (1.5, 0.8))])


def _arms(width: float) -> Values:
    """Return a world of two corridors that cross at (7, 7)."""
    side = 7.0 - width / 2
    return {'bounds': [0, 0, 14, 14], 'rectangles': [
        box(x, y, side, side) for x in (side / 2, 14 - side / 2)
        for y in (side / 2, 14 - side / 2)]}


def intersection(rng: np.random.Generator, robots: int) -> Values:
    """Return robots that cross where two corridors of 2 m do."""
    entries = []
    for k in range(robots):
        angle = k * math.pi / 2
        way, across = 5.5 + rng.uniform(-_JITTER, _JITTER), rng.uniform(-0.3, 0.3)
        c, s = round(math.cos(angle)), round(math.sin(angle))
        entries.append(robot(7 - c * way - s * across, 7 - s * way + c * across, angle,
                             (7 + c * 5.5, 7 + s * 5.5)))
    return scene(60, _arms(2.0), entries)


def l_corner(rng: np.random.Generator) -> Values:
    """Return two robots that meet in an L of corridors of 1.6 m."""
    world = {'bounds': [0, 0, 9, 9], 'rectangles': [box(3.7, 5.3, 7.4, 7.4)]}
    a, b = rng.uniform(0.7, 0.9), rng.uniform(8.1, 8.3)
    return scene(60, world, [robot(1.0, a, 0.0, (8.2, 8.0)),
                             robot(b, 8.0, -math.pi / 2, (1.0, 0.8))])


def blind_corner(rng: np.random.Generator) -> Values:
    """Return two robots on crossing corridors of 1.4 m, which see each other late."""
    delay = rng.uniform(-0.5, 0.5)
    return scene(60, _arms(1.4), [
        robot(1.5, 7.0 + rng.uniform(-0.1, 0.1), 0.0, (12.5, 7.0)),
        robot(7.0 + rng.uniform(-0.1, 0.1), 1.5 + delay, math.pi / 2, (7.0, 12.5))])


def office(rng: np.random.Generator) -> Values:
    """Return four robots in six rooms with doors of 1.1 m at a corridor of 2.4 m."""
    walls = []
    for y in (5.0, 7.4):
        doors = [(2.5 + 5 * k + rng.uniform(-1, 1), 1.1) for k in range(3)]
        walls += [turned({'center': [y, wall['center'][1]], 'size': [0.15, wall['size'][1]]})
                  for wall in wall_with_gaps(0.0, 0.0, 15.0, doors)]
    for x in (5.0, 10.0):
        walls += wall_with_gaps(x, 0.0, 5.0, [(1.5 + rng.uniform(0, 2), 1.1)] * int(
            rng.uniform() < 0.5), 0.15)
        walls += wall_with_gaps(x, 7.4, 12.4, [], 0.15)
    middles = [(2.5 + 5 * k, y) for k in range(3) for y in (2.5, 9.9)]
    starts, goals = rng.permutation(6)[:4], rng.permutation(6)[:4]
    while (starts == goals).any():
        goals = rng.permutation(6)[:4]
    return scene(90, {'bounds': [0, 0, 15, 12.4], 'rectangles': walls}, [
        robot(middles[a][0] + rng.uniform(-0.8, 0.8), middles[a][1] + rng.uniform(-0.8, 0.8),
              rng.uniform(-3, 3), middles[b]) for a, b in zip(starts, goals, strict=True)])


def _corridors() -> dict[str, Scene]:
    return {f'{width:.1f}': Scene(f'Three against three in a corridor of {width:g} m.',
                                  partial(corridor, width=width), gap=width)
            for width in (2.0, 1.6, 1.0)}


FAMILIES: dict[str, dict[str, Scene]] = {
    'doorway': {
        'pair': Scene('Two side by side through a door of 0.9 m.', pair_at_door, gap=0.9),
        '1.2': Scene('Four against four through a door of 1.2 m.', partial(doorway, width=1.2),
                     gap=1.2),
        '0.8': Scene('Four against four through a door of 0.8 m.', partial(doorway, width=0.8),
                     gap=0.8)},
    'hallway': {'pair': Scene('Two head on in a hallway of 1.6 m.', hallway, gap=1.6)},
    'intersection': {
        'pair': Scene('Two across each other, corridors of 2 m.', partial(intersection, robots=2),
                      gap=2.0),
        'four': Scene('One from each side, corridors of 2 m.', partial(intersection, robots=4),
                      gap=2.0)},
    'corner': {
        'l': Scene('Two who meet in an L of 1.6 m.', l_corner, gap=1.6),
        'blind': Scene('Two across each other behind corners, corridors of 1.4 m.', blind_corner,
                       gap=1.4)},
    'corridor': _corridors(),
    'office': {'four': Scene('Four robots, six rooms, doors of 1.1 m.', office)},
}
