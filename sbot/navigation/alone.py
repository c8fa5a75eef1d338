"""Scenes of one robot, or a leader with followers: arenas of docs/results.md, clutter, slits."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from sbot.navigation.scene import RADIUS, Scene, Values, box, robot, scene, wall_with_gaps
from sbot.navigation.shortest import make_raster, shortest_way
from sbot_sim.world.geometry import make_world

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


def arena(_: np.random.Generator, name: str, wind: Values) -> Values:
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


def slit(rng: np.random.Generator, beside: float) -> Values:
    """Return one robot, a slit narrower than it right ahead, and a door ``beside`` it (m)."""
    width, y = rng.uniform(0.4, 0.58), 6.0 + rng.uniform(-0.3, 0.3)
    world = {'bounds': [0, 0, 24, beside + 12], 'rectangles': wall_with_gaps(
        12.0, 0.0, beside + 12, [(6.0, width), (6.0 + beside, 1.6)], rng.uniform(0.05, 0.3))}
    return scene(60 + 4 * beside, world, [
        robot(6 + rng.uniform(-1, 1), y, rng.uniform(-1, 1), (18, 6))])


def narrow_gap(rng: np.random.Generator) -> Values:
    """Return one robot of 0.60 m whose only way is a gap of 0.70 m."""
    world = {'bounds': [0, 0, 20, 12], 'rectangles': wall_with_gaps(
        10.0, 0.0, 12.0, [(rng.uniform(3, 9), 0.7)])}
    return scene(60, world, [robot(4 + rng.uniform(-1, 1), rng.uniform(3, 9), rng.uniform(-1, 1),
                                   (16, 6))])


def _discs(rng: np.random.Generator, share: float) -> list[list[float]]:
    """Return discs x, y, radius (m) that cover a share of 14 m by 10 m and leave a way."""
    while True:
        discs, covered = [], 0.0
        while covered < share * 140.0:
            radius = rng.uniform(0.2, 0.6)
            discs.append([round(each, 6) for each in (rng.uniform(3, 17), rng.uniform(0, 10),
                                                      radius)])
            covered += math.pi * radius * radius
        raster = make_raster(make_world((0, 0, 20, 10), circles=discs), RADIUS + 0.06)
        if shortest_way(raster, (1.5, 5.0), (18.5, 5.0)) is not None:
            return discs


def clutter(rng: np.random.Generator, share: float, robots: int = 1, **sensors: Any) -> Values:  # noqa: ANN401
    """Return robots through discs that cover a share of the floor."""
    world = {'bounds': [0, 0, 20, 10], 'circles': [
        {'center': [x, y], 'radius': radius} for x, y, radius in _discs(rng, share)]}
    ys = [5 + 1.2 * (i - (robots - 1) / 2) for i in range(robots)]
    return scene(90, world, [robot(1.5, y, 0.0, (18.5, y)) for y in ys], sensors=sensors)


def _arena_scenes() -> dict[str, Scene]:
    scenes = {}
    for name, (text, _, _) in _ARENAS.items():
        for suffix, words, wind in (('', '', {}), ('-wind', ', 0.3 m/s across', _WIND),
                                    ('-gust', ', 0.3 m/s across and a gust', _GUST)):
            scenes[name + suffix] = Scene(f'A leader and three followers: {text}{words}.',
                                          partial(arena, name=name, wind=wind))
    return scenes


FAMILIES: dict[str, dict[str, Scene]] = {
    'arena': _arena_scenes(),
    'slit': {f'{beside}': Scene(f'A slit too narrow, a door {beside} m beside it.',
                                partial(slit, beside=float(beside))) for beside in (10, 36)},
    'narrow': {'0.7': Scene('A gap of 0.7 m for a body of 0.6 m.', narrow_gap)},
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
