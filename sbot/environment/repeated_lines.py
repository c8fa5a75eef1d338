"""Repeated complaints of processes: each is passed on once, and counted."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import NamedTuple

_TRACEBACK = 'Traceback (most recent call last):'
_MOST_LINES = 200  # of a traceback; more of it is passed on as it comes
_MOST_KINDS = 1000  # of complaints that are told apart; what is new after these is passed on
_LONGEST = 10_000  # characters of a complaint; a longer one is passed on as often as it comes
# Level, time and node of a log line of ROS; time and thread of one of Fast DDS.
_LOGGED = re.compile(r'\[(WARN|ERROR|FATAL)\] (?:\[[\d.]+\] )?\[[^\]]*\]: ')
_MIDDLEWARE = re.compile(r'^\S+ \S+ \[(\w+ Error)\] ')


class _Complaint(NamedTuple):
    label: str  # of the process that made it first
    text: str  # its last line


class RepeatedLines:
    """Passes on lines of processes; warnings, errors and tracebacks that repeat are counted.

    Each process may have a thread that calls this. Times and names of nodes do not tell lines
    apart.

    Parameters
    ----------
    output : called with each line, prefixed by the label of its process

    """

    def __init__(self, output: Callable[[str], None]) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._tracebacks: dict[str, list[str]] = {}  # not yet complete, by label
        self._counts: dict[str, int] = {}  # by what tells complaints apart
        self._complaints: dict[str, _Complaint] = {}

    def line(self, label: str, text: str) -> None:
        """Take a line of a process."""
        with self._lock:
            begun = self._tracebacks.get(label)
            if begun is None and text != _TRACEBACK:
                self._pass_on(label, [text], _kind_of(text))
            elif begun is None:
                self._tracebacks[label] = [text]
            else:
                begun.append(text)
                # Its last line is the first that is not indented; notes and causes follow.
                if not text.startswith(' ') or len(begun) >= _MOST_LINES:
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
            for kind, count in self._counts.items():
                if count > 1:
                    label, text = self._complaints[kind]
                    self._output(f'[{label}] {count} times in all: {text}')
            self._counts.clear()
            self._complaints.clear()

    def _end_traceback(self, label: str) -> None:
        lines = self._tracebacks.pop(label)
        self._pass_on(label, lines, '\n'.join(lines))

    def _pass_on(self, label: str, lines: list[str], kind: str) -> None:
        """Pass lines on, unless they are a complaint that was made before."""
        if kind in self._counts:
            self._counts[kind] += 1
            return
        if 0 < len(kind) <= _LONGEST and len(self._counts) < _MOST_KINDS:
            self._counts[kind] = 1
            self._complaints[kind] = _Complaint(label, lines[-1])
        for line in lines:
            self._output(f'[{label}] {line}')


def _kind_of(text: str) -> str:
    """Return what tells a complaint from others; '' of a line that is none."""
    if (found := _LOGGED.match(text)) is not None:
        return f'{found[1]} {text[found.end():]}'
    if (found := _MIDDLEWARE.match(text)) is not None:
        return f'{found[1]} {re.sub(r"[0-9]+", "", text[found.end():])}'
    return ''
