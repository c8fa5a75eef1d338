"""Picture of a wind field seen from above (PNG)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sbot_common.errors import InputError
from wind_model.grid import Lattice
from wind_model.interpolate import velocity_at

_FINE = 200  # colours along the longer side
_ARROWS = 30


def write_preview(path: str | Path, field: Lattice, height: float) -> None:
    """Write a PNG of the wind at a height (m): colour is the speed, arrows the direction.

    Where the height is outside the field nothing is drawn; contours are the terrain.

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    width, depth = field.x[-1] - field.x[0], field.y[-1] - field.y[0]
    figure = Figure(figsize=(8, min(12.0, max(3.0, 1.2 + 7 * depth / width))), dpi=120,
                    layout='constrained')
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    x, y, wind = _sampled(field, height, _FINE)
    speed = np.sqrt((wind * wind).sum(axis=-1))
    shown = axes.pcolormesh(x, y, speed, shading='nearest', cmap='viridis', rasterized=True)
    figure.colorbar(shown, label='speed [m/s]')
    x, y, wind = _sampled(field, height, _ARROWS)
    arrows = _arrows(x, y, wind)
    axes.quiver(x, y, arrows[..., 0], arrows[..., 1], color='white', width=0.002, pivot='mid',
                angles='xy', scale_units='xy', scale=1.0)
    terrain = field.z[0]
    if terrain.min() < terrain.max():
        lines = axes.contour(field.x, field.y, terrain, 4, colors='black', linewidths=0.6)
        axes.clabel(lines, fmt='%g m', fontsize=7)
    axes.set(aspect='equal', xlabel='x [m]', ylabel='y [m]', title=f'wind at z = {height:g} m')
    try:
        figure.savefig(path, format='png')
    except OSError as error:
        raise InputError(f'{path}: cannot be written: {error.strerror}') from None


def _arrows(x: np.ndarray[tuple[int], np.dtype[np.float64]],
            y: np.ndarray[tuple[int], np.dtype[np.float64]],
            wind: np.ndarray[tuple[int, int, int], np.dtype[np.float64]],
            ) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Return arrows (len(y), len(x), 2) (m) that do not cross: none is longer than the spacing."""
    spacing = min(x[1] - x[0], y[1] - y[0])
    fastest = float(np.nanmax(np.hypot(wind[..., 0], wind[..., 1]), initial=0.0))
    return wind[..., :2] * (0.95 * spacing / fastest if fastest > 0.0 else 1.0)


def _sampled(field: Lattice, height: float, count: int) -> tuple[
        np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]],
        np.ndarray[tuple[int, int, int], np.dtype[np.float64]]]:
    """Return x, y and the wind (len(y), len(x), 3); NaN where the field is not."""
    width, depth = field.x[-1] - field.x[0], field.y[-1] - field.y[0]
    step = max(width, depth) / count
    x = np.linspace(field.x[0], field.x[-1], max(2, round(width / step)))
    y = np.linspace(field.y[0], field.y[-1], max(2, round(depth / step)))
    points = np.empty((y.size, x.size, 3))
    points[..., 0], points[..., 1], points[..., 2] = x, y[:, np.newaxis], height
    wind = velocity_at(field, points.reshape(-1, 3), np.full(3, np.nan))
    return x, y, wind.reshape(y.size, x.size, 3)
