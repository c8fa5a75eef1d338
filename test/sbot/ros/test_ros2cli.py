"""The commands of the pages of ROS 2 with the real `ros2`, beside a running simulation."""

import importlib.util
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(shutil.which('ros2') is None or any(
        importlib.util.find_spec(f'ros2{name}') is None
        for name in ('cli', 'topic', 'param', 'service')), reason='ros2 is missing')]
DOCS = Path(__file__).resolve().parents[3] / 'docs'
TEXT = '\n'.join(path.read_text() for path in sorted(DOCS.glob('ros2_*.md')))
DEADLINE = 240.0  # s


def command(begin: str) -> list[str]:
    """Return the words of the command of the page that begins so."""
    return shlex.split(re.search(rf'^{re.escape(begin)}.*|(?<=`){re.escape(begin)}[^`]*', TEXT,
                                 re.MULTILINE)[0])


@pytest.fixture(scope='module')
def simulation(tmp_path_factory):
    """A run of one robot in real time; its process."""
    log = tmp_path_factory.mktemp('cli') / 'log'
    with log.open('w') as stream:
        process = subprocess.Popen(
            [sys.executable, '-m', 'sbot.cli', 'up', '--composed', 'leader_follower', '--set',
             'target_real_time_factor=1', '--duration', '1000'], stdout=stream, stderr=stream)
    end = time.monotonic() + DEADLINE
    while 'all nodes are connected' not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end
        time.sleep(0.05)
    yield process
    process.send_signal(signal.SIGTERM)
    process.wait(DEADLINE)


def answer(words: list[str], expected: str) -> str:
    """Return what a command prints; again until it has heard of the simulation's topics."""
    end = time.monotonic() + DEADLINE
    while True:
        done = subprocess.run(words, timeout=DEADLINE, capture_output=True, text=True, check=False)
        if expected in done.stdout:
            assert done.returncode == 0, done.stderr
            return done.stdout
        assert time.monotonic() < end, done.stdout + done.stderr


def test_a_latched_topic_is_shown_whenever_it_was_published(simulation):
    words = command('ros2 topic echo /map')
    assert words[-4:] == ['--qos-durability', 'transient_local', '--qos-reliability', 'reliable']
    shown = answer([*words, '--once', '--no-daemon', '--field', 'info'], 'resolution')
    assert yaml.safe_load(shown.partition('---')[0])['width'] > 10


def test_a_dump_of_parameters_is_a_file_for_them(simulation):
    dumped = yaml.safe_load(answer(['ros2', 'param', 'dump', '/wind_model', '--no-daemon'],
                                   'wind_direction'))
    assert dumped['/wind_model']['ros__parameters']['wind_speed_mean'] == 0.3


def test_parameters_and_services(simulation):
    answer([*command('ros2 param set /robot_0/potfieldbot_0'), '--no-daemon'], 'successful')
    answer([*command('ros2 param set /wind_model'), '--no-daemon'], 'successful')
    answer(command('ros2 service call /sbot_sim/pause'), 'success=True')
    answer(command('ros2 service call /sbot_sim/step'), 'success=True')
    assert simulation.poll() is None
