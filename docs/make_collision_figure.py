"""Draw docs/figures/collisions.svg: the algorithm's passes on a case like document 002's figure 9.

Usage: python docs/make_collision_figure.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from sbot_sim.collision.fixed_objects import make_fixed_objects
from sbot_sim.collision.separation import separate
from sbot_sim.world.bodies import S_BOT
from sbot_sim.world.body_arrays import BodyArrays, body_arrays
from sbot_sim.world.geometry import World, make_world

mpl.use('Agg')
from matplotlib import pyplot as plt
from matplotlib.patches import Circle

R = S_BOT.safety_radius
COLOURS = ('tab:blue', 'tab:green', 'tab:red')
TITLES = ('1. proposed', '2. after the first displacement', '3. after the second displacement')


def scene() -> tuple[World, BodyArrays, np.ndarray, np.ndarray]:
    """Return s-bot 3 driven into s-bots 1 and 2, next to a wall, with the poses before."""
    world = make_world((0.0, 0.0, 0.62, 0.55))
    previous = np.array([[0.18, 0.26, -1.5], [0.38, 0.26, -1.5], [0.28, 0.09, 0.0]])
    proposed = np.array([[0.185, 0.225, -1.5], [0.362, 0.222, -1.5], [0.278, 0.101, 0.0]])
    return world, body_arrays([S_BOT] * 3), previous, proposed


def displaced(world: World, pose: np.ndarray) -> np.ndarray:
    """Return the poses after one displacement of section 5.2, worked out here step by step."""
    out = pose.copy()
    for i in range(len(pose)):
        for j in range(len(pose)):
            apart = pose[i, :2] - pose[j, :2]
            distance = float(np.hypot(*apart))
            if i != j and distance < 2.0 * R:  # half of it: the other moves, too
                out[i, :2] += 0.5 * (2.0 * R - distance) * apart / distance
        out[i, 1] += max(0.0, world.bounds[1] + R - pose[i, 1])  # the wall does not
    return out


def draw(path: Path) -> None:
    """Draw the three panels."""
    mpl.rcParams['svg.hashsalt'] = 'collisions'  # the same file from run to run
    world, bodies, previous, proposed = scene()
    shown = [proposed, displaced(world, proposed)]
    shown.append(displaced(world, shown[1]))
    radius = bodies.safety_radius
    end = separate(make_fixed_objects(world, radius), bodies.shape, previous, proposed)
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.6), constrained_layout=True)
    for panel, axis in enumerate(axes):
        axis.set_title(TITLES[panel], fontsize=9, loc='left')
        axis.set(aspect='equal', xlim=(0.0, 0.5), ylim=(-0.03, 0.45),
                 xlabel='x (m)')
        axis.axhspan(-0.03, 0.0, color='0.6')
        axis.text(0.02, -0.022, 'wall', fontsize=8)
        for i, colour in enumerate(COLOURS):
            x, y = shown[panel][i, :2]
            if panel:
                was = shown[panel - 1][i, :2]
                axis.add_patch(Circle(tuple(was), R, fill=False, ls=':', ec=colour, lw=0.8))
                if np.hypot(*(shown[panel][i, :2] - was)) > 1e-6:
                    axis.annotate('', (x, y), tuple(was),
                                  arrowprops={'arrowstyle': '->', 'color': colour})
            axis.add_patch(Circle((x, y), R, fc=colour, ec=colour, alpha=0.25))
            axis.add_patch(Circle((x, y), S_BOT.radius, fill=False, ec=colour))
            axis.text(x + 0.012, y + 0.012, str(i + 1), color=colour)
    axes[0].set_ylabel('y (m)')
    figure.get_layout_engine().set(h_pad=0.1)  # between the titles
    figure.suptitle(f'Collision circles of three s-bots: free after {end.passes} displacements',
                    fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={'Date': None} if path.suffix == '.svg' else None)


if __name__ == '__main__':
    draw(Path(sys.argv[1]) if len(sys.argv) > 1
         else Path(__file__).parent / 'figures' / 'collisions.svg')
