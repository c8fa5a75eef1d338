"""Competitors of the benchmark: a controller, or a command that starts a node over ROS 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbot.bag.reader import Bag
from sbot.controllers.registry import NONE
from sbot.controllers.shipped import EXTERNAL as EXTERNAL
from sbot.files.yaml_text import dump_yaml
from sbot.regression.golden import held_commands
from sbot.ros.domain import FREE, parse_domain
from sbot.ros.processes import parse_command, robot_commands
from sbot.ros.up import NodeFailed, run_up
from sbot.runner.history import Run
from sbot.runner.loop import run_scenario
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot_common.errors import InputError, install_command
from sbot_common.observation import Twist
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.outgoing import Outgoing

PREFIX = 'node: '  # of a command. No module:Class has a space.


def is_node(competitor: str) -> bool:
    """Tell whether a competitor is a command that starts nodes."""
    return competitor.startswith(PREFIX)


def command_of(competitor: str) -> str:
    """Return the command of a competitor that ``is_node``."""
    return competitor.removeprefix(PREFIX)


def short_names(competitors: Iterable[str]) -> dict[str, str]:
    """Return names for a table: of a node's command the file alone, if no other has its name."""
    names = {competitor: competitor for competitor in sorted(competitors)}
    for competitor in filter(is_node, names):
        words = command_of(competitor).split()
        file = next((word for word in words if word.endswith('.py')), [*words, ''][0])
        names[competitor] = PREFIX + Path(file).name
    return {competitor: name if list(names.values()).count(name) == 1 else competitor
            for competitor, name in names.items()}


# Running nodes as competitors: a scene over ROS 2 in lockstep, judged by its recording.
#
# The recorded commands are driven again in this process. The trajectory must have the hash of the
# one over ROS, so the metrics are those of the run that the nodes drove.

def command_words(controller: str) -> list[str]:
    """Return the words of a competitor's command, places not filled in.

    Raises
    ------
    InputError
        without ROS 2, or if it is no command.

    """
    if find_spec('rclpy') is None:
        raise InputError(f'--node needs ROS 2 (rclpy): {install_command("ros")} on x86-64 Linux, '
                         'or source a ROS 2 installation')
    return parse_command(command_of(controller))


def node_scenario(values: Mapping[str, Any], fixed: Mapping[str, Any]) -> Scenario:
    """Return a scenario in which nodes drive the robots with goals, in lockstep; others stand.

    Parameters
    ----------
    values : of the scenario
    fixed : values by key path, over those of the scenario

    Raises
    ------
    InputError
        if a value is wrong, or changes who drives the robots or lockstep.

    """
    robots = [{**robot, 'controller': EXTERNAL.name if 'goal' in robot else NONE}
              for robot in values['robots']]
    made = parse_scenario(dump_yaml({**values, 'robots': robots}), str(values['name']),
                          Path.cwd(), overrides=fixed)
    if not made.lockstep:
        raise InputError('--set lockstep=false cannot be combined with --node')
    if [robot.controller for robot in made.robots] != [robot['controller'] for robot in robots]:
        raise InputError('--set robots.*.controller cannot be combined with --node')
    return made


def driven_run(whole: Scenario, controller: str, bag: Path,
               output: Callable[[str], None] = lambda _: None) -> Run:
    """Return the run of a scene in which nodes drive the robots with goals; the others stand.

    Parameters
    ----------
    whole : from ``node_scenario``
    controller : 'node: COMMAND'; a command with ``{namespace}`` or another place is started once
        for each robot, one without is started once
    bag : new directory of the recording
    output : called with each line that a node prints

    Raises
    ------
    InputError
        if a node is silent.
    NodeFailed
        if a node ends before the run.

    """
    scenario = whole.model_copy(update={'until': None})
    goals = [i for i, robot in enumerate(scenario.robots) if robot.goal is not None]
    own = robot_commands(command_of(controller), scenario, goals)
    summary = run_up(scenario, record=bag, domain=parse_domain(FREE), output=output, own=own)
    commands = recorded_commands(Bag(bag), scenario)
    again = _driven(scenario, commands)
    if again.summary['trajectory_sha256'] != summary['trajectory_sha256']:
        raise NodeFailed('the recorded commands give the trajectory '
                         f'{again.summary["trajectory_sha256"]}, expected '
                         f'{summary["trajectory_sha256"]}, that of the nodes')
    return again if whole.until is None else _driven(whole, commands)


def recorded_commands(bag: Bag, scenario: Scenario) -> NDArray[np.float64]:
    """Return the commands (T + 1, N, 3) that held in each tick of a recording of nodes.

    Those of other robots, and those before a robot's first, are 0.
    """
    stamps_ns = np.array([scenario.rate.stamp_ns(tick) for tick in range(
        scenario.rate.ticks(scenario.duration) + 1)], np.int64)
    commands = np.zeros((len(stamps_ns), len(scenario.robots), 3))
    held = held_commands(bag, stamps_ns, len(scenario.robots), external_robots(scenario))
    for robot, each in held.items():
        commands[:, robot] = np.nan_to_num(each)
    return commands


def _driven(scenario: Scenario, commands: NDArray[np.float64]) -> Run:
    """Return the run of a scenario with given commands."""
    robots = [robot.model_copy(update={'controller': NONE, 'parameters': {}})
              for robot in scenario.robots]
    return run_scenario(scenario.model_copy(update={'robots': robots}),
                        supervisor=_Commands(commands), overlaps=False)


class _Commands:
    """A supervisor that gives recorded commands."""

    def __init__(self, commands: NDArray[np.float64]) -> None:
        self._commands, self._tick = commands, 0

    def show(self, snapshot: Snapshot, _: Sequence[Outgoing]) -> None:
        """Take note of the tick."""
        self._tick = snapshot.tick

    def may_proceed(self) -> bool:
        """Return true: nobody waits."""
        return True

    def commands(self) -> Mapping[int, Twist]:
        """Return the commands of this tick."""
        return {i: Twist(*row) for i, row in enumerate(self._commands[self._tick].tolist())}
