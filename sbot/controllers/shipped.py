# SPDX-License-Identifier: Apache-2.0
"""Entries of shipped controllers that need no folder."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from potential_field_bot.parameters import Parameters as PotentialFieldParameters
from sbot.controllers.entry import Batch, Entry, Place
from sbot_common.errors import InputError, first_of
from sbot_common.observation import Controller
from sbot_common.params import Param
from sbot_common.topics import WIND
from sbot_sim.sensors.registry import sensors
from wind_model.wind_aware import WindAware, WindAwareParameters

# Entry of ``external``: a robot that the user's own node drives, in lockstep over ROS 2.

# The wind comes from another node, after all that the simulator senses.
NO_TRIGGER = 'none'
_TOPICS = tuple(sensor.topic.name for sensor in sensors().values() if sensor.topic != WIND)


class Parameters(NamedTuple):
    """When a node of the user's gives its commands (docs/lockstep.md).

    A node with one thread needs none of these.
    """

    trigger: Annotated[str, Param(
        '', 'If given, the topic on which the node acts. It is sent last in a tick, and the '
             'simulator waits for one command.', choices=(NO_TRIGGER, *_TOPICS))] = NO_TRIGGER
    command_period: Annotated[float, Param(
        's', "If not 0, the period of the node's timer, which starts at simulated time 0. Sensors "
             'come before it, and the simulator waits for one command.',
        minimum=0.0, maximum=1e6)] = 0.0
    command_timeout: Annotated[float, Param(
        's', 'If not 0, a command is valid for this simulated time; then the robot stops. The '
             'simulator waits for no command.',
        minimum=0.0, maximum=1e6)] = 0.0


def _make_external(place: Place) -> Controller:
    robots = [str(i) for i, robot in enumerate(place.robots) if robot.controller == place.name]
    raise InputError(f'robot {first_of(robots, 10)}: controller external needs your own node '
                     'over ROS 2; use sbot up (to debug a node: docs/tutorials/external_node.md), '
                     'or a scenario in which these robots have another controller, e.g. none')


EXTERNAL = Entry('external', 'Your own node over ROS 2; lockstep waits for it '
                 '(docs/lockstep.md).', _make_external, Parameters(), fields=(), outside=True)


# Entry of ``potential_field``: the leader and followers of document 001.

def _make_potential_field(place: Place) -> Controller:
    from potential_field_bot.bot import PotentialField
    return PotentialField(goal=place.goal, parameters=place.parameters)


def _batch(ids: list[int], parameters: PotentialFieldParameters, threads: int) -> Batch:
    from potential_field_bot.bot import Followers
    return Followers(ids, parameters, threads)


def _warm_up() -> None:
    from potential_field_bot import bot
    bot.warm_up()
    bot.warm_up_swarm()


def _refusal(place: Place) -> str | None:
    if place.robot_id > 0 or place.goal is not None or place.parameters.on_random_walk:
        return None
    return "key 'goal' is missing; robot 0 leads and needs one: [x, y] (m)"


POTENTIAL_FIELD = Entry(
    'potential_field',
    'Leader and followers of document 001 (docs/potential_field.md).',
    _make_potential_field,
    PotentialFieldParameters(),
    fields=('scan',),
    goal_tolerance='goal_radius_sigma_m',
    refusal=_refusal,
    follows=lambda _: True,
    batch=_batch,
    may_preload=True,
    warm_up=_warm_up,
    executable='potfield_bot',
    node_name='potfieldbot',
    node_parameters=True,
)


# Entry of ``wind_aware``: the crab heading of document 000.

WIND_AWARE = Entry(
    'wind_aware',
    'Turns into the wind so that it travels straight (docs/wind.md).',
    lambda place: WindAware(place.parameters),
    WindAwareParameters(),
    fields=('twist', 'scan', 'wind'),
    goal_tolerance='goal_tolerance',
    may_preload=True,
    executable='wind_aware_bot',
)

ENTRY = (EXTERNAL, POTENTIAL_FIELD, WIND_AWARE)
