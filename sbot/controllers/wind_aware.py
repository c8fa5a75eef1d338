"""Entry of ``wind_aware``: the crab heading of document 000."""

from __future__ import annotations

from sbot.controllers.entry import Entry, Place
from sbot_common.observation import Controller
from wind_model.wind_aware import WindAware, WindAwareParameters


def _make(place: Place) -> Controller:
    return WindAware(place.parameters)


ENTRY = Entry(
    'wind_aware', 'Turns into the wind so that it travels straight (docs/wind.md).', _make,
    WindAwareParameters(), fields=('twist', 'scan', 'wind'), goal_tolerance='goal_tolerance',
    may_preload=True, executable='wind_aware_bot')
