"""What a turn of the controller `navigate` costs in whole scenes, in processor time.

    python benchmark/navigate_turn.py                          # this checkout
    python benchmark/navigate_turn.py --keep turns.pickle      # and keep what the robots saw
    PYTHONPATH=OTHER python benchmark/navigate_turn.py --take turns.pickle   # another checkout

A first process plays each scene and keeps every observation; then controllers that begin anew are
given the same observations. So two checkouts compute on the same inputs. The hash is that of the
commands: equal ones are equal to the bit.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from sbot.controllers.navigate.bot import Navigate
from sbot_common.observation import Observation, Scan

SCENES = ('doorway/1.2', 'corridor/1.6', 'office/four', 'moving/six', 'clutter/20',
          'arena/maze-wind')  # of `sbot bench navigation`
BLOCKS = 7  # of which the least counts: what else runs only adds

Turns = dict[int, list[tuple[Any, ...]]]  # of a robot: the fields of its observations


def main() -> int:
    """Keep observations, or take them, and print what a turn costs in each scene."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='What a turn of navigate costs.')
    parser.add_argument('scenes', nargs='*', default=list(SCENES))
    parser.add_argument('--seconds', type=float, default=20.0, help='of each scene')
    parser.add_argument('--keep', type=Path, metavar='FILE')
    parser.add_argument('--take', type=Path, metavar='FILE')
    arguments = parser.parse_args()
    if arguments.take:
        scenes = pickle.loads(arguments.take.read_bytes())
    else:
        scenes = {name: observed(name, arguments.seconds) for name in arguments.scenes}
    if arguments.keep:
        arguments.keep.write_bytes(pickle.dumps(scenes))
    every = []
    for name, turns in scenes.items():
        measured = [cost(turns) for _ in range(BLOCKS)]
        least, commands = min(measured)
        every.append(least)
        print(f'{name:16} {least:6.1f} us a turn, commands {commands}', flush=True)
    print(f'{"mean":16} {np.exp(np.mean(np.log(every))):6.1f} us a turn (geometric)')
    return 0


def observed(name: str, seconds: float, seed: int = 1) -> Turns:
    """Return what every robot of a scene observes."""
    import sbot
    from sbot.navigation.library import chosen_scenes, families, scenario_values
    turns: Turns = {}
    changes: dict[str, Any] = {'robots.*.controller': 'navigate', 'duration': seconds}
    step = Navigate.step

    def keeping(self: Navigate, seen: Observation, rng: np.random.Generator) -> Any:  # noqa: ANN401
        scan = seen.scan
        turns.setdefault(seen.robot_id, []).append((
            seen.num_robots, seen.dt, np.array(seen.poses), None if scan is None else (
                np.array(scan.ranges), *tuple(scan)[1:]), seen.goal, seen.twist,
            seen.scan_heading))
        return step(self, seen, rng)

    Navigate.step = keeping  # type: ignore[method-assign, assignment]
    try:
        sbot.run(scenario_values(name, chosen_scenes(families(), [name])[name], seed), **changes)
    finally:
        Navigate.step = step  # type: ignore[method-assign]
    return turns


def cost(turns: Turns) -> tuple[float, str]:
    """Return the processor time (us) of a turn, mean over all turns, and the commands' hash."""
    rng, spent, count, commands = np.random.default_rng(0), 0.0, 0, hashlib.sha256()
    for robot, fields in turns.items():
        controller = Navigate()
        seen = [Observation(robot, robots, k, 0, dt, poses, None if scan is None else Scan(*scan),
                            goal, twist=twist, scan_heading=heading)
                for k, (robots, dt, poses, scan, goal, twist, heading) in enumerate(fields)]
        gc.freeze()  # what is kept here is no garbage of a turn
        begin = time.process_time()
        told = [controller.step(each, rng) for each in seen]
        spent += time.process_time() - begin
        count += len(seen)
        commands.update(np.array(told).tobytes())
    return spent / count * 1e6, commands.hexdigest()[:16]


if __name__ == '__main__':
    sys.exit(main())
