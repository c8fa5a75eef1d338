"""Settings of all tests."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # test helpers, e.g. ros_domain

import forked
from processor_time import ProcessorTime, sort_slow_first, write_dearest
from ros_domain import lock_domain
from shared_compilation import compile_once

# A shell starts background jobs with SIGINT ignored, nohup with SIGHUP, and children inherit that.
# Tests send both, so they are to be heard.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler),
                          (getattr(signal, 'SIGHUP', signal.SIGINT), signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# The first call of a compiled function takes seconds; time limits per example would only flicker.
# Every run tries the same examples, so that a commit passes always or never. The profile `search`
# tries others: `make test ARGUMENTS=--hypothesis-profile=search`.
settings.register_profile('project', deadline=None, derandomize=True)
settings.register_profile('search', deadline=None, print_blob=True)
settings.load_profile('project')

# Nodes of tests talk to each other only; processes that tests start inherit this. Each worker of
# pytest-xdist is a process that locks a domain of its own, so nodes of two never meet.
os.environ['ROS_DOMAIN_ID'] = str(lock_domain())
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
# Its variable in Fast DDS 2 (Jazzy) and 3 (Kilted).
for _name in ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE'):
    os.environ[_name] = str(Path(__file__).with_name('quiet_dds.xml'))
# No windows. For all tests, as the fork server has what libraries read when they are imported.
os.environ['MPLBACKEND'] = 'agg'


def pytest_configure(config: pytest.Config) -> None:
    from sbot_common.compiled.cache import CACHE_DIRECTORY
    config.pluginmanager.register(ProcessorTime(CACHE_DIRECTORY))
    compile_once()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sort_slow_first(items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker('ros') and find_spec('rclpy') is None:
        pytest.skip('rclpy is missing')


def pytest_collection_finish() -> None:
    """Tell the garbage collector that modules and tests stay: it need not look at them again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fork the children of tests with the mark `forked`, and of the fixtures that they make."""
    mark = item.get_closest_marker('forked')
    if mark is None or mark.args == (False,) or not forked.start_server():
        return (yield)
    subprocess.Popen = forked.Popen
    try:
        return (yield)
    finally:
        subprocess.Popen = forked.Started


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    count = terminalreporter.config.getoption('durations')
    if count is not None:
        write_dearest(terminalreporter, count)
