# SPDX-License-Identifier: Apache-2.0
"""A scenario as a list of ROS 2 processes, and a user's own node as a command."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from sbot.controllers.registry import entry_of, is_outside
from sbot.environment import keeper
from sbot.environment.running import THIS_MACHINE, RunningProcesses, python_command
from sbot.ros.executables import END_WITH_PARENT, MODULES, STATUS_FD
from sbot.ros.live_tf import with_path
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.groups import controller_in_words
from sbot.scenario.load import parse_override
from sbot.scenario.model import Robot, Scenario
from sbot_common.controller_inputs import INPUTS, TIMER
from sbot_common.errors import InputError, bad_value, install_command, real_path
from sbot_common.params import in_words, refuse_unknown, specs_of
from sbot_common.signals import Held
from sbot_common.topics import CLOCK, TF, TF_STATIC, namespace
from sbot_sim.messages.broadcast import Interfaces

# A user's own node as a command: its places, its words, and a process that leaves nothing.

_GOAL = ('{goal_x}', '{goal_y}')
_START = ('{start_x}', '{start_y}', '{start_yaw}')
PLACES = ('{namespace}', '{robot}', *_START, *_GOAL)
# Only in ROS arguments, as other braces may be meant.
_PLACE = re.compile(r':=\S*?(\{\w+\})')


def robot_commands(command: str, scenario: Scenario, robots: Collection[int], run: str = '',
                   names: Sequence[str] = ()) -> list[str]:
    """Return a command for each of these robots, places filled in; once, if it has no place.

    Parameters
    ----------
    command : e.g. 'mine.py --ros-args -r __ns:={namespace} -p goal_x:={goal_x}'
    scenario : complete
    robots : ids
    run : namespace of the run, '' or e.g. '/arena'
    names : of all robots instead of robot_0, robot_1, ...; (): none

    Raises
    ------
    InputError
        if it has places, and one is unknown, there is no robot, or one has no goal for them.

    """
    unknown = [place for place in _PLACE.findall(command) if place not in PLACES]
    if unknown:
        raise InputError(f'--node: unknown placeholder {unknown[0]}; known: {", ".join(PLACES)}')
    used = [place for place in PLACES if place in command]
    if not used:
        return [command]
    if not robots:
        raise InputError(f'--node: {used[0]} needs a robot with `controller: external`')
    found, n = [], len(scenario.robots)
    for i in robots:
        goal = scenario.robots[i].goal
        if goal is None and used[-1] in _GOAL:
            raise InputError(f'--node: {used[-1]} needs a goal; give robot {i} one in the '
                             'scenario')
        own = run + (f'/{names[i]}' if names else namespace(i, n))
        numbers = (*scenario.robots[i].pose, *(goal or ()))
        filled, values = command, (own or '/', str(i), *(repr(float(x)) for x in numbers))
        for place, value in zip(PLACES, values, strict=goal is not None):
            filled = filled.replace(place, value)
        found.append(filled)
    return found


def need_ros(what: str, instead: str = '') -> None:
    """Raise InputError where ROS 2 is not installed; ``instead``: what to do without it."""
    if find_spec('rclpy') is None:
        raise InputError(f'{what} needs ROS 2 (rclpy): {install_command("ros")} on x86-64 Linux, '
                         f'or source a ROS 2 installation{instead}')


def as_commands(command: str | Sequence[str] | None) -> list[str]:
    """Return one command or several as a list; None is no command."""
    return [command] if isinstance(command, str) else list(command or ())


def parse_command(text: str) -> list[str]:
    """Return the words of `--node`; no shell ever sees it. A Python file gets our interpreter.

    Raises
    ------
    InputError
        if it is empty, its quotes do not match, or there is no such program.

    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise bad_value('--node', text, f'a command ({error})') from None
    if not words or '\0' in text:
        raise bad_value('--node', text, "a command, e.g. 'ros2 run my_package my_node'")
    if words[0].endswith('.py') and Path(words[0]).is_file():
        return [sys.executable, *words]
    if shutil.which(words[0]) is None:
        if words[0].endswith('.py'):
            raise InputError(f'--node: no file {words[0]} in {os.getcwd()}')
        raise InputError(f'--node: {words[0]} is not installed; give a Python file, or a command '
                         "as in a terminal, e.g. 'ros2 run my_package my_node'")
    return words


def start_command(words: Sequence[str], domain: int,
                  messages: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start a user's command in a ROS domain, on this machine unless the environment says else.

    What it prints is on ``stdout``. It ends, with all that it has started, on a signal to the
    process that is returned, or when ``stdin`` of that is closed: at the latest when we die.
    ``messages``: folders with the messages of packages (``messages_path``).
    """
    environment = {name: value for name, value in os.environ.items()
                   if name not in (END_WITH_PARENT, STATUS_FD)}  # only our nodes are to know them
    return subprocess.Popen(
        [sys.executable, '-I', '-S', keeper.__file__, *words],
        env={**THIS_MACHINE, 'PYTHONUNBUFFERED': '1', **with_path(environment, messages),
             'ROS_DOMAIN_ID': str(domain)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors='replace', start_new_session=True)


def start_commands(running: RunningProcesses, texts: Sequence[str],
                   commands: Sequence[Sequence[str]], domain: int,
                   messages: Sequence[str]) -> None:
    """Start users' commands, the texts and their words, as ``start_command``.

    ``running`` passes on what they print, after short names, and ends them.
    """
    for text, words, label in zip(texts, commands, _labels(commands), strict=True):
        with Held():
            running.add(text, start_command(words, domain, messages))
        running.relay(label)


def _labels(commands: Sequence[Sequence[str]]) -> list[str]:
    """Return a short name of each command for its lines.

    E.g. 'avoid.py'; several of a name: 'avoid.py robot_0' by their namespaces, or else 'avoid.py
    2'.
    """
    names = [_label(list(words)) for words in commands]
    placed = [f'{name} {_namespace(words)}' for name, words in zip(names, commands, strict=True)]
    if all(map(_namespace, commands)) and len(set(placed)) == len(placed):
        return [name if names.count(name) == 1 else own
                for name, own in zip(names, placed, strict=True)]
    return [name if names.count(name) == 1 else f'{name} {names[:i].count(name) + 1}'
            for i, name in enumerate(names)]


def _namespace(words: Sequence[str]) -> str:
    """Return the namespace that ROS arguments give, without its first slash; '' if none."""
    found = [word.partition(':=')[2].strip('/') for word in words if word.startswith('__ns:=')]
    return found[-1] if found else ''


def _label(words: list[str]) -> str:
    """Return the file, the node of `ros2 run` or the program of a command."""
    own = words[1:] if words[0] == sys.executable and len(words) > 1 else words
    if Path(own[0]).name == 'ros2' and own[1:2] == ['run'] and len(own) > 3:
        return own[3]
    return Path(own[0]).name


COMPOSED = 'composed'


class NodeProcess(NamedTuple):
    """One process: ``ros2 run potential_field_bot EXECUTABLE`` with these names and parameters."""

    executable: str
    name: str
    namespace: str  # '' or '/robot_<i>', that of the run before it
    parameters: dict[str, Any]

    @classmethod
    def composed(cls, nodes: list[NodeProcess]) -> NodeProcess:
        """Return one process that holds all these nodes, the simulator first."""
        return cls(COMPOSED, COMPOSED, '', {'nodes': [node._asdict() for node in nodes]})


def node_processes(scenario: Scenario, *, record: str | Path | None = None,
                   endless: bool = False, run: str = '',
                   parameters: Mapping[str, Any] = {}) -> list[NodeProcess]:
    """Return the simulator, the wind and one controller a robot, in order of start.

    Parameters
    ----------
    scenario : complete
    record : directory of the bag that the simulator writes
    endless : do not stop after the scenario's duration
    run : namespace of all nodes, '' or e.g. '/arena'
    parameters : of the simulator beside the scenario (``Interfaces``)

    Raises
    ------
    InputError
        if the scenario has ``until``.

    """
    refuse_until(scenario)
    simulator = NodeProcess('sbot_sim', 'sbot_sim', run, {
        'scenario_text': scenario.to_yaml(),
        'record': '' if record is None else str(real_path(record)),
        'endless': endless, **parameters})
    wind = NodeProcess('wind_model', 'wind_model', run, {
        'trigger': _trigger(scenario), 'loop_rate': scenario.rate.hz,
        **{name: _plain(value) for name, value in in_words(scenario.wind.flow).items()}})
    robots = [_controller_process(scenario, i, robot, run)
              for i, robot in enumerate(scenario.robots) if not is_outside(robot.controller)]
    return [simulator, wind, *robots]


def process_command(executable: str, *arguments: str) -> list[str]:
    """Return the command that runs a node, or all of them, with this interpreter.

    So no PATH can mix installations.
    """
    return python_command('from potential_field_bot.nodes import main; sys.exit(main())',
                          MODULES[executable], *arguments)


def holding_signals() -> list[str]:
    """Return the words before a node's command that hold signals until it can handle them.

    [] where `env` cannot: before coreutils 8.31. Python prints a traceback while it starts.
    """
    words = ['env', '--block-signal=INT', '--block-signal=TERM']
    try:
        done = subprocess.run([*words, 'true'], stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return []
    return [] if done.returncode else words


def refuse_until(scenario: Scenario) -> None:
    """Raise InputError for a condition that would end the run: nodes run for the duration."""
    if scenario.until is not None:
        raise bad_value('until', scenario.until, 'null over ROS (only sbot run and sbot sweep end '
                        'a run early): --set until=null')


def simulator_parameters(given: Sequence[str]) -> dict[str, Any]:
    """Return parameters of the simulator's node from texts NAME=VALUE of `--parameter`.

    Raises
    ------
    InputError
        if there is no such parameter, or the value is none for it.

    """
    specs = {spec.name: spec for spec in specs_of(Interfaces)}
    found: dict[str, Any] = {}
    for text in given:
        name, value = parse_override(text, '--parameter')
        refuse_unknown([name], specs, '--parameter {}'.format)
        found[name] = specs[name].check(value, f'--parameter {name}')
    return found


def parse_namespace(text: str, where: str = '--namespace') -> str:
    """Return a namespace as nodes have it, '/arena' of 'arena' or '/arena/'; '' of ''.

    Raises
    ------
    InputError
        if it is no namespace.

    """
    name = text.strip('/')
    if name and re.fullmatch(r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*', name, re.ASCII) is None:
        raise bad_value(where, text, 'names of letters, digits and _, e.g. arena')
    return f'/{name}' if name else ''


def own_names(run: str) -> list[tuple[str, str]]:
    """Return the remaps that give a run in a namespace time and transforms of its own."""
    return [(topic.name, run + topic.name) for topic in (CLOCK, TF, TF_STATIC)] if run else []


def ros_arguments(remaps: Sequence[tuple[str, str]]) -> list[str]:
    """Return remaps as ROS arguments, which follow ``--ros-args``."""
    return [word for old, new in remaps for word in ('-r', f'{old}:={new}')]


def _controller_process(scenario: Scenario, robot_id: int, robot: Robot,
                       run: str = '') -> NodeProcess:
    """Return the process of one robot's controller."""
    n = len(scenario.robots)
    place = run + namespace(robot_id, n)
    goal_x, goal_y = robot.goal or (0.0, 0.0)
    common: dict[str, Any] = {
        'robot_id': robot_id, 'num_robots': n, 'seed': scenario.seed,
        'trigger': _trigger(scenario), 'goal_x': goal_x, 'goal_y': goal_y,
        'loop_rate': scenario.rate.hz, 'stamped_cmd_vel': scenario.cmd_vel_stamped,
        'poses_topic': scenario.poses_topic, 'use_sim_time': True}
    parameters = controller_parameters(scenario, robot)
    entry = entry_of(robot.controller)
    own = (controller_in_words(parameters) if entry.node_parameters
           else {'scenario_text': scenario.to_yaml()})
    return NodeProcess(entry.executable, f'{entry.node_name}_{robot_id}', place,
                       {**common, **own})


def _trigger(scenario: Scenario) -> str:
    return INPUTS if scenario.lockstep else TIMER


def _plain(value: Any) -> Any:  # noqa: ANN401
    return list(value) if isinstance(value, tuple) else value
