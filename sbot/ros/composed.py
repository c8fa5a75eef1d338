# SPDX-License-Identifier: Apache-2.0
"""All nodes of a scenario in one process with one executor (`sbot up --composed`).

The nodes, their topics and their parameters are those of separate processes. What is saved: the
interpreters, the wake-ups, and one copy of each pose for every robot that listens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import yaml
from rclpy.node import Node
from rclpy.parameter import Parameter

from potential_field_bot.node import PotentialFieldNode
from sbot.ros.controller_bot import ControllerNode
from sbot.ros.processes import NodeProcess
from sbot.ros.simulator import ScenarioSimulator
from sbot_common import ros
from wind_model.node import WindModelNode

# The simulator and the wind have fixed names.
_MAKERS: dict[str, Callable[..., Node]] = {
    'sbot_sim': lambda _, **options: ScenarioSimulator(**options),
    'wind_model': lambda _, **options: WindModelNode(**options),
    'potfield_bot': partial(PotentialFieldNode, {}),
    'wind_aware_bot': ControllerNode, 'controller_bot': ControllerNode}


def _make_nodes(processes: Sequence[NodeProcess]) -> Iterator[Node]:
    """Build the nodes of a list of processes.

    Raises
    ------
    InputError
        if a parameter is bad.

    """
    for process in processes:
        overrides = [Parameter(name, value=value) for name, value in process.parameters.items()]
        yield _MAKERS[process.executable](
            process.name, namespace=process.namespace, parameter_overrides=overrides)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the nodes of a YAML file until the simulator ends or a signal comes.

    ``argv``: the file, then ROS arguments for all nodes.

    Returns the simulator's exit code: 0, 1 after an error, 2 for bad input.
    """
    path, *rest = sys.argv[1:] if argv is None else argv
    processes = [NodeProcess(**node)
                 for node in yaml.safe_load(Path(path).read_text(encoding='utf-8'))['nodes']]
    with ros.shared_subscriptions():
        return ros.run_all(lambda: _make_nodes(processes), ['composed', *rest])
