"""Entry of neural networks: ``neural_controller.controller:Neural``."""

from __future__ import annotations

from collections.abc import Mapping

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.user import check_arguments
from sbot_common.errors import InputError, one_line
from sbot_common.observation import Controller
from sbot_sim.world.bodies import Body


def _make(place: Place) -> Controller:
    from neural_controller.controller import Neural
    return Neural(**place.parameters)


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    from neural_controller.controller import Neural
    check_arguments(Neural, parameters, where)


def _doubts(parameters: Mapping[str, object], _: Body) -> list[tuple[str, str]]:
    from neural_controller.network import checked_hold, load_network
    path, hold = parameters.get('network'), parameters.get('hold')
    if not isinstance(path, str):
        return []
    try:
        network = load_network(path)[0]
        given, of_file = None if hold is None else checked_hold(hold), network.hold
    except InputError:  # is said where the controller is made
        return []
    if None in (given, of_file) or given == of_file:
        return []
    return [('hold', f'got {given}, expected {of_file}, with which {one_line(path)} says '
             'that its network drives; leave it out to drive so')]


ENTRY = Entry('neural_controller.controller:Neural',
              'The class behind `network`, which is its short name.', _make,
              paths=('network',), check=_check, doubts=_doubts, may_preload=True)
