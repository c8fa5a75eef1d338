"""Web server of `sbot view --live`: page, and frames as server-sent events."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sbot.viewer.page import page
from sbot_common.errors import InputError, bad_value

_HEARTBEAT = 2.0  # s between keep-alive events, which detect closed connections
_OWN_NAMES = ('localhost', '127.0.0.1', '[::1]')


class Live:
    """Current run and frame for browsers; written by one thread, read by the server's."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._run: str | None = None
        self._frame = ''
        self.runs = 0  # how many runs there were
        self.frames = 0  # how many frames there were

    def set_run(self, header: dict[str, Any]) -> None:
        """Set the run that browsers show."""
        with self._changed:
            self._run = json.dumps({**header, 'live': True}, allow_nan=False)
            self._frame = ''
            self.runs += 1
            self._changed.notify_all()

    def set_frame(self, frame: dict[str, Any]) -> None:
        """Set the next frame; a slow browser gets only the latest."""
        with self._changed:
            self._frame = json.dumps(frame, separators=(',', ':'), allow_nan=False)
            self.frames += 1
            self._changed.notify_all()

    def next_events(self, runs: int, frames: int) -> tuple[int, int, str]:
        """Return counts and text of the events since those counts; waits a while for one."""
        with self._changed:
            self._changed.wait_for(lambda: self.runs > runs or self.frames > frames, _HEARTBEAT)
            text = ''
            if self.runs > runs:
                text += f'event: run\ndata: {self._run}\n\n'
            if self.frames > frames and self._frame:
                text += f'event: frame\ndata: {self._frame}\n\n'
            return self.runs, self.frames, text or ': alive\n\n'


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        name = self.headers.get('Host', '').rpartition(':')[0] or self.headers.get('Host', '')
        if name not in _OWN_NAMES:  # another host name that resolves to this machine
            self.send_error(403)
        elif self.path == '/':
            self._send('text/html; charset=utf-8', page(None, 'sbot').encode())
        elif self.path == '/events':
            self._send('text/event-stream', None)
            self._stream()
        else:
            self.send_error(404)

    def _send(self, kind: str, body: bytes | None) -> None:
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Cache-Control', 'no-store')
        if body is not None:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if body is not None:
            self.wfile.write(body)

    def _stream(self) -> None:
        runs = frames = 0
        try:
            while True:
                runs, frames, text = self.server.live.next_events(runs, frames)
                self.wfile.write(text.encode())
        except OSError:
            pass  # the browser has gone

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, live: Live) -> None:
        self.live = live
        super().__init__(('127.0.0.1', port), _Handler)


def start_server(port: int, live: Live) -> str:
    """Serve in the background, on this machine only; return the address of the page.

    Raises
    ------
    InputError
        if the port is not free; 0 takes any.

    """
    if not 0 <= port <= 65535:
        raise bad_value('--port', port, 'a whole number from 0 to 65535')
    try:
        server = _Server(port, live)
    except OSError as error:
        raise InputError(f'--port: {port} cannot be used: {error.strerror}') from None
    threading.Thread(target=server.serve_forever, name='view', daemon=True).start()
    return f'http://localhost:{server.server_address[1]}/'
