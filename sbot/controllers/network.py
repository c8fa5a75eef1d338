"""Entry of ``network``: the short name of ``neural_controller.controller:Neural``."""

from __future__ import annotations

from sbot.controllers.neural import ENTRY as NEURAL

ENTRY = NEURAL._replace(
    name='network', text='A neural network from a file, e.g. an evolved one (docs/learning.md).')
