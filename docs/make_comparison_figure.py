"""Draw docs/figures/comparison.png: ways of robots by controller, in scenes of the benchmark.

python docs/make_comparison_figure.py
"""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from sbot.figures.arena.ground import draw_arena
from sbot.figures.data import from_result
from sbot.files.yaml_text import dump_yaml
from sbot.navigation.library import chosen_scenes, families, scenario_values
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario

ROOT = Path(__file__).resolve().parent.parent
SCENES = ('arena/wall-wind', 'arena/trap-wind', 'slit/10', 'intersection/four')
CONTROLLERS = {'potential_field': '#e69f00', 'navground:HL': '#2e8b57', 'navigate': '#1f4e9e'}
GOAL: dict[str, Any] = {'marker': 'o', 'color': 'black', 'markersize': 9, 'linestyle': 'none',
                        'markerfacecolor': 'white', 'markeredgewidth': 1.6}
FAILED: dict[str, Any] = {'marker': 'x', 'markersize': 8, 'markeredgewidth': 2.4,
                          'linestyle': 'none'}
SEED = 0


def main() -> None:
    """Run and draw."""
    figure, grid = plt.subplots(2, 2, figsize=(8.6, 6.6), layout='constrained')
    for axes, name in zip(grid.ravel(), SCENES, strict=True):
        values = scenario_values(name, chosen_scenes(families(), [name])[name], SEED)
        for number, (controller, colour) in enumerate(CONTROLLERS.items()):
            scenario = parse_scenario(dump_yaml(values), name, ROOT,
                                      overrides={'robots.*.controller': controller})
            run = run_scenario(scenario)
            if number == 0:
                draw_arena(axes, from_result(run))
                goals = [robot.goal for robot in scenario.robots if robot.goal is not None]
                axes.plot(*zip(*goals, strict=True), zorder=8, **GOAL)
            for i, robot in enumerate(scenario.robots):
                goes = robot.goal is not None
                axes.plot(run.poses[:, i, 0], run.poses[:, i, 1], color=colour, zorder=5,
                          linewidth=1.8 if goes else 0.6, alpha=1.0 if goes else 0.6)
                if goes and run.summary['robots'][i]['goal_reached_s'] is None:
                    axes.plot(*run.poses[-1, i, :2], color=colour, zorder=9, **FAILED)
        axes.set_title(name, loc='left')
        axes.set_xlabel('x (m)')
        axes.set_ylabel('y (m)')
    handles: list[Any] = [Line2D([], [], color=colour, linewidth=1.8)
                          for colour in CONTROLLERS.values()]
    signs = [*handles, Line2D([], [], color='0.4', linewidth=0.6), Line2D([], [], **GOAL),
             Line2D([], [], color='0.4', **FAILED)]
    names = [*CONTROLLERS, 'followers, thin', 'goal', 'end of a robot that did not arrive']
    figure.legend(signs, names, loc='outside lower center', ncols=3, frameon=False)
    figure.savefig(ROOT / 'docs' / 'figures' / 'comparison.png', dpi=170)


if __name__ == '__main__':
    main()
