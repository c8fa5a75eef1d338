import http.client
import json
from urllib.parse import urlsplit

import pytest

from sbot.viewer.server import HOLD_TIME, Driven, Live, _apply_command, start_server
from sbot_common.errors import InputError
from sbot_common.observation import STOP, Twist


class Noted:
    """Controls that note what was asked; 'step' is refused."""

    def __init__(self):
        self.asked = []

    def pause(self, on):
        self.asked.append(('pause', on))

    def step(self):
        raise InputError('the simulation is not paused')

    def drive(self, robot, command):
        self.asked.append(('drive', robot, command))


@pytest.mark.parametrize(('request_', 'asked'), [
    ({'pause': True}, ('pause', True)), ({'pause': False}, ('pause', False)),
    ({'drive': [1, 0.5, -1]}, ('drive', 1, Twist(0.5, 0.0, -1.0)))])
def test_requests_are_obeyed(request_, asked):
    controls = Noted()
    _apply_command(json.dumps(request_).encode(), controls)
    assert controls.asked == [asked]


@pytest.mark.parametrize('raw', [b'', b'\xff', b'{}', b'{"pause": 1}', b'{"drive": [1, 2]}',
    b'{"drive": [true, 0.1, 0.1]}', b'{"drive": [0, NaN, 0]}', b'[' * 900])
def test_other_requests_are_errors(raw):
    controls = Noted()
    with pytest.raises(InputError, match='request: '):
        _apply_command(raw, controls)
    assert controls.asked == []


def test_a_drive_command_counts_for_a_short_time():
    time = [0.0]
    driven = Driven(lambda: time[0])
    assert driven.commands() == {}
    driven.set(2, Twist(0.5, 0.0, 0.1), [0, 2])
    time[0] = 0.9 * HOLD_TIME
    assert driven.commands() == {2: (0.5, 0.0, 0.1)}
    time[0] = HOLD_TIME
    assert driven.commands() == {2: STOP}
    with pytest.raises(InputError, match='robot 1 cannot be driven; it needs contr'):
        driven.set(1, Twist(0.5, 0.0, 0.1), [0, 2])


@pytest.fixture(scope='module')
def served():
    live = Live()
    live.controls = Noted()
    return urlsplit(start_server(0, live)), live


@pytest.mark.parametrize(('headers', 'path', 'body', 'status'), [
    ({}, '/command', '{"pause": true}', 200),
    ({}, '/command', '{"step": true}', 409),
    ({}, '/command', 'x' * 1001, 413),
    ({}, '/events', '{}', 404),
    ({'Origin': 'http://evil.example'}, '/command', '{"pause": true}', 403),
    ({'Origin': 'null'}, '/command', '{"pause": true}', 403),
    ({'Origin': None}, '/command', '{"pause": true}', 403),
    ({'Host': 'evil.example', 'Origin': 'http://evil.example'}, '/command', '{"pause": true}',
     403),
    ({'Content-Type': 'text/plain'}, '/command', '{"pause": true}', 403)])
def test_only_the_page_itself_may_command(served, headers, path, body, status):
    place, live = served
    live.controls.asked.clear()
    own = {'Host': place.netloc, 'Origin': f'http://{place.netloc}',
           'Content-Type': 'application/json', **headers}
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=240)
    connection.request('POST', path, body, {k: v for k, v in own.items() if v is not None})
    answer = connection.getresponse()
    assert answer.status == status
    assert live.controls.asked == ([('pause', True)] if status == 200 else [])
    if status == 409:
        assert answer.read() == b'the simulation is not paused'


def test_a_page_elsewhere_is_not_told_that_it_may_ask(served):
    place, _ = served
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=240)
    connection.request('OPTIONS', '/command', headers={
        'Origin': 'http://evil.example', 'Access-Control-Request-Method': 'POST'})
    answer = connection.getresponse()
    assert answer.status == 501
    assert answer.getheader('Access-Control-Allow-Origin') is None
