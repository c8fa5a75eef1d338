"""Arenas in which robots must find a way or pass each other: scenarios by family and seed.

``scenario(family, seed)`` returns the values of a scenario file. ``python benchmark/passing.py``
runs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sbot.navigation.scene import wall_with_gaps

Values = dict[str, Any]

RADIUS = 0.3  # m, of the body `robot`
_MAZE = Path(__file__).with_name('comparison') / 'maps' / 'maze.yaml'
_EPUCK = {'robot_radius_m': 0.035, 'forward_speed_mps': 0.1, 'cruise_speed_mps': 0.075}


def _scene(duration: float, world: Values, robots: list[Values], **more: Any) -> Values:  # noqa: ANN401
    return {'duration': duration, 'until': 'goal_reached', 'world': world, 'robots': robots,
            'sensors': {'scan_noise_std': 0.01}, **more}


def _robot(x: float, y: float, yaw: float, goal: tuple[float, float], **more: Any) -> Values:  # noqa: ANN401
    return {'pose': [float(x), float(y), float(yaw)], 'goal': [float(goal[0]), float(goal[1])],
            'controller': 'navigate', 'goal_tolerance': 0.5, **more}


def slit(seed: int, beside: float) -> Values:
    """One robot; a slit narrower than it right ahead, a door ``beside`` (m) to the left."""
    rng = np.random.default_rng(seed)
    width = rng.uniform(0.4, 0.58)
    y = 6.0 + rng.uniform(-0.3, 0.3)
    world = {'bounds': [0, 0, 24, beside + 12], 'rectangles': wall_with_gaps(
        12.0, 0.0, beside + 12, [(6.0, width), (6.0 + beside, 1.6)],
        thick=rng.uniform(0.05, 0.3))}
    return _scene(60 + 4 * beside, world, [_robot(6 + rng.uniform(-1, 1), y, rng.uniform(-1, 1),
                                                  (18, 6))])


def narrow_gap(seed: int) -> Values:
    """One robot of 0.60 m; the only way is a gap of 0.70 m."""
    rng = np.random.default_rng(seed)
    world = {'bounds': [0, 0, 20, 12], 'rectangles': wall_with_gaps(
        10.0, 0.0, 12.0, [(rng.uniform(3, 9), 0.7)])}
    return _scene(60, world, [_robot(4 + rng.uniform(-1, 1), rng.uniform(3, 9),
                                     rng.uniform(-1, 1), (16, 6))])


def _passable(discs: np.ndarray, size: tuple[float, float], start: tuple[float, float],
              goal: tuple[float, float], radius: float) -> bool:
    """Tell by flooding a grid of 5 cm whether a disc gets through."""
    cell = 0.05
    xs = np.arange(cell / 2, size[0], cell)
    ys = np.arange(cell / 2, size[1], cell)
    free = np.ones((len(ys), len(xs)), bool)
    free &= ((ys > radius) & (ys < size[1] - radius))[:, None]
    free &= ((xs > radius) & (xs < size[0] - radius))[None, :]
    for x, y, r in discs:
        free &= np.hypot(xs[None, :] - x, ys[:, None] - y) > r + radius
    reached = np.zeros_like(free)
    reached[int(start[1] / cell), int(start[0] / cell)] = True
    while True:
        grown = reached.copy()
        grown[1:] |= reached[:-1]
        grown[:-1] |= reached[1:]
        grown[:, 1:] |= reached[:, :-1]
        grown[:, :-1] |= reached[:, 1:]
        grown &= free
        if (grown == reached).all():
            return bool(reached[int(goal[1] / cell), int(goal[0] / cell)])
        reached = grown


def _discs(rng: np.random.Generator, share: float, low: float, high: float, height: float,
           ) -> np.ndarray:
    """Return discs (x, y, radius) that cover a share of low ... high by height."""
    while True:
        discs: list[tuple[float, float, float]] = []
        covered = 0.0
        while covered < share * (high - low) * height:
            r = rng.uniform(0.2, 0.6)
            discs.append((rng.uniform(low, high), rng.uniform(0, height), r))
            covered += math.pi * r * r
        found = np.array(discs)
        if _passable(found, (high + 3, height), (1.5, height / 2), (high + 1.5, height / 2),
                     RADIUS + 0.06):
            return found


def clutter(seed: int, share: float = 0.2, robots: int = 1) -> Values:
    """Robots through discs that cover a share of the floor."""
    rng = np.random.default_rng(seed)
    discs = _discs(rng, share, 3.0, 17.0, 10.0)
    world = {'bounds': [0, 0, 20, 10], 'circles': [
        {'center': [float(x), float(y)], 'radius': float(r)} for x, y, r in discs]}
    return _scene(90, world, [_robot(1.5, 5 + 1.2 * (i - (robots - 1) / 2), 0.0,
                                     (18.5, 5 + 1.2 * (i - (robots - 1) / 2)))
                              for i in range(robots)])


def office(seed: int) -> Values:
    """Four robots; six rooms with doors of 1.1 m at a corridor of 2.4 m."""
    rng = np.random.default_rng(seed)
    walls = []
    for y in (5.0, 7.4):
        doors = [(2.5 + 5 * k + rng.uniform(-1, 1), 1.1) for k in range(3)]
        walls += [{'center': [w['center'][1], y], 'size': [w['size'][1], 0.15], 'yaw': 0.0}
                  for w in wall_with_gaps(0.0, 0.0, 15.0, doors)]
    for x in (5.0, 10.0):
        walls += wall_with_gaps(x, 0.0, 5.0, [(1.5 + rng.uniform(0, 2), 1.1)] * (
            rng.uniform() < 0.5), 0.15)
        walls += wall_with_gaps(x, 7.4, 12.4, [], 0.15)
    middles = [(2.5 + 5 * k, y) for k in range(3) for y in (2.5, 9.9)]
    starts, goals = rng.permutation(6)[:4], rng.permutation(6)[:4]
    while (starts == goals).any():
        goals = rng.permutation(6)[:4]
    return _scene(90, {'bounds': [0, 0, 15, 12.4], 'rectangles': walls},
                  [_robot(*(np.array(middles[a]) + rng.uniform(-0.8, 0.8, 2)),
                          rng.uniform(-3, 3), middles[b])
                   for a, b in zip(starts, goals, strict=True)])


def _both_ways(rng: np.random.Generator, a: float, b: float, y: float, count: int,
               goal_a: float, goal_b: float) -> list[Values]:
    """Return ``count`` robots on each side, ids mixed, with goals on the other side."""
    robots = []
    for side, (x, to, sign) in enumerate(((a, goal_b, -1.0), (b, goal_a, 1.0))):
        for k in range(count):
            row, column = k % 2, k // 2
            at = y + (row - 0.5) * 1.2 + rng.uniform(-0.2, 0.2)
            robots.append(_robot(x + sign * 1.2 * column + rng.uniform(-0.2, 0.2), at,
                                 math.pi * side + rng.uniform(-0.3, 0.3),
                                 (to - sign * 1.1 * column, y + (row - 0.5) * 1.4)))
    return [robots[i] for i in rng.permutation(len(robots))]


def corridor(seed: int, width: float, length: float = 8.0) -> Values:
    """Three against three in a corridor between two rooms."""
    rng = np.random.default_rng(seed)
    low, high = 4.0 - width / 2, 4.0 + width / 2
    x0, x1 = 6.0, 6.0 + length
    middle = (x0 + x1) / 2
    world = {'bounds': [0, 0, x1 + 6, 8], 'rectangles': [
        {'center': [middle, low / 2], 'size': [length, low], 'yaw': 0.0},
        {'center': [middle, (high + 8) / 2], 'size': [length, 8 - high], 'yaw': 0.0}]}
    return _scene(120, world, _both_ways(rng, 4.0, x1 + 2.0, 4.0, 3, 4.5, x1 + 1.5))


def doorway(seed: int, width: float) -> Values:
    """Four against four through one door."""
    rng = np.random.default_rng(seed)
    world = {'bounds': [0, 0, 14, 8], 'rectangles': wall_with_gaps(7.0, 0, 8, [(4.0, width)])}
    return _scene(120, world, _both_ways(rng, 4.0, 10.0, 4.0, 4, 3.5, 10.5))


def maze(seed: int) -> Values:
    """A leader and three followers in the maze of results.md, wind of 0.3 m/s across."""
    return {'duration': 120, 'until': 'goal_reached', 'world': {'map': str(_MAZE)},
            'robots': [
                {'count': 1, 'area': [3.5, 3, 6, 6], 'yaw': 0.0, 'goal': [26.0, 17.0],
                 'goal_tolerance': 1.25, 'controller': 'navigate'},
                {'count': 3, 'area': [1, 1.5, 3, 7], 'yaw': 0.0, 'controller': 'navigate'}],
            'wind': {'wind_direction': [0, 1, 0], 'wind_speed_mean': 0.3},
            'sensors': {'scan_noise_std': 0.01}}


def circle(seed: int, count: int, radius: float, body: str = 'e-puck2') -> Values:
    """Robots on a circle that change places with who is opposite; two: head on."""
    rng = np.random.default_rng(seed)
    epuck = body == 'e-puck2'
    size = 0.035 if epuck else RADIUS
    half = 2 * radius
    robots = []
    for k in range(count):
        angle = 2 * math.pi * k / count
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        dx, dy = rng.uniform(-0.1, 0.1, 2) * size
        yaw = math.remainder(angle + math.pi, 2 * math.pi)
        robots.append(_robot(x + dx, y + dy, yaw, (-x, -y), body=body,
                             parameters=_EPUCK if epuck else {}))
        robots[-1]['goal_tolerance'] = size
    return _scene(60 if not epuck else 90, {'bounds': [-half, -half, half, half]}, robots)


def narrow_laser(seed: int) -> Values:
    """One robot through discs with a laser of 90 degrees."""
    out = clutter(seed)
    out['sensors'].update({'scan_angle_min': -math.pi / 4, 'scan_angle_max': math.pi / 4,
                           'scan_beams': 90})
    return out


def noisy_laser(seed: int) -> Values:
    """Two robots in the office whose lasers have a noise of 10 cm."""
    out = office(seed)
    out['robots'] = out['robots'][:1]
    out['sensors']['scan_noise_std'] = 0.1
    return out


def moving(seed: int) -> Values:
    """One robot among six discs that move to and fro across its way."""
    rng = np.random.default_rng(seed)
    discs = []
    for k in range(6):
        x = 4.0 + 2.2 * k + rng.uniform(-0.5, 0.5)
        low, high = rng.uniform(1, 3.5), rng.uniform(6.5, 9)
        ends = [[float(x), float(low)], [float(x + rng.uniform(-1, 1)), float(high)]]
        discs.append({'radius': float(rng.uniform(0.25, 0.5)),
                      'path': ends[::-1] if rng.uniform() < 0.5 else ends,
                      'speed': float(rng.uniform(0.3, 1.0))})
    return _scene(90, {'bounds': [0, 0, 20, 10], 'moving': discs},
                  [_robot(1.5, 5 + rng.uniform(-1, 1), 0.0, (18.5, 5))])


FAMILIES: dict[str, Callable[[int], Values]] = {
    'slit_10': lambda seed: slit(seed, 10.0),
    'slit_36': lambda seed: slit(seed, 36.0),
    'gap_070': narrow_gap,
    'clutter_20': clutter,
    'clutter_12_four': lambda seed: clutter(seed, 0.12, 4),
    'office': office,
    'corridor_16': lambda seed: corridor(seed, 1.6),
    'corridor_10': lambda seed: corridor(seed, 1.0),
    'door_12': lambda seed: doorway(seed, 1.2),
    'door_08': lambda seed: doorway(seed, 0.8),
    'maze_wind': maze,
    'epuck_two': lambda seed: circle(seed, 2, 0.35),
    'epuck_eight': lambda seed: circle(seed, 8, 0.47),
    'circle_eight': lambda seed: circle(seed, 8, 4.0, 'robot'),
    'laser_90': narrow_laser,
    'noise_10cm': noisy_laser,
    'moving': moving,
}


def scenario(family: str, seed: int) -> Values:
    """Return the values of a scenario file.

    Raises
    ------
    KeyError
        for a family that is not in ``FAMILIES``

    """
    return {'name': family, 'seed': seed, **FAMILIES[family](seed)}
