"""Draw docs/figures/comparison.png: ways of leaders by controller, in a crosswind of 0.3 m/s.

python docs/make_comparison_figure.py
"""

from pathlib import Path

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from sbot.figures.arena import draw_arena
from sbot.figures.data import from_result
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

ROOT = Path(__file__).resolve().parent.parent
ARENAS = ('wall', 'trap', 'maze')
CONTROLLERS = {'potential_field': '#c0392b', 'navground:HL': '#2e8b57', 'navigate': '#1f4e9e'}
CHANGES = {'seed': 1, 'wind.wind_direction': [0, 1, 0], 'wind.wind_speed_mean': 0.3}


def main() -> None:
    """Run and draw."""
    # As wide as their arenas, so that all are equally high.
    figure, grid = plt.subplots(1, len(ARENAS), figsize=(8.6, 2.5), layout='constrained',
                                width_ratios=(40 / 24, 40 / 24, 30 / 21))
    for axes, arena in zip(grid, ARENAS, strict=True):
        for number, (controller, colour) in enumerate(CONTROLLERS.items()):
            scenario = load_scenario(str(ROOT / 'benchmark' / 'comparison' / f'{arena}.yaml'),
                                     {**CHANGES, 'robots.*.controller': controller})
            run = run_scenario(scenario)
            if number == 0:
                draw_arena(axes, from_result(run))
                axes.plot(*scenario.robots[0].goal, marker='*', color='black', markersize=10,
                          zorder=6)
            for i in range(run.poses.shape[1]):
                axes.plot(run.poses[:, i, 0], run.poses[:, i, 1], color=colour, zorder=5,
                          linewidth=1.8 if i == 0 else 0.6, alpha=1.0 if i == 0 else 0.6,
                          label=controller if i == 0 else None)
        axes.set_title(arena, loc='left')
        axes.set_xlabel('x (m)')
    grid[0].set_ylabel('y (m)')
    lines, names = grid[0].get_legend_handles_labels()
    for width, name in ((1.8, 'leader'), (0.6, 'followers')):
        lines.append(Line2D([], [], color='0.4', linewidth=width))
        names.append(name)
    lines.append(Line2D([], [], color='black', marker='*', linestyle='none', markersize=8))
    figure.legend(lines, [*names, 'goal'], loc='outside lower center',
                  ncols=len(names) + 1, frameon=False, fontsize='small')
    figure.savefig(ROOT / 'docs' / 'figures' / 'comparison.png', dpi=170)


if __name__ == '__main__':
    main()
