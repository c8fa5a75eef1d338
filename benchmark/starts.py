"""What a start costs: processor time and waiting, a table on the screen, and starts.csv.

    python benchmark/starts.py --install --wheel dist/*manylinux*.whl --page

measures all and writes docs/performance.md's table; without options, what needs no index of
packages. `--warm`: warm starts only, with the machine code in the user's cache.

Processor time is that of the processes of a command, both cores together; waiting is by the clock
on the wall and means something on an idle machine only. Warm starts are medians of N runs (5)
after one that does not count; those of `sbot up` and of installations are single ones after it.

The package is this checkout, started from an environment without other packages than those that
it asks for: files of entry points in a full one cost some hundredths of a second a start. Python
keeps the bytecode of all modules there, as it does for users, whatever PYTHONDONTWRITEBYTECODE
says here; a first run is measured with bytecode and without machine code, from an empty cache.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name('starts.csv')
_RUN = 'sbot run leader_follower --duration'
_UP = 'sbot up leader_follower --duration 1'
_WARM = {  # the words after `python`, by what users write
    "`import sbot; sbot.load('leader_follower')`":
        ['-c', "import sbot; sbot.load('leader_follower')"],
    f'`{_RUN} 1`': ['-m', 'sbot.cli', *f'{_RUN} 1 --quiet'.split()[1:]],
    '`import sbot.learn`': ['-c', 'import sbot.learn'],
}
_BATCH = """
import numpy, sbot
network = sbot.network('perceptron', ['scan:16'], outputs='twist', max_speed=0.5, turn=1.0)
sbot.Worlds('leader_follower', 2).run(network, numpy.zeros((2, network.weight_count)), ticks=10)
"""
_EVERYTHING = """
from sbot.scenario.shipped import shipped_scenarios
import sbot
for name in shipped_scenarios():
    sbot.run(name, duration=0.5)
"""


class Cost(NamedTuple):
    """Seconds of a command."""

    cpu: float
    wall: float


class Row(NamedTuple):
    """A line of the table; None: not measured."""

    start: str
    cpu_s: float | None
    wall_s: float | None
    note: str = ''


def cost_of(command: Sequence[str | Path], environment: Mapping[str, str] | None = None,
            folder: Path | None = None) -> Cost:
    """Run a command; return what it and the processes that it waited for took."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=folder, check=False, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: exit code {done.returncode}\n{done.stderr}')
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def median_of(command: Sequence[str | Path], repeat: int, environment: Mapping[str, str],
              ) -> Cost:
    """Return the medians of a command's times, after a run that does not count."""
    cost_of(command, environment)
    costs = [cost_of(command, environment) for _ in range(repeat)]
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def environment_of(work: Path, cache: str) -> dict[str, str]:
    """Return variables for children: bytecode and machine code are kept below ``work``."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ('PYTHONDONTWRITEBYTECODE', 'NUMBA_CPU_NAME', 'NUMBA_CPU_FEATURES')}
    return {**kept, 'PYTHONPYCACHEPREFIX': str(work / 'bytecode'),
            'NUMBA_CACHE_DIR': str(work / cache)}


def small_environment(folder: Path) -> Path:
    """Make a virtual environment of what the package asks for; return its Python."""
    subprocess.run([sys.executable, '-m', 'venv', '--without-pip', folder], check=True)
    python = folder / 'bin/python'
    [site] = folder.glob('lib/python*/site-packages')
    for path in packages_asked_for():
        (site / path.name).symlink_to(path)
    (site / 'checkout.pth').write_text(f'{ROOT}\n', 'utf-8')
    return python


def packages_asked_for() -> list[Path]:
    """Return the folders and files of the packages that this one asks for, and they in turn."""
    from importlib.metadata import PackageNotFoundError, distribution
    from re import match
    wanted, seen, paths = ['potential_field_bot'], set[str](), dict[Path, None]()
    while wanted:
        name = wanted.pop().lower().replace('-', '_')
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # for another system or Python
            continue
        for line in found.requires or ():
            if 'extra ==' not in line and (named := match(r'[\w.-]+', line)):
                wanted.append(named[0])
        if name != 'potential_field_bot':
            paths |= dict.fromkeys(Path(str(found.locate_file(file.parts[0])))
                                   for file in found.files or () if '..' not in file.parts)
    return [path for path in paths if path.name not in ('__pycache__', 'bin')]


def first_runs(python: Path, work: Path) -> list[Row]:
    """Return the first run, and what `World.step` and `Worlds.run` add after it."""
    command = [python, '-m', 'sbot.cli', *f'{_RUN} 5 --quiet'.split()[1:]]
    cost_of([python, '-c', 'import sbot.runner.warm_up, sbot.runner.loop, sbot.worlds, sbot.learn,'
             'sbot.cli.simulate, numba.np.random.generator_core'], environment_of(work, 'none'))
    first = cost_of(command, environment_of(work, 'machine_code'))
    files = len(list((work / 'machine_code').rglob('*.code')))
    step = cost_of([python, '-c', "import sbot, numpy; w = sbot.World('leader_follower'); "
                    'w.step(numpy.zeros((4, 2)))'], environment_of(work, 'machine_code'))
    batch = cost_of([python, '-c', _BATCH], environment_of(work, 'machine_code'))
    rest = cost_of([python, '-c', _EVERYTHING], environment_of(work, 'machine_code'))
    return [Row(f'`{_RUN} 5`, nothing compiled yet, from a checkout', *first,
                f'{files} files of machine code'),
            Row("`World('leader_follower').step(...)` for the first time after it", *step),
            Row('`Worlds.run(network)` for the first time after it', *batch),
            Row('all shipped scenarios for the first time after it', *rest)]


def nodes(work: Path) -> list[Row]:
    """Return starts of ROS 2 nodes, where ROS 2 is installed beside this script's Python."""
    rows = []
    for words, name in (('', ', six processes'), (' --composed', '')):
        command = [sys.executable, '-m', 'sbot.cli', *f'{_UP}{words}'.split()[1:]]
        cost = median_of(command, 1, environment_of(work, 'machine_code')) if _has_ros() else None
        rows.append(Row(f'`{_UP}{words}`{name}', *(cost or (None, None)),
                        '' if cost else 'ROS 2 is not installed'))
    return rows


def _has_ros() -> bool:
    return subprocess.run([sys.executable, '-c', 'import rclpy'], check=False,
                          capture_output=True).returncode == 0


def installed(what: str, work: Path, name: str) -> tuple[Path, Cost, str]:
    """Install into a new environment; return its Python, the cost, and how large it is."""
    venv = work / name
    subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
    python = venv / 'bin/python'
    cost = cost_of([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check',
                    what], environment_of(work, 'none'))
    [site] = venv.glob('lib/python*/site-packages')
    size = sum(path.stat().st_size for path in site.rglob('*')
               if path.is_file() and path.relative_to(site).parts[0] != 'pip')
    count = sum(1 for path in site.glob('*.dist-info')
                if not path.name.startswith(('pip-', 'setuptools-')))
    return python, cost, f'{count} packages, {size / 1e6:.0f} MB'


def of_a_wheel(wheel: Path, work: Path) -> list[Row]:
    """Return the first runs from a wheel with machine code, for each level of processors."""
    python, *_ = installed(str(wheel.resolve()), work, 'wheel')
    rows = []
    levels = subprocess.run(
        [python, '-I', '-c', 'from sbot_common.compiled.cache import usable_levels\n'
         'print(*usable_levels())'], check=True, capture_output=True, text=True).stdout.split()
    for level in levels:
        environment = {**environment_of(work, f'empty_{level}'), 'NUMBA_CPU_NAME': level}
        command = [python, '-I', '-m', 'sbot.cli', *f'{_RUN} 5 --quiet'.split()[1:]]
        cost = cost_of(command, environment, work)
        compiled = len(list((work / f'empty_{level}').rglob('*.code')))
        rows.append(Row(f'`{_RUN} 5`, the first one, wheel with machine code, {level}', *cost,
                        f'{compiled} compiled'))
    return rows


def measured(arguments: argparse.Namespace, work: Path) -> list[Row]:
    """Return all rows."""
    python = small_environment(work / 'small')
    warm = environment_of(work, 'machine_code')
    if arguments.warm:
        warm.pop('NUMBA_CACHE_DIR')
    rows = [] if arguments.warm else first_runs(python, work)
    rows += [Row(name, *median_of([python, *words], arguments.repeat, warm))
             for name, words in _WARM.items()]
    if arguments.warm:
        return rows
    rows += nodes(work)
    if arguments.wheel:
        rows += of_a_wheel(arguments.wheel, work)
    if arguments.install:
        _, cost, size = installed(str(ROOT), work, 'install')
        rows.append(Row('`pip install .`', *cost, size))
    return rows


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.partition('\n')[0])
    parser.add_argument('--wheel', type=Path, help='a wheel with machine code, for this Python')
    parser.add_argument('--install', action='store_true', help='measure pip install . too')
    parser.add_argument('--warm', action='store_true', help='warm starts only, from the cache of '
                        'this user')
    parser.add_argument('--page', action='store_true', help="write docs/performance.md's table")
    parser.add_argument('--csv', type=Path, default=TABLE, help='default: %(default)s')
    parser.add_argument('--repeat', type=int, default=5, help='runs of a warm start')
    arguments = parser.parse_args()
    with TemporaryDirectory() as work:
        rows = measured(arguments, Path(work))
    with arguments.csv.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(Row._fields)
        writer.writerows([row.start, *('' if value is None else f'{value:.3f}'
                                       for value in (row.cpu_s, row.wall_s)), row.note]
                         for row in rows)
    print('processor time (s), waiting (s), start')
    for row in rows:
        numbers = '   '.join('-' if value is None else f'{value:6.2f}'
                             for value in (row.cpu_s, row.wall_s))
        print(f'{numbers}   {row.start}   {row.note}')
    if arguments.page:
        subprocess.run([sys.executable, ROOT / 'docs/make_performance_tables.py'], check=True)


if __name__ == '__main__':
    main()
