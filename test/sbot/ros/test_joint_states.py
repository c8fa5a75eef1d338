"""Wheels of differential robots as joints: what ros2_control reads and sends."""

import math
import shlex
from pathlib import Path

import numpy as np
import pytest
from children import run_sbot
from external_runs import SIM_TIME

from sbot.bag.reader import Bag
from sbot_common.wire.cdr import decode
from sbot_common.wire.messages import PoseStamped, read_twist

pytestmark = [pytest.mark.forked, pytest.mark.ros]

NODE = Path(__file__).with_name('wheel_controller.py')
RADIUS, DISTANCE = 0.05, 0.4  # m
SCENARIO = """
duration: 2.0
rate: 20
lockstep_timeout: 240
world: {bounds: [0, 0, 12, 12]}
bodies:
  base: {like: robot, wheel_radius: 0.05, wheel_distance: 0.4}
  omni: {like: robot, drive: omnidirectional}
sensors: {odometry_noise_slip: 0.02, odometry_noise_radius: 0.02}
robots:
  - {pose: [6, 6, 0], body: base, controller: external}
  - {pose: [2, 2, 0], body: omni, controller: none}
"""
JOINTS = ['left_wheel_joint', 'right_wheel_joint']


def run(path, *joints, command='up'):
    node = shlex.join([str(NODE), *joints, *SIM_TIME, '-r', '__ns:=/robot_0'])
    more = ['--parameter', 'publish_joint_states=true', '--record', path.with_name('bag')]
    arguments = [path, *more] if command == 'up' else [path.with_name('bag')]
    return run_sbot(command, *arguments, '--node', node)


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp('joints') / 'joints.yaml'
    path.write_text(SCENARIO)
    return path


@pytest.fixture(scope='module')
def bag(path):
    done = run(path, *JOINTS)
    assert done.returncode == 0, done.stderr
    return Bag(path.with_name('bag'))


@pytest.fixture(scope='module')
def states(bag):
    """Angles and speeds (T, 2) of the wheels."""
    found = [decode(each.payload, each.type) for each in bag.messages(['/robot_0/joint_states'])]
    assert len(found) == 41
    assert all(each.name == JOINTS for each in found)
    return (np.array([each.position for each in found]),
            np.array([each.velocity for each in found]))


def test_speeds_of_the_wheels_are_the_command(bag, states):
    twists = [read_twist(each.payload) for each in bag.messages(['/robot_0/cmd_vel'])]
    left, right = 4 + np.sin(states[0][:, 0]), 5 + np.cos(states[0][:, 1])
    np.testing.assert_allclose(twists, np.column_stack([
        RADIUS * (left + right) / 2, 0 * left, RADIUS * (right - left) / DISTANCE]), atol=1e-12)


def test_odometry_of_the_angles_is_that_of_the_simulator(bag, states):
    """As diff_drive_controller integrates them, here along arcs."""
    angles, speeds = states
    assert (angles[0] == 0).all()
    x = y = yaw = 0.0
    odometry = [PoseStamped.of_odometry(each.payload) for each in bag.messages(['/robot_0/odom'])]
    for step, speed, got in zip(np.diff(angles, axis=0), speeds[1:], odometry[1:], strict=True):
        np.testing.assert_allclose(step, speed / 20, atol=1e-12)
        way, turn = RADIUS * step.mean(), RADIUS * (step[1] - step[0]) / DISTANCE
        chord = way * math.sin(turn / 2) / (turn / 2) if turn else way
        x, y = x + chord * math.cos(yaw + turn / 2), y + chord * math.sin(yaw + turn / 2)
        yaw += turn
        assert (got.x, got.y) == pytest.approx((x, y), abs=1e-9)
        assert math.remainder(got.yaw - yaw, math.tau) == pytest.approx(0, abs=1e-9)


def test_a_replay_asks_the_node_again(path, bag):
    assert '/robot_1/joint_states' not in bag.names()
    done = run(path, *JOINTS, command='replay')
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == 'joints: all 41 commands of 41 ticks agree bit for bit (robot 0)\n'


def test_other_joints_end_the_run_by_name(path, tmp_path):
    (tmp_path / path.name).write_text(SCENARIO)
    done = run(tmp_path / path.name, 'wheel_left_joint', 'wheel_right_joint')
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        'joint_commands of robot 0: got velocities of wheel_left_joint, wheel_right_joint, '
        'expected those of left_wheel_joint and right_wheel_joint')
