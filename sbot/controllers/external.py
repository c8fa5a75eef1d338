"""Entry of ``external``: a robot that the user's own node drives, in lockstep over ROS 2."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from sbot.controllers.entry import Entry, Place
from sbot_common.errors import InputError
from sbot_common.observation import Controller
from sbot_common.params import Param
from sbot_common.topics import WIND
from sbot_sim.sensors.registry import sensors

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


def _make(place: Place) -> Controller:
    raise InputError(f'robot {place.robot_id}: controller external needs your own node over '
                     'ROS 2; use sbot up, or another controller: '
                     f'--set robots.{place.robot_id}.controller=none')


ENTRY = Entry('external', 'Your own node over ROS 2; lockstep waits for it '
              '(docs/lockstep.md).', _make, Parameters(), fields=(), outside=True)
