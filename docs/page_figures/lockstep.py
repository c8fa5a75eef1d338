"""A tick in lockstep: when each node publishes, from benchmark/lockstep_tick.csv."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from page_figures.style import drawn, save

ROWS = Path(__file__).resolve().parents[2] / 'benchmark' / 'lockstep_tick.csv'
NEXT = 'next /clock'
NODES = ('robot_1', 'robot_0', 'wind_model', 'sbot_sim')  # from below
# A message, and the one with which its reader answers it.
ANSWERS = (('/clock', '/wind/velocity'), ('/robot_0/base_scan', '/robot_0/cmd_vel'),
           ('/robot_1/base_scan', '/robot_1/cmd_vel'), ('/wind/velocity', '/robot_0/wind'),
           ('/robot_0/cmd_vel', NEXT), ('/robot_1/cmd_vel', NEXT))
# What is written at a message: words, and where from it (points), left or right.
LABELS: dict[str, tuple[str, float, float, str]] = {
    '/clock': ('/clock', 0, 9, 'center'),
    '/robot_0/base_scan': ('poses, scans', 3, 9, 'left'),
    '/wind/velocity': ('/wind/velocity', -4, -10, 'right'),
    '/robot_0/wind': ("each robot's wind", 6, 9, 'right'),
    '/robot_0/cmd_vel': ('/robot_0/cmd_vel', -4, -10, 'right'),
    '/robot_1/cmd_vel': ('/robot_1/cmd_vel', -4, -10, 'right'),
    NEXT: (NEXT, 0, 9, 'center')}


def draw(path: Path, dark: bool = False) -> None:
    """Draw a line for each node, and a dot for each message."""
    with ROWS.open(newline='', encoding='utf-8') as file:
        rows = {row['topic']: row for row in csv.DictReader(file)}
    place = {name: (float(row['median_ms']), NODES.index(row['node']))
             for name, row in rows.items()}
    with drawn(dark) as colours:
        figure = Figure(figsize=(7.5, 2.9), layout='constrained')
        FigureCanvasSVG(figure)
        axes = figure.subplots()
        axes.grid(axis='y', visible=False)
        axes.hlines(range(len(NODES)), 0, 1.05 * place[NEXT][0],
                    color=colours.ink, linewidth=0.8)
        for name, (x, y) in place.items():
            axes.plot(x, y, 'o', color=colours.followers[NODES.index(rows[name]['node'])],
                      markersize=6, zorder=4)
            if name in LABELS:
                words, right, up, side = LABELS[name]
                axes.annotate(words, (x, y), (right, up), textcoords='offset points', ha=side,
                              va='center')
        for name, answer in ANSWERS:
            arrow: dict[str, Any] = {'arrowstyle': '-|>', 'color': colours.obstacle,
                                     'linewidth': 0.9, 'shrinkA': 3, 'shrinkB': 4}
            axes.annotate('', place[answer], place[name], arrowprops=arrow)
        end = 1.05 * place[NEXT][0]
        axes.set_yticks(range(len(NODES)), NODES)
        axes.tick_params(axis='y', length=0)
        axes.set(xlim=(-0.06 * end, 1.05 * end), ylim=(-0.6, len(NODES) - 0.4),
                 xlabel='time since /clock (ms)')
        axes.spines['left'].set_visible(False)
        save(figure, path, ROWS.read_text('utf-8'))
