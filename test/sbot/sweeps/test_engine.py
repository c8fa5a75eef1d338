"""Execution engines of sweeps: a real Dask scheduler and workers, one of which is killed."""

import csv
import os
import pickle
import signal
import socket
import sys
import threading
import time

import pytest
from forked import Started
from sweep_users import HERE, NO_WAY, closed_gate, last_x, write_scenario

from sbot.cli.main import main
from sbot.cli.sweep import FAILED
from sbot.learn.proof.__main__ import main as prove
from sbot.sweeps.engine import check_scheduler
from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.journal import CSV, PARQUET, read_index
from sbot.sweeps.request import Request, source_of
from sbot.sweeps.show import Results
from sbot.sweeps.simulate import _pickled
from sbot.sweeps.sources import plan_of
from sbot_common.errors import InputError

DEADLINE = 240.0  # s


def of_the_script(monkeypatch):
    def metric(run):
        return 1.0
    metric.__module__, metric.__qualname__ = '__main__', 'metric'
    monkeypatch.setattr(sys.modules['__main__'], 'metric', metric, raising=False)
    return metric


def test_cloudpickle_sends_what_a_script_defines(monkeypatch):
    data = _pickled(of_the_script(monkeypatch), 'metric')
    monkeypatch.undo()
    assert pickle.loads(data)(None) == 1.0


def test_without_cloudpickle_a_function_of_a_script_is_refused_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, 'cloudpickle', None)
    metric = of_the_script(monkeypatch)
    for value in (metric, {'a': [metric]}):
        with pytest.raises(InputError, match=r"^metric m: cannot be sent .*: what the script or "
                           r"notebook itself defines needs cloudpickle.*'\.\[sweep\]'"):
            _pickled(value, 'metric m')


pytest.importorskip('distributed', reason="needs Dask: pip install '.[cluster]'")


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """A scheduler and three workers, as processes: (scheduler file, processes of the workers)."""
    folder = tmp_path_factory.mktemp('dask')
    file = folder / 'scheduler.json'
    environment = {**os.environ, 'PYTHONPATH': str(HERE.parents[1])}
    log = (folder / 'log').open('w')
    # In sessions of their own, with all that they start.
    options = {'cwd': folder, 'env': environment, 'stdout': log, 'stderr': log,
               'start_new_session': True}
    scheduler = Started(
        [sys.executable, '-m', 'distributed.cli.dask_scheduler', '--host', '127.0.0.1', '--port',
         '0', '--dashboard-address', '127.0.0.1:0', '--scheduler-file', str(file)], **options)
    workers = []
    try:
        wait_until(file.exists, 'the scheduler did not start')
        workers += [Started(
            [sys.executable, '-m', 'distributed.cli.dask_worker', '--scheduler-file', str(file),
             '--no-nanny', '--nthreads', '1', '--no-dashboard'], **options) for _ in range(3)]
        from distributed import Client
        with Client(scheduler_file=str(file), set_as_default=False, timeout=240) as client:
            client.wait_for_workers(3, timeout=DEADLINE)
        yield str(file), workers
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait(240)
        log.close()


def request(folder):
    made = Request([source_of(write_scenario(folder))], seeds=range(20), metrics=(last_x,))
    made.set('robots.0.parameters.speed', [0.1, 0.2], 'speed')
    made.set('robots.0.parameters.gate', str(folder / 'gate'), 'gate')
    return made


@pytest.mark.forked
@pytest.mark.slow
def test_a_killed_worker_changes_no_bit_of_a_proof(cluster, tmp_path):
    pytest.importorskip('cma', reason='cma is missing (extra evolve)')
    from distributed import Client
    address, workers = cluster
    killed, found = [], []

    def kill():
        with Client(scheduler_file=address, set_as_default=False) as client:
            ids = client.run(os.getpid)

            def at_work():
                return [at for at, works in client.processing().items() if works]
            wait_until(at_work, 'no worker was given a training')
            killed.append(ids[at_work()[0]])
            os.kill(killed[0], signal.SIGKILL)

    for name, options in (('here', []), ('far', ['--scheduler', address])):
        folder, killer = tmp_path / name, threading.Thread(target=kill)
        if options:
            killer.start()
        assert prove(['avoid_obstacles', '--trainings', '2', '--generations', '10', '--episodes',
                      '3', '-q', '-o', str(folder), *options]) == 0
        with (folder / 'curve.csv').open(newline='') as file:
            found.append([[row[:3] + row[4:] for row in csv.reader(file)],  # no processor time
                          (folder / 'rows.csv').read_bytes(), *(
                              path.read_bytes() for path in sorted(folder.glob('*_obstacles_*')))])
    killer.join()
    [lost] = [each for each in workers if each.pid == killed[0]]
    assert lost.wait(DEADLINE) == -signal.SIGKILL
    assert len(found[0]) == 6
    assert found[0] == found[1]


@pytest.mark.forked
@pytest.mark.slow
def test_a_killed_worker_costs_no_row_and_no_bit(cluster, tmp_path):
    address, workers = cluster
    gate, made = closed_gate(tmp_path, 10), request(tmp_path)
    far, here = tmp_path / 'far', tmp_path / 'here'
    killed_at = []
    (gate / 'open').touch()
    run_sweep(plan_of(made), made, here, Options(jobs=2, progress=False))  # which compiles
    (gate / 'open').unlink()

    def kill():
        try:
            wait_until(lambda: len(read_index(far).places) >= 6, 'no rows came')
            workers[0].send_signal(signal.SIGKILL)
            killed_at.append(len(read_index(far).places))
        finally:
            (gate / 'open').touch()
    killer = threading.Thread(target=kill)
    killer.start()
    outcome = run_sweep(plan_of(made), made, far, Options(scheduler=address, progress=False))
    killer.join()
    assert workers[0].wait(240) == -signal.SIGKILL
    assert 6 <= killed_at[0] <= 10
    assert (outcome.runs, outcome.failed) == (40, 0)
    for name in (CSV, PARQUET):
        assert (far / name).read_bytes() == (here / name).read_bytes()
    # One worker is left; a run that hangs is a row there, too, and the next ones are done.
    for moods, limit, errors in (('hang', 1, ['TimeoutError: took longer than 1 s']),
                                 ('[calm, raise]', 240, [None, NO_WAY])):
        results = tmp_path / f'within_{limit}_s'
        assert main(['sweep', str(write_scenario(tmp_path)), '--set',
                     f'robots.0.parameters.mood={moods}', '--timeout', str(limit), '--scheduler',
                     address, '-o', str(results), '--quiet']) == FAILED
        assert Results.load(results).columns['error'] == errors


def test_a_refused_scheduler_is_told_at_once_and_leaves_no_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr('distributed.Client', None)  # it tries for 30 s
    with socket.socket() as mine:  # nobody else listens there then
        mine.bind(('127.0.0.1', 0))
        address = f'tcp://127.0.0.1:{mine.getsockname()[1]}'
        assert main(['sweep', str(write_scenario(tmp_path)), '--scheduler', address, '-o',
                     str(tmp_path / 'results'), '--quiet']) == 2
    assert capsys.readouterr().err.splitlines() == [
        f'sbot: --scheduler: no Dask scheduler at {address}: Connection refused']
    assert not (tmp_path / 'results').exists()


@pytest.mark.parametrize(('address', 'reason'), [('none.json', 'No such file or directory'),
    ('bad.json', 'JSONDecodeError'), ('empty.json', "KeyError: 'address'"),
    ('tcp://127.0.0.1:99999999', 'no Dask scheduler at')])
def test_addresses_that_are_none_are_told(tmp_path, monkeypatch, address, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'bad.json').write_text('{')
    (tmp_path / 'empty.json').write_text('{}')
    with pytest.raises(InputError, match=reason):
        check_scheduler(address)


def test_without_dask_it_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'distributed', None)
    assert main(['sweep', str(write_scenario(tmp_path)), '--scheduler', 'tcp://127.0.0.1:1', '-o',
                 str(tmp_path / 'results'), '--quiet']) == 2
    assert "pip install '.[cluster]'" in capsys.readouterr().err
