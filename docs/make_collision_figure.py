"""Draw docs/figures/collisions.svg: the algorithm's passes on a case like document 002's figure 9.

Usage: python docs/make_collision_figure.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from sbot.figures.look import drawing, palette, style_of
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import separate
from sbot_sim.world.bodies import S_BOT, BodyArrays
from sbot_sim.world.geometry import World, make_world

R = S_BOT.safety_radius
TITLES = ('proposed', 'displaced once', 'displaced twice')
LONGER = 3  # times as long are arrows as displacements


def scene() -> tuple[World, BodyArrays, np.ndarray, np.ndarray]:
    """Return s-bot 3 driven into s-bots 1 and 2, next to a wall, with the poses before."""
    world = make_world((0.0, 0.0, 0.62, 0.55))
    previous = np.array([[0.18, 0.26, -1.5], [0.38, 0.26, -1.5], [0.28, 0.09, 0.0]])
    proposed = np.array([[0.185, 0.225, -1.5], [0.362, 0.222, -1.5], [0.278, 0.101, 0.0]])
    return world, BodyArrays.of([S_BOT] * 3), previous, proposed


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


def draw(path: Path, dark: bool = False) -> None:
    """Draw the four panels."""
    with drawing({**style_of(dark), 'svg.hashsalt': 'collisions'}):  # the same file each time
        _draw(path)


def _draw(path: Path) -> None:
    world, bodies, previous, proposed = scene()
    shown = [proposed, displaced(world, proposed)]
    shown.append(displaced(world, shown[1]))
    end = separate(FixedObjects.of(world, bodies.safety_radius), bodies.shape, previous,
                   proposed)
    shown.append(end.pose)
    titles = (*TITLES, f'displaced {end.passes} times')
    figure = Figure(figsize=(7.0, 2.5), layout='constrained')
    for panel, axes in enumerate(figure.subplots(1, 4, sharey=True)):
        axes.set_title(titles[panel], loc='left', fontsize='medium')
        axes.set(aspect='equal', xlim=(0.04, 0.5), ylim=(-0.04, 0.42), xlabel='x (m)',
                 xticks=(0.1, 0.3, 0.5), ylabel='' if panel else 'y (m)')
        axes.axhspan(-0.04, 0.0, color=palette().obstacle)
        axes.text(0.06, -0.02, 'wall', color=palette().ground, va='center')
        for i, colour in enumerate(robot_colours()):
            _draw_robot(axes, i, colour, shown[panel][i, :2],
                        shown[panel - 1][i, :2] if 0 < panel < len(TITLES) else None)
    signs = [Line2D([], [], marker='o', markersize=size, linestyle='none', color=palette().ink,
                    markerfacecolor=fill, fillstyle='full')
             for size, fill in ((11, palette().grid), (8, 'none'))]
    signs += [Line2D([], [], linestyle=':', color=palette().ink),
              Line2D([], [], marker=r'$\rightarrow$', markersize=12, linestyle='none',
                     color=palette().ink)]
    names = ['collision circle', 's-bot', 'before the displacement',
             f'displacement, {LONGER} times as long']
    figure.legend(signs, names, loc='outside lower center', ncols=4, frameon=False,
                  columnspacing=1.2, handletextpad=0.4)
    figure.suptitle(f'Three s-bots overlap; after {end.passes} displacements they are apart',
                    fontsize='large')
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={'Date': None} if path.suffix == '.svg' else None)


def robot_colours() -> tuple[str, ...]:
    """Return a colour for each s-bot."""
    blue, green, *_, red, _, _ = palette().followers
    return blue, green, red


def _draw_robot(axes: Axes, i: int, colour: str, now: np.ndarray,
                was: np.ndarray | None) -> None:
    """Draw an s-bot and its collision circle where they are now, and how they came there."""
    axes.add_patch(Circle(tuple(now), R, fc=(colour, 0.25), ec=colour))
    axes.add_patch(Circle(tuple(now), S_BOT.radius, fill=False, ec=colour))
    axes.text(now[0], now[1], str(i + 1), color=palette().ink, ha='center', va='center')
    if was is None or np.hypot(*(now - was)) < 1e-6:
        return
    axes.add_patch(Circle(tuple(was), R, fill=False, ls=':', ec=colour, lw=1.0))
    # From the rim outwards, where nothing is below it.
    ahead = (now - was) / np.hypot(*(now - was))
    start = now + 0.55 * S_BOT.radius * ahead
    axes.annotate('', tuple(start + LONGER * (now - was)), tuple(start), zorder=5, arrowprops={
        'arrowstyle': '-|>', 'color': palette().ink, 'linewidth': 1.4, 'shrinkA': 0.0,
        'shrinkB': 0.0, 'mutation_scale': 9.0})


if __name__ == '__main__':
    draw(Path(sys.argv[1]) if len(sys.argv) > 1
         else Path(__file__).parent / 'figures' / 'collisions.svg')
