"""Compilation before anything that should not wait for it."""

from __future__ import annotations

import sys

from sbot_common.jit import is_compiled, mark_compiled

_SCENARIO = """
name: warm_up
duration: 0.1
world: {bounds: [0, 0, 8, 8], circles: [{center: [6, 6], radius: 0.5}],
        rectangles: [{center: [6, 2], size: [1, 1]}]}
robots:
  - {pose: [2, 2, 0], goal: [7, 4]}
  - {pose: [2, 4, 0]}
  - {body: s-bot, pose: [4, 4, 0]}
sensors: {infrared: true, range_and_bearing: true, scan_sees_robots: true, scan_noise_std: 0.01,
          odometry_noise_slip: 0.01}
wind: {wind_speed_mean: 0.1, wake: true}
"""


def warm_up(quiet: bool = False) -> None:
    """Compile every numeric function once, if no earlier run has; say so, because it takes a while."""
    if is_compiled():
        return
    if not quiet:
        print('Compiling the numeric functions; only the first run after an installation does '
              'this (about 20 s) ...', file=sys.stderr, flush=True)
    from pathlib import Path

    from potential_field_bot.bot import warm_up as warm_up_controller
    from sbot_bringup.run import run_scenario
    from sbot_bringup.scenario_file import parse_scenario

    warm_up_controller()
    scenario = parse_scenario(_SCENARIO, 'warm_up', Path.cwd())
    run_scenario(scenario, keep=False)
    crowd = {'robots': [{'pose': [4.0, 4.0, 0.0], 'goal': [5.0, 5.0]},
                        {'count': 9, 'layout': 'grid', 'area': [0.0, 0.0, 3.5, 3.5]}]}
    run_scenario(parse_scenario(_SCENARIO, 'warm_up', Path.cwd(), overrides=crowd), keep=False)
    mark_compiled()
