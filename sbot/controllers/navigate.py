"""Entry of ``navigate``: leader and followers that plan on what their lasers have seen."""

from __future__ import annotations

from navigate.parameters import Parameters
from sbot.controllers.entry import Entry, Member, Place
from sbot_common.observation import Controller


def _make(place: Place) -> Controller:
    from navigate.bot import Navigate
    followers = [i for i, robot in enumerate(place.robots)
                 if i > 0 and robot.controller == ENTRY.name and _follows(robot)]
    known = None
    if place.parameters.map:
        from navigate.ways.known import Known
        outline = place.outline()
        known = Known(outline.segments, outline.circles)
    return Navigate(place.parameters, followers, known)


def _follows(robot: Member) -> bool:
    return robot.goal is None


def _warm_up() -> None:
    from navigate.bot import warm_up
    warm_up()


ENTRY = Entry(
    'navigate', 'Plans paths on what its laser has seen; leader and followers '
                '(docs/navigate.md).', _make,
    Parameters(), fields=('twist', 'scan'), goal_tolerance='goal_tolerance', follows=_follows,
    warm_up=_warm_up, may_preload=True)
