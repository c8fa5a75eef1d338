# SPDX-License-Identifier: Apache-2.0
"""Scenes of the benchmark: of one robot, without passages, and the social mini-games.

Doorway, hallway, intersection, L-corner and blind corner are those of Chandra et al.,
Multi-Robot Navigation in Social Mini-Games, arXiv 2508.13459; sizes are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.navigation.tangents import outline_distances
from sbot_common.compiled.jit import njit
from sbot_sim.world.geometry import make_world

# Parts of benchmark scenes: walls with gaps, robots, and what one scene is.

Values = dict[str, Any]  # of a scenario file

RADIUS = 0.3  # m, of the body `robot`
DIGITS = 6  # behind the point, so that libm's last bit does not change a scene


class Scene(NamedTuple):
    """A scene of the library: one scenario for each seed."""

    text: str  # what happens there, and from where it is
    # The scenario's values by a generator of its seed.
    draw: Callable[[np.random.Generator], Values]
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
    sides = (middle + side * width / 2 for middle, width in sorted(gaps) for side in (-1, 1))
    ends = [low, *sides, high]
    return [box(x, (a + b) / 2, thick, b - a) for a, b in zip(ends[::2], ends[1::2], strict=True)]


def turned(part: Values) -> Values:
    """Return a rectangle with x and y changed over: a wall along x."""
    return {key: value[::-1] for key, value in part.items()}


@njit
def parts(free: NDArray[np.bool_], diagonal: bool) -> NDArray[np.int64]:
    """Return the number of the part of cells that hang together, for each (R, C); 0: not free.

    ``diagonal``: cells that touch at a corner hang together, too.
    """
    rows, columns = free.shape
    number = np.zeros((rows, columns), np.int64)
    for first in range(rows * columns):
        waiting = [(first // columns, first % columns)]
        while len(waiting) > 0:
            row, column = waiting.pop()
            if not (0 <= row < rows and 0 <= column < columns) or (
                    not free[row, column] or number[row, column] > 0):
                continue
            number[row, column] = first + 1
            for down in range(-1, 2):
                for right in range(-1, 2):
                    if diagonal or down * right == 0:
                        waiting.append((row + down, column + right))
    return number


# Scenes of one robot, or a leader with followers: arenas of docs/results.md, clutter, slits.

_BOUNDS = [0, 0, 40, 24]
_WIND = {'wind_direction': [0, 1, 0], 'wind_speed_mean': 0.3}
_GUST = {**_WIND, 'wind_gust_direction': [0, -1, 0], 'wind_gust_start': 4.0,
         'wind_gust_duration': 6.0, 'wind_gust_force_mean': 60.0}
_MAZE = (  # x0, y0, x1, y1 (m): nine rooms of 10 m by 7 m with doors of 2 m
    (10, 0, 10, 2), (10, 4, 10, 10), (10, 12, 10, 21), (20, 0, 20, 16), (20, 18, 20, 21),
    (0, 7, 4, 7), (6, 7, 17, 7), (19, 7, 30, 7), (0, 14, 13, 14), (15, 14, 22, 14),
    (24, 14, 30, 14))
_ARENAS: dict[str, tuple[str, float, Values]] = {
    'open': ('nothing in the way', 60.0, {}),
    'around': ('a pillar of 4 m and a turned block on the straight line', 60.0, {
        'circles': [{'center': [15.0, 12.6], 'radius': 2.0}],
        'rectangles': [{**box(24.0, 11.0, 2.0, 2.0), 'yaw': 0.6}]}),
    'gap': ('a wall from side to side with a gap of 3 m', 60.0, {
        'rectangles': wall_with_gaps(19.0, 0.0, 24.0, [(12.0, 3.0)], 1.0)}),
    'wall': ('a flat wall of 7 m right across', 60.0, {
        'rectangles': [box(19.0, 11.0, 1.0, 7.0)]}),
    'trap': ('a U of 8 m by 9 m, open towards the robots', 90.0, {
        'rectangles': [box(23.0, 12.0, 1.0, 9.0), box(19.0, 16.0, 8.0, 1.0),
                       box(19.0, 8.0, 8.0, 1.0)]}),
    'maze': ('nine rooms with doors of 2 m', 120.0, {
        'bounds': [0.1, 0.1, 29.9, 20.9],
        'rectangles': [box((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0 + 0.2, y1 - y0 + 0.2)
                       for x0, y0, x1, y1 in _MAZE]}),
}


def _arena(_: np.random.Generator, name: str, wind: Values) -> Values:
    """Return a leader and three followers, placed by the seed, in an arena."""
    duration, world = _ARENAS[name][1:]
    if name == 'maze':
        leader, others, goal = [3.5, 3, 6, 6], [1, 1.5, 3, 6.5], [26.0, 17.0]
    else:
        leader, others, goal = [5, 10, 8, 14], [1.5, 8, 4.5, 16], [32.0, 12.0]
    robots = [{'count': 1, 'area': leader, 'yaw': 0.0, 'goal': goal, 'goal_tolerance': 1.25},
              {'count': 3, 'area': others, 'yaw': 0.0}]
    more: dict[str, Any] = {'wind': wind} if wind else {}
    return scene(duration, {'bounds': _BOUNDS, **world}, robots, **more)


def _slit(rng: np.random.Generator, beside: float) -> Values:
    """Return one robot, a slit narrower than it right ahead, and a door ``beside`` it (m)."""
    width, y = rng.uniform(0.4, 0.58), 6.0 + rng.uniform(-0.3, 0.3)
    world = {'bounds': [0, 0, 24, beside + 12], 'rectangles': wall_with_gaps(
        12.0, 0.0, beside + 12, [(6.0, width), (6.0 + beside, 1.6)], rng.uniform(0.05, 0.3))}
    return scene(60 + 4 * beside, world, [
        robot(6 + rng.uniform(-1, 1), y, rng.uniform(-1, 1), (18, 6))])


def _narrow_gap(rng: np.random.Generator) -> Values:
    """Return one robot of 0.60 m whose only way is a gap of 0.70 m."""
    world = {'bounds': [0, 0, 20, 12], 'rectangles': wall_with_gaps(
        10.0, 0.0, 12.0, [(rng.uniform(3, 9), 0.7)])}
    return scene(60, world, [robot(4 + rng.uniform(-1, 1), rng.uniform(3, 9), rng.uniform(-1, 1),
                                   (16, 6))])


def _discs(rng: np.random.Generator, share: float) -> list[list[float]]:
    """Return discs x, y, radius (m) that cover a share of 14 m by 10 m and leave a way."""
    body = RADIUS + 0.06
    cell = body / 3.0
    xs, ys = np.meshgrid(np.arange(cell / 2, 20, cell), np.arange(cell / 2, 10, cell))
    while True:
        discs, covered = [], 0.0
        while covered < share * 140.0:
            radius = rng.uniform(0.2, 0.6)
            discs.append([round(each, 6) for each in (rng.uniform(3, 17), rng.uniform(0, 10),
                                                      radius)])
            covered += math.pi * radius * radius
        world = make_world((0, 0, 20, 10), circles=discs)
        free = outline_distances(world, np.column_stack([xs.ravel(), ys.ravel()])) >= body
        part = parts(free.reshape(xs.shape), True)
        if part[int(5.0 / cell), int(1.5 / cell)] == part[int(5.0 / cell), int(18.5 / cell)]:
            return discs


def clutter(rng: np.random.Generator, share: float, robots: int = 1, **sensors: Any) -> Values:  # noqa: ANN401
    """Return robots through discs that cover a share of the floor."""
    world = {'bounds': [0, 0, 20, 10], 'circles': [
        {'center': [x, y], 'radius': radius} for x, y, radius in _discs(rng, share)]}
    ys = [5 + 1.2 * (i - (robots - 1) / 2) for i in range(robots)]
    return scene(90, world, [robot(1.5, y, 0.0, (18.5, y)) for y in ys], sensors=sensors)


ALONE: dict[str, dict[str, Scene]] = {
    'arena': {
        name + suffix: Scene(f'A leader and three followers: {text}{words}.',
                             partial(_arena, name=name, wind=wind))
        for name, (text, _, _) in _ARENAS.items()
        for suffix, words, wind in (('', '', {}), ('-wind', ', 0.3 m/s across', _WIND),
                                    ('-gust', ', 0.3 m/s across and a gust', _GUST))},
    'slit': {f'{beside}': Scene(f'A slit too narrow, a door {beside} m beside it.',
                                partial(_slit, beside=float(beside))) for beside in (10, 36)},
    'narrow': {'0.7': Scene('A gap of 0.7 m for a body of 0.6 m.', _narrow_gap)},
    'clutter': {
        **{f'{percent}': Scene(f'Discs on {percent} % of the floor.',
                               partial(clutter, share=percent / 100))
           for percent in (10, 15, 20, 25)},
        '10-four': Scene('Four robots, discs on 10 % of the floor.',
                         partial(clutter, share=0.1, robots=4))},
    'sensing': {
        'narrow': Scene('`clutter/20` with a laser of 90 degrees.', partial(
            clutter, share=0.2, scan_angle_min=-math.pi / 4, scan_angle_max=math.pi / 4,
            scan_beams=90)),
        'noisy': Scene('`clutter/10` with a noise of 10 cm.', partial(
            clutter, share=0.1, scan_noise_std=0.1))},
}


# Scenes without narrow passages: circles, RVO2's blocks, streams that cross, moving obstacles.
#
# Circles and blocks are the examples of RVO2 (van den Berg, Guy, Lin, Manocha, ISRR 2009)
# with fewer robots: everybody goes to the opposite place.

def _circle(rng: np.random.Generator, count: int, radius: float, body: str = 'robot') -> Values:
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


def _blocks(rng: np.random.Generator) -> Values:
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


def _streams(rng: np.random.Generator, rows: int, columns: int) -> Values:
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


def _moving(rng: np.random.Generator) -> Values:
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


OPEN_SPACE: dict[str, dict[str, Scene]] = {
    'circle': {
        '8': Scene('Eight on a circle of 4 m change places.',
                   partial(_circle, count=8, radius=4.0)),
        '20': Scene('Twenty on a circle of 8 m change places.',
                    partial(_circle, count=20, radius=8.0))},
    'rvo2': {'blocks': Scene('Four groups of four cross between four blocks.', _blocks)},
    'streams': {
        '12': Scene('Six to the east, six to the north.', partial(_streams, rows=3, columns=2)),
        '30': Scene('Fifteen to the east, fifteen to the north.',
                    partial(_streams, rows=5, columns=3))},
    'e-puck': {
        'pair': Scene('Two e-pucks head on.', partial(_circle, count=2, radius=0.35,
                                                      body='e-puck2')),
        '8': Scene('Eight e-pucks on a circle: `circle/8` at their size.',
                   partial(_circle, count=8, radius=0.467, body='e-puck2'))},
    'moving': {'six': Scene('One robot among six discs that move.', _moving)},
}


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


def _doorway(rng: np.random.Generator, width: float) -> Values:
    """Return four against four through one door."""
    world = {'bounds': [0, 0, 14, 8], 'rectangles': wall_with_gaps(7.0, 0, 8, [(4.0, width)])}
    return scene(120, world, opposite_robots(rng, 4.0, 10.0, 4.0, 4, 3.5, 10.5))


def _corridor(rng: np.random.Generator, width: float, length: float = 8.0) -> Values:
    """Return three against three in a corridor between two rooms."""
    low, high, end = 4.0 - width / 2, 4.0 + width / 2, 6.0 + length
    world = {'bounds': [0, 0, end + 6, 8], 'rectangles': [
        box(6.0 + length / 2, low / 2, length, low),
        box(6.0 + length / 2, (high + 8) / 2, length, 8 - high)]}
    return scene(120, world, opposite_robots(rng, 4.0, end + 2.0, 4.0, 3, 4.5, end + 1.5))


def _pair_at_door(rng: np.random.Generator) -> Values:
    """Return two robots side by side before a door for one."""
    world = {'bounds': [0, 0, 10, 6], 'rectangles': wall_with_gaps(5.0, 0, 6, [(3.0, 0.9)])}
    return scene(60, world, [
        robot(2.5 + rng.uniform(-_JITTER, _JITTER), 3.0 + side + rng.uniform(-0.1, 0.1), 0.0,
              (8.0, 3.0 + side)) for side in (-0.6, 0.6)])


def _hallway(rng: np.random.Generator) -> Values:
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


def _intersection(rng: np.random.Generator, robots: int) -> Values:
    """Return robots that cross where two corridors of 2 m do."""
    entries = []
    for k in range(robots):
        angle = k * math.pi / 2
        way, across = 5.5 + rng.uniform(-_JITTER, _JITTER), rng.uniform(-0.3, 0.3)
        c, s = round(math.cos(angle)), round(math.sin(angle))
        entries.append(robot(7 - c * way - s * across, 7 - s * way + c * across, angle,
                             (7 + c * 5.5, 7 + s * 5.5)))
    return scene(60, _arms(2.0), entries)


def _l_corner(rng: np.random.Generator) -> Values:
    """Return two robots that meet in an L of corridors of 1.6 m."""
    world = {'bounds': [0, 0, 9, 9], 'rectangles': [box(3.7, 5.3, 7.4, 7.4)]}
    a, b = rng.uniform(0.7, 0.9), rng.uniform(8.1, 8.3)
    return scene(60, world, [robot(1.0, a, 0.0, (8.2, 8.0)),
                             robot(b, 8.0, -math.pi / 2, (1.0, 0.8))])


def _blind_corner(rng: np.random.Generator) -> Values:
    """Return two robots on crossing corridors of 1.4 m, which see each other late."""
    delay = rng.uniform(-0.5, 0.5)
    return scene(60, _arms(1.4), [
        robot(1.5, 7.0 + rng.uniform(-0.1, 0.1), 0.0, (12.5, 7.0)),
        robot(7.0 + rng.uniform(-0.1, 0.1), 1.5 + delay, math.pi / 2, (7.0, 12.5))])


def _office(rng: np.random.Generator) -> Values:
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


MINI_GAMES: dict[str, dict[str, Scene]] = {
    'doorway': {
        'pair': Scene('Two side by side through a door of 0.9 m.', _pair_at_door, gap=0.9),
        '1.2': Scene('Four against four through a door of 1.2 m.', partial(_doorway, width=1.2),
                     gap=1.2),
        '0.8': Scene('Four against four through a door of 0.8 m.', partial(_doorway, width=0.8),
                     gap=0.8)},
    'hallway': {'pair': Scene('Two head on in a hallway of 1.6 m.', _hallway, gap=1.6)},
    'intersection': {
        'pair': Scene('Two across each other, corridors of 2 m.', partial(_intersection, robots=2),
                      gap=2.0),
        'four': Scene('One from each side, corridors of 2 m.', partial(_intersection, robots=4),
                      gap=2.0)},
    'corner': {
        'l': Scene('Two who meet in an L of 1.6 m.', _l_corner, gap=1.6),
        'blind': Scene('Two across each other behind corners, corridors of 1.4 m.', _blind_corner,
                       gap=1.4)},
    'corridor': {
        f'{width:.1f}': Scene(f'Three against three in a corridor of {width:g} m.',
                              partial(_corridor, width=width), gap=width)
        for width in (2.0, 1.6, 1.0)},
    'office': {'four': Scene('Four robots, six rooms, doors of 1.1 m.', _office)},
}
