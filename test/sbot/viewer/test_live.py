import http.client
import importlib.util
import json
import subprocess
import sys
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from pictures import record, scenario

from sbot.bag.reader import Bag
from sbot.figures.data import from_bag
from sbot.viewer.live import SCAN_TIMEOUT, Follower
from sbot.viewer.server import Live, start_server
from sbot_common.errors import InputError
from sbot_common.topics import BASE_SCAN

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


class Events:
    """Reads server-sent events."""

    def __init__(self, address):
        place = urlsplit(address)
        self.connection = http.client.HTTPConnection(place.hostname, place.port, timeout=DEADLINE)
        self.connection.request('GET', '/events')
        self.response = self.connection.getresponse()

    def next(self):
        lines = {}
        while (line := self.response.readline().decode().rstrip('\n')) or not lines:
            key, colon, value = line.partition(': ')
            if colon and key:
                lines[key] = value
        return lines['event'], json.loads(lines['data'])


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


def test_only_this_machine_is_served(recorded):
    place = urlsplit(start_server(0, Live()))
    for host, status in (('evil.example', 403), (f'localhost:{place.port}', 200)):
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=DEADLINE)
        connection.request('GET', '/', headers={'Host': host})
        assert connection.getresponse().status == status
    with pytest.raises(InputError, match=f'--port: {place.port} cannot be used'):
        start_server(place.port, Live())


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


@pytest.mark.ros
@pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is not installed')
def test_it_follows_real_nodes(tmp_path):
    scenario(tmp_path, robots=1, duration=1000.0)
    sbot = [sys.executable, '-m', 'sbot.cli']
    view = subprocess.Popen([*sbot, 'view', '--live', '--port', '0'], text=True,
                            stdout=subprocess.PIPE)
    up = None
    try:
        address = view.stdout.readline().split()[0]
        up = subprocess.Popen(
            [*sbot, 'up', str(tmp_path / 'pictured_1.yaml'), '--quiet', '--set',
             'target_real_time_factor=0.25'], stdout=subprocess.DEVNULL)
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
    finally:
        for process in (view, up):
            if process is not None:
                process.terminate()
                process.wait()
    assert view.returncode == 0
