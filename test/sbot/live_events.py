"""The events of a live view, read as a browser reads them."""

import http.client
import json
from urllib.parse import urlsplit

DEADLINE = 240.0  # s


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
