# SPDX-License-Identifier: Apache-2.0
"""Child processes: commands, ROS 2 of this environment, output passed on, end in order."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

# ROS 2 of this environment: which distribution it is, and discovery on this machine only.

THIS_MACHINE = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def stay_on_this_machine() -> None:
    """Set the environment for the nodes of this process; call it before ``rclpy.init``."""
    for name, value in THIS_MACHINE.items():
        os.environ.setdefault(name, value)


# Packages of ROS that launch files need.

def need_package(package: str, argument: str, instead: str) -> None:
    """Raise RuntimeError in one line where a package of ROS is not installed.

    Parameters
    ----------
    package : its name, e.g. 'rviz2'
    argument : of the launch file, which needs it
    instead : what else to give, e.g. 'rviz:=false'

    """
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix
    try:
        get_package_prefix(package)
    except (PackageNotFoundError, OSError):  # or no environment of ROS at all
        raise RuntimeError(
            f'launch argument {argument} needs the package {package}; install it (apt: '
            f'ros-$ROS_DISTRO-{package.replace("_", "-")}), or use {instead}',
        ) from None


# Commands that start another Python process of this package.
#
# ``python -m`` and ``python -c`` search the current folder before everything else, so that a
# ``queue.py`` or ``wind_model.py`` there would be executed instead. These do not (``python -P``
# does the same from 3.11 on).

_ROOT = str(Path(__file__).resolve().parents[2])  # where the packages are
_FIRST = ('import sys; sys.path[:1] = [path for path in sys.path[:1] if path]; '
          f'{_ROOT!r} in sys.path or sys.path.append({_ROOT!r}); ')


def python_command(code: str, *arguments: str) -> list[str]:
    """Return the command that executes ``code`` in this interpreter, with these ``sys.argv[1:]``.

    ``sys`` is imported; the current folder is not searched for modules.
    """
    return [sys.executable, '-c', _FIRST + code, *arguments]


# Repeated complaints of processes: each is passed on once, and counted.

_TRACEBACK = 'Traceback (most recent call last):'
# Level, time and node of a log line of ROS; time and thread of one of Fast DDS.
_LOGGED = re.compile(r'\[(WARN|ERROR|FATAL)\] (?:\[[\d.]+\] )?\[[^\]]*\]: ')
_MIDDLEWARE = re.compile(r'^\S+ \S+ \[(\w+ Error)\] ')
# Last lines of tracebacks of nodes of rclpy that we have interrupted, and what leads from one to
# the next: a second shutdown, in their `finally`, fails.
_INTERRUPTED = re.compile(r'KeyboardInterrupt$|rclpy\.executors\.ExternalShutdownException|'
                          r'rclpy\..*RCLError: .*rcl_shutdown already called')
_BETWEEN = ('', 'During handling of the above exception, another exception occurred:')


class RepeatedLines:
    """Passes on lines of processes; warnings, errors and tracebacks that repeat are counted.

    Each process may have a thread that calls this. Times and names of nodes do not tell lines
    apart. Tracebacks of our own interrupt are dropped.

    Parameters
    ----------
    output : called with each line, prefixed by the label of its process

    """

    def __init__(self, output: Callable[[str], None]) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._tracebacks: dict[str, list[str]] = {}  # not yet complete, by label
        # By what tells complaints apart: how many, label of the first's process, its last line.
        self._complaints: dict[str, tuple[int, str, str]] = {}
        self.interrupting = False  # whether we end the processes: such tracebacks are expected
        self._interrupted: set[str] = set()  # labels of processes with such a traceback

    def line(self, label: str, text: str) -> None:
        """Take a line of a process."""
        with self._lock:
            begun = self._tracebacks.get(label)
            if begun is None and text in _BETWEEN and label in self._interrupted:
                return
            if begun is None and text != _TRACEBACK:
                self._pass_on(label, [text], _kind_of(text))
            elif begun is None:
                self._tracebacks[label] = [text]
            else:
                begun.append(text)
                # Its last line is the first that is not indented; notes and causes follow.
                if not text.startswith(' '):
                    self._end_traceback(label)

    def end(self, label: str) -> None:
        """Take the end of a process: what it had begun to say is passed on."""
        with self._lock:
            if label in self._tracebacks:
                self._end_traceback(label)

    def report(self) -> None:
        """Say how often complaints were made; those from now on count anew.

        Of a process that has not ended, as its pipe is still held, what it had begun is passed on.
        """
        with self._lock:
            for label in list(self._tracebacks):
                self._end_traceback(label)
            for count, label, text in self._complaints.values():
                if count > 1:
                    self._output(f'[{label}] {count} times in all: {text}')
            self._complaints.clear()

    def _end_traceback(self, label: str) -> None:
        lines = self._tracebacks.pop(label)
        if self.interrupting and _INTERRUPTED.match(lines[-1]):
            self._interrupted.add(label)
        else:
            self._pass_on(label, lines, '\n'.join(lines))

    def _pass_on(self, label: str, lines: list[str], kind: str) -> None:
        """Pass lines on, unless they are a complaint that was made before."""
        count, first, last = self._complaints.get(kind, (0, label, lines[-1]))
        if kind:
            self._complaints[kind] = count + 1, first, last
        for line in () if count else lines:
            self._output(f'[{label}] {line}')


def _kind_of(text: str) -> str:
    """Return what tells a complaint from others; '' of a line that is none."""
    if (found := _LOGGED.match(text)) is not None:
        return f'{found[1]} {text[found.end():]}'
    if (found := _MIDDLEWARE.match(text)) is not None:
        return f'{found[1]} {re.sub(r"[0-9]+", "", text[found.end():])}'
    return ''


DRAIN_TIME = 10.0  # s for what ended processes have printed; one that is left may hold the pipe
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
        self.last_lines: dict[str, str] = {}  # by the processes' names; none that informs only
        self._said: list[list[str]] = []  # the last line of each process

    def add(self, name: str, process: subprocess.Popen[str]) -> None:
        """Take a process that has been started: ``stop`` ends it."""
        self.processes.append((name, process))

    def relay(self, label: str = '') -> None:
        """Pass on what the newest process prints, from now on, after its name or a label."""
        name, process = self.processes[-1]
        self._said.append([])
        self._readers.append(threading.Thread(
            target=_relay, daemon=True,
            args=(name, label or name, process.stdout, self._lines, self.last_lines,
                  self._said[-1])))
        self._readers[-1].start()

    def ended(self) -> str:
        """Return in words which process has ended, with its last line; '' while none has."""
        for (name, process), reader, said in zip(self.processes, self._readers, self._said,
                                                 strict=True):
            code = process.poll()
            if code is not None:
                reader.join(DRAIN_TIME)
                return ': '.join([name, f'ended with exit code {code}', *said])
        return ''

    def stop(self) -> None:
        """End all processes; wait for their last words."""
        self._lines.interrupting = True
        _stop([process for _, process in self.processes])
        for reader in self._readers:
            reader.join(DRAIN_TIME)
        self._lines.report()


def _relay(name: str, label: str, stream: IO[str] | None, lines: RepeatedLines,
           last_lines: dict[str, str], said: list[str]) -> None:
    """Pass a node's lines on; keep the last one, and the last that may say why when it fails."""
    for line in stream or ():
        lines.line(label, line.rstrip())
        if line.strip():
            said[:] = [line.strip()]
            if not line.startswith(('[INFO]', '[DEBUG]')):
                last_lines[name] = line.strip()
    lines.end(label)


def _stop(processes: list[subprocess.Popen[str]]) -> None:
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
