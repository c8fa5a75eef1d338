"""Draw the figures of docs/wind.md: the reduction behind one and two blockers, all four readings.

Run from anywhere: ``python docs/make_wind_figures.py``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sbot.figures.look import drawing, style_of
from sbot_common.params import updated
from sbot_sim.sensors.range_and_bearing import neighbours
from sbot_sim.world.scene import Scene
from wind_model.parameters import WakeParameters
from wind_model.wake import advertised_millimetres, clamped_radius, reductions

NO_WALLS = Scene.of_walls(None)

FIGURES = Path(__file__).parent / 'figures'

RADIUS = 0.05  # m
RANGE = 3.0  # m of range and bearing
READINGS = [(fade, boost) for fade in ('ramp_in', 'fade_out') for boost in ('linear', 'power')]
BLOCKERS = {'one blocker': [(0.0, 0.0)], 'two blockers': [(0.0, 0.12), (0.15, -0.1)]}
X = np.linspace(-0.1475, 0.6525, 161)  # m; no point lies on a gate
Y = np.linspace(-0.35, 0.35, 141)

Array = NDArray[np.float64]


def reduction_map(fade: str, boost: str, blockers: list[tuple[float, float]]) -> Array:
    """Return r (len(Y), len(X)) of a follower at each place, the wind blowing along x."""
    parameters = updated(WakeParameters(wake=True), {'wake_fade': fade, 'wake_boost': boost})
    count = len(blockers) + 1
    radii = np.full(count, RADIUS)
    wind = np.tile([0.15, 0.0], (count, 1))
    result = np.empty((Y.size, X.size))
    for row, y in enumerate(Y):
        for column, x in enumerate(X):
            pose = np.array([(x, y, 0.0), *((bx, by, 0.0) for bx, by in blockers)])
            result[row, column] = reductions(
                parameters, *neighbours(pose, RANGE, NO_WALLS), np.zeros(count), wind,
                advertised_millimetres(radii), clamped_radius(radii))[0]
    return result


def draw(path: Path, dark: bool = False) -> None:
    """Draw the reduction maps."""
    with drawing(style_of(dark)):
        _draw(path)


def _draw(path: Path) -> None:
    figure = Figure(figsize=(7.0, 3.5), layout='constrained')
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(BLOCKERS), len(READINGS), sharex=True, sharey=True)
    for row, (name, blockers) in enumerate(BLOCKERS.items()):
        for column, (fade, boost) in enumerate(READINGS):
            panel = axes[row, column]
            shown = panel.pcolormesh(X, Y, reduction_map(fade, boost, blockers), vmin=0, vmax=1,
                                     cmap='magma', shading='nearest', rasterized=True)
            for x, y in blockers:
                turn = np.linspace(0, 2 * np.pi, 60)
                panel.fill(x + RADIUS * np.cos(turn), y + RADIUS * np.sin(turn), color='tab:cyan')
            panel.set_aspect('equal')
            if row == 0:
                panel.set_title(f'{fade}, {boost}', fontsize='medium')
            if row == len(BLOCKERS) - 1:
                panel.set_xlabel('x (m)')
        axes[row, 0].set_ylabel(f'{name}\ny (m)')
        axes[row, 0].annotate('', (0.0, -0.3), (-0.13, -0.3),
                              arrowprops={'arrowstyle': '->', 'color': 'white'})
        axes[row, 0].text(0.02, -0.3, 'wind', color='white', va='center')
    figure.suptitle('Wind kept off a robot behind blockers (blue), for the four readings',
                    fontsize='large')
    figure.colorbar(shown, ax=axes, label='reduction of the wind (share)')
    figure.savefig(path, dpi=150)


def main() -> None:
    """Write wake_reduction.png."""
    draw(FIGURES / 'wake_reduction.png')


if __name__ == '__main__':
    main()
