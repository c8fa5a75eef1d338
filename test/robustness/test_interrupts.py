"""A few Ctrl-C at random moments; test/robustness/interrupts.py does hundreds in every mode."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from interrupts import MODES, Mode, interrupt, moments, try_mode
from ros_package import HAS_LAUNCH

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing'),
    pytest.mark.skipif(not Path('/proc/self/status').exists(), reason='needs /proc')]


def test_moments_are_in_the_first_second_until_the_run_begins_and_after():
    found = moments('up', 300, 1, 8.0)
    assert found == moments('up', 300, 1, 8.0)
    assert found != moments('up', 300, 2, 8.0)
    assert max(delay for delay, begun in found[::3]) < 1.0
    assert max(delay for delay, begun in found[1::3]) > 6.0
    assert [begun for _, begun in found[:3]] == [False, False, True]


LAUNCHER = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: None)
try:
    print(sys.argv[1], 'process has died [pid 1, exit code 255', flush=True)
    time.sleep(1000)
except KeyboardInterrupt:
    pass
"""


@pytest.mark.parametrize(('said', 'findings'), [
    ('', ['node: exit code 255']),
    ('Unknown child process pid 1, will report returncode 255\n', [])])
def test_an_exit_code_that_python_has_lost_is_counted_apart(tmp_path, said, findings):
    ending = interrupt(Mode([sys.executable, '-c', LAUNCHER, said], 'process has died'), 0.0, 0,
                       tmp_path, 'launcher', begun=True)
    assert ending.findings == findings
    assert ending.lost is bool(said)


@pytest.mark.parametrize('name', ['wind_model', 'potfield_bot', 'sbot_sim_free', 'composed',
                                  'launch'])
def test_a_ctrl_c_at_any_moment_ends_in_order_and_leaves_nothing(tmp_path, name):
    if name == 'launch' and not HAS_LAUNCH:
        pytest.skip('ros2 launch is missing')
    assert name in MODES
    said = []
    endings = try_mode(name, 3, seed=1, folder=tmp_path, say=said.append)
    assert [ending.findings for ending in endings] == [[], [], []], said
