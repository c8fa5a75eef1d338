"""The real simulator node: services, time-outs, teleports, over ROS 2."""

import json
from pathlib import Path

import pytest
from children import passed

pytestmark = [pytest.mark.forked, pytest.mark.ros]

DRIVER = Path(__file__).with_name('node_driver.py')
def drive(case):
    said = passed(DRIVER, case, timeout=900)
    result = json.loads(said.splitlines()[-1])  # Fast DDS may print before it
    assert 'Traceback' not in result['log']
    assert result['wind'] == 0
    return result


def test_a_robot_that_somebody_else_drives_warns_once_in_lockstep():
    result = drive('driven')
    assert result['exit'] == 0, result['log']
    line = ('robot 0 has controller: none, and lockstep does not wait for its /cmd_vel, so this '
            'run cannot be repeated. To wait for its node, use controller: external')
    assert result['log'].count(line) == 1
    assert 'cannot be repeated' not in drive('driven_freely')['log']


def test_a_foreign_scan_is_refused_by_the_name_of_its_publisher():
    result = drive('foreign')
    assert result['exit'] == 1
    assert '/base_scan has 2 publishers (/driver, /sbot_sim)' in result['log']


def test_damaged_messages_are_said_once_and_ignored():
    result = drive('damaged')
    assert result['exit'] == 0, result['log']
    for name in ('/goal', '/rab_data', '/teleport'):
        assert result['log'].count(f'{name}: ') == 1


def test_teleports_that_cannot_be_are_refused_and_reset_starts_again():
    result = drive('teleport')
    assert result['exit'] == 0
    before = [x for x in result['before'] if x < 4.0]
    after = result['before'][len(before):]
    assert before[0] == 2.0
    # The command and the wind move it on from there, and refused teleports nowhere.
    assert after == pytest.approx([6.0 + 0.02 * k for k in range(1, len(after) + 1)], abs=0.01)
    assert result['log'].count('teleport of robot 0') == 2
    assert result['again'] == 2.0


def test_a_pose_estimate_puts_the_robot_there():
    result = drive('initial_pose')
    assert result['exit'] == 0
    before = [x for x in result['poses'] if x < 4.0]
    after = result['poses'][len(before):]
    assert len(before) >= 2
    assert after[0] == pytest.approx(6.02, abs=0.01)
    assert result['log'].count("initialpose of robot 0: frame: got 'odom'") == 1


def test_where_amcl_localises_pose_estimates_are_not_heard():
    result = drive('amcl')
    assert result['exit'] == 0
    assert (result['teleport'], result['initialpose']) == (1, 0)
