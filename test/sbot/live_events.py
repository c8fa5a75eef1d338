"""The events of a live view, read as a browser reads them."""

import http.client
import json
from urllib.parse import urlsplit

from sbot.bag.reader import Bag
from sbot.viewer.node import _Follower
from sbot.viewer.server import Live, start_server

DEADLINE = 240.0  # s


class Events:
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


def watch(bag, until_ns):
    """Play a bag to a live view; return the topics it hears, its header and its newest frame."""
    live, callbacks = Live(), {}
    events = Events(start_server(0, live))
    follower = _Follower(live, lambda topic, name, callback: callbacks.update({name: callback}))
    for _ in range(2):  # joins its topics while it plays
        for message in Bag(bag).messages():
            if message.stamp_ns <= until_ns and message.name in callbacks:
                callbacks[message.name](message.payload)
    follower.show()
    (first, header), (second, frame) = events.next(), events.next()
    assert (first, second) == ('run', 'frame')
    return set(callbacks), header, frame
