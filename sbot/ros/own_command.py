"""A user's own node as a command: its places, its words, and a process that leaves nothing."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from sbot.environment import keeper
from sbot.environment.discovery import THIS_MACHINE
from sbot.scenario.model import Scenario
from sbot_common.errors import InputError, bad_value
from sbot_common.topics import namespace

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


def start_command(words: list[str], environment: Mapping[str, str],
                  domain: int) -> subprocess.Popen[str]:
    """Start a user's command in a ROS domain, on this machine unless the environment says else.

    What it prints is on ``stdout``. It ends, with all that it has started, on a signal to the
    process that is returned, or when ``stdin`` of that is closed: at the latest when we die.
    """
    return subprocess.Popen(
        [sys.executable, '-I', '-S', keeper.__file__, *words],
        env={**THIS_MACHINE, 'PYTHONUNBUFFERED': '1', **environment, 'ROS_DOMAIN_ID': str(domain)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors='replace', start_new_session=True)


def own_environment() -> dict[str, str]:
    """Return our environment without what only our nodes are to know."""
    from sbot.ros.executables import END_WITH_PARENT, STATUS_FD
    return {name: value for name, value in os.environ.items()
            if name not in (END_WITH_PARENT, STATUS_FD)}


def labels(commands: Sequence[Sequence[str]]) -> list[str]:
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
