"""Draw the figures of docs/sensors.md: python docs/make_sensor_figures.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

import sbot
from sbot.figures.look import drawing, palette, style_of
from sbot_sim.sensors.infrared import SENSOR_ANGLES
from sbot_sim.sensors.infrared_table import TABLE_RANGE, TABLES, named_table, table_distances_cm
from sbot_sim.world.bodies import S_BOT_RADIUS
from sbot_sim.world.geometry import World, rectangle_corners

FIGURES = Path(__file__).parent / 'figures'


def draw_tables() -> Figure:
    """Draw the three tables of infrared readings."""
    figure = Figure(figsize=(7.0, 3.4), layout='constrained')
    axes = figure.add_subplot()
    for name, style in zip(TABLES, ('-', '--', ':'), strict=True):
        axes.plot(table_distances_cm(), named_table(name), style, label=name)
    axes.set(xlabel='distance from the rim (cm)', ylabel='reading (no unit)')
    axes.set_title('Infrared reading of a wall by its distance, for each infrared_table',
                   loc='left')
    figure.legend(loc='outside lower center', ncols=3, frameon=False)
    axes.grid(alpha=0.3)
    return figure


def draw_world(axes: Axes, world: World, pose: np.ndarray, radius: float) -> None:
    """Draw walls, discs and robots."""
    for x0, y0, x1, y1 in world.segments:
        axes.plot([x0, x1], [y0, y1], color=palette().ink, lw=2,
                  solid_capstyle='projecting', clip_on=False)
    for rectangle in world.rectangles:
        axes.add_patch(Polygon(rectangle_corners(rectangle), color=palette().obstacle))
    for x, y, r in world.circles:
        axes.add_patch(Circle((x, y), r, color=palette().obstacle))
    for x, y, yaw in pose:
        axes.add_patch(Circle((x, y), radius, facecolor=palette().ground, edgecolor='C0', lw=1.5,
                              zorder=3))
        axes.plot([x, x + radius * math.cos(yaw)], [y, y + radius * math.sin(yaw)], 'C0', lw=1.5,
                  zorder=4)
    axes.set_aspect('equal')
    axes.margins(0)  # ticks stand at the walls
    axes.set(xlabel='x (m)', ylabel='y (m)')
    axes.tick_params(length=2)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_infrared() -> Figure:
    """Draw the beams of an s-bot beside a wall, a disc and another s-bot."""
    pose = np.array([[0.3, 0.3, math.radians(20)], [0.45, 0.2, 2.0]])
    session = sbot.session({
        'world': {'bounds': [0, 0, 0.7, 0.6], 'segments': [[0.12, 0.1, 0.12, 0.5]],
                  'circles': [{'center': [0.27, 0.5], 'radius': 0.04}]},
        'robots': [{'pose': each, 'body': 's-bot', 'controller': 'none'} for each in pose],
        'sensors': {'infrared': True}})
    distances = session.snapshot.infrared[0, :, 0].astype(float)
    figure = Figure(figsize=(7.0, 6.0), layout='constrained')
    axes = figure.add_subplot()
    draw_world(axes, session.parameters.world, pose, S_BOT_RADIUS)
    x, y, yaw = pose[0]
    for n, (beta, distance) in enumerate(zip(SENSOR_ANGLES, distances, strict=True)):
        c, s = math.cos(yaw + beta), math.sin(yaw + beta)
        hit = math.isfinite(distance)
        end = S_BOT_RADIUS + (distance if hit else TABLE_RANGE)
        axes.plot([x + S_BOT_RADIUS * c, x + end * c], [y + S_BOT_RADIUS * s, y + end * s],
                  color='C3' if hit else palette().moving, lw=1)
        axes.plot(x + S_BOT_RADIUS * c, y + S_BOT_RADIUS * s, 's', color=palette().ink, ms=4,
                  zorder=5)
        outside = S_BOT_RADIUS + 0.024  # m; there neighbours at the back do not overlap
        axes.text(x + outside * c, y + outside * s, str(n), ha='center', va='center', fontsize=9,
                  zorder=6,
                  bbox={'facecolor': palette().ground, 'edgecolor': 'none', 'pad': 0.6})
    axes.set_title('Infrared beams of an s-bot: red ones meet something', loc='left')
    return figure


def draw_scan() -> Figure:
    """Draw a laser scan among boxes and robots."""
    pose = np.array([[2.5, 3.2, 0.2], [5.8, 3.6, 1.0], [9.5, 4.9, 0.0]])
    session = sbot.session({
        'world': {'bounds': [0, 0, 12, 8], 'circles': [{'center': [4.2, 6.7], 'radius': 0.6}],
                  'rectangles': [{'center': [7, 2], 'size': [1, 1], 'yaw': 0.4},
                                 {'center': [4.5, 4.4], 'size': [1, 1]}]},
        'robots': [{'pose': each, 'controller': 'none'} for each in pose],
        'sensors': {'scan_sees_robots': True}})
    ranges, laser = session.snapshot.ranges[0], session.parameters.sensors.lasers.all[0]
    figure = Figure(figsize=(7.0, 4.8), layout='constrained')
    axes = figure.add_subplot()
    x, y, yaw = pose[0]
    angles = yaw + np.linspace(laser.angle_min, laser.angle_max(), laser.beams)
    for angle, r in zip(angles, ranges, strict=True):
        if math.isfinite(r):
            axes.plot([x, x + r * math.cos(angle)], [y, y + r * math.sin(angle)], 'C3', lw=0.4)
            axes.plot(x + r * math.cos(angle), y + r * math.sin(angle), 'C3.', ms=3)
    draw_world(axes, session.parameters.world, pose, 0.3)
    axes.set_title('A scan: each dot is where a beam meets a wall, a box or a robot', loc='left')
    return figure


FIGURE: dict[str, Callable[[], Figure]] = {
    'infrared_tables.svg': draw_tables, 'infrared_beams.svg': draw_infrared,
    'scan.svg': draw_scan}


def draw(path: Path, name: str, dark: bool = False) -> None:
    """Draw one of FIGURE."""
    with drawing({**style_of(dark), 'svg.hashsalt': 'sensors'}):  # the same file each time
        FIGURE[name]().savefig(path, metadata={'Date': None})


if __name__ == '__main__':
    for each in FIGURE:
        draw(FIGURES / each, each)
