import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from children import python

from wind_model.grid import WindGrid
from wind_model.rotors_text import write_grid

pytest.importorskip('rclpy')
pytestmark = [pytest.mark.forked, pytest.mark.ros]

MAIN = 'from wind_model.node import main; raise SystemExit(main())'
DRIVER = Path(__file__).parent / 'node_driver.py'
DEADLINE = 240.0  # s


def start(**parameters):
    arguments = [word for name, value in parameters.items() for word in ('-p', f'{name}:={value}')]
    return subprocess.Popen([sys.executable, '-c', MAIN, '--ros-args', *arguments],
                            stderr=subprocess.PIPE, text=True)


def drive(mode, path='', **parameters):
    node = start(**parameters)
    try:
        result = python(DRIVER, mode, path)
    finally:
        node.send_signal(signal.SIGINT)
        _, errors = node.communicate(timeout=DEADLINE)
    assert result.returncode == 0, result.stderr + errors
    assert node.returncode == 0, errors
    return json.loads(result.stdout.splitlines()[-1])  # Fast DDS may print before it


def test_every_stamp_is_answered_and_changes_are_checked(tmp_path):
    path = tmp_path / 'field.txt'
    write_grid(path, WindGrid.make(0, 0, 2, 3, 1, 1, [0, 0.5, 1], np.zeros(6), np.ones(6),
                                   np.ones((3, 18))))
    got = drive('inputs', path, trigger='inputs', wind_direction='[0, 2, 0]',
                wind_speed_mean=1.5, wind_gust_start=1, wind_gust_duration=1.0,
                wind_gust_force_mean=4.0, wind_gust_direction='[-1.0, 0.0, 0.0]')
    second = 1_000_000_000
    assert got['velocity'] == [
        [100, 0, 1.5, 0], [second, 0, 1.5, 0], [2 * second - 1, 0, 1.5, 0],
        [2 * second, 0, 1.5, 0], [2 * second, 0, 1.5, 0], [2 * second, 0, 1.5, 0],
        [3 * second, 0, 3, 0], [4 * second, 0, 3, 0]]
    assert [row[1] for row in got['force']] == [0, -4, -4, 0, 0, 0, 0, 0]
    assert got['field'] == [None, [3, 3, 2]]
    assert got['markers'][0] == 2
    assert got['markers'][-1] > 10
    answers = got['answers']
    assert answers['speed'] == [True, '']
    assert answers['path'] == [True, '']
    assert answers['use'] == [True, '']
    for name, words in (
            ('bad speed', 'wind_speed_mean'), ('zero direction', 'wind_direction'),
            ('offset', 'xyz_offset'), ('two numbers', 'three finite numbers'),
            ('no file', 'custom_wind_field_path'), ('field', 'nowhere: cannot read')):
        successful, reason = answers[name]
        assert not successful
        assert words in reason


def test_the_timer_publishes_without_a_clock():
    got = drive('timer', trigger='timer', loop_rate=50.0, wind_speed_mean=0.25)
    assert all(row[1:] == [0.25, 0, 0] for row in got['velocity'])
    stamps = [row[0] for row in got['velocity']]
    assert stamps == sorted(stamps)
    assert stamps[0] < stamps[-1]
