"""Entry of neural networks: ``neural_controller.controller:Neural``."""

from __future__ import annotations

from collections.abc import Mapping

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.user import check_arguments
from sbot_common.observation import Controller


def _make(place: Place) -> Controller:
    from neural_controller.controller import Neural
    return Neural(**place.parameters)


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    from neural_controller.controller import Neural
    check_arguments(Neural, parameters, where)


ENTRY = Entry('neural_controller.controller:Neural',
              'A neural network from a file, e.g. an evolved one (docs/learning.md).', _make,
              paths=('network',), check=_check, may_preload=True)
