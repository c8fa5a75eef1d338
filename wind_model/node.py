# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node `wind_model`: wind field, wind outside it, forces and arrows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from rclpy.node import Node

from sbot_common import ros, topics
from sbot_common.controller_inputs import INPUTS, TIMER
from sbot_common.params import Param, specs_of, updated
from sbot_common.wire.messages import read_clock
from wind_model import messages
from wind_model.gust import WindSource, load_field
from wind_model.parameters import WindParameters

_FIELD_NAMES = ('use_custom_static_wind_field', 'custom_wind_field_path')


class _NodeParameters(NamedTuple):
    """Trigger and rate of the node."""

    trigger: Annotated[str, Param(
        '', 'What makes it publish: a timer of loop_rate, or each /clock (lockstep).',
        choices=(TIMER, INPUTS), at_runtime=False)] = TIMER
    loop_rate: Annotated[float, Param(
        'Hz', 'With trigger timer: messages per second.', minimum=0.0, maximum=1e4,
        open_minimum=True, at_runtime=False)] = 30.0


class WindModelNode(Node):  # type: ignore[misc]
    """Publishes the wind of each stamp; ``options`` as for ``rclpy.node.Node``."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__('wind_model', **options)
        values = ros.declare(self, specs_of(_NodeParameters) + specs_of(WindParameters),
                             self._on_parameters)
        own = _NodeParameters(*(values.pop(name) for name in _NodeParameters._fields))
        self._wind = updated(WindParameters(), values,
                             lambda name: f'{self.get_name()}: parameter {name}')
        self._field = load_field(self._wind)
        self._stamp: int | None = None
        self._answer: dict[str, bytes] = {}
        self._gusts = self._wind.wind_gust_speed_mean > 0
        self._started = time.monotonic_ns()
        lockstep = own.trigger == INPUTS
        depth = ros.LOCKSTEP_DEPTH if lockstep else 1
        run = topics.run_namespace(self.get_namespace())
        self._publishers_of = {
            topic.name: ros.advertise(self, topic, topics.within(run, topic.name), depth)
            for topic in (topics.WIND_VELOCITY, topics.WIND_FORCE, topics.WIND_FIELD,
                          topics.WIND_MARKERS, *[topics.WIND_GUST] * self._gusts)}
        self._publish_field(0)
        self._publish_markers(0)
        ros.subscribe(self, topics.CLOCK, topics.CLOCK.name,
                      self._answer_clock if lockstep else self._keep_clock, depth, wakes=lockstep)
        if not lockstep:
            self.create_timer(1 / own.loop_rate, self._on_timer)
        ros.warn_of_unknown(self)

    def _on_parameters(self, new: dict[str, Any]) -> None:
        """Take over a change at run time or raise InputError; in force from the next stamp."""
        wind = updated(self._wind, new, lambda name: f'parameter {name}')
        if any(name in new for name in _FIELD_NAMES):
            self._field = load_field(wind)
        self._wind = wind

    def _answer_clock(self, raw: bytes) -> None:
        """Publish the wind of a stamp; a stamp that comes again gets the same answer."""
        stamp = read_clock(raw)
        if stamp != self._stamp:
            self._stamp = stamp
            self._answer = self._wind_at(stamp)
        self._publish(self._answer)

    def _keep_clock(self, raw: bytes) -> None:
        self._stamp = read_clock(raw)

    def _on_timer(self) -> None:
        """Publish the wind now: of the newest /clock, else of the time since the node started."""
        now = self._stamp
        self._publish(self._wind_at(time.monotonic_ns() - self._started if now is None else now))

    def _wind_at(self, stamp: int) -> dict[str, bytes]:
        """Return velocity, force and gust of a stamp; a changed field goes out before them."""
        if self._field is not self._sent_field:
            self._publish_field(stamp)
        if self._wind is not self._sent_wind:
            self._publish_markers(stamp)
        wind = WindSource(self._wind, self._field).at(stamp)
        vectors = {topics.WIND_VELOCITY.name: wind.velocity, topics.WIND_FORCE.name: wind.force}
        if self._gusts:
            vectors[topics.WIND_GUST.name] = wind.gust
        return {name: messages.encode_vector(stamp, each) for name, each in vectors.items()}

    def _publish(self, answer: dict[str, bytes]) -> None:
        for name, raw in answer.items():
            self._publishers_of[name].publish(raw)

    def _publish_field(self, stamp: int) -> None:
        self._sent_field = self._field
        self._publishers_of[topics.WIND_FIELD.name].publish(
            messages.encode_field(stamp, self._field))

    def _publish_markers(self, stamp: int) -> None:
        self._sent_wind = self._wind
        self._publishers_of[topics.WIND_MARKERS.name].publish(messages.encode_markers(
            stamp, self._field, self._wind.mean_velocity, self._wind.height))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the node until a signal; return the exit code."""
    return ros.run(WindModelNode, argv)
