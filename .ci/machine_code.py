"""Make the machine code that a wheel brings: `python .ci/machine_code.py FOLDER [SCENARIO ...]`.

Which functions there are is found by running: every shipped scenario (or those named) by `sbot
run`, in a `World` and in `Worlds`, networks as policies, replay, `sbot bench`, and what a warm-up
of everything compiles. Each level of processors (`sbot_common/compiled/keys.py`) has a process,
all side by side, and a folder in FOLDER: the one that SBOT_MACHINE_CODE names for setup.py.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = ('sbot', 'sbot_common', 'sbot_sim', 'wind_model', 'potential_field_bot', 'navigate',
            'neural_controller')
SECONDS = 2  # of a scenario: what whole runs call besides, test/test_machine_code.py finds
NETWORKS = {'perceptron': {}, 'mlp': {'hidden': [3]}, 'ctrnn': {'hidden': [3]}}


def sbot(*words: str) -> None:
    """Run a command in this process."""
    from sbot.cli.main import main
    try:
        code = main(list(words))
    except SystemExit as end:
        code = end.code
    assert not code, words


def shipped() -> list[str]:
    """Return the names of the scenarios of the package, those in other formats too."""
    from sbot.scenario.shipped import config_directory
    return sorted(path.stem for path in (config_directory() / 'scenarios').iterdir())


def run(name: str) -> None:
    """Run, record and replay a scenario, and step it as one world and as two."""
    import numpy as np

    import sbot as package
    sbot('run', name, '--duration', str(SECONDS), '--quiet', '--record', f'{name}.bag')
    sbot('replay', f'{name}.bag', '--quiet')
    for commands in (3, 2):
        world = package.World(name)
        world.step(np.zeros((world.robots, commands)))
    worlds = package.Worlds(name, 2)
    worlds.step(np.zeros((2, worlds.robots, 2)), ticks=2)
    for kind, more in NETWORKS.items():
        network = package.network(kind, ['pose'], **more)
        worlds.run(network, np.zeros(network.weight_count), 2, keep=['pose', 'command'])


def run_everything() -> None:
    """Compile what no shipped scenario needs: other sensors and shapes, commands, benchmarks."""
    from sbot.bench.measure import CASES, measure
    from sbot.controllers.registry import shipped
    from sbot.runner.warm_up import warm_up
    from sbot.scenario.shipped import config_directory
    from sbot_sim.fast2d.warm_up import load_compiled
    warm_up(quiet=True)
    for entry in shipped():
        if ':' not in entry.name:
            entry.warm_up()
    load_compiled()
    for case in CASES:
        measure(case, 10, 1, 0.01)
    sbot('wind', 'at', str(config_directory() / 'wind/vortex.txt'), '26', '12', '0.5')


def preload(names: list[str], runs_only: bool) -> None:
    """Compile into the cache of this process what scenarios need; all: whatever there is."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in names or shipped():
            if runs_only:
                sbot('run', name, '--duration', '0.3', '--quiet')
            else:
                run(name)
        if not names:
            run_everything()
        os.chdir('/')


def keep(cache: Path, folder: Path) -> int:
    """Copy the package's own functions from a cache; return how many files there are."""
    folder.mkdir(parents=True)
    files = [path for path in cache.glob('*/*.code') if path.name.partition('.')[0] in PACKAGES]
    for path in files:
        shutil.copyfile(path, folder / path.name)
    return len(files)


def main() -> None:
    """Make a folder a level, each in a child process."""
    parser = argparse.ArgumentParser(description='Make the machine code that a wheel brings.')
    parser.add_argument('folder', type=Path, help='is made, or made anew')
    parser.add_argument('scenarios', nargs='*', help='instead of all, and of all else')
    parser.add_argument('--runs-only', action='store_true', help='what `sbot run` needs, no more')
    parser.add_argument('--cache', type=Path, help='keeps what is compiled for the next time; '
                        'functions that were edited since are then made in both forms')
    parser.add_argument('--preload', action='store_true', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.preload:
        preload(arguments.scenarios, arguments.runs_only)
        return
    from sbot_common.compiled.keys import shipped_key, usable_levels
    levels = usable_levels()
    if not levels:
        sys.exit('no machine code is made for processors of this kind')
    shutil.rmtree(arguments.folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.cache or Path(temporary)).absolute()
        children = {level: subprocess.Popen(
            [sys.executable, __file__, '--preload', *sys.argv[1:]],
            env={**os.environ, 'NUMBA_CPU_NAME': level, 'NUMBA_CPU_FEATURES': '',
                 'NUMBA_CACHE_DIR': f'{work}/{level}'}, stdout=subprocess.DEVNULL)
            for level in levels}
        for level, child in children.items():
            if child.wait():
                sys.exit(f'{level}: exit code {child.returncode}')
        for level in levels:
            count = keep(work / level, arguments.folder / shipped_key(level))
            print(f'{level}: {count} functions')


if __name__ == '__main__':
    main()
