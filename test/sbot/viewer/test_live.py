import contextlib
import http.client
import json
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
from live_events import Events
from pictures import record, scenario

from sbot.bag.reader import Bag
from sbot.figures.data import at_rest
from sbot.figures.recording import from_bag
from sbot.scenario.load import load_scenario
from sbot.viewer import server
from sbot.viewer.follower import SCAN_TIMEOUT, Follower
from sbot.viewer.frames import Laser, frame, live_header
from sbot.viewer.server import Live, start_server
from sbot_common.errors import InputError
from sbot_common.topics import BASE_SCAN
from sbot_sim.world.cell_map import OCCUPIED

DEADLINE = 240.0  # s


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    return record(tmp_path_factory.mktemp('live'))[0]


class Topics:
    """Plays a bag to the callbacks of a follower."""

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
    data, live, topics = from_bag(recorded), Live(), Topics()
    address = start_server(0, live)
    events = Events(address)
    follower = Follower(live, topics.subscribe)
    follower.show()
    assert live.runs == live.frames == 0
    topics.play(recorded, int(data.stamps_ns[60]))  # joins its topics while it plays
    topics.play(recorded, int(data.stamps_ns[60]))
    follower.show()
    kind, header = events.next()
    assert (kind, header['live'], header['laser']['beams']) == ('run', True, 180)
    assert header['bounds'] == [0, 0, 16, 10]
    kind, frame = events.next()
    assert kind == 'frame'
    assert frame['t'] == pytest.approx(data.seconds[60], abs=1e-4)
    assert np.reshape(frame['poses'], (4, 3)) == pytest.approx(data.poses[60], abs=1e-4)
    assert np.reshape(frame['winds'], (4, 2)) == pytest.approx(data.wind[60], abs=1e-4)
    assert frame['goals'] == [[0.0, 0, 13.0, 5.5]]
    assert len(frame['scans']) == 4 * 180
    shown = live.frames
    follower.show()  # nothing new
    assert live.frames == shown


def test_without_scans_it_waits_a_while_and_goes_on(recorded):
    data, live, topics = from_bag(recorded), Live(), Topics()
    follower = Follower(live, topics.subscribe)
    for _ in range(2):
        topics.play(recorded, int(data.stamps_ns[3]), without=[BASE_SCAN.name])
    for _ in range(SCAN_TIMEOUT):
        assert live.runs == 0
        follower.show()
    assert (live.runs, live.frames) == (1, 1)


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_browser_follows(recorded, tmp_path):
    data, live, topics = from_bag(recorded), Live(), Topics()
    address = start_server(0, live)
    follower = Follower(live, topics.subscribe)
    topics.play(recorded, 0)
    topics.play(recorded, int(data.stamps_ns[0]))
    topics.play(recorded, int(data.stamps_ns[10]))
    follower.show()
    with Browser(tmp_path / 'profile', 800, 600) as browser:
        browser.open(address)
        topics.play(recorded, int(data.stamps_ns[100]))
        follower.show()
        browser.wait_for(f'Math.abs(now - {data.seconds[100]}) < 1e-3')
        found = browser.evaluate('Array.from(posesAt(now))')
        assert np.reshape(found, (4, 3)) == pytest.approx(data.poses[100], abs=1e-3)
        assert browser.errors == []


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_the_browser_shows_the_map_of_a_live_run(tmp_path):
    rooms, live = load_scenario('rooms'), Live()
    address = start_server(0, live)
    live.set_run(live_header(rooms, Laser()))
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
        occupied = at_rest(rooms).world.cells.values == OCCUPIED
        assert found == np.count_nonzero(occupied) > 100
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
@pytest.mark.parametrize('said', [b'', b'GET', GET[:-2] % b'/', b'GET / HTTP/1.1\r\nHost: '])
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


@pytest.mark.parametrize('said', [
    b'', b'G', GET % b'/', GET % b'/events', GET % b'/x', b'\xff' * 300 + b'\r\n\r\n',
    b'POST / HTTP/9.9\r\n\r\n', b'GET / HTTP/1.1\r\nHost: evil\r\n\r\n'])
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
    monkeypatch.setattr(Live, '_next', lambda *_: 1 / 0)
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
    done = subprocess.run([sys.executable, '-c', BLOCKED], capture_output=True, text=True,
                          check=False)
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
