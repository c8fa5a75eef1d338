"""Whole sweeps: every run has one row, whatever happens to it, its process or the sweep."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sweep_users import HERE, MOOD, NO_WAY, closed_gate, last_x, write_scenario

from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot.sweeps.experiment import Options, read_request, run_sweep, sweep_frame
from sbot.sweeps.journal import CSV, NAME, PARQUET, read_index
from sbot.sweeps.request import Request, source_of
from sbot.sweeps.show import Results
from sbot.sweeps.sources import plan_of
from sbot_common.errors import InputError

pytestmark = pytest.mark.forked

QUIET = Options(jobs=2, progress=False)


def request(folder, **values):
    made = Request([source_of(write_scenario(folder))], seeds=range(3))
    for key, value in values.items():
        made.set(key, value, key)
    return made


def sweep(made, folder, options=QUIET, resume=False):
    return run_sweep(plan_of(made), made, folder, options, resume)


def tables(folder):
    return (folder / CSV).read_bytes(), (folder / PARQUET).read_bytes()


@pytest.fixture(scope='module')
def local(tmp_path_factory):
    """A sweep, and the same on this machine with two processes."""
    folder = tmp_path_factory.mktemp('local')
    made = request(folder, **{'robots.0.parameters.speed': [0.1, 0.2, 0.3]})
    made.metrics = (last_x,)
    sweep(made, folder / 'results')
    return made, folder / 'results'


def test_there_is_a_row_for_each_run_in_order(local):
    _, folder = local
    found = Results.load(folder).columns
    assert found['run'] == list(range(9))
    assert found['robots.0.parameters.speed'] == [0.1] * 3 + [0.2] * 3 + [0.3] * 3
    assert found['seed'] == [0, 1, 2] * 3
    assert len(set(found['trajectory_sha256'])) == 9
    assert found['error'] == [None] * 9
    assert found['last_x'] == found['robot_0_x_m']


@pytest.mark.parametrize('options', [Options(executor=ThreadPoolExecutor(1), progress=False),
                                     Options(jobs=1, batch=4, progress=False)])
def test_rows_are_the_same_to_the_bit_from_any_engine(local, tmp_path, options):
    made, folder = local
    sweep(made, tmp_path / 'results', options)
    assert tables(tmp_path / 'results') == tables(folder)


def test_resume_runs_only_what_is_missing(local, tmp_path):
    made, folder = local
    results = tmp_path / 'results'
    results.mkdir()
    lines = (folder / NAME).read_bytes().splitlines(keepends=True)
    (results / NAME).write_bytes(b''.join(lines[:5]) + lines[5][:40])
    (results / 'plan.json').write_bytes((folder / 'plan.json').read_bytes())
    assert sweep(made, results, resume=True).runs == 9
    after = (results / NAME).read_bytes().splitlines(keepends=True)
    assert after[:5] == lines[:5]
    assert len(after) == 9
    assert tables(results) == tables(folder)
    sweep(made, results, resume=True)
    assert len((results / NAME).read_bytes().splitlines()) == 9


def test_a_damaged_row_is_told_and_done_again_and_those_behind_it_stay(local, tmp_path, caplog):
    made, folder = local
    results = tmp_path / 'results'
    results.mkdir()
    lines = (folder / NAME).read_bytes().splitlines(keepends=True)
    damaged = lines[1][:50] + bytes([lines[1][50] ^ 1]) + lines[1][51:]
    before = b''.join([lines[0], damaged, *lines[2:]])
    (results / NAME).write_bytes(before)
    (results / 'plan.json').write_bytes((folder / 'plan.json').read_bytes())
    assert sweep(made, results, resume=True) == (results, 9, ())
    assert caplog.messages == [f'{results / NAME}: 1 damaged row (line 2); the 8 whole ones are '
                               'kept, runs without one are done again']
    after = (results / NAME).read_bytes()
    assert after.startswith(before)
    assert len(after.splitlines()) == 10
    assert tables(results) == tables(folder)


def test_resume_refuses_another_plan_and_version(local, tmp_path, monkeypatch):
    made, folder = local
    other = request(tmp_path, **{'robots.0.parameters.speed': [0.1, 0.2]})
    other.metrics = made.metrics
    with pytest.raises(InputError, match=r'holds another sweep; different: .*axes'):
        sweep(other, folder, resume=True)
    with pytest.raises(InputError, match='is not empty; give a new folder, or --resume'):
        sweep(made, folder)
    with pytest.raises(InputError, match='holds no sweep'):
        sweep(made, tmp_path, resume=True)
    with pytest.raises(InputError, match='last_x came from Python'):
        read_request(folder)
    monkeypatch.setattr('sbot.sweeps.experiment.VERSION', '99')
    with pytest.raises(InputError, match='cannot be combined with it in one table'):
        sweep(made, folder, resume=True)


def test_overlaps_need_not_be_counted(local, tmp_path):
    made, folder = local
    made = replace(made, overlaps=False, metrics=())
    sweep(made, tmp_path / 'light')
    light, whole = Results.load(tmp_path / 'light').columns, Results.load(folder).columns
    assert light['overlaps'] == [None] * 9
    assert whole['overlaps'] == [0] * 9
    assert light['trajectory_sha256'] == whole['trajectory_sha256']
    assert read_request(tmp_path / 'light').overlaps is False
    with pytest.raises(InputError, match='different: overlaps'):
        sweep(replace(made, overlaps=True), tmp_path / 'light', resume=True)


def test_runs_that_fail_are_rows_and_the_others_go_on(tmp_path):
    made = request(tmp_path, **{MOOD: ['calm', 'raise', 'hog', 'die']})
    made.seeds = [1]
    options = QUIET._replace(timeout=240.0, memory=2**30, record='failed')
    results = tmp_path / 'results'
    assert sweep(made, results, options).failed == 3
    assert Results.load(results).columns['error'] == [
        None, NO_WAY, 'MemoryError: needed more than 1024 MiB',
        'WorkerLost: its process ended 3 times, last by signal 9']
    bags = sorted(path.name for path in (results / 'bags').iterdir())
    assert bags == [f'run_00000{i}' for i in range(1, 4)]
    assert Bag(results / 'bags' / 'run_000001').seed == 1
    again = read_request(results)
    assert plan_of(again).differences(plan_of(made)) == []
    assert (again.timeout, again.memory, again.record) == (240.0, 2**30, 'failed')


def test_runs_that_all_fail_at_their_start_are_one_error_and_leave_no_folder(tmp_path):
    made = request(tmp_path, **{MOOD: ['raise'], 'robots.0.parameters.speed': [0.1, 0.2]})
    with pytest.raises(InputError, match=r'all runs would fail at their start: robot 0 at tick 0: '
                                         r'Moody.step\(\): ValueError'):
        sweep(made, tmp_path / 'results')
    assert not (tmp_path / 'results').exists()
    made = request(tmp_path, **{MOOD: ['raise', 'calm']})
    assert sweep(made, tmp_path / 'results').failed == 3


def test_retry_runs_failed_runs_again(tmp_path):
    mark = tmp_path / 'mood.txt'
    text = ('duration: 0.2\nrate: 10\nworld: {bounds: [0, 0, 9, 9]}\n'
            "robots: [{pose: [2, 2, 0], controller: 'fickle:Fickle'}]\n")
    (tmp_path / 'fickle.py').write_text(
        'from pathlib import Path\nclass Fickle:\n    turns = 0\n'
        '    def step(self, observation, rng):\n        self.turns += 1\n'
        f'        if self.turns > 2 and not Path({str(mark)!r}).exists():\n'
        '            raise ValueError("not today")\n        return 0.0, 0.0\n')
    (tmp_path / 'fickle.yaml').write_text(text)
    made = Request([source_of(tmp_path / 'fickle.yaml')], seeds=range(2))
    results = tmp_path / 'results'
    assert sweep(made, results).failed == 2
    mark.touch()
    assert sweep(made, results, resume=True).failed == 2
    assert sweep(made, results, QUIET._replace(retry=True), resume=True).failed == 0
    assert Results.load(results).columns['error'] == [None, None]


def test_every_run_is_recorded_when_asked_for(tmp_path):
    made = request(tmp_path)
    made.seeds = [4, 5]
    sweep(made, tmp_path / 'results', QUIET._replace(record='all'))
    assert [Bag(tmp_path / 'results' / 'bags' / f'run_00000{i}').seed for i in (0, 1)] == [4, 5]


@pytest.mark.parametrize(('given', 'words'), [
    ({'record': 'all'}, "record='all' needs a folder"), ({'resume': True}, 'resume needs a')])
def test_what_stays_on_the_disk_needs_a_folder(tmp_path, given, words):
    pytest.importorskip('pandas')
    options = {'output': None, 'resume': False, 'timeout': None, 'memory': None, 'record': 'none',
               **given}
    with pytest.raises(InputError, match=words):
        sweep_frame(request(tmp_path), **options)


def command(folder, *options):
    path = write_scenario(folder)
    return [sys.executable, '-m', 'sbot.cli', 'sweep', str(path), '--seeds', '0:8', '--set',
            f'robots.0.parameters.gate={folder}/gate', '-o', str(folder / 'results'), '--jobs',
            '2', '--quiet', *options]


def wait_for_rows(folder, count, process):
    deadline = time.monotonic() + 240
    while len(read_index(folder).places) < count:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_that_is_ended_goes_on_where_it_was(tmp_path, number, capsys):
    results = tmp_path / 'results'
    environment = {**os.environ, 'PYTHONPATH': str(HERE.parents[1])}
    gate = closed_gate(tmp_path, 4)
    with subprocess.Popen(command(tmp_path), stderr=subprocess.PIPE, text=True,
                          env=environment) as process:
        wait_for_rows(results, 2, process)
        process.send_signal(number)
        _, errors = process.communicate(timeout=240)
    (gate / 'open').touch()
    assert 2 <= len(read_index(results).places) <= 4
    if number == signal.SIGINT:
        assert process.returncode == 1
        assert errors.splitlines()[-1].endswith(f'continue with: sbot sweep --resume -o {results}')
        assert 'Traceback' not in errors
        assert Results.load(results).columns['run'] == sorted(read_index(results).places)
    before = (results / NAME).read_bytes()[:read_index(results).end]
    assert main(['sweep', '--resume', '-o', str(results), '--jobs', '1', '--quiet']) == 0
    assert (results / NAME).read_bytes().startswith(before)
    assert len((results / NAME).read_bytes().splitlines()) == 8
    whole = tmp_path / 'whole'
    assert main([*command(tmp_path)[3:-5], '-o', str(whole), '--quiet']) == 0
    assert tables(results) == tables(whole)
