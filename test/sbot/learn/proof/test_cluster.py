"""A proof on a Dask cluster, one worker of which is killed, equals that of one process."""

import csv
import os
import signal
import threading

import pytest
from dask_cluster import dask_cluster, wait_until

from sbot.learn.proof.__main__ import main

pytest.importorskip('cma', reason='cma is missing (extra evolve)')
distributed = pytest.importorskip('distributed', reason="needs Dask: pip install '.[cluster]'")

WORDS = ['avoid_obstacles', '--trainings', '2', '--generations', '3', '--episodes', '3', '-q']


def result_of(folder):
    """Return policies and rows by name, and the curves without their processor time."""
    curve = [row[:3] + row[4:] for row in csv.reader((folder / 'curve.csv').open(newline=''))]
    return {path.name: path.read_bytes() for path in folder.iterdir()
            if path.name == 'rows.csv' or '_obstacles_' in path.name}, curve


@pytest.mark.forked
@pytest.mark.slow
def test_a_killed_worker_changes_no_bit(tmp_path):
    killed = []

    def kill(file):
        with distributed.Client(scheduler_file=file, set_as_default=False) as client:
            ids = client.run(os.getpid)

            def at_work():
                return [at for at, works in client.processing().items() if works]
            wait_until(at_work, 'no worker was given a training')
            killed.append(ids[at_work()[0]])
            os.kill(killed[0], signal.SIGKILL)

    assert main([*WORDS, '-o', str(tmp_path / 'here')]) == 0  # which compiles, for the workers too
    (tmp_path / 'dask').mkdir()
    with dask_cluster(tmp_path / 'dask') as (file, workers):
        killer = threading.Thread(target=kill, args=(file,))
        killer.start()
        assert main([*WORDS, '--scheduler', file, '-o', str(tmp_path / 'far')]) == 0
        killer.join()
        [lost] = [each for each in workers if each.pid == killed[0]]
        assert lost.wait(240) == -signal.SIGKILL
    far, here = result_of(tmp_path / 'far'), result_of(tmp_path / 'here')
    assert len(here[0]) == 5
    assert far == here
