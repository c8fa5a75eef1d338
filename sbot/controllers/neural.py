"""Entry of neural networks: ``neural_controller.controller:Neural``."""

from __future__ import annotations

from collections.abc import Mapping

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.user import check_arguments
from sbot_common.errors import InputError
from sbot_common.observation import Controller


def _make(place: Place) -> Controller:
    from neural_controller.controller import Neural
    return Neural(**place.parameters)


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    from neural_controller.controller import Neural
    check_arguments(Neural, parameters, where)


def _doubt(parameters: Mapping[str, object]) -> tuple[str, str] | None:
    from neural_controller.network import load_network
    path, hold = parameters.get('network'), parameters.get('hold')
    if hold is None or not isinstance(path, str):
        return None
    try:
        trained = load_network(path)[0].hold
    except InputError:  # is said where the controller is made
        return None
    if trained in (None, hold):
        return None
    return 'hold', (f'got {hold}, expected {trained}, with which the network of {path} was '
                    'trained; leave it out to drive as in training')


ENTRY = Entry('neural_controller.controller:Neural',
              'A neural network from a file, e.g. an evolved one (docs/learning.md).', _make,
              paths=('network',), check=_check, doubt=_doubt, may_preload=True)
