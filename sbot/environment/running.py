"""Running child processes: what they print is passed on, and all of them are ended in order."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO

from sbot.environment.repeated_lines import RepeatedLines

DRAIN_TIME = 10.0  # s for what ended processes have printed; one that is left may hold the pipe
REASON = '\x1e'  # begins a line that says why its process ends: it is kept, not passed on
LONGEST_LINE = 100_000  # characters; a longer line of a process is passed on in pieces
_STOP_TIMEOUT = 3.0  # s between SIGINT, SIGTERM and SIGKILL


class RunningProcesses:
    """Processes by name, and threads that pass on what these print.

    Parameters
    ----------
    output : called with each line, prefixed by the name of its process; with complaints that
        repeat (``RepeatedLines``) once, and with their count after the end

    """

    def __init__(self, output: Callable[[str], None]) -> None:
        self._lines = RepeatedLines(output)
        self._readers: list[threading.Thread] = []
        self.processes: list[tuple[str, subprocess.Popen[str]]] = []
        self.last_lines: dict[str, str] = {}  # by the processes' names

    def add(self, name: str, process: subprocess.Popen[str]) -> None:
        """Take a process that has been started: ``stop`` ends it."""
        self.processes.append((name, process))

    def relay(self, label: str = '') -> None:
        """Pass on what the newest process prints, from now on, after its name or a label."""
        name, process = self.processes[-1]
        self._readers.append(threading.Thread(
            target=_relay, daemon=True,
            args=(name, label or name, process.stdout, self._lines, self.last_lines)))
        self._readers[-1].start()

    def stop(self) -> None:
        """End all processes; wait for their last words."""
        stop([process for _, process in self.processes])
        for reader in self._readers:
            reader.join(DRAIN_TIME)
        self._lines.report()


def lines_of(stream: IO[str] | None) -> Iterator[str]:
    """Yield the lines of a stream; a very long one in pieces, as it may never end."""
    if stream is not None:
        yield from iter(lambda: stream.readline(LONGEST_LINE), '')


def _relay(name: str, label: str, stream: IO[str] | None, lines: RepeatedLines,
           last_lines: dict[str, str]) -> None:
    """Pass a node's lines on; keep the last that may say why when it fails."""
    for line in lines_of(stream):
        if line.startswith(REASON):
            last_lines[name] = line.removeprefix(REASON).strip()
            continue
        lines.line(label, line.rstrip())
        if line.strip() and not line.startswith(('[INFO]', '[DEBUG]')):
            last_lines[name] = line.strip()
    lines.end(label)


def stop(processes: list[subprocess.Popen[str]]) -> None:
    """End all processes: SIGINT, SIGTERM, SIGKILL.

    The keeper of a user's command, which has a pipe as standard input, gets no SIGKILL while it
    answers: it kills in our place, and knows all that the command has started.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        running = [process for process in processes if process.poll() is None]
        for process in running:
            if number == signal.SIGKILL and process.stdin is not None:
                process.stdin.close()
                process.terminate()
            else:
                process.send_signal(number)
        _wait_for(running)
    for process in running:
        process.kill()
    _wait_for(running)


def _wait_for(processes: list[subprocess.Popen[str]]) -> None:
    deadline = time.monotonic() + _STOP_TIMEOUT
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=max(0.01, deadline - time.monotonic()))
