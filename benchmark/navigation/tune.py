"""Parameters of the competitors of the navigation benchmark, each tuned for the same time.

    python benchmark/navigation/tune.py [COMPETITOR ...] [--seconds S]

Run in benchmark/navigation/planners. Each competitor has a list of settings that are drawn by
counter from its ranges, the first one its defaults. They are tried on build seeds, which no table
has, until S seconds of the processor are over. The best is the one with most successes, then the
greatest SPL. tuned.json, beside this file, has what measure.py sets.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import sbot
from sbot.navigation.benchmark import scene_sources
from sbot.navigation.library import chosen_scenes, families
from sbot.navigation.metrics import navigation

HERE = Path(__file__).resolve().parent
TUNED = HERE / 'tuned.json'
SCENES = ('slit/10', 'clutter/10', 'doorway/pair', 'intersection/four')
SEEDS = range(1000, 1002)
# Of each competitor: the lowest and the highest value of its parameters.
RANGES: dict[str, dict[str, tuple[float, float]]] = {
    'dwa': {'max_speed': (0.8, 1.5), 'heading_weight': (0.1, 1.0), 'distance_weight': (0.2, 2.0),
            'speed_weight': (0.1, 1.0), 'margin': (0.02, 0.15)},
    'navground:ORCA': {'optimal_speed': (0.8, 1.5), 'horizon': (2.0, 8.0),
                       'safety_margin': (0.02, 0.15), 'time_horizon': (1.0, 10.0)},
    'navground:HL': {'optimal_speed': (0.8, 1.5), 'horizon': (2.0, 8.0),
                     'safety_margin': (0.02, 0.15), 'tau': (0.1, 0.8), 'eta': (0.2, 1.0)},
    'navground:HRVO': {'optimal_speed': (0.8, 1.5), 'horizon': (2.0, 8.0),
                       'safety_margin': (0.02, 0.15)},
    'astar:AstarDwa': {'ahead': (0.8, 3.0), 'clearance': (0.1, 0.5), 'max_speed': (0.8, 1.5),
                       'heading_weight': (0.1, 1.0), 'distance_weight': (0.2, 2.0),
                       'margin': (0.02, 0.15)},
    'astar:AstarOrca': {'ahead': (0.8, 3.0), 'clearance': (0.1, 0.5),
                        'optimal_speed': (0.8, 1.5), 'safety_margin': (0.02, 0.15),
                        'time_horizon': (1.0, 10.0)},
    'mppi:Mppi': {'clearance': (0.1, 0.5), 'speed': (0.5, 1.5), 'turn': (1.5, 3.0)},
}


def settings_of(competitor: str, number: int) -> dict[str, Any]:
    """Return a setting by its number, as values by key path; 0: the defaults."""
    if number == 0:
        return {}
    rng = np.random.default_rng([number, *competitor.encode()])
    return {f'robots.*.parameters.{name}': round(float(rng.uniform(low, high)), 3)
            for name, (low, high) in RANGES[competitor].items()}


def tuned(competitor: str, seconds: float) -> dict[str, Any]:
    """Return the best setting that was found, and how many were tried."""
    sources = [values for _, values in scene_sources(chosen_scenes(families(), SCENES), SEEDS)]
    end, number, best = time.process_time() + seconds, 0, ((-1.0, -1.0), dict[str, Any]())
    while number == 0 or time.process_time() < end:
        setting, found = settings_of(competitor, number), list[dict[str, Any]]()
        for values in sources:
            if number > 0 and time.process_time() > end:
                break
            run = sbot.run(values, **{'robots.*.controller': competitor, **setting})
            found.append(navigation(run))
        if len(found) == len(sources):  # a setting that has not had all its runs does not count
            score = (statistics.fmean(row['success'] for row in found),
                     round(statistics.fmean(row['spl'] for row in found), 3))
            print(competitor, number, *score, setting, flush=True)
            best = max(best, (score, setting), key=lambda each: each[0])
            number += 1
    return {'set': best[1], 'tried': number, 'success': best[0][0], 'spl': best[0][1]}


def main() -> int:
    """Tune, and write."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description="Tune the benchmark's competitors.")
    parser.add_argument('competitors', nargs='*', default=list(RANGES), metavar='COMPETITOR')
    parser.add_argument('--seconds', type=float, default=90.0,
                        help='of the processor, for each (default: 90)')
    arguments = parser.parse_args()
    for competitor in arguments.competitors:
        found = json.loads(TUNED.read_text('utf-8')) if TUNED.exists() else {}
        found[competitor] = {'seconds': arguments.seconds, **tuned(competitor, arguments.seconds)}
        TUNED.write_text(json.dumps(dict(sorted(found.items())), indent=1) + '\n', 'utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
