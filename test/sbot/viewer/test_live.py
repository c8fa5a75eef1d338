import contextlib
import http.client
import json
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from children import python
from live_events import DEADLINE as EVENTS_DEADLINE
from live_events import Events
from pictures import record, scenario

from sbot.bag.reader import Bag
from sbot.cli import main as cli
from sbot.figures.data import RunData
from sbot.regression.replay import replay
from sbot.runner.loop import run_scenario
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot.scenario.load import load_scenario, parse_scenario
from sbot.viewer import server
from sbot.viewer.data import frame, live_header
from sbot.viewer.live import _PageSupervisor, run_live
from sbot.viewer.node import _Follower
from sbot.viewer.server import Live, start_server
from sbot_common.errors import InputError
from sbot_common.observation import STOP, Twist
from sbot_common.topics import BASE_SCAN
from sbot_common.wire.messages import read_twist
from sbot_sim.engine.simulation import Engine
from sbot_sim.world.geometry import OCCUPIED
from wind_model.gust import Wind

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
    def __init__(self, scenario, record=None):
        self._said = threading.Event()
        self._thread = threading.Thread(target=self._go, args=(scenario, record))
        self._thread.start()
        assert self._said.wait(EVENTS_DEADLINE)
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
        end = time.monotonic() + EVENTS_DEADLINE
        while not condition(frame := self.frame()):
            assert time.monotonic() < end
        return frame

    def join(self):
        self._thread.join(EVENTS_DEADLINE)
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
    for each in frames:
        tick = round(each['t'] * scenario.rate.hz)
        assert np.reshape(each['poses'], (3, 3)) == pytest.approx(expected.poses[tick], abs=1e-4)
        assert np.reshape(each['winds'], (3, 2)) == pytest.approx(expected.wind[tick], abs=1e-4)
    assert len(frames) <= 31  # as many as there are ticks, or fewer
    assert session.run.summary['trajectory_sha256'] == expected.summary['trajectory_sha256']
    assert frames[-1]['t'] == pytest.approx(1.0, abs=0.04)


class OpenPage(Live):
    def wait_for_page(self, timeout):
        return True


def advance(supervisor, engine):
    """Show a tick to the supervisor, ask it whether to go on, and do."""
    supervisor.show(engine.snapshot, ())
    while not supervisor.may_proceed():
        assert time.monotonic() < advance.end
    n = len(engine.snapshot.true_pose)
    engine.advance(np.zeros((n, 3)), Wind.still(), engine.snapshot.rab_data)


def test_it_waits_while_paused_and_goes_step_by_step(tmp_path):
    scenario = make(tmp_path)
    live = OpenPage()
    supervisor = _PageSupervisor(live, scenario)
    engine = Engine(simulation_parameters(scenario), initial_poses(scenario), 1)
    advance.end = time.monotonic() + EVENTS_DEADLINE
    advance(supervisor, engine)
    with pytest.raises(InputError, match='not paused'):
        supervisor.step()
    supervisor.pause(True)
    supervisor.show(engine.snapshot, ())
    assert not supervisor.may_proceed()
    assert live.counts['frame'] == 2  # what is there while it is paused is shown
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
    assert live.counts['paused'] == 2  # paused, and went on


def test_it_keeps_to_the_wanted_factor(tmp_path):
    scenario = make(tmp_path, target_real_time_factor=4.0)
    supervisor = _PageSupervisor(OpenPage(), scenario)
    engine = Engine(simulation_parameters(scenario), initial_poses(scenario), 1)
    advance.end = time.monotonic() + EVENTS_DEADLINE
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
    end, frame = time.monotonic() + EVENTS_DEADLINE, first
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
        _, err = view.communicate(timeout=EVENTS_DEADLINE)
    assert view.returncode == 1
    assert f'recorded until then: {tmp_path / "bag"}' in err
    assert len(commands_of(tmp_path / 'bag', 2)) > 1


@pytest.mark.forked
def test_it_ends_with_the_run_and_prints_the_summary(tmp_path):
    with viewed(tmp_path, '--duration', '0.2') as (view, address):
        events = Events(address)
        while events.next()[0] != 'end':
            pass
        out, _ = view.communicate(timeout=EVENTS_DEADLINE)
    assert view.returncode == 0
    assert 'driven, seed' in out


@pytest.mark.forked
@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_keys_in_the_browser_pause_step_and_drive(tmp_path):
    with viewed(tmp_path) as (_, address), (Browser(tmp_path / 'profile', 800, 600)) as browser:
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
    (['bag', '--record', 'x'], 'use --live SCENARIO')])
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert cli.main(['view', *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1


DEADLINE = 240.0  # s


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    return record(tmp_path_factory.mktemp('live'))[0]


class Topics:
    def __init__(self):
        self.callbacks = {}

    def subscribe(self, topic, name, callback):
        assert name not in self.callbacks
        self.callbacks[name] = callback

    def play(self, bag, until_ns, without=()):
        for message in Bag(bag).messages():
            if message.stamp_ns <= until_ns and message.name in self.callbacks and (
                    message.name.rpartition('/')[2] not in without):
                self.callbacks[message.name](message.payload)


def test_frames_are_the_poses_of_the_messages(recorded):
    data, live, topics = RunData.from_bag(recorded), Live(), Topics()
    events = Events(start_server(0, live))
    follower = _Follower(live, topics.subscribe)
    follower.show()
    assert live.counts['run'] == live.counts['frame'] == 0
    topics.play(recorded, int(data.stamps_ns[60]))  # joins its topics while it plays
    topics.play(recorded, int(data.stamps_ns[60]))
    follower.show()
    kind, header = events.next()
    assert (kind, header['live'], header['beams']) == ('run', True, 180)
    assert header['bounds'] == [0, 0, 16, 10]
    kind, frame = events.next()
    assert kind == 'frame'
    assert frame['t'] == pytest.approx(data.seconds[60], abs=1e-4)
    assert np.reshape(frame['poses'], (4, 3)) == pytest.approx(data.poses[60], abs=1e-4)
    assert np.reshape(frame['winds'], (4, 2)) == pytest.approx(data.wind[60], abs=1e-4)
    assert frame['goals'] == [[0.0, 0, 13.0, 5.5]]
    assert len(frame['scans']) == 4 * 180
    shown = live.counts['frame']
    follower.show()  # nothing new
    assert live.counts['frame'] == shown


def test_without_scans_frames_have_none(recorded):
    data, live, topics = RunData.from_bag(recorded), Live(), Topics()
    events = Events(start_server(0, live))
    follower = _Follower(live, topics.subscribe)
    for _ in range(2):
        topics.play(recorded, int(data.stamps_ns[3]), without=[BASE_SCAN.name])
    follower.show()
    assert events.next()[0] == 'run'
    kind, frame = events.next()
    assert (kind, 'scans' in frame) == ('frame', False)


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_the_browser_shows_the_map_of_a_live_run(tmp_path):
    rooms, live = load_scenario('rooms'), Live()
    address = start_server(0, live)
    live.set_run(live_header(rooms))
    poses = [robot.pose for robot in rooms.robots]
    live.set_frame(frame(0.0, poses, [(0.0, 0.0)] * len(poses), {}))
    with Browser(tmp_path / 'profile', 800, 600) as browser:
        browser.open(address)
        # What was painted has as many solid pixels as the map has occupied cells.
        browser.wait_for('cells.of !== null')
        found = browser.evaluate(
            '(() => { const {width, height} = cells.canvas, colour = theme.obstacle, '
            'words = new Uint32Array(cells.canvas.getContext("2d").getImageData('
            '0, 0, width, height).data.buffer); '
            'return words.filter(word => (word & 0xff) === parseInt(colour.slice(1, 3), 16) '
            '&& word >>> 24 === 255).length; })()')
        cells = RunData.at_rest(rooms).world.cells.values
        assert found == np.count_nonzero(cells == OCCUPIED) > 100
        assert browser.errors == []


def test_only_this_machine_is_served(recorded):
    place = urlsplit(start_server(0, Live()))
    for host, origin, status in (
            ('evil.example', None, 403), (f'localhost:{place.port}', None, 200),
            (f'localhost:{place.port}', 'http://evil.example', 403)):
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=DEADLINE)
        connection.request('GET', '/', headers={
            'Host': host, **({'Origin': origin} if origin else {})})
        answer = connection.getresponse()
        assert answer.status == status
        if status == 200:  # no page from elsewhere may have it in a frame
            assert answer.getheader('X-Frame-Options') == 'DENY'
            assert answer.getheader('Content-Security-Policy') == "frame-ancestors 'none'"
    with pytest.raises(InputError, match=f'--port: {place.port} cannot be used'):
        start_server(place.port, Live())


def until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def served() -> int:
    """How many connections the servers of this process serve."""
    return sum('process_request_thread' in thread.name for thread in threading.enumerate())


@pytest.fixture
def place(monkeypatch, request):
    """Host and port of a server with a run, which waits for a client for s, if a test says so."""
    monkeypatch.setattr(server._Handler, 'timeout', getattr(request, 'param', DEADLINE))
    until(lambda: served() == 0)  # those of other tests
    live = Live()
    address = urlsplit(start_server(0, live))
    live.set_run({'name': 'x'})
    live.set_frame({'t': 0})
    return live, (address.hostname, address.port)


GET = b'GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n'


@pytest.mark.parametrize('place', [0.3], indirect=True)
@pytest.mark.parametrize('said', [b'GET', b'GET / HTTP/1.1\r\nHost: '])
def test_a_connection_that_asks_nothing_is_closed(place, said):
    with (socket.create_connection(place[1], timeout=DEADLINE) as client,
          contextlib.suppress(ConnectionError)):  # it may be closed before we speak
        client.sendall(said)
        assert client.recv(100) == b''
    until(lambda: served() == 0)


@pytest.mark.parametrize('place', [2.0], indirect=True)
def test_a_connection_that_takes_nothing_is_closed(place):
    live, address = place
    with socket.create_connection(address, timeout=DEADLINE) as client:
        client.sendall(GET % b'/events')
        until(lambda: served() == 1)
        live.set_frame({'t': 'x' * 50_000_000})  # more than the buffers of a connection hold
        until(lambda: served() == 0)


@pytest.mark.parametrize('said', [b'', GET % b'/events', b'\xff' * 300 + b'\r\n\r\n'])
def test_clients_that_leave_are_not_worth_a_word(place, said, capfd):
    live, address = place
    for number in range(30):
        client = socket.create_connection(address, timeout=DEADLINE)
        client.sendall(said)
        if number % 3 == 0 and b'HTTP' in said:
            client.recv(10)
        if number % 2:  # end it with a reset
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        client.close()
        live.set_frame({'t': number, 'poses': [0.0] * 3000})
    until(lambda: live.set_frame({'t': 0, 'poses': [0.0] * 3000}) or served() == 0)
    output = capfd.readouterr()
    assert (output.out, output.err) == ('', '')


def test_a_defect_of_the_server_is_shown(place, monkeypatch, capfd):
    monkeypatch.setattr(Live, 'events', lambda _: (1 / 0 for _ in '1'))
    with socket.create_connection(place[1], timeout=DEADLINE) as client:
        client.sendall(GET % b'/events')
        while client.recv(1000):
            pass
    until(lambda: served() == 0)
    assert 'ZeroDivisionError' in capfd.readouterr().err


BLOCKED = """
import sys
sys.modules['rclpy'] = None
from sbot.cli import main as cli
sys.exit(cli.main(['view', '--live']))
"""


def test_without_ros_one_line_says_so():
    done = python('-c', BLOCKED)
    assert done.returncode == 2
    assert done.stderr.startswith('sbot: --live: This needs ROS 2 (rclpy)')
    assert done.stderr.count('\n') == 1


def ask(address, request):
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=DEADLINE)
    connection.request('POST', '/command', json.dumps(request), {
        'Origin': f'http://{place.netloc}', 'Content-Type': 'application/json'})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@pytest.mark.forked
@pytest.mark.ros
@pytest.mark.parametrize('place', [[], ['--namespace', 'arena']])
def test_it_follows_pauses_and_drives_real_nodes(tmp_path, place):
    scenario(tmp_path, robots=1, duration=1000.0)
    sbot = [sys.executable, '-m', 'sbot.cli']
    view = subprocess.Popen([*sbot, 'view', '--live', '--port', '0', *place], text=True,
                            stdout=subprocess.PIPE)
    up = None
    try:
        address = view.stdout.readline().split()[0]
        up = subprocess.Popen(
            [*sbot, 'up', str(tmp_path / 'pictured_1.yaml'), '--quiet', *place, '--set',
             'target_real_time_factor=0.25', '--set',
             'robots=[{pose: [3, 5, 0], goal: [13, 5.5]}, {pose: [3, 2, 0], controller: none}]'],
            stdout=subprocess.DEVNULL)
        events = Events(address)
        assert events.next()[0] == 'run'
        kind, first = events.next()
        assert kind == 'frame'
        end = time.monotonic() + DEADLINE
        frame = first
        while frame['poses'][0] < first['poses'][0] + 0.1:  # the leader drives to the right
            assert time.monotonic() < end
            kind, frame = events.next()
            assert kind == 'frame'
        assert frame['t'] > first['t']
        assert ask(address, {'drive': [0, 0.5, 0.0]})[0] == 409
        assert ask(address, {'step': True})[0] == 200  # the simulator refuses it
        assert ask(address, {'pause': True}) == (200, '')
        while (event := events.next())[0] != 'paused':
            assert time.monotonic() < end
        assert event[1] is True
        assert ask(address, {'step': True})[0] == 200
        kind, stepped = events.next()
        assert kind == 'frame'
        assert ask(address, {'pause': False})[0] == 200
        while frame['poses'][3] < stepped['poses'][3] + 0.05:  # as the keys say
            assert time.monotonic() < end
            assert ask(address, {'drive': [1, 0.5, 0.0]})[0] == 200
            kind, frame = events.next()
            frame = frame if kind == 'frame' else stepped
    finally:
        for process in (view, up):
            if process is not None:
                process.terminate()
                process.wait(DEADLINE)
    assert view.returncode == 0
