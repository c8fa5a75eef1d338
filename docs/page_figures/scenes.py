"""Runs of the navigation benchmark: a door, a corridor with lanes, and twelve scenes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from make_gallery import save_small
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sbot.figures.data import RunData
from sbot.figures.ground import draw_arena, draw_goals, draw_moving
from sbot.figures.look import Look, drawing, style_of
from sbot.figures.picture import plot_run
from sbot.figures.robots import Robots
from sbot.figures.tracks import draw_tracks
from sbot.files.yaml_text import dump_yaml
from sbot.navigation.library import chosen_scenes, families, scenario_values
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario

ROOT = Path(__file__).resolve().parents[2]
SEED = 3
WIDTH, COLOURS = 1200, 192  # px
GRID = (  # scenes of the strip, row by row; those of a row are about as high
    ('doorway/1.2', 'corridor/1.6', 'clutter/20', 'moving/six'),
    ('arena/trap-wind', 'arena/maze-wind', 'narrow/0.7', 'office/four'),
    ('intersection/four', 'corner/blind', 'circle/8', 'rvo2/blocks'))
HEIGHTS = (0.55, 0.75, 1.0)  # of the rows


class Passage(NamedTuple):
    """A scene of one picture, and its times (s)."""

    scene: str
    at: tuple[float, ...]


PASSAGES = {'navigate_door.png': Passage('doorway/0.8', (0, 5, 9, 18)),
            'navigate_corridor.png': Passage('corridor/1.6', (0, 5, 7, 10))}
STRIP = 'benchmark_scenes.png'


def run(name: str) -> RunData:
    """Return a run of a scene with ``navigate``, which ends when all have arrived."""
    values = scenario_values(name, chosen_scenes(families(), [name])[name], SEED)
    overrides = {'robots.*.controller': 'navigate', 'until': 'goal_reached'}
    return RunData.from_result(run_scenario(parse_scenario(dump_yaml(values), name, ROOT,
                                                           overrides=overrides)))


def draw(name: str, path: Path, dark: bool = False) -> None:
    """Draw one of the pictures; a light one has few colours."""
    with TemporaryDirectory() as folder:
        large = Path(folder) / 'large.png'
        if name in PASSAGES:
            plot_run(run(PASSAGES[name].scene), large, Look(PASSAGES[name].at, 'robot', dark))
        else:
            draw_strip(large, dark)
        save_small(large, path, WIDTH, 0 if dark else COLOURS)


def draw_strip(path: Path, dark: bool) -> None:
    """Draw a run of each scene of the grid."""
    with drawing({**style_of(dark), 'font.size': 9.0, 'axes.titlesize': 9.0}):
        figure = Figure(figsize=(8.0, 5.2), layout='constrained')
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(GRID), len(GRID[0]), height_ratios=HEIGHTS)
        for axes, scene in zip(grid.ravel(), sum(GRID, ()), strict=True):
            draw_scene(axes, scene)
        figure.supxlabel('x (m)', fontsize=9.0)
        figure.supylabel('y (m)', fontsize=9.0)
        figure.savefig(path)


def draw_scene(axes: Axes, scene: str) -> None:
    """Draw obstacles, goals, tracks, and the robots at the end."""
    data = run(scene)
    draw_arena(axes, data, False)
    draw_tracks(axes, data, by_time=False)
    end = len(data.stamps_ns) - 1
    draw_moving(axes, data, end)
    draw_goals(axes, data, int(data.stamps_ns[end]), small=True)
    Robots(axes, data, data.poses[end], 'robot')
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.set_anchor('N')
    axes.set_title(scene, loc='left')
