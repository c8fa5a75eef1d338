"""Entry of neural networks: ``neural_controller.controller:Neural``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.neural.network import warning_of
from sbot.controllers.registry import check_arguments
from sbot_common.errors import InputError, one_line
from sbot_common.observation import Controller
from sbot_sim.world.bodies import Body


def _make(place: Place) -> Controller:
    from sbot.controllers.neural.controller import Neural
    return Neural(**place.parameters)


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    from sbot.controllers.neural.controller import Neural
    check_arguments(Neural, parameters, where)


def _doubts(parameters: Mapping[str, object], _: Body,
            now: Mapping[str, Any]) -> list[tuple[str, str]]:
    from sbot.controllers.neural.network import checked_hold, load_network
    path, hold = parameters.get('network'), parameters.get('hold')
    if not isinstance(path, str):
        return []
    try:
        network = load_network(path)[0]
        given, of_file = None if hold is None else checked_hold(hold), network.hold
    except InputError:  # is said where the controller is made
        return []
    unlike = warning_of(path, network.learned_with, now)
    doubts = [] if unlike is None else [('network', unlike)]
    if None in (given, of_file) or given == of_file:
        return doubts
    return [*doubts, ('hold', f'got {given}, expected {of_file}, the hold in {one_line(path)}; '
                      'leave it out to use that')]


ENTRY = Entry('neural_controller.controller:Neural',
              'The class behind `network`, which is its short name.', _make,
              paths=('network',), check=_check, doubts=_doubts, may_preload=True)
