# SPDX-License-Identifier: Apache-2.0
"""Entry of ``navigate``: leader and followers that plan on what their lasers have seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sbot.controllers.entry import Entry, Place
from sbot.controllers.navigate.parameters import (
    SLIM,
    Car,
    Inertia,
    Outline,
    Parameters,
    Size,
    resolved,
    unknown_clearance,
)
from sbot_common.elementary import hypot
from sbot_common.errors import bad_value
from sbot_common.observation import Controller
from sbot_sim.drives.registry import drive_of
from sbot_sim.world.bodies import Body, BodyArrays


def _make(place: Place) -> Controller:
    from sbot.controllers.navigate.bot import Navigate
    followers = [i for i, robot in enumerate(place.robots)
                 if i > 0 and robot.controller == ENTRY.name and robot.goal is None]
    return Navigate(place.parameters, followers, place.outline() if place.parameters.map else None,
                    size_of(place.body), place.mount, place.ages)


def size_of(body: Body) -> Size:
    """Return what the controller needs to know of a body.

    A rectangle counts as the disc of its area: with the margin of 0.4 radii that disc holds a
    rectangle twice as long as wide. The circle around it would keep it out of most doors. A slim
    rectangle has its outline, too.
    """
    aside = abs(body.offset) if body.is_rectangle else 0.0  # it turns about its driven axle
    radius, car = body.equal_area_radius + aside, _car(body)
    if car.curvature and body.length:  # it turns by driving, with all its length
        radius = 0.5 * hypot(body.length, body.width) + body.collision_distance
    ahead, beside = 0.5 * body.length + body.collision_distance, (
        0.5 * body.width + body.collision_distance)
    slim = body.is_rectangle and not car.curvature and beside < SLIM * radius
    outline = Outline(ahead + body.offset, ahead - body.offset, beside) if slim else Outline()
    return Size(radius, body.top_speed,
                Inertia(body.max_acceleration or math.inf,
                        body.max_deceleration or body.max_acceleration or math.inf,
                        body.max_angular_acceleration or math.inf, body.command_delay),
                car, outline)


def _car(body: Body) -> Car:
    if not drive_of(body.drive).steered:
        return Car()
    return Car(float(BodyArrays.of([body]).numbers[0, 0]), body.offset)


def _fitted(parameters: Parameters, body: Body) -> Parameters:
    return resolved(parameters, size_of(body))


def _refusal(place: Place) -> str | None:
    for name, got, expected in unknown_clearance(_fitted(place.parameters, place.body)):
        return str(bad_value(name, got, expected))
    return None


def _doubts(parameters: Parameters, body: Body,
            _: Mapping[str, Any]) -> list[tuple[str, str]]:
    radius, own = parameters.robot_radius_m, size_of(body).radius
    if radius in (0.0, own):
        return []
    return [('robot_radius_m', f'got {radius:g}, expected {own:g} m, the radius of body '
                               f'{body.name}; leave it out to use that')]


def _warm_up() -> None:
    from sbot.controllers.navigate.bot import warm_up
    warm_up()


ENTRY = Entry(
    'navigate', 'Plans paths on what its laser has seen; leader and followers '
                '(docs/navigate.md).', _make,
    Parameters(), fields=('twist', 'scan'), goal_tolerance='goal_tolerance',
    follows=lambda robot: robot.goal is None, warm_up=_warm_up, may_preload=True, fitted=_fitted,
    refusal=_refusal, doubts=_doubts)
