"""A node of somebody's own, started and tested by the real launch_testing."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest
from children import python
from external_runs import DEADLINE, SBOT

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(any(importlib.util.find_spec(name) is None for name in (
        'rclpy', 'launch_testing')), reason='rclpy or launch_testing is missing')]

AVOID = Path(__file__).resolve().parents[3] / 'examples/external_node/external_node/node.py'
SCENARIO = """
duration: 1.0
world: {bounds: [0, 0, 16, 12]}
robots: [{pose: [2, 3, 0.4], controller: external}]
"""
LAUNCH_TEST = """
import sys
import unittest

import launch
import launch.actions
import launch_testing.actions
import pytest

from sbot.ros.testing import assert_node_replays


@pytest.mark.launch_test
def generate_test_description():
    node = launch.actions.ExecuteProcess(cmd=[
        sys.executable, AVOID, '--ros-args', '-p', 'use_sim_time:=true', '-p', 'gain:=GAIN'])
    return launch.LaunchDescription([node, launch_testing.actions.ReadyToTest()])


class TestNode(unittest.TestCase):

    def test_it_does_what_it_did(self):
        assert_node_replays('first')
"""


def test_a_launch_test_passes_and_finds_a_changed_constant(tmp_path):
    (tmp_path / 'one.yaml').write_text(SCENARIO)
    subprocess.run([*SBOT, 'up', 'one.yaml', '--quiet', '--record', 'first', '--node',
                    f'{AVOID} --ros-args -p use_sim_time:=true'],
                   cwd=tmp_path, check=True, capture_output=True, timeout=DEADLINE)
    outcomes = []
    for gain in ('0.8', '0.81'):
        text = LAUNCH_TEST.replace('AVOID', repr(str(AVOID))).replace('GAIN', gain)
        (tmp_path / 'avoid.test.py').write_text(text)
        done = python(
            '-c', 'import sys; from launch_testing.launch_test import main; sys.exit(main())',
            'avoid.test.py', cwd=tmp_path, env=dict(os.environ))
        outcomes.append((done.returncode, 'first difference: tick 0' in done.stdout + done.stderr))
    assert outcomes == [(0, False), (1, True)]
