"""Processor time of each test, its children's included: a list of the dearest, and a limit.

Unlike wall time it is about the same on a busy machine. A test whose first call of a compiled
function has filled the cache of machine code is excused: on a fresh machine that takes minutes.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

LIMIT = 120.0  # s; twice what a test may take here, as other machines are slower
NAME = 'processor_s'


def used() -> float:
    """Return the processor seconds of this process and of the children that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def dearest(reports: list[pytest.TestReport], count: int) -> list[tuple[float, str]]:
    """Return (processor seconds, test), the dearest first; 0: all of them."""
    spent = {report.nodeid: value for report in reports
             for name, value in report.user_properties if name == NAME}
    found = sorted(((seconds, test) for test, seconds in spent.items()), reverse=True)
    return found[:count or None]


def sort_slow_first(items: list[pytest.Item]) -> None:
    """Put files with tests of the mark `slow` first, so that processes end together.

    Tests of a file stay side by side, as they share fixtures.
    """
    slow = {item.path for item in items if item.get_closest_marker('slow')}
    items.sort(key=lambda item: item.path not in slow)


class ProcessorTime:
    """Plugin that measures the tests of one process."""

    def __init__(self, cache: Path, limit: float = LIMIT) -> None:
        self._cache, self._limit = cache, limit

    def _compiled(self) -> int:
        """Return another number when machine code was written meanwhile."""
        return self._cache.stat().st_mtime_ns if self._cache.is_dir() else 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._begin, self._before = used(), self._compiled()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        result = yield
        seconds = used() - self._begin
        item.user_properties.append((NAME, round(seconds, 2)))
        if seconds > self._limit and self._compiled() == self._before:
            pytest.fail(f'{item.nodeid} took {seconds:.1f} s of processor time; expected at most '
                        f'{self._limit:g} s', pytrace=False)
        return result


def write_dearest(terminal: pytest.TerminalReporter, count: int) -> None:
    """Write the tests that took most processor time, and the sum a file."""
    reports = [report for kind in terminal.stats.values() for report in kind
               if isinstance(report, pytest.TestReport)]
    everything = dearest(reports, 0)
    files: defaultdict[str, float] = defaultdict(float)
    for seconds, test in everything:
        files[test.partition('::')[0]] += seconds
    terminal.section(f'processor time: {sum(files.values()):.0f} s')
    rows = everything[:count or None]
    rows += sorted(((seconds, file) for file, seconds in files.items()), reverse=True)[
        :count or None]
    for seconds, name in rows:
        terminal.write_line(f'{seconds:8.2f} s  {name}')
