"""`sbot up`: real processes, real middleware; equal to `sbot run` to the bit."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from children import python, run_sbot

from sbot.bag.reader import Bag
from sbot.ros import up
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError

pytestmark = [pytest.mark.forked, pytest.mark.ros]

DRIVER = Path(__file__).with_name('up_driver.py')
SBOT = [sys.executable, '-m', 'sbot.cli']
DEADLINE = 240.0  # s; long, as the first run compiles

# Controllers that talk, and act on what they hear, on the wind and on their odometry, in wind of
# every kind and with a hook.
TALKERS = """
import numpy as np

class Talker:
    def step(self, observation, rng):
        heard = float(observation.neighbours.data[:, 1:3].sum())
        wind, odometry = observation.wind, observation.odometry
        v = 0.1 + 1e-4 * heard + 0.1 * wind[0] + 0.01 * odometry.x
        said = bytes([observation.tick % 200, observation.robot_id])
        return (v, odometry.yaw + wind[1], said) if observation.tick % 3 else (v, 0.3)

def halves(wake, starts, *rest):
    return 0.5 * (np.diff(starts) > 0)
"""
WINDY = """
duration: 2.0
rate: 20
world: {bounds: [0, 0, 20, 20], open: true}
robots:
  - {body: s-bot, pose: [8.0, 8.0, 0.5], controller: 'talkers:Talker'}
  - {body: s-bot, pose: [8.5, 8.2, 1.5], controller: 'talkers:Talker'}
  - {body: foot-bot, pose: [9, 9, -2.0], controller: wind_aware, parameters: {law: published}}
sensors: {range_and_bearing: true, scan_beams: 8, odometry_noise_slip: 0.01}
wind:
  wind_speed_mean: 0.05
  use_custom_static_wind_field: true
  custom_wind_field_path: wind/vortex.txt
  wind_height_above_terrain: 0.4
  wind_gust_speed_mean: 0.3
  wind_gust_force_mean: 2.0
  forces_with_field: true
  wind_gust_start: 0.5
  wind_gust_duration: 0.7
  turbulence: place
  wake: true
  blocking_function: talkers:halves
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


def has_begun(bag):
    """Whether a recording has begun: a run that ends before its first tick leaves none."""
    try:
        return any(True for _ in Bag(bag, partly=True).messages())
    except InputError:  # not there yet
        return False


def marked(mark: str) -> list[int]:
    """Return the processes, except zombies, whose environment has SBOT_TEST=mark."""
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError):
            if f'SBOT_TEST={mark}\0'.encode() in (folder / 'environ').read_bytes():
                found.append(int(folder.name))
    return found


def summary_of_up(*arguments: object) -> dict:
    done = run_sbot('up', *arguments, '--json')
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def summary_of_run(name: object, **overrides: object) -> dict:
    return run_scenario(load_scenario(str(name), overrides), keep=False).summary


def drive(name: str, folder: Path) -> dict:
    done = python(DRIVER, name, folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # Fast DDS may print before it


def until(condition) -> bool:
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(('name', 'seed'), [('leader_follower', 1), ('single_robot', 2),
                                            ('evolved_aggregation', 3), ('leader_in_gusts', 4)])
def test_equals_run_to_the_bit(name, seed):
    ran = summary_of_run(name, duration=2.0, seed=seed)
    went_up = summary_of_up(name, '--duration', 2, '--seed', seed)
    for timing in ('wall_time_s', 'real_time_factor'):
        ran.pop(timing), went_up.pop(timing)
    for robot in ran['robots']:
        robot.pop('invalid_turns')  # over ROS the controllers' nodes know them
    assert went_up == ran


@pytest.mark.parametrize('composed', [(), ('--composed',)])
def test_talking_controllers_in_every_kind_of_wind(tmp_path, composed):
    (tmp_path / 'talkers.py').write_text(TALKERS)
    scenario = tmp_path / 'windy.yaml'
    scenario.write_text(WINDY)
    went_up = summary_of_up(scenario, *composed)['trajectory_sha256']
    assert went_up == summary_of_run(scenario)['trajectory_sha256']
    calm = summary_of_run(scenario, **{'wind.wind_gust_speed_mean': 0})['trajectory_sha256']
    assert calm != went_up


@pytest.mark.parametrize(('controller', 'message'), [
    ('Crash', 'sbot: controller_1: ended the run with exit code 1: robot 1 at tick 4: '
              'Crash.step(): ValueError: no more ideas\n'),
    ('Silence', 'robot 1 silent for 10 s (lockstep_timeout; longer: '
                '--set lockstep_timeout=600) at tick 4')])
def test_a_bad_controller_ends_the_run_and_is_named(tmp_path, controller, message):
    (tmp_path / 'bad.py').write_text(BAD_CONTROLLER)
    scenario = tmp_path / 'bad.yaml'
    scenario.write_text(
        'duration: 1000\nlockstep_timeout: 10\nworld: {bounds: [0, 0, 9, 9]}\n'
        'robots: [{pose: [2, 2, 0], goal: [7, 7]},\n'
        f"         {{pose: [2, 5, 0], controller: 'bad:{controller}'}}]\n")
    done = run_sbot('up', scenario)
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
    assert 'both publish it; for a node of your own set robots.0.controller' in seen['log']


def test_free_running(tmp_path):
    seen = drive('free_running', tmp_path)
    assert seen['start'] == [3.0, 3.0, 0.0]
    assert seen['speed'] == pytest.approx(0.5)
    assert seen['end'][0] > 3.2
    assert seen['end'][1:] == [3.0, 0.0]
    assert 'Traceback' not in seen['log']


def children(pid: int) -> dict[str, int]:
    """The nodes of a running `sbot up`: process ids by the name that they were given."""
    found = {}
    for folder in Path('/proc').glob('[0-9]*'):
        with contextlib.suppress(OSError):
            parent = int((folder / 'stat').read_text().rpartition(')')[2].split()[1])
            words = (folder / 'cmdline').read_text().split('\0')
            names = [word.partition(':=')[2] for word in words if word.startswith('__node:=')]
            if parent == pid and names:
                found[names[0]] = int(folder.name)
    return found


@pytest.mark.skipif(not Path('/proc/self/environ').exists(), reason='needs /proc')
@pytest.mark.parametrize(('name', 'number', 'message'), [
    ('sbot_sim', signal.SIGTERM, 'sbot: sbot_sim: the run was cut short at tick '),
    ('sbot_sim', signal.SIGKILL, 'sbot: sbot_sim: ended the run: killed by SIGKILL\n'),
    ('wind_model', signal.SIGTERM, 'sbot: wind_model: ended (exit code 0) before the simulator')])
def test_a_run_that_a_signal_to_one_node_cuts_short_fails(tmp_path, name, number, message):
    bag, log = tmp_path / 'bag', tmp_path / 'log'
    with log.open('w') as stream:
        process = subprocess.Popen(
            [*SBOT, 'up', 'single_robot', '--set', 'target_real_time_factor=1', '--duration',
             '1000', '--record', str(bag)], stdout=stream, stderr=stream)
    try:
        assert until(lambda: has_begun(bag) or process.poll() is not None)
        os.kill(children(process.pid)[name], number)
        assert process.wait(DEADLINE) == 1
    finally:
        process.kill()
    assert message in log.read_text()
    if number == signal.SIGTERM:
        assert Bag(bag).cut_short.endswith(' of 30000')
    else:
        assert not Bag(bag).complete


@pytest.mark.skipif(not Path('/proc/self/environ').exists(), reason='needs /proc')
def test_a_stopped_simulator_ends_the_run(monkeypatch):
    # 4 s, although nodes have minutes to answer the simulator while it runs.
    monkeypatch.setattr(up, '_SILENCE', 4.0 - DEADLINE)
    stopped = []

    def stop(*_: object) -> None:
        if not stopped:
            stopped.append(children(os.getpid())['sbot_sim'])
            os.kill(stopped[0], signal.SIGSTOP)
    scenario = load_scenario('single_robot', {
        'lockstep_timeout': DEADLINE, 'duration': 1000.0, 'target_real_time_factor': 1.0})
    with pytest.raises(up.NodeFailed, match=r'^sbot_sim: no response for 4 s'):
        up.run_up(scenario, progress=stop)
    assert not Path(f'/proc/{stopped[0]}').exists()


@pytest.mark.skipif(not Path('/proc/self/environ').exists(), reason='needs /proc')
@pytest.mark.parametrize(('number', 'when', 'code'), [
    pytest.param(signal.SIGINT, 'starting', 1, marks=pytest.mark.forked(False)),
    (signal.SIGTERM, 'running', 1), (signal.SIGKILL, 'running', -9)])
def test_a_signal_leaves_nothing_behind(tmp_path, number, when, code):
    mark = str(tmp_path)
    log = tmp_path / 'log'
    with log.open('w') as stream:
        process = subprocess.Popen(
            [*SBOT, 'up', 'single_robot', '--set', 'target_real_time_factor=1', '--duration',
             '1000'], env={**os.environ, 'SBOT_TEST': mark}, stdout=stream, stderr=stream)
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


class Ended:
    """A process that has ended when it is asked for the third time."""

    def __init__(self, code):
        self.returncode, self._asked = code, 0

    def poll(self):
        self._asked += 1
        return self.returncode if self._asked > 2 else None


def test_a_node_that_left_because_it_failed_is_named_in_place_of_the_simulator(monkeypatch):
    from sbot.ros import up
    status, failed = up._Status(None), ('sbot_sim', 1)
    own = [('mine.py', Ended(3))]
    assert up._culprit(failed, status, own) == failed  # it failed for a reason of its own
    status.reason = f'robot 1 (/mine) {up.HAS_LEFT} (at tick 4)'
    assert up._culprit(failed, status, own) == ('mine.py', 3)
    monkeypatch.setattr(up, '_LAST_WORDS', 0.1)
    assert up._culprit(failed, status, [('mine.py', Ended(0))]) == failed
    assert up._culprit(failed, status, []) == failed
    assert up._culprit(None, status, own) is None


def test_a_failure_of_a_users_node_names_the_option_that_hides_its_output():
    from sbot.ros import up
    for hidden, words in ((True, 'mine.py: ended (without --quiet: its output)'),
                          (False, 'mine.py: ended')):
        with pytest.raises(up.NodeFailed) as caught, up.output_named(hidden):
            raise up.OwnFailed('mine.py: ended')
        assert str(caught.value) == words
    with pytest.raises(up.NodeFailed, match=r'^sbot_sim: ended$'), up.output_named(True):
        raise up.NodeFailed('sbot_sim: ended')
    for name, kind in (('mine.py', up.OwnFailed), ('sbot_sim', up.NodeFailed)):
        with pytest.raises(up.NodeFailed, match='exit code 1: my fault') as caught:
            up._summary((name, 1), {name: 'my fault'}, up._Status(None), ['mine.py'])
        assert type(caught.value) is kind
    status = up._Status(None)
    status.reason = 'no node came'  # is why, whatever its last line was
    with pytest.raises(up.NodeFailed, match='exit code 1: no node came'):
        up._summary(('sbot_sim', 1), {'sbot_sim': 'a warning'}, status)
