# SPDX-License-Identifier: Apache-2.0
"""`sbot up`: start the ROS 2 nodes of a scenario without `ros2 launch`."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sbot.environment.running import DRAIN_TIME, THIS_MACHINE, RunningProcesses
from sbot.files.limits import TemporaryFolder
from sbot.ros.domain import check_free, current_domain
from sbot.ros.executables import END_WITH_PARENT, STATUS_FD
from sbot.ros.live_tf import messages_path, packages_of, with_path
from sbot.ros.processes import (
    COMPOSED,
    NodeProcess,
    need_ros,
    node_processes,
    own_names,
    parse_command,
    parse_namespace,
    process_command,
    robot_commands,
    ros_arguments,
    start_commands,
)
from sbot.scenario.assemble import wind_source
from sbot.scenario.controllers import own_nodes
from sbot.scenario.model import Scenario
from sbot.scenario.warnings import warn_of_reach
from sbot_common import topics
from sbot_common.errors import InputError, bad_value, one_line
from sbot_common.signals import Held, blocked
from sbot_common.topics import CLOCK, TF, TF_STATIC, namespace
from sbot_sim.ros.external import HAS_LEFT
from sbot_sim.ros.run_control import AwakeClock

_LEADING = ('sbot_sim', COMPOSED)  # the run ends with this process
_SILENCE = 30.0  # s, beside the lockstep_timeout: then a simulator is stuck or stopped
_LAST_WORDS = 5.0  # s for the process of a node that has left to end
_START = 600.0  # s until it reports first: it imports and builds its world


class NodeFailed(RuntimeError):
    """A node ended the run; the text is one line."""


class OwnFailed(NodeFailed):
    """A command of the user's ended the run."""


@contextlib.contextmanager
def output_named(hidden: bool) -> Iterator[None]:
    """Say, when a user's command has failed, which option hides what it printed."""
    try:
        yield
    except OwnFailed as error:
        raise OwnFailed(f'{error}' + ' (without --quiet: its output)' * hidden) from None


def _named_robots(text: str, count: int, run: str = '') -> list[tuple[str, str]]:
    """Return the remaps that give robots' topics names of their own for namespaces.

    Parameters
    ----------
    text : the names of robots 0, 1, ..., separated by commas; '': none
    count : how many robots there are
    run : namespace of the run, '' or e.g. '/arena'

    Raises
    ------
    InputError
        unless there are as many names as robots, all different and usable in ROS.

    """
    if not text:
        return []
    names = [parse_namespace(name.strip(), '--names').strip('/') for name in text.split(',')]
    if len(set(names)) != count or len(names) != count or '' in names:
        raise bad_value('--names', text, f'{count} different names, separated by commas, one for '
                        'each robot')
    own = [topic.name for topic in vars(topics).values()
           if isinstance(topic, topics.Topic) and not topic.name.startswith('/')]
    own += [topic.name.strip('/') for topic in (TF, TF_STATIC)] if count > 1 else []
    return [(f'{run}{namespace(i, count)}/{each}', f'{run}/{name}/{each}')
            for i, name in enumerate(names) for each in dict.fromkeys(own)]


def run_up(scenario: Scenario, *, record: str | Path | None = None, composed: bool = False,
           domain: int | None = None, namespace: str = '', own: Sequence[str] = (),
           parameters: Mapping[str, Any] = {}, names: str = '',
           progress: Callable[[int, int], None] | None = None,
           output: Callable[[str], None] = print) -> dict[str, Any]:
    """Start the nodes of a scenario, wait for its end, and stop them.

    Parameters
    ----------
    scenario : complete
    record : directory of the bag to write
    composed : all nodes in one process
    domain : ROS domain of the nodes; None: that of ROS_DOMAIN_ID
    namespace : of all nodes, e.g. '/arena', with a clock and transforms of its own; '': none
    parameters : of the simulator's node, over its defaults
    own : commands of the user's nodes, started after ours; with places one for each external robot
    names : of the robots, separated by commas: namespaces of their topics; '': robot_<i>
    progress : called with (ticks done, all ticks)
    output : called with each line that a node prints, prefixed by its name

    Returns
    -------
    the summary, as of an in-process run

    Raises
    ------
    InputError
        if ROS 2 is not installed, the bag exists already, or the domain has a simulation.
    NodeFailed
        if a node ends with an error, or before the simulator.

    """
    need_ros('sbot up', '; without it use sbot run')
    if record is not None and Path(record).exists():
        raise InputError(f'{record}: exists already; give a new name')
    remaps = ros_arguments([*own_names(namespace),
                            *_named_robots(names, len(scenario.robots), namespace)])
    own, commands = _own_commands(own, scenario, namespace, names)
    domain = current_domain() if domain is None else domain
    check_free(domain, namespace + CLOCK.name)
    messages = messages_path(output, packages_of(scenario))
    warn_of_reach(scenario, wind_source(scenario).field)
    status, running = _Status(progress), RunningProcesses(output)
    with TemporaryFolder('up') as folder, status.pipe() as write_end:
        try:
            nodes = node_processes(scenario, record=record, run=namespace, parameters=parameters)
            for node in [NodeProcess.composed(nodes)] if composed else nodes:
                # Threads that do not block a signal get it, and the main thread raises.
                with Held(), blocked():
                    running.add(node.name, _start(node, Path(folder), write_end, domain, remaps,
                                                  messages))
                running.relay()
            start_commands(running, own, commands, domain, messages)
            failed = _wait(running.processes, status, _SILENCE + scenario.lockstep_timeout)
            failed = _culprit(failed, status,
                              [each for each in running.processes if each[0] in own])
        finally:
            running.stop()
    return _summary(failed, running.last_lines, status, own)


def _own_commands(own: Sequence[str], scenario: Scenario, run: str,
                  names: str) -> tuple[list[str], list[list[str]]]:
    """Return the user's commands, one with places for each external robot, and their words."""
    given = [name.strip().strip('/') for name in names.split(',')] if names else []
    robots = own_nodes(scenario)
    texts = [text for each in own for text in robot_commands(each, scenario, robots, run, given)]
    return texts, [parse_command(text) for text in texts]


def _summary(failed: tuple[str, int] | None, last_lines: Mapping[str, str],
             status: _Status, own: Sequence[str] = ()) -> dict[str, Any]:
    """Return the summary of a run that came to its end; raise what became of another."""
    if failed is not None:
        reason = status.reason if failed[0] in _LEADING else ''
        raise _failure(*failed, reason or one_line(last_lines.get(failed[0], '')),
                       OwnFailed if failed[0] in own else NodeFailed)
    if status.cut_short:
        raise NodeFailed(f'sbot_sim: the run was cut short {status.cut_short}')
    if status.summary is None:
        raise NodeFailed('sbot_sim: ended without a summary')
    return status.summary


def _start(node: NodeProcess, folder: Path, status_fd: int, domain: int,
           remaps: Sequence[str] = (), messages: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start one node with its parameters in a file, and with the messages of folders."""
    path = folder / f'{node.name}.yaml'
    parameters: Mapping[str, Any] = {'/**': {'ros__parameters': node.parameters}}
    arguments = ['--ros-args', '-r', f'__node:={node.name}', '--params-file', str(path)]
    if node.executable == COMPOSED:
        parameters, arguments = node.parameters, [str(path), '--ros-args']
    arguments += remaps
    if node.namespace:
        arguments += ['-r', f'__ns:={node.namespace}']
    if node.executable == 'potfield_bot':  # it names itself after this parameter
        arguments += ['-p', f"robot_id:={node.parameters['robot_id']}"]
    path.write_text(yaml.safe_dump(parameters))
    # Discovery stays on this machine unless the user says otherwise.
    environment = {**THIS_MACHINE, 'PYTHONUNBUFFERED': '1', 'NUMBA_NUM_THREADS': '1',
                   **with_path(dict(os.environ), messages), 'ROS_DOMAIN_ID': str(domain),
                   END_WITH_PARENT: '1'}
    if node.executable in _LEADING:
        environment[STATUS_FD] = str(status_fd)
    return subprocess.Popen(
        process_command(node.executable, *arguments),
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors='replace',
        pass_fds=[status_fd] if node.executable in _LEADING else [], start_new_session=True)


def _failure(name: str, code: int, last_line: str, kind: type[NodeFailed]) -> Exception:
    """Return what a node's failure means: exit code 2 is bad input, as everywhere."""
    if code == 2:
        return InputError(f'{name}: {last_line}')
    if code < 0:  # it had no time to say why
        with contextlib.suppress(ValueError):
            return kind(f'{name}: ended the run: killed by {signal.Signals(-code).name}')
    if code == 0:
        return kind(f'{name}: ended (exit code 0) before the simulator did')
    reason = f': {last_line}' if last_line else ''
    return kind(f'{name}: ended the run with exit code {code}{reason}')


def _wait(processes: list[tuple[str, subprocess.Popen[str]]], status: _Status,
          silence: float) -> tuple[str, int] | None:
    """Return None when the simulator ends well, else (name, exit code) of what ended the run.

    Raises
    ------
    NodeFailed
        if the simulator is silent for ``silence`` s, or at first for longer than a start takes.

    """
    awake = AwakeClock()  # a machine that stands still is no silence
    heard: float | None = None
    since, most = 0.0, max(silence, _START)
    while True:
        now = awake()
        if status.heard != heard:
            heard, since, most = status.heard, now, silence
        if now - since > most:
            raise NodeFailed(f'{processes[0][0]}: no response for {most:g} s: it hangs, or was '
                             'stopped')
        for name, process in processes:
            code = process.poll()
            if code is None:
                continue
            if name in _LEADING and code == 0:
                return None
            # The simulator may just be about to say why: its word counts more than the others'.
            simulator = processes[0][1]
            if code == 0:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    if simulator.wait(timeout=1.0) == 0:
                        return None
            return name, code
        time.sleep(0.02)


def _culprit(failed: tuple[str, int] | None, status: _Status,
             own: Sequence[tuple[str, subprocess.Popen[str]]]) -> tuple[str, int] | None:
    """Return what ended the run: one of the ``own`` commands, if the simulator misses its node.

    A node that fails leaves the graph before its process has ended.
    """
    if failed is None or not own or HAS_LEFT not in status.reason:
        return failed
    awake = AwakeClock()
    while awake() < _LAST_WORDS:
        for name, process in own:
            if process.poll():
                return name, process.returncode
        time.sleep(0.02)
    return failed


class _Status:
    """Reads the progress and summary that the simulator reports."""

    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self._progress = progress
        self.summary: dict[str, Any] | None = None
        self.cut_short = ''  # where the run ended before its end
        self.reason = ''  # why it failed
        self.heard: float | None = None  # when the simulator last reported; never: None

    @contextlib.contextmanager
    def pipe(self) -> Iterator[int]:
        """Yield the write end, which the caller closes; read until every process has closed it."""
        read_end, write_end = os.pipe()
        thread = threading.Thread(target=self._read, args=(read_end,), daemon=True)
        thread.start()
        try:
            yield write_end
        finally:
            with contextlib.suppress(OSError):
                os.close(write_end)
            thread.join(DRAIN_TIME)

    def _read(self, read_end: int) -> None:
        with os.fdopen(read_end, encoding='utf-8') as stream:
            for line in stream:
                try:
                    status = json.loads(line)
                except ValueError:  # the simulator was killed in the middle of a line
                    continue
                self.heard = time.monotonic()
                if 'failed' in status:
                    self.reason = status['failed']
                elif 'summary' in status:
                    self.summary, self.cut_short = status['summary'], status['cut_short']
                elif self._progress is not None:
                    self._progress(status['tick'], status['ticks'])
