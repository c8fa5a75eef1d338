"""Use an installed package outside its repository: `python -I .ci/smoke.py`.

Prints the hash of a trajectory, which is the same for every Python. With `--shipped` nothing may
be compiled, in runs, worlds and batches: neither with the best machine code that the package has
for this processor, nor, in runs, with that of each level that NUMBA_CPU_NAME can ask for. A
function policy, as a user writes it, then compiles against that machine code.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path


def sbot(*arguments: str, **variables: str) -> str:
    """Run the installed command; return what it prints."""
    command = Path(sys.executable).with_name('sbot')
    done = subprocess.run([str(command), *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **variables})
    if done.returncode:
        sys.exit(f'sbot {" ".join(arguments)}: exit code {done.returncode}\n{done.stderr}')
    return done.stdout


def check_nothing_compiled(expected: str) -> None:
    """Run with the machine code of each level; trajectories are equal, the cache stays empty."""
    from sbot_common.compiled.cache import usable_levels
    assert usable_levels(), 'no machine code for this processor'
    for level in usable_levels():
        run = json.loads(sbot('run', 'leader_follower', '--duration', '1', '--json', '--quiet',
                              NUMBA_CPU_NAME=level))
        assert run['trajectory_sha256'] == expected, level
    step_worlds()
    compiled = [path.name for path in Path(os.environ['NUMBA_CACHE_DIR']).rglob('*.code')]
    assert not compiled, compiled


def step_worlds() -> None:
    """Step a world, and two by a network."""
    import numpy as np

    import sbot as package
    world = package.World('leader_follower')
    world.step(np.zeros((world.robots, 2)))
    for inputs in (['infrared'], ['infrared', 'twist']):
        network = package.network('perceptron', inputs, outputs='twist')
        package.Worlds('sbot_box', 2, sense=['infrared', 'twist']).run(
            network, np.zeros(network.weight_count), 5, keep=['pose'])


def light(inputs, weights, memory, outputs, layers, dt) -> None:  # noqa: ANN001
    """Turn away from what is near: a function policy."""
    outputs[0] = weights[0] - weights[1] * inputs[0]
    outputs[1] = weights[0] - weights[1] * inputs[14]


def check_a_policy_compiles() -> None:
    """Drive robots by a function of a user's own; the package's functions are still loaded."""
    import sbot as package
    from sbot_common.compiled.cache import CACHE_DIRECTORY
    policy = package.function_policy(light, ['infrared'], weights=2)
    seen = package.Worlds('sbot_box', 2).run(policy, [0.5, 1.0], ticks=5, keep=['pose']).pose
    assert (seen[-1] != seen[0]).any()
    compiled = [path.name for path in CACHE_DIRECTORY.glob('*.code')]
    assert not [name for name in compiled if name.startswith('sbot_sim.')], compiled


def main(shipped: bool) -> None:
    """Use every kind of file that the package brings."""
    import sbot as package
    from sbot.scenario.shipped import config_directory, scenario_names
    assert Path(sysconfig.get_path('purelib')) in Path(package.__file__).parents, package.__file__
    share = config_directory().parent
    for name in ('launch/swarm.launch.py', 'config/sbot.rviz', 'package.xml'):
        assert (share / name).is_file(), name
    assert len(scenario_names()) > 6
    for name in scenario_names():  # maps, wind fields and the controllers of examples/
        package.load(name)
    run = json.loads(sbot('run', 'leader_follower', '--duration', '1', '--json', '--quiet',
                          '--record', 'bag', '--plot', 'tracks.png'))
    sbot('replay', 'bag', '--quiet')
    sbot('view', 'bag', '-o', 'run.html')
    shutil.copy(share / 'config/scenarios/wind_blocking.argos', '.')
    sbot('run', 'wind_blocking.argos', '--duration', '1', '--quiet')
    sbot('run', 'sbot_box', '--duration', '1', '--quiet')
    speeds = sbot('wind', 'at', str(share / 'config/wind/vortex.txt'), '26', '12', '0.5').split()
    assert float(speeds[1]) > 0.1, speeds
    assert Path('tracks.png').stat().st_size > 10_000
    assert 'canvas' in Path('run.html').read_text('utf-8')
    if shipped:
        check_nothing_compiled(run['trajectory_sha256'])
        check_a_policy_compiles()
    print(f'{sbot("--version").strip()}, Python {sys.version.split()[0]}: '
          f'{run["trajectory_sha256"]}')


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shipped = '--shipped' in sys.argv[1:]
        if shipped:
            os.environ['NUMBA_CACHE_DIR'] = str(Path(folder, 'cache'))
        main(shipped)
        os.chdir(Path(folder).parent)  # Windows deletes no folder that somebody is in
