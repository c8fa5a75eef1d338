"""Draw docs/figures/comparison.svg: ways of robots by controller, in scenes of the benchmark.

python docs/make_comparison_figure.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sbot.figures.data import RunData
from sbot.figures.ground import draw_arena
from sbot.figures.look import drawing, palette, style_of
from sbot.files.yaml_text import dump_yaml
from sbot.navigation.library import chosen_scenes, families, scenario_values
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario

ROOT = Path(__file__).resolve().parent.parent
SCENES = {'arena/wall-wind': 'a wall in a crosswind', 'arena/trap-wind': 'a trap in a crosswind',
          'slit/10': 'a slit beside the way', 'intersection/four': 'four at a crossing'}
# Controllers with their colours on light and dark grounds.
CONTROLLERS = {'potential_field': ('#e69f00', '#f0b429'), 'navground:HL': ('#2e8b57', '#43c883'),
               'navigate': ('#1f4e9e', '#6ea4ff')}
SEED = 0


def runs_of(scene: str) -> dict[str, Run]:
    """Return the run of each controller in a scene."""
    values = scenario_values(scene, chosen_scenes(families(), [scene])[scene], SEED)
    return {controller: run_scenario(parse_scenario(
        dump_yaml(values), scene, ROOT, overrides={'robots.*.controller': controller}))
        for controller in CONTROLLERS}


def goal_style() -> dict[str, Any]:
    """Return the style of a goal."""
    return {'marker': 'o', 'color': palette().ink, 'markersize': 8, 'linestyle': 'none',
            'markerfacecolor': palette().ground, 'markeredgewidth': 1.4}


FAILED: dict[str, Any] = {'marker': 'x', 'markersize': 8, 'markeredgewidth': 2.2,
                          'linestyle': 'none'}


def draw(path: Path, dark: bool = False) -> None:
    """Run and draw."""
    with drawing({**style_of(dark), 'svg.hashsalt': 'comparison'}):
        figure = Figure(figsize=(7.0, 5.9), layout='constrained')
        grid = figure.subplots(2, 2, height_ratios=(1.0, 1.5))
        for axes, (scene, text) in zip(grid.ravel(), SCENES.items(), strict=True):
            _draw_scene(axes, runs_of(scene), dark)
            axes.set_title(f'{scene}: {text}', loc='left', pad=16.0 if 'wind' in scene else 4.0)
            axes.set(xlabel='x (m)', ylabel='y (m)')
        signs: list[Any] = [Line2D([], [], color=colours[dark], linewidth=1.8)
                            for colours in CONTROLLERS.values()]
        grey = '0.7' if dark else '0.4'
        signs += [Line2D([], [], color=grey, linewidth=0.6), Line2D([], [], **goal_style()),
                  Line2D([], [], color=grey, **FAILED)]
        names = [*CONTROLLERS, 'followers, thin', 'goal', 'end of a robot that did not arrive']
        figure.legend(signs, names, loc='outside lower center', ncols=3, frameon=False)
        figure.savefig(path, metadata={'Date': None} if path.suffix == '.svg' else None)


def _draw_scene(axes: Axes, runs: dict[str, Run], dark: bool) -> None:
    draw_arena(axes, RunData.from_result(next(iter(runs.values()))))
    for controller, run in runs.items():
        colour = CONTROLLERS[controller][dark]
        for i, robot in enumerate(run.scenario.robots):
            goes = robot.goal is not None
            step = max(1, len(run.poses) // 400)
            axes.plot(*run.poses[::step, i, :2].T, color=colour, zorder=5,
                      linewidth=1.8 if goes else 0.6, alpha=1.0 if goes else 0.6)
            if robot.goal is not None:
                axes.plot(*robot.goal, zorder=8, **goal_style())
            if goes and run.summary['robots'][i]['goal_reached_s'] is None:
                axes.plot(*run.poses[-1, i, :2], color=colour, zorder=9, **FAILED)


if __name__ == '__main__':
    draw(ROOT / 'docs' / 'figures' / 'comparison.svg')
