"""A scenario as a list of ROS 2 processes with parameters, for the launch file and `sbot up`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sbot.controllers.registry import entry_of, is_outside
from sbot.environment.child_python import python_command
from sbot.ros.executables import MODULES
from sbot.scenario.controllers import controller_parameters
from sbot.scenario.groups import controller_in_words
from sbot.scenario.model import Robot, Scenario
from sbot.scenario.overrides import parse_override
from sbot_common import topics
from sbot_common.controller_inputs import INPUTS, TIMER
from sbot_common.errors import bad_value
from sbot_common.files import real_path
from sbot_common.params import in_words, refuse_unknown, specs_of
from sbot_common.topics import CLOCK, TF, TF_STATIC, namespace
from sbot_sim.messages.interfaces import Interfaces

COMPOSED = 'composed'


class NodeProcess(NamedTuple):
    """One process: ``ros2 run potential_field_bot EXECUTABLE`` with these names and parameters."""

    executable: str
    name: str
    namespace: str  # '' or '/robot_<i>', that of the run before it
    parameters: dict[str, Any]


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
    robots = [controller_process(scenario, i, robot, run)
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


def named_robots(text: str, count: int, run: str = '') -> list[tuple[str, str]]:
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


def ros_arguments(remaps: Sequence[tuple[str, str]]) -> list[str]:
    """Return remaps as ROS arguments, which follow ``--ros-args``."""
    return [word for old, new in remaps for word in ('-r', f'{old}:={new}')]


def composition(nodes: list[NodeProcess]) -> NodeProcess:
    """Return one process that holds all these nodes, the simulator first."""
    return NodeProcess(COMPOSED, COMPOSED, '', {'nodes': [node._asdict() for node in nodes]})


def controller_process(scenario: Scenario, robot_id: int, robot: Robot,
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
