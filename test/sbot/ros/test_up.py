"""`sbot up`: real processes, real middleware; equal to `sbot run` to the bit."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sbot.ros import up
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')]

DRIVER = Path(__file__).with_name('up_driver.py')
EXAMPLES = Path(__file__).resolve().parents[3] / 'examples'
SBOT = [sys.executable, '-m', 'sbot.cli']
DEADLINE = 240.0  # s; long, as the first run compiles

# Sensors of every kind, classes of a user's own, wind with wakes, and noise.
OWN_CONTROLLERS = f"""
duration: 2.0
rate: 20
world: {{bounds: [0, 0, 2, 2], circles: [{{center: [1, 1], radius: 0.2}}]}}
robots:
  - {{body: s-bot, pose: [0.4, 0.4, 0.5], controller: 'infrared_bots:Wander'}}
  - {{body: s-bot, pose: [0.7, 0.4, 1.5], controller: 'infrared_bots:Aggregate'}}
  - {{body: s-bot, pose: [1.5, 1.5, -2.0], controller: wind_aware}}
python_path: ['{EXAMPLES}']
sensors: {{infrared: true, infrared_noise: 0.15, range_and_bearing: true, scan_beams: 8,
          scan_noise_std: 0.01}}
wind: {{wind_speed_mean: 0.05, wake: true}}
"""

BAD_CONTROLLER = """
import os, signal

class Crash:
    def step(self, observation, rng):
        if observation.tick == 4:
            raise ValueError('no more ideas')
        return 0.1, 0.0

class Silence:
    def step(self, observation, rng):
        if observation.tick == 4:
            os.kill(os.getpid(), signal.SIGSTOP)
        return 0.1, 0.0
"""


def sbot(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([*SBOT, *map(str, arguments)], timeout=DEADLINE, capture_output=True,
                          text=True, check=False)


def summary_of_up(*arguments: object) -> dict:
    done = sbot('up', *arguments, '--json')
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def summary_of_run(name: object, **overrides: object) -> dict:
    return run_scenario(load_scenario(str(name), overrides), keep=False).summary


def drive(name: str, folder: Path) -> dict:
    done = subprocess.run([sys.executable, str(DRIVER), name, str(folder)],
                          timeout=4 * DEADLINE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def marked(mark: str) -> list[int]:
    """Process ids, except zombies', whose environment has SBOT_TEST=mark."""
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError):
            if f'SBOT_TEST={mark}'.encode() in (folder / 'environ').read_bytes():
                found.append(int(folder.name))
    return found


def until(condition) -> bool:
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(('name', 'seed'), [('leader_follower', 1), ('single_robot', 2)])
def test_equals_run_to_the_bit(name, seed):
    ran = summary_of_run(name, duration=2.0, seed=seed)
    went_up = summary_of_up(name, '--duration', 2, '--seed', seed)
    for timing in ('wall_time_s', 'real_time_factor'):
        ran.pop(timing), went_up.pop(timing)
    assert went_up == ran


def test_own_controllers_sensors_and_seeds(tmp_path):
    scenario = tmp_path / 'own.yaml'
    scenario.write_text(OWN_CONTROLLERS)
    went_up = summary_of_up(scenario, '--seed', 5)['trajectory_sha256']
    ran = [summary_of_run(scenario, seed=seed)['trajectory_sha256'] for seed in (5, 6)]
    assert went_up == ran[0]
    assert ran[0] != ran[1]


@pytest.mark.parametrize(('controller', 'message'), [
    ('Crash', 'sbot: controller_1: ended the run with exit code 1'),
    ('Silence', 'robot 1 silent for 5 s (lockstep_timeout) at tick 4')])
def test_a_bad_controller_ends_the_run_and_is_named(tmp_path, controller, message):
    (tmp_path / 'bad.py').write_text(BAD_CONTROLLER)
    scenario = tmp_path / 'bad.yaml'
    scenario.write_text(
        'duration: 1000\nlockstep_timeout: 5\nworld: {bounds: [0, 0, 9, 9]}\n'
        'robots: [{pose: [2, 2, 0], goal: [7, 7]},\n'
        f"         {{pose: [2, 5, 0], controller: 'bad:{controller}'}}]\n")
    done = sbot('up', scenario)
    assert done.returncode == 1
    assert message in done.stderr
    if controller == 'Crash':
        assert '[controller_1] ValueError: no more ideas' in done.stderr


def test_services_teleport_and_a_second_publisher(tmp_path):
    seen = drive('services', tmp_path)
    assert seen['too_early'][0] is False
    assert seen['paused'] == [True, 'paused']
    gaps = [b - a for a, b in zip(seen['steps'], seen['steps'][1:], strict=False)]
    assert gaps == pytest.approx([1e9 / 30] * 2, abs=1)
    assert seen['reset'][0] is True
    assert seen['place'] == pytest.approx([3, 3], abs=1.0)
    assert seen['exit'] == 1
    assert '/cmd_vel has 2 publishers' in seen['log']


def test_free_running(tmp_path):
    seen = drive('free_running', tmp_path)
    assert seen['start'] == [3.0, 3.0, 0.0]
    assert seen['speed'] == pytest.approx(0.5)
    assert seen['end'][0] > 3.2
    assert seen['end'][1:] == [3.0, 0.0]
    assert 'Traceback' not in seen['log']


def test_a_signal_while_a_node_starts_leaves_no_node_behind(monkeypatch):
    started = []

    def start(*_: object) -> subprocess.Popen:
        code = ('import signal; signal.pthread_sigmask(signal.SIG_SETMASK, []); '
                'print("up", flush=True); signal.pause()')
        started.append(subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE,
                                        text=True))
        os.kill(os.getpid(), signal.SIGINT)  # other threads than this one do not block it
        assert started[0].stdout.readline() == 'up\n'  # it must not raise here
        return started[0]

    monkeypatch.setattr(up, '_start', start)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            up.run_up(load_scenario('single_robot'))
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(started) == 1
    assert started[0].poll() is not None


@pytest.mark.skipif(not Path('/proc/self/environ').exists(), reason='needs /proc')
@pytest.mark.parametrize(('number', 'when', 'code'), [
    (signal.SIGINT, 'starting', 1), (signal.SIGTERM, 'running', 1),
    (signal.SIGKILL, 'running', -9)])
def test_a_signal_leaves_nothing_behind(tmp_path, number, when, code):
    mark = tmp_path.name
    log = tmp_path / 'log'
    with log.open('w') as stream:
        process = subprocess.Popen(
            [*SBOT, 'up', 'single_robot', '--set', 'target_real_time_factor=1', '--duration',
             '1000'], env={**os.environ, 'SBOT_TEST': mark}, stdout=stream, stderr=stream,
            # Jobs in the background of a shell inherit that SIGINT is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        if when == 'starting':
            assert until(lambda: len(marked(mark)) == 4)
        else:
            assert until(lambda: 'all nodes are connected' in log.read_text())
        process.send_signal(number)
        assert process.wait(DEADLINE) == code
    finally:
        process.kill()
    if number == signal.SIGKILL:
        assert until(lambda: not marked(mark))
    assert marked(mark) == []
    assert 'Traceback' not in log.read_text()
