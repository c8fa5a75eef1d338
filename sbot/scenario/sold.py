# SPDX-License-Identifier: Apache-2.0
"""Robots as they are sold: bodies, sensors and conventions of the makers' published models.

Each is a file ``config/robots/NAME.yaml`` with ``text`` (what it is), ``source`` (where each value
stands), ``notes`` (what the models do not say, or the simulator cannot do) and ``body``, as an
entry of ``bodies`` in a scenario.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from sbot.files.yaml_text import load_mapping
from sbot.scenario.shipped import config_directory

# Of a body: conventions of its maker's ROS driver.
DRIVER = ('publish_scan', 'cmd_vel_stamped')


class _SoldRobot(NamedTuple):
    """A robot of a maker."""

    text: str
    source: list[str]
    notes: list[str]
    body: dict[str, Any]


@cache
def sold_names() -> tuple[str, ...]:
    """Return the names of all robots as they are sold, sorted."""
    return tuple(sorted(path.stem for path in (config_directory() / 'robots').glob('*.yaml')))


@cache
def sold_robot(name: str) -> _SoldRobot:
    """Return a robot by its name."""
    path = config_directory() / 'robots' / f'{name}.yaml'
    return _SoldRobot(**load_mapping(path.read_text('utf-8'), path.name))
