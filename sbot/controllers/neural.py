"""Entry of neural networks: ``neural_controller.controller:Neural``."""

from __future__ import annotations

from collections.abc import Mapping

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.user import check_arguments
from sbot_common.errors import InputError, one_line
from sbot_common.observation import Controller


def _make(place: Place) -> Controller:
    from neural_controller.controller import Neural
    return Neural(**place.parameters)


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    from neural_controller.controller import Neural
    check_arguments(Neural, parameters, where)


def _doubt(parameters: Mapping[str, object]) -> tuple[str, str] | None:
    from neural_controller.network import checked_hold, load_network
    path, hold = parameters.get('network'), parameters.get('hold')
    if hold is None or not isinstance(path, str):
        return None
    try:
        given, of_file = checked_hold(hold), load_network(path)[0].hold
    except InputError:  # is said where the controller is made
        return None
    if of_file in (None, given):
        return None
    return 'hold', (f'got {given}, expected {of_file}, with which {one_line(path)} says that its '
                    'network drives; leave it out to drive so')


ENTRY = Entry('neural_controller.controller:Neural',
              'A neural network from a file, e.g. an evolved one (docs/learning.md).', _make,
              paths=('network',), check=_check, doubt=_doubt, may_preload=True)
