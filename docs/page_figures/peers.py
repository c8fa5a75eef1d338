"""Processor time of a step by the number of robots, ours and other simulators'."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from page_figures.style import drawn, save

ROWS = Path(__file__).resolve().parents[2] / 'benchmark' / 'standard_peers.csv'
TITLES = {'motion': 'motion and collisions', 'step': 'with 180 laser beams per robot'}
OURS = 'potential_field_bot'
MARKERS = 'sD^vPX'


def curves(case: str) -> dict[str, list[tuple[int, float]]]:
    """Return (robots, ms) of each simulator; ours are medians over the comparisons."""
    found: dict[str, list[tuple[int, float]]] = {}
    ours: dict[int, list[float]] = {}
    with ROWS.open(newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            if row['case'] == case:
                robots = int(row['robots'])
                found.setdefault(row['peer'], []).append((robots, float(row['cpu_ms_per_step'])))
                ours.setdefault(robots, []).append(float(row['ours_cpu_ms_per_step']))
    return {OURS: sorted((n, median(times)) for n, times in ours.items()), **found}


def draw(path: Path, dark: bool = False) -> None:
    """Draw a panel for each case."""
    with drawn(dark) as colours:
        figure = Figure(figsize=(7.5, 3.6), layout='constrained')
        FigureCanvasSVG(figure)
        panels = figure.subplots(1, len(TITLES), sharex=True, sharey=True)
        others = sorted({name for case in TITLES for name in curves(case)} - {OURS})
        looks: dict[str, dict[str, Any]] = {
            OURS: {'color': colours.ink, 'marker': 'o', 'linewidth': 2.2},
            **{name: {'color': colour, 'marker': marker, 'linewidth': 1.3}
               for name, colour, marker in zip(others, colours.followers, MARKERS, strict=False)}}
        handles = {}
        for axes, (case, title) in zip(panels, TITLES.items(), strict=True):
            for name, points in curves(case).items():
                handles[name], = axes.loglog(*zip(*points, strict=True), markersize=4.5,
                                             zorder=4 if name == OURS else 3, **looks[name])
            axes.set_title(title)
            axes.set_xlabel('robots')
            axes.set_xticks([10, 100, 1000], ['10', '100', '1,000'])
            axes.minorticks_off()
        panels[0].set_ylabel('processor time of a step (ms)')
        panels[0].set_yticks([0.001, 0.01, 0.1, 1, 10, 100, 1000],
                             ['0.001', '0.01', '0.1', '1', '10', '100', '1,000'])
        names = [OURS, *others]
        figure.legend([handles[name] for name in names], names, loc='outside right center')
        save(figure, path, ROWS.read_text('utf-8'))
