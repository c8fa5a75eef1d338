"""Draw the figures of docs/sensors.md: python docs/make_sensor_figures.py."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib as mpl

mpl.use('svg')
mpl.rcParams['svg.hashsalt'] = 'sensors'  # the same file each time

import matplotlib.pyplot as plt  # noqa: E402 - after the choice of backend
import numpy as np  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.patches import Circle, Polygon  # noqa: E402

from sbot_sim.sensors.infrared.curves import table_distances_cm  # noqa: E402
from sbot_sim.sensors.infrared.sensor import (  # noqa: E402
    SENSOR_ANGLES,
    InfraredSettings,
    infrared_distances,
    infrared_reach,
    make_infrared_parameters,
)
from sbot_sim.sensors.infrared.table import TABLES, named_table  # noqa: E402
from sbot_sim.sensors.scan import (  # noqa: E402
    ScanSettings,
    angle_max,
    cast_scans,
    make_scan_parameters,
    scan_fan,
)
from sbot_sim.world.bodies import S_BOT_RADIUS  # noqa: E402
from sbot_sim.world.geometry import World, make_world, rectangle_corners  # noqa: E402
from sbot_sim.world.scene import make_scene  # noqa: E402

FIGURES = Path(__file__).parent / 'figures'


def save(name: str) -> None:
    """Write the current figure."""
    FIGURES.mkdir(exist_ok=True)
    plt.savefig(FIGURES / name, metadata={'Date': None}, bbox_inches='tight')
    plt.close()


def draw_tables() -> None:
    """Draw the three tables of infrared readings."""
    plt.figure(figsize=(6, 3.4))
    for name, style in zip(TABLES, ('-', '--', ':'), strict=True):
        plt.plot(table_distances_cm(), named_table(name), style, label=name)
    plt.xlabel('distance from the rim (cm)')
    plt.ylabel('reading')
    plt.legend(title='infrared_table')
    plt.grid(alpha=0.3)
    save('infrared_tables.svg')


def draw_world(axes: Axes, world: World, pose: np.ndarray, radius: float) -> None:
    """Draw walls, discs and robots."""
    for x0, y0, x1, y1 in world.segments:
        axes.plot([x0, x1], [y0, y1], 'k', lw=2, solid_capstyle='projecting', clip_on=False)
    for rectangle in world.rectangles:
        axes.add_patch(Polygon(rectangle_corners(rectangle), color='0.5'))
    for x, y, r in world.circles:
        axes.add_patch(Circle((x, y), r, color='0.5'))
    for x, y, yaw in pose:
        axes.add_patch(Circle((x, y), radius, facecolor='white', edgecolor='C0', lw=1.5,
                              zorder=3))
        axes.plot([x, x + radius * math.cos(yaw)], [y, y + radius * math.sin(yaw)], 'C0', lw=1.5,
                  zorder=4)
    axes.set_aspect('equal')
    axes.margins(0)  # ticks stand at the walls
    axes.set(xlabel='x (m)', ylabel='y (m)')
    axes.tick_params(length=2)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_infrared() -> None:
    """Draw the beams of an s-bot beside a wall, a disc and another s-bot."""
    world = make_world((0, 0, 0.7, 0.6), [(0.12, 0.1, 0.12, 0.5)], [(0.27, 0.5, 0.04)])
    pose = np.array([[0.3, 0.3, math.radians(20)], [0.45, 0.2, 2.0]])
    radius = np.full(2, S_BOT_RADIUS)
    parameters = make_infrared_parameters(InfraredSettings(infrared=True))
    assert parameters is not None
    scene = make_scene(world, infrared_reach(radius, parameters))
    distances = infrared_distances(scene, pose, radius, parameters)[0]
    _, axes = plt.subplots(figsize=(5, 4.3))
    draw_world(axes, world, pose, S_BOT_RADIUS)
    x, y, yaw = pose[0]
    for n, (beta, distance) in enumerate(zip(SENSOR_ANGLES, distances, strict=True)):
        c, s = math.cos(yaw + beta), math.sin(yaw + beta)
        hit = math.isfinite(distance)
        end = S_BOT_RADIUS + (distance if hit else parameters.range)
        axes.plot([x + S_BOT_RADIUS * c, x + end * c], [y + S_BOT_RADIUS * s, y + end * s],
                  color='C3' if hit else '0.75', lw=1)
        axes.plot(x + S_BOT_RADIUS * c, y + S_BOT_RADIUS * s, 's', color='0.3', ms=3,
                  zorder=5)
        outside = S_BOT_RADIUS + 0.022  # m; there neighbours at the back do not overlap
        axes.text(x + outside * c, y + outside * s, str(n), ha='center', va='center', fontsize=6,
                  zorder=6,
                  bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 0.4})
    save('infrared_beams.svg')


def draw_scan() -> None:
    """Draw a laser scan among boxes and robots."""
    world = make_world((0, 0, 12, 8), circles=[(4.2, 6.7, 0.6)],
                       rectangles=[(7, 2, 1, 1, 0.4), (4.5, 4.4, 1, 1, 0)])
    pose = np.array([[2.5, 3.2, 0.2], [5.8, 3.6, 1.0], [9.5, 4.9, 0.0]])
    parameters = make_scan_parameters(ScanSettings(scan_sees_robots=True))
    scene = make_scene(world, parameters.range_max)
    ranges = cast_scans(scene, scan_fan(parameters), pose, np.full(3, 0.3), parameters)[0]
    _, axes = plt.subplots(figsize=(6, 4))
    x, y, yaw = pose[0]
    angles = yaw + np.linspace(parameters.angle_min, angle_max(parameters), parameters.beams)
    for angle, r in zip(angles, ranges, strict=True):
        if math.isfinite(r):
            axes.plot([x, x + r * math.cos(angle)], [y, y + r * math.sin(angle)], 'C3', lw=0.3)
            axes.plot(x + r * math.cos(angle), y + r * math.sin(angle), 'C3.', ms=2)
    draw_world(axes, world, pose, 0.3)
    save('scan.svg')


if __name__ == '__main__':
    draw_tables()
    draw_infrared()
    draw_scan()
