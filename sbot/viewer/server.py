# SPDX-License-Identifier: Apache-2.0
"""Web server of `sbot view --live`: page, frames as events, commands that drive robots."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from numpy.typing import ArrayLike

from sbot.scenario.model import Scenario
from sbot.viewer.data import (
    drivable,
    frame,
    lasers_of,
    live_header,
    page,
    scans,
    shown_beams,
)
from sbot_common.arrays import Floats32
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import STOP, Twist

# Controls of a live run: the page pauses and steps it, and drives a robot.

HOLD_TIME = 0.5  # s of wall time that a drive command counts; pages repeat it while a key is held
MOST_BYTES = 1000  # of a request
_FASTEST = 1e6  # m/s, rad/s; of a request
_SCAN_FRAMES = 4  # a scan goes with every so many frames


class _Controls(Protocol):
    """Controls that a live run offers its page; an InputError says why a request is refused."""

    def pause(self, on: bool) -> None:
        """Pause between two ticks, or resume."""

    def step(self) -> None:
        """Go one tick on, while paused."""

    def drive(self, robot: int, command: Twist) -> None:
        """Drive a robot for ``HOLD_TIME``."""


class Driven:
    """Drive commands of the page, for a short time each; of any thread.

    A page that closes while a key is held says nothing more: its robot stops by itself.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._commands: dict[int, tuple[Twist, float]] = {}

    def set(self, robot: int, command: Twist, drivable: Collection[int]) -> None:
        """Drive a robot from now on.

        Raises
        ------
        InputError
            if the robot is not one of those that can be driven.

        """
        if robot not in drivable:
            raise InputError(f'robot {robot} cannot be driven; it needs controller: none')
        self._commands[robot] = command, self._clock() + HOLD_TIME

    def commands(self) -> dict[int, Twist]:
        """Return the command of each robot that was ever driven; STOP once its time is over."""
        now = self._clock()
        # A copy, as another thread may add a robot meanwhile.
        return {robot: command if now < until else STOP
                for robot, (command, until) in self._commands.copy().items()}


def _apply_command(raw: bytes, controls: _Controls) -> None:
    """Execute a request of the page.

    Parameters
    ----------
    raw : JSON: {"pause": true}, {"step": true} or {"drive": [robot, m/s, rad/s]}
    controls : of the run

    Raises
    ------
    InputError
        if it is none of these, or the run refuses it.

    """
    try:
        request = json.loads(raw)
    except ValueError:  # UnicodeDecodeError is one
        raise InputError('request: not JSON') from None
    except RecursionError:
        raise InputError('request: nested too deeply') from None
    match request:
        case {'pause': bool(on), **rest} if not rest:
            controls.pause(on)
        case {'step': True, **rest} if not rest:
            controls.step()
        case {'drive': [int(robot), int() | float() as v, int() | float() as omega], **rest} if (
                not rest and not isinstance(robot, bool) and _is_finite(v) and _is_finite(omega)):
            controls.drive(robot, Twist(float(v), omega=float(omega)))
        case _:
            raise bad_value('request', request, '{"pause": true}, {"step": '
                            'true} or {"drive": [robot, m/s, rad/s]}')


def _is_finite(value: float) -> bool:
    return not isinstance(value, bool) and abs(value) < _FASTEST  # false for NaN


class LiveRun:
    """A run on the page: its header with the first tick that is shown, then frames.

    Parameters
    ----------
    live : where frames go
    scenario : of the run

    """

    def __init__(self, live: Live, scenario: Scenario) -> None:
        self._live, self.scenario = live, scenario
        self.goals = {i: robot.goal for i, robot in enumerate(scenario.robots) if robot.goal}
        self.drivable = drivable(scenario)
        self.beams = shown_beams(lasers_of(scenario))
        self._frames = 0

    def show(self, stamp_ns: int, poses: ArrayLike, winds: ArrayLike,
             obstacles: ArrayLike | None, boxes: ArrayLike | None,
             ranges: Sequence[Floats32] | Floats32 | None) -> None:
        """Show a tick: as ``frame``, with what is seen (``ranges``, if known) every few frames."""
        if not self._frames:
            self._live.set_run(live_header(self.scenario))
        seconds = (stamp_ns - self.scenario.rate.stamp_ns(0)) / NANOSECONDS
        shown = frame(seconds, poses, winds, self.goals, obstacles, boxes)
        if self._frames % _SCAN_FRAMES == 0 and ranges is not None:
            shown['scans'] = scans(row[self.beams] for row in ranges)
        self._frames += 1
        self._live.set_frame(shown)


_HEARTBEAT = 2.0  # s between keep-alive events, which detect closed connections
_TIMEOUT = 10.0  # s: a connection that asks nothing, or takes nothing, for so long is closed
_OWN_NAMES = ('localhost', '127.0.0.1', '[::1]')


_EVENTS = ('run', 'frame', 'paused', 'end')  # in the order in which a page gets them


class Live:
    """The newest events of each kind for browsers; written by one thread, read by the server's.

    A slow browser gets only the latest.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest: dict[str, str] = {}  # JSON by kind
        self._streams = 0
        self.counts: Counter[str] = Counter()  # how many events of each kind there were
        self.controls: _Controls | None = None  # of the run
        self.server: ThreadingHTTPServer | None = None  # that serves the pages

    def _put(self, kind: str, value: object) -> None:
        with self._changed:
            self._latest[kind] = json.dumps(value, separators=(',', ':'), allow_nan=False)
            self.counts[kind] += 1
            self._changed.notify_all()

    def set_run(self, header: dict[str, Any]) -> None:
        """Set the run that browsers show."""
        with self._changed:
            self._latest.pop('frame', None)
            self._put('run', {**header, 'live': True, 'controlled': self.controls is not None})
            if self._is_paused():
                self._put('paused', True)

    def set_frame(self, frame: dict[str, Any]) -> None:
        """Set the next frame."""
        self._put('frame', frame)

    def _is_paused(self) -> bool:
        return self._latest.get('paused') == 'true'

    def set_paused(self, on: bool) -> None:
        """Tell the pages whether the run is paused."""
        with self._changed:
            if on != self._is_paused():
                self._put('paused', on)

    def wait_for_page(self, timeout: float) -> bool:
        """Wait until a page shows the run, for a time (s); return whether one has."""
        with self._changed:
            return self._changed.wait_for(lambda: self._streams > 0, timeout)

    def end(self, timeout: float) -> None:
        """Tell the pages that the run has ended; wait until they know, for a time (s)."""
        with self._changed:
            self._put('end', True)
            self._changed.wait_for(lambda: self._streams == 0, timeout)

    def close(self, timeout: float) -> None:
        """End, and stop the server."""
        self.end(timeout)
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def _count_stream(self, change: int) -> None:
        with self._changed:
            self._streams += change
            self._changed.notify_all()

    def events(self) -> Generator[str, None, None]:
        """Yield texts of events for one page, until the run ends."""
        self._count_stream(1)
        try:
            seen: Counter[str] = Counter()
            while not seen['end']:
                with self._changed:
                    if self.counts == seen:
                        self._changed.wait(_HEARTBEAT)
                    text = ''.join(f'event: {kind}\ndata: {self._latest[kind]}\n\n'
                                   for kind in _EVENTS if kind in self._latest
                                   and self.counts[kind] > seen[kind])
                    seen = self.counts.copy()
                yield text or ': alive\n\n'
        finally:
            self._count_stream(-1)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _TIMEOUT

    def do_GET(self) -> None:
        if (not self._is_own_name()  # or a page from elsewhere asks
                or self.headers.get('Origin', self._origin()) != self._origin()):
            self.send_error(403)
        elif self.path == '/':
            self._send('text/html; charset=utf-8', page(None, 'sbot').encode())
        elif self.path == '/events':
            self._send('text/event-stream', None)
            self._stream()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        # Only the page itself may command: browsers send the origin of a page with every POST,
        # and ask before they send JSON elsewhere, which is never answered.
        length, controls = self.headers.get('Content-Length', ''), self.server.live.controls
        if (not self._is_own_name() or self.headers.get('Origin') != self._origin()
                or self.headers.get_content_type() != 'application/json'):
            self.send_error(403)
        elif self.path != '/command' or controls is None:
            self.send_error(404)
        elif not length.isdecimal() or len(length) > 9 or int(length) > MOST_BYTES:
            self.send_error(413)
        else:
            try:
                _apply_command(self.rfile.read(int(length)), controls)
                self._send('text/plain; charset=utf-8', b'')
            except InputError as error:
                self._send('text/plain; charset=utf-8', str(error).encode(), 409)

    def _origin(self) -> str:
        return f"http://{self.headers.get('Host', '')}"

    def _is_own_name(self) -> bool:
        """Whether it was asked by a name of this machine, not by one that resolves to it."""
        host = self.headers.get('Host', '')
        return (host.rpartition(':')[0] or host) in _OWN_NAMES

    def _send(self, kind: str, body: bytes | None, status: int = 200) -> None:
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Cache-Control', 'no-store')
        # No frame of a page from elsewhere, whose visitors would click what they do not see.
        self.send_header('X-Frame-Options', 'DENY')
        self.send_header('Content-Security-Policy', "frame-ancestors 'none'")
        if body is not None:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if body is not None:
            self.wfile.write(body)

    def _stream(self) -> None:
        # Closed in any case: then the run knows that nobody watches any more.
        with contextlib.closing(self.server.live.events()) as events, contextlib.suppress(OSError):
            for text in events:
                self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, live: Live) -> None:
        self.live = live
        super().__init__(('127.0.0.1', port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Say nothing of a browser that has gone; show any other error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


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
    live.server = server
    return f'http://localhost:{server.server_address[1]}/'
