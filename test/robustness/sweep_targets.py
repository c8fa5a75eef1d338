"""What sweeps read: sweep files, arguments, and the files of a folder of results."""

import argparse
import contextlib
import io
import zlib
from functools import cache
from pathlib import Path
from random import Random

from mutate import mutated

from sbot.cli.main import make_parser
from sbot.cli.sweep import _options, _request
from sbot.sweeps.experiment import _check, read_request
from sbot.sweeps.plan import Plan, Source, grid_axes, zip_axis
from sbot.sweeps.request import Request, read_sweep_file
from sbot.sweeps.results import journal, plan_file, table
from sbot.sweeps.results.figure import draw_sweep
from sbot.sweeps.results.rows import OWN, SUMMARY, fits
from sbot.sweeps.results.show import format_results, load_results
from sbot_common.errors import InputError

SCENARIO = """\
name: small
seed: 3
rate: 10
duration: 0.2
world: {bounds: [-1, -1, 9, 5]}
robots:
- {pose: [1, 1, 0], goal: [8, 2], controller: potential_field}
- {pose: [3, 1, 0.5], controller: none}
"""
SWEEP = b"""\
scenario: small.yaml
seeds: 0:3
set: {duration: 0.3}
grid:
  wind.wind_speed_mean: 0:0.3:0.1
  robots.0.goal: [[8, 2], [8, 3]]
zip:
- {robots.0.pose: [[1, 1, 0], [2, 1, 0]], robots.1.pose: [[3, 2, 0], [3, 3, 0]]}
sample: {count: 4, method: random, seed: 2, values: {
  robots.0.goal_tolerance: [0.1, 0.5], rate: {low: 5, high: 20, integer: true},
  wind.wind_direction: {choices: [[1, 0, 0], [0, 1, 0]]}, robots.1.goal_tolerance: {
    low: 0.1, high: 10, scale: log}}}
timeout: 20
memory: 2 GiB
record: failed
"""
ARGUMENTS = [
    'SCENARIO\n--seeds\n0:50\n--set\nwind.wind_speed_mean=0:0.5:0.1\n--set\n'
    'robots.0.goal=[[8, 2], [5, 3]]\n-o\nresults',
    'SCENARIO\n--seeds\n1,2,7:9\n--zip\nrate=[10, 20]\n--zip\nduration=[1, 2]\n--jobs\n2\n'
    '--batch\n3\n--timeout\n2.5\n--memory\n2 GiB\n--record\nfailed\n-o\nresults',
    'SCENARIO\n--sample\nrobots.0.goal_tolerance={low: 0.1, high: 10, scale: log}\n--sample\n'
    'rate=[5, 20]\n--samples\n7\n--sampler\nrandom\n--sample-seed\n4\n--duration\n3\n-o\nresults',
    'SCENARIO\n--seeds\n0:9007199254740993:1000000000000000\n--set\nrate=1:2e1:0.5\n-o\nresults']


def _plan(text: str = SCENARIO, metrics: tuple[str, ...] = ()) -> Plan:
    axes = [*grid_axes({'wind.wind_speed_mean': [0.0, 0.25], 'robots.0.goal': [[8, 2], [8, 3]]}),
            *zip_axis({'rate': range(10, 30, 10), 'duration': [0.2, 0.3]})]
    return Plan((Source('small', text, 'small.yaml', '/', 3),), {'robots.1.goal_tolerance': 0.5},
                tuple(axes), range(3), metrics)


def _results(folder: Path) -> Path:
    """A folder of results, made once."""
    results = folder / 'results'
    if not results.exists():
        results.mkdir()
        plan = _plan(metrics=('m:mine',))
        plan_file.write_plan(results, plan_file.Stored(plan, '1', plan_file.Settings()))
        with journal.Journal(results) as file:
            file.write(_row(plan, number) for number in range(len(plan)))
        table.write_tables(results, plan)
    return results


def _row(plan: Plan, number: int) -> dict[str, object]:
    run = plan[number]
    row = {'run': number, 'scenario': 'small', **run.values, 'seed': run.seed}
    if number == 3:
        return row | {'version': '1', 'error': 'ValueError: no', 'wall_time_s': 0.5}
    kinds = {**SUMMARY, **{f'robot_{i}_{name}': kind for i in (0, 1)
                           for name, kind in OWN.items()}}
    numbers = {'text': 'duration', 'int': number, 'float': number / 7}
    return row | {'mine.a': number / 3, 'mine.b': True, 'mine.c': 'x'} | {
        name: numbers[kind] for name, kind in kinds.items()} | {
        'robot_count': 2, 'trajectory_sha256': f'{number:064x}', 'version': '1', 'error': None,
        'wall_time_s': 0.25}


def _text(seeds: list[bytes], random: Random) -> bytes:
    return mutated(random.choice(seeds), seeds, random, text=True)


# Plans.

def _plans(folder: Path) -> list[bytes]:
    (folder / 'plan').mkdir(exist_ok=True)
    stored = plan_file.Stored(_plan(), '1', plan_file.Settings(('/x',), 3.0, 2**30, 'all'))
    plan_file.write_plan(folder / 'plan', stored)
    return [(folder / 'plan' / plan_file.NAME).read_bytes()]


def read_plan(data: bytes, folder: Path) -> None:
    """Read a plan; go on with some of the sweeps, as far as the first run."""
    (folder / 'plan' / plan_file.NAME).write_bytes(data)
    _last(read_request(folder / 'plan'), data)


def _last(request: Request, data: bytes) -> None:
    """Make the last run of a sweep; of one in eight its scenario is checked, which takes long."""
    if zlib.crc32(data) % 8:
        source = Source('small', SCENARIO, 'small.yaml', '/', 3)
        plan = Plan((source,), request.fixed, tuple(request.axes), request.seeds, ())
    else:
        plan = request.plan()
    assert plan[len(plan) - 1].number == len(plan) - 1


# Journals.

def _journals(folder: Path) -> list[bytes]:
    journal.os.fsync = lambda _: None  # a journal is flushed to the disk, which takes its time
    return [(_results(folder) / journal.NAME).read_bytes()]


def read_journal(data: bytes, folder: Path) -> None:
    """Open a journal as a resumed sweep does, and make its tables; what is whole is kept."""
    results = folder / 'journal'
    results.mkdir(exist_ok=True)
    (results / journal.NAME).write_bytes(data)
    plan = _plan(metrics=('m:mine',))
    with journal.Journal(results, fits(plan)) as file:
        index = file.index
        file.write([_row(plan, 5)])
    good = dict(zip((_results(folder) / journal.NAME).read_bytes().splitlines(keepends=True),
                    range(len(plan)), strict=True))
    whole = {good[line] for line in data.splitlines(keepends=True) if line in good}
    if b'\r' not in data:  # bytes.splitlines() takes it for an end
        assert whole <= set(index.places), 'a whole row was dropped'
    assert table.write_tables(results, plan) == len({*index.places, 5})
    assert len(table.read_columns(results, ['run'])['run']) == len({*index.places, 5})
    if index.damaged:
        raise InputError(index.damage())


# Tables.

def _tables(folder: Path) -> list[bytes]:
    """Parquet with checksums of its pages, and without, so that damage comes further."""
    from pyarrow import parquet
    path = _results(folder) / table.PARQUET
    plain = io.BytesIO()
    found = parquet.read_table(path)
    parquet.write_table(found.select([
        'run', 'scenario', *_plan().keys, 'seed', 'mine.a', 'mine.b', 'goal_reached_s',
        'robot_count', 'error']), plain)
    small = parquet.read_table(io.BytesIO(plain.getvalue()))
    packed = io.BytesIO()
    parquet.write_table(small, packed, use_dictionary=False, compression='none')
    signed = io.BytesIO()
    parquet.write_table(small, signed, write_page_checksum=True)
    return [path.read_bytes(), *[file.getvalue() for file in (plain, packed, signed)] * 4]


def read_table(data: bytes, folder: Path) -> None:
    """Show results whose table is this; draw a few."""
    results = _results(folder)
    (results / table.PARQUET).write_bytes(data)
    found = load_results(results)
    text = format_results(found)
    assert text.replace('\n', '').isprintable()
    if zlib.crc32(data) % 200 == 0:
        draw_sweep(found)


# Sweep files and arguments.

def _sweeps(folder: Path) -> list[bytes]:
    (folder / 'small.yaml').write_text(SCENARIO)
    return [SWEEP]


def read_sweep(data: bytes, folder: Path) -> None:
    """Make the plan of a sweep file."""
    path = folder / 'sweep.yaml'
    path.write_bytes(data)
    _last(read_sweep_file(str(path)), data)


def _arguments(folder: Path) -> list[bytes]:
    (folder / 'small.yaml').write_text(SCENARIO)
    return [text.encode() for text in ARGUMENTS]


@cache
def _parser() -> argparse.ArgumentParser:
    return make_parser('sweep')


def read_arguments(data: bytes, folder: Path) -> None:
    """Make the plan of a command line, an argument a line."""
    words = data.decode('utf-8', 'surrogateescape').split('\n')
    words = [str(folder / 'small.yaml') if word == 'SCENARIO' else word for word in words]
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            given = _parser().parse_args(['sweep', *words])
        except SystemExit:
            raise InputError('usage') from None
    if not isinstance(getattr(given, 'assignments', None), list):
        raise InputError('another command')
    request = _request(argparse.Namespace(**vars(given)))
    _last(request, data)
    options = _options(given, request)
    _check(options._replace(scheduler=None), Path(given.output or 'x'))


SWEEP_TARGETS = {
    'plan': (_plans, read_plan, _text),
    'journal': (_journals, read_journal, _text),
    'table': (_tables, read_table),
    'sweep': (_sweeps, read_sweep, _text),
    'sweep_arguments': (_arguments, read_arguments, _text),
}
