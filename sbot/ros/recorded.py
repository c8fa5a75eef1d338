# SPDX-License-Identifier: Apache-2.0
"""Recording for replay to nodes: its ticks, and the commands and topics that are compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sbot.bag.reader import Bag, Message
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot_common import topics
from sbot_common.errors import InputError, bad_value
from sbot_sim.ros.external import External


class Recorded(NamedTuple):
    """What a bag has for a replay to nodes."""

    bag: Bag
    scenario: Scenario
    types: Mapping[int, str]  # of the commands, by robot
    external: Mapping[int, External]  # how the nodes of robots take part
    named: bool  # whether all of these robots are driven; else those that a node drives
    topics: Mapping[str, str]  # types of other topics that are compared, by name

    def name(self, robot: int) -> str:
        """Return the topic of a robot's commands."""
        return topics.resolve(topics.CMD_VEL, robot, len(self.scenario.robots))

    def ticks(self) -> Iterator[tuple[int, int, list[Message]]]:
        """Yield number, stamp (ns) and messages of each complete tick.

        Raises
        ------
        InputError
            if the times of its messages are no ticks: another recorder has written them.

        """
        rate = self.scenario.rate
        number, group = 0, list[Message]()
        for message in self.bag.messages():
            if message.stamp_ns != rate.stamp_ns(number):
                if message.stamp_ns != rate.stamp_ns(number + 1):
                    raise InputError(
                        f'{self.bag.path}: {message.name} has a message at '
                        f'{message.stamp_ns / 1e9:g} s, expected one of tick {number} or '
                        f'{number + 1}; use a recording in lockstep, from its start')
                yield number, rate.stamp_ns(number), group
                number, group = number + 1, []
            group.append(message)
        if group and self.bag.complete:
            yield number, rate.stamp_ns(number), group


def read_recorded(bag: Bag, robots: Collection[int] = (),
                  overrides: Mapping[str, object] | None = None,
                  compare: Collection[str] = ()) -> Recorded:
    """Return what a bag has for nodes.

    Parameters
    ----------
    bag, robots, overrides, compare : as for ``replay_node``

    Raises
    ------
    InputError
        if the bag is no recording in lockstep, or has no commands of such a robot, or no such
        topic.

    """
    scenario = parse_scenario(bag.scenario_text, f'{bag.path}: scenario', Path.cwd(),
                              overrides=overrides, import_controllers=False)
    if not scenario.lockstep:
        raise InputError(f'{bag.path}: a replay needs a recording in lockstep; record with '
                         'lockstep: true')
    names, n = bag.names(), len(scenario.robots)
    types = {robot: names[name] for robot in range(n)
             if (name := topics.resolve(topics.CMD_VEL, robot, n)) in names}
    external = external_robots(scenario)
    for robot in robots:
        if robot not in types:
            raise bad_value('--robot', robot, f'a robot with commands in the bag: {sorted(types)}')
    said = [name for name in scenario.record_topics if name in names]
    for name in compare:
        if name not in said:
            raise bad_value('--compare', name, f'a topic of record_topics in the bag: {said}')
    everybody = () if compare else external.keys() & types.keys() or (() if said else types)
    compare = compare or (() if robots else said)
    chosen = {i: external.get(i, External()) for i in robots or everybody}
    if not chosen and not compare:
        raise InputError(f'{bag.path}: a replay needs commands, e.g. the topic '
                         f'{topics.resolve(topics.CMD_VEL, 0, n)}')
    for robot in chosen:
        if types[robot] not in topics.COMMAND_TYPES:
            raise bad_value(f'{bag.path}: type of the commands of robot {robot}', types[robot],
                            ' or '.join(topics.COMMAND_TYPES))
    return Recorded(bag, scenario, types, dict(sorted(chosen.items())),
                    bool(robots or compare) or not external.keys().isdisjoint(types),
                    {name: names[name] for name in compare})
