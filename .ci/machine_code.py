"""Make the machine code that a wheel brings: `python .ci/machine_code.py FOLDER [SCENARIO ...]`.

Which functions there are is found by running: every shipped scenario (or those named) by `sbot
run`, in a `World` and in `Worlds`, networks as policies, replay, `sbot bench`, what a warm-up of
everything compiles, and robots that have every sensor. Each level of processors
(`sbot_common/compiled/cache.py`) has a process, all side by side, and a folder in FOLDER: the one
that SBOT_MACHINE_CODE names for setup.py.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

PACKAGES = ('sbot', 'sbot_common', 'sbot_sim', 'wind_model', 'potential_field_bot')
SECONDS = 2  # of a scenario: what whole runs call besides, test/test_machine_code.py finds
NETWORKS = {'perceptron': {}, 'mlp': {'hidden': [3]}, 'ctrnn': {'hidden': [3]},
            'gru': {'hidden': [3]}, 'lstm': {'hidden': [3]}}
SCENE = {
    'duration': 0.3, 'rate': 20, 'wind': {'wind_speed_mean': 0.4, 'wake': True},
    'world': {'bounds': [0, 0, 9, 9], 'circles': [{'center': [5, 6], 'radius': 0.5}]},
    'bodies': {'slow': {'max_acceleration': 1.0, 'command_delay': 0.1},
               'cart': {'length': 0.5, 'width': 0.3}},
    'robots': [{'pose': [2.5 + 0.9 * i, 2, 0], 'goal': [8, 8], 'body': body}
               for i, body in enumerate(('slow', 'slow', 'cart'))]}
MOVED = {'boxes': [{'center': [1, 1], 'size': [0.5, 0.5]}],
         'moving': [{'radius': 0.2, 'path': [[1, 7], [3, 7]], 'speed': 0.1}]}


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


def every_sensor() -> dict[str, object]:
    """Return the keys of a scenario that switch all sensors on, with noise."""
    from sbot_sim.sensors.registry import sensors
    keys = {spec.name: True if spec.name == sensor.switch else 0.02
            for sensor in sensors().values() for spec in sensor.specs
            if spec.name == sensor.switch or 'noise' in spec.name or 'bias' in spec.name}
    return {**keys, 'scan_sees_robots': True, 'laser_x': 0.1}


def run_every_sensor() -> None:
    """Run robots with all sensors, alone and in batches, by networks of all kinds."""
    import numpy as np

    import sbot as package
    from sbot.controllers.neural.inputs import NAMES
    from sbot.controllers.neural.network import TWIST, WHEELS
    from sbot_sim.sensors.registry import sensors
    scene = {**SCENE, 'sensors': every_sensor()}
    with_moved = {**scene, 'world': {**SCENE['world'], **MOVED}}
    readings = [f'{name}:{len(sensor.kernel.columns)}' for name, sensor in sensors().items()
                if sensor.kernel is not None and name not in NAMES]
    whole = [*(name.replace('scan', 'scan:4') for name in NAMES), *readings]
    batches = [package.Worlds(each, 2, sense=list(sensors())) for each in (scene, with_moved)]
    for kind, more in NETWORKS.items():
        for inputs in (['infrared'], whole):
            for outputs in (WHEELS, TWIST):
                network = package.network(kind, inputs, outputs=outputs, **more)
                weights = np.zeros(network.weight_count)
                for worlds in batches:
                    worlds.run(network, weights, 2, keep=['pose', 'command'])
        package.save_network(f'{kind}.json', network, weights)
        robots = [{**robot, 'controller': 'neural_controller.controller:Neural',
                   'parameters': {'network': f'{kind}.json'}} for robot in SCENE['robots']]
        for n, each in enumerate((scene, with_moved)):
            package.run({**each, 'robots': robots}, record=f'{kind}{n}.bag')
            sbot('replay', f'{kind}{n}.bag', '--quiet')


def run_aside() -> None:
    """Drive by networks of three outputs, draw numbers for tasks, place robots at random."""
    import numpy as np

    import sbot as package
    from sbot.controllers.neural.network import HOLONOMIC
    from sbot.learn.task import Draws
    robot = {'pose': [2, 2, 0], 'body': 'carrier', 'controller': 'none'}
    scene = {**SCENE, 'bodies': {'carrier': {'drive': 'omnidirectional'}}, 'robots': [robot]}
    for kind, more in NETWORKS.items():
        network = package.network(kind, ['pose'], outputs=HOLONOMIC, **more)
        package.Worlds(scene, 2).run(network, np.zeros(network.weight_count), 2)
    Draws(np.zeros(1, np.int64), np.zeros(1, np.int64)).uniform()
    package.Worlds({**SCENE, 'robots': [{'count': 2, 'controller': 'none'}]}, 2)


def run_many() -> None:
    """Step a world whose robots are sorted by place, and shared by threads."""
    import numpy as np

    import sbot as package
    many = {'world': {'bounds': [0, 0, 80, 80]},
            'sensors': {'infrared': True, 'scan_sees_robots': True},
            'robots': [{'count': 800, 'layout': 'grid', 'area': [0, 0, 80, 80],
                        'controller': 'none'}]}
    worlds = package.Worlds(many, 1, sense=['infrared', 'scan'], threads=2)
    worlds.step(np.zeros((1, 800, 2)), ticks=60)


def run_everything() -> None:
    """Compile what no shipped scenario needs: other sensors and shapes, commands, benchmarks."""
    from sbot.bench import CASES, BenchResult
    from sbot.controllers.registry import shipped
    from sbot.runner.warm_up import warm_up
    from sbot.scenario.shipped import config_directory
    from sbot_sim.fast2d.c_exports import load_compiled
    warm_up(quiet=True)
    for entry in shipped():
        if ':' not in entry.name:
            entry.warm_up()
    load_compiled()
    for case in CASES:
        BenchResult.measure(case, 10, 1, 0.01)
    run_every_sensor()
    run_aside()
    run_many()
    sbot('wind', 'at', str(config_directory() / 'wind/vortex.txt'), '26', '12', '0.5')
    sbot('wind', 'wake', 'wind_wake', '--time', '1')


def warn(action: str) -> None:
    """Say each warning once, or none: numba repeats them for each function and type."""
    warnings.filterwarnings(action, append=True)


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
    files.sort(key=lambda path: path.stat().st_mtime)  # of several versions the newest is kept
    for path in files:
        shutil.copyfile(path, folder / path.name)
    return len(files)


def main() -> None:
    """Make a folder a level, each in a child process."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='Make the machine code that a wheel brings.')
    parser.add_argument('folder', type=Path, help='is made, or made anew')
    parser.add_argument('scenarios', nargs='*', help='instead of all, and of all else')
    parser.add_argument('--runs-only', action='store_true', help='what `sbot run` needs, no more')
    parser.add_argument('--cache', type=Path, help='keeps what is compiled for the next time; '
                        'functions that were edited since are then made in both forms')
    parser.add_argument('--preload', choices=('once', 'ignore'), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.preload:
        warn(arguments.preload)
        preload(arguments.scenarios, arguments.runs_only)
        return
    from sbot_common.compiled.cache import shipped_key, usable_levels
    levels = usable_levels()
    if not levels:
        sys.exit('no machine code is made for processors of this kind')
    shutil.rmtree(arguments.folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.cache or Path(temporary)).absolute()
        children = {level: subprocess.Popen(
            # All levels have the same warnings.
            [sys.executable, __file__, '--preload', 'once' if level == levels[0] else 'ignore',
             *sys.argv[1:]],
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
