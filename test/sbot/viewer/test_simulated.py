"""A run in this process that a page watches, pauses and drives."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from live_events import DEADLINE, Events

from sbot.bag.reader import Bag
from sbot.cli import main as cli
from sbot.regression.replay import replay
from sbot.runner.loop import run_scenario
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.load import parse_scenario
from sbot.viewer.live import run_live
from sbot.viewer.server import Live
from sbot.viewer.simulated import PageSupervisor
from sbot_common.errors import InputError
from sbot_common.twist import STOP, Twist
from sbot_common.wire.messages import read_twist
from sbot_sim.engine.simulation import Engine
from sbot_sim.engine.state import StepInputs
from wind_model.source import still_air

SCENARIO = """
name: driven
duration: %s
world: {bounds: [0, 0, 16, 10]}
robots:
- {pose: [8, 5, 0], controller: none}
- {pose: [3, 5, 0]}
- {pose: [3, 7, 0], controller: none}
wind: {wind_speed_mean: 0.02}
"""


def make(folder, duration=1000, **overrides):
    return parse_scenario(SCENARIO % duration, 'driven', folder, overrides=overrides)


class Session:
    """A live run in a thread, and its page."""

    def __init__(self, scenario, record=None):
        self._said = threading.Event()
        self._thread = threading.Thread(target=self._go, args=(scenario, record))
        self._thread.start()
        assert self._said.wait(DEADLINE)
        self.events = None

    def _go(self, scenario, record):
        self.run = run_live(scenario, 0, record, self._say)

    def _say(self, line):
        self.address = line.split()[0]
        self._said.set()

    def open(self):
        self.events = Events(self.address)
        kind, self.header = self.events.next()
        assert kind == 'run'
        return self.frame()

    def frame(self):
        kind, frame = self.events.next()
        assert kind == 'frame'
        return frame

    def ask(self, request, status=200):
        place = urlsplit(self.address)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=240)
        connection.request('POST', '/command', json.dumps(request), {
            'Origin': f'http://{place.netloc}', 'Content-Type': 'application/json'})
        answer = connection.getresponse()
        assert answer.status == status
        return answer.read().decode()

    def until(self, condition):
        """Return the first frame for which this is true."""
        end = time.monotonic() + DEADLINE
        while not condition(frame := self.frame()):
            assert time.monotonic() < end
        return frame

    def join(self):
        self._thread.join(DEADLINE)
        assert not self._thread.is_alive()


def test_frames_are_those_of_the_run_and_come_once_a_page_is_open(tmp_path):
    scenario = make(tmp_path, 1.0)
    session = Session(scenario)
    first = session.open()
    assert (first['t'], session.header['live'], session.header['drivable']) == (0.0, True, [0, 2])
    expected = run_scenario(scenario, sense=['scan'])
    assert np.reshape(np.array(first['scans'], float), (3, 180)) == pytest.approx(
        np.where(np.isfinite(expected.scan[0]), expected.scan[0], np.nan).astype(float),
        abs=1e-3, nan_ok=True)
    frames = [first]
    while (event := session.events.next())[0] == 'frame':
        frames.append(event[1])
    assert event[0] == 'end'
    session.join()
    for frame in frames:
        tick = round(frame['t'] * scenario.rate.hz)
        assert np.reshape(frame['poses'], (3, 3)) == pytest.approx(expected.poses[tick], abs=1e-4)
        assert np.reshape(frame['winds'], (3, 2)) == pytest.approx(expected.wind[tick], abs=1e-4)
    assert len(frames) <= 31  # as many as there are ticks, or fewer
    assert session.run.summary['trajectory_sha256'] == expected.summary['trajectory_sha256']
    assert frames[-1]['t'] == pytest.approx(1.0, abs=0.04)


class OpenPage(Live):
    """A live view whose page is open."""

    def wait_for_page(self, timeout):
        return True


def advance(supervisor, engine):
    """Show a tick to the supervisor, ask it whether to go on, and do."""
    supervisor.show(engine.snapshot, ())
    while not supervisor.may_proceed():
        assert time.monotonic() < advance.end
    n = len(engine.snapshot.true_pose)
    engine.advance(StepInputs(np.zeros((n, 3)), still_air(), engine.snapshot.rab_data))


def test_it_waits_while_paused_and_goes_step_by_step(tmp_path):
    scenario = make(tmp_path)
    live = OpenPage()
    supervisor = PageSupervisor(live, scenario)
    engine = Engine(simulation_parameters(scenario), initial_poses(scenario), 1)
    advance.end = time.monotonic() + DEADLINE
    advance(supervisor, engine)
    with pytest.raises(InputError, match='not paused'):
        supervisor.step()
    supervisor.pause(True)
    supervisor.show(engine.snapshot, ())
    assert not supervisor.may_proceed()
    assert live.frames == 2  # what is there while it is paused is shown
    assert not supervisor.may_proceed()
    for _ in range(2):
        supervisor.step()
    for _ in range(2):
        assert supervisor.may_proceed()
    assert not supervisor.may_proceed()
    supervisor.step()
    supervisor.pause(True)  # forgets the steps
    assert not supervisor.may_proceed()
    supervisor.pause(False)
    advance(supervisor, engine)
    assert live.states == 2  # paused, and went on


def test_it_keeps_to_the_wanted_factor(tmp_path):
    scenario = make(tmp_path, target_real_time_factor=4.0)
    supervisor = PageSupervisor(OpenPage(), scenario)
    engine = Engine(simulation_parameters(scenario), initial_poses(scenario), 1)
    advance.end = time.monotonic() + DEADLINE
    advance(supervisor, engine)
    advance(supervisor, engine)
    started = time.monotonic()
    for _ in range(24):
        advance(supervisor, engine)
    # What is due when the time begins, and a period that may be made up for.
    assert time.monotonic() - started >= 21 * scenario.rate.dt / 4


def commands_of(bag, robot):
    return [read_twist(message.payload, message.type) for message in Bag(bag).messages()
            if message.name == f'/robot_{robot}/cmd_vel']


class Again:
    """Supervisor that drives as a recording has it."""

    def __init__(self, bag):
        self._commands = zip(commands_of(bag, 0), commands_of(bag, 2), strict=True)

    def show(self, snapshot, announced):
        pass

    def may_proceed(self):
        return True

    def commands(self):
        return dict(zip((0, 2), next(self._commands), strict=True))


def test_what_was_driven_repeats_to_the_bit(tmp_path):
    scenario = make(tmp_path, 5.0)
    session = Session(scenario, tmp_path / 'bag')
    first = session.open()
    assert 'robot 1 cannot be driven' in session.ask({'drive': [1, 0.5, 0.5]}, 409)
    end, frame = time.monotonic() + DEADLINE, first
    while frame['poses'][6] <= first['poses'][6] + 0.1:  # as a page while a key is held
        assert time.monotonic() < end
        session.ask({'drive': [2, 0.5, 0.7]})
        frame = session.frame()
    while session.events.next()[0] != 'end':
        pass
    session.join()
    driven = commands_of(tmp_path / 'bag', 2)
    moving = [command for command in driven if command != STOP]
    assert set(moving) == {Twist(0.5, 0.0, 0.7)}
    assert driven[-1] == STOP  # the page fell silent
    assert set(commands_of(tmp_path / 'bag', 0)) == {STOP}
    replayed = replay(Bag(tmp_path / 'bag'))
    assert replayed.equal
    assert replayed.commands == 151  # of robot 1, which has a controller
    again = run_scenario(scenario, record=tmp_path / 'again', supervisor=Again(tmp_path / 'bag'))
    assert again.summary['trajectory_sha256'] == session.run.summary['trajectory_sha256']
    recorded, repeated = (
        [(m.name, m.stamp_ns, m.payload) for m in Bag(tmp_path / name).messages()]
        for name in ('bag', 'again'))
    assert recorded == repeated
    assert again.poses[-1, 2, 0] > again.poses[0, 2, 0] + 0.1


SBOT = [sys.executable, '-m', 'sbot.cli']


@contextlib.contextmanager
def viewed(folder, *options):
    """Yield the process of a live view of a long run, and its address."""
    path = folder / 'driven.yaml'
    path.write_text(SCENARIO % 1000)
    with subprocess.Popen([*SBOT, 'view', '--live', str(path), '--port', '0', *options], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as view:
        try:
            yield view, view.stdout.readline().split()[0]
        finally:
            view.kill()


def test_a_signal_ends_it_and_the_bag_is_kept(tmp_path):
    with viewed(tmp_path, '--record', str(tmp_path / 'bag')) as (view, address):
        events = Events(address)
        assert [events.next()[0] for _ in range(3)] == ['run', 'frame', 'frame']
        view.send_signal(signal.SIGINT)
        _, err = view.communicate(timeout=DEADLINE)
    assert view.returncode == 1
    assert f'recorded until then: {tmp_path / "bag"}' in err
    assert len(commands_of(tmp_path / 'bag', 2)) > 1


@pytest.mark.forked
def test_it_ends_with_the_run_and_prints_the_summary(tmp_path):
    with viewed(tmp_path, '--duration', '0.2') as (view, address):
        events = Events(address)
        while events.next()[0] != 'end':
            pass
        out, _ = view.communicate(timeout=DEADLINE)
    assert view.returncode == 0
    assert 'driven, seed' in out


@pytest.mark.forked
@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_keys_in_the_browser_pause_step_and_drive(tmp_path):
    with viewed(tmp_path) as (_, address), (
            Browser(tmp_path / 'profile', 800, 600)) as browser:
        browser.open(address)

        def press(key, kind='keyDown', **more):
            browser.call('Input.dispatchKeyEvent', type=kind, key=key, **more)

        press(' ')
        browser.wait_for('held && document.getElementById("play").textContent === "play"')
        steps = []
        for _ in range(4):  # frames of before the pause may come with the first ones
            before = browser.evaluate('times.length')
            press('.')
            browser.wait_for(f'times.length > {before}')
            steps.append(browser.evaluate('times[times.length - 1] - times[times.length - 2]'))
        assert steps[-1] == pytest.approx(1 / 30, abs=2e-4)
        press(' ')
        browser.wait_for('!held')
        browser.evaluate('document.getElementById("drive").value = "2"')
        press('ArrowUp')
        browser.wait_for('poses[poses.length - 1][6] > 3.2')
        press('ArrowLeft')
        browser.wait_for('poses[poses.length - 1][8] > 0.2')
        press('ArrowUp', 'keyUp')
        press('ArrowLeft', 'keyUp')
        # It stands, but for the wind.
        browser.wait_for('poses.length > 4 && Math.abs(poses[poses.length - 1][8] '
                         '- poses[poses.length - 4][8]) === 0')
        assert abs(browser.evaluate('poses[poses.length - 1][1]') - 5) < 0.1  # robot 0 was left
        assert browser.evaluate('now') > 0
        assert browser.errors == []


@pytest.mark.parametrize(('arguments', 'message'), [
    (['rooms', '--live', '-o', 'x.html'], '--live cannot be combined with -o'),
    (['nowhere', '--live'], 'nowhere: no such file'),
    (['--live', '--seed', '2'], '--live without a SCENARIO follows running nodes; it cannot be'),
    (['bag', '--seed', '2'], 'use --live SCENARIO'),
    (['bag', '--record', 'x'], 'use --live SCENARIO'),
])
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert cli.main(['view', *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1
