"""Trainings in one process and in several; a Ctrl-C keeps what they have."""

import os
import signal
import subprocess
import sys

import pytest

import sbot
from sbot.learn.proof import comparison
from sbot.learn.proof.__main__ import main

pytest.importorskip('cma', reason='cma is missing (extra evolve)')

WORDS = ['aggregate', '--episodes', '2', '--generations', '1000000']


def check_kept(folder, trainings, rows):
    curve = (folder / 'curve.csv').read_text().splitlines()
    assert {line.split(',')[2] for line in curve[1:]} == trainings
    for each in trainings:
        network, weights = sbot.load_network(folder / f'aggregate_evolved_{each}.json')
        assert len(weights) == network.weight_count
    assert (folder / 'rows.csv').read_text().count('\n') == 1 + rows
    assert (folder / 'curves.png').stat().st_size > 3000


def test_an_interrupt_keeps_the_training_so_far(tmp_path, capsys, monkeypatch):
    def interrupt_at_the_third(**_):
        count = iter(range(3))

        def show(line):
            if next(count) == 2:
                print(line(), file=sys.stderr)
                raise KeyboardInterrupt
        return show
    monkeypatch.setattr(comparison, '_now_and_then', interrupt_at_the_third)
    assert main([*WORDS, '-o', str(tmp_path)]) == 1
    line, end = capsys.readouterr().err.splitlines()
    assert line.startswith('aggregate evolved 1: generation 3 of 1000000, mean score ')
    assert end == ('sbot.learn.proof: interrupted; the policies and curves so far are in '
                   f'{tmp_path}')
    check_kept(tmp_path, {'1'}, rows=2)  # of the rule
    assert (tmp_path / 'curve.csv').read_text().count('\n') == 4


def test_an_interrupt_before_there_is_anything_is_one_line(tmp_path, capsys, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr('sbot.learn.proof.__main__.navigate_rows', interrupt)
    assert main([*WORDS, '-o', str(tmp_path)]) == 1
    assert capsys.readouterr().err.count('\n') == 1
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_at_a_terminal_ends_all_processes_and_keeps_what_they_have(tmp_path):
    command = subprocess.Popen(
        [sys.executable, '-m', 'sbot.learn.proof', *WORDS, '--trainings', '3', '--processes', '2',
         '-o', str(tmp_path)], stderr=subprocess.PIPE, text=True, start_new_session=True)
    told = []
    for line in command.stderr:
        told.append(line)
        if all(any(f'evolved {k}: generation ' in each for each in told) for k in (1, 2)):
            break
    os.killpg(command.pid, signal.SIGINT)  # as a terminal does
    told += command.communicate(timeout=240)[1].splitlines(keepends=True)
    assert command.returncode == 1, ''.join(told)
    assert told[-1].startswith('sbot.learn.proof: interrupted; '), ''.join(told)
    assert 'Traceback' not in ''.join(told)
    check_kept(tmp_path, {'1', '2'}, rows=2)
