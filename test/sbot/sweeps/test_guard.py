"""Runs that hang, crash or need too much memory; those after them go on."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from sweep_users import HERE, MOOD, job, write_scenario

from sbot.bag.reader import Bag
from sbot.sweeps.guard import _Guard
from sbot.sweeps.plan import PlannedRun

pytestmark = pytest.mark.forked


@pytest.fixture(scope='module')
def guard():
    made = _Guard()
    yield made
    made.close()


def ask(guard, made, **values):
    return guard.row(pickle.dumps(made), made, PlannedRun(0, 0, values, 1))


def test_a_hang_a_crash_and_a_hog_are_rows(guard, tmp_path):
    made = job(write_scenario(tmp_path), timeout=2.0, memory=2**30)
    calm = ask(guard, made._replace(timeout=240.0))
    assert calm['error'] is None
    assert ask(guard, made, **{MOOD: 'hang'})['error'] == 'TimeoutError: took longer than 2 s'
    patient = made._replace(timeout=240.0)
    assert ask(guard, patient, **{MOOD: 'hog'})['error'] == (
        'MemoryError: needed more than 1024 MiB')
    assert ask(guard, patient, **{MOOD: 'die'})['error'] == (
        'WorkerLost: its process ended 3 times, last by signal 9')
    assert {**ask(guard, patient), 'wall_time_s': 0} == {**calm, 'wall_time_s': 0}


def test_a_run_that_dies_while_it_is_recorded_is_reported_as_it_died(guard, tmp_path):
    made = job(write_scenario(tmp_path))
    bag = tmp_path / 'bags' / 'run_000000'
    bag.parent.mkdir()
    for _ in range(2):  # a resumed sweep finds the bag
        row = guard.row(pickle.dumps(made), made, PlannedRun(0, 0, {MOOD: 'die'}, 1), bag)
        assert row['error'] == 'WorkerLost: its process ended 3 times, last by signal 9'
        assert bag.exists()
    row = guard.row(pickle.dumps(made), made, PlannedRun(0, 0, {}, 1), bag)
    assert row['error'] is None
    assert Bag(bag).seed == 1


def test_a_run_whose_process_was_lost_once_is_done_again(guard, tmp_path):
    mark = tmp_path / 'killed'
    row = ask(guard, job(write_scenario(tmp_path)), **{'robots.0.parameters.kills': str(mark)})
    assert mark.exists()
    assert row['error'] is None


def test_close_ends_a_run_at_once(tmp_path):
    guard = _Guard()
    made = job(write_scenario(tmp_path))
    ask(guard, made)
    ended = []

    def hang():
        try:
            ask(guard, made, **{MOOD: 'hang'})
        except (EOFError, OSError):
            ended.append(True)
    thread = threading.Thread(target=hang)
    thread.start()
    process = guard._process
    guard.close()
    thread.join(240)
    assert ended == [True]
    assert process.poll() is not None


def test_the_process_ends_with_who_waits_for_it(tmp_path):
    path = write_scenario(tmp_path)
    code = f"""
import pickle, sys, threading, time
sys.path.insert(0, {str(HERE)!r})
from pathlib import Path
from sweep_users import job
from sbot.bag.reader import Bag
from sbot.sweeps.guard import _Guard
from sbot.sweeps.plan import PlannedRun
made, guard = job(Path({str(path)!r})), _Guard()
guard.row(pickle.dumps(made), made, PlannedRun(0, 0, {{}}, 1))
print(guard._process.pid, flush=True)
guard.row(pickle.dumps(made), made, PlannedRun(0, 0, {{{MOOD!r}: 'hang'}}, 1))
"""
    with subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True) as own:
        child = int(own.stdout.readline())
        own.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 240
    while _alive(child):
        assert time.monotonic() < deadline, 'the process for runs outlived its owner'
        time.sleep(0.01)


def _alive(pid):
    try:
        os.kill(pid, 0)
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except (ProcessLookupError, FileNotFoundError):
        return False
