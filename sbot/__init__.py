# SPDX-License-Identifier: Apache-2.0
"""Wind-blown robot swarms in the plane: load and run scenarios, read, replay and draw recordings.

Public are the names in ``__all__`` (docs/python.md); everything below is private and may change.
They are imported when first used, so that ``import sbot`` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sbot_common.compiled.lazy import uncollected

# Where each public name is.
_PLACES = {
    'Bag': 'sbot.bag.reader',
    'Broadcast': 'sbot_common.wire.controller',
    'Controller': 'sbot_common.observation',
    'InputError': 'sbot_common.errors',
    'Observation': 'sbot_common.observation',
    'Run': 'sbot.runner.history',
    'Scenario': 'sbot.scenario.model',
    'Session': 'sbot.runner.session',
    'World': 'sbot.api.worlds',
    'Worlds': 'sbot.api.worlds',
    'function_policy': 'sbot.controllers.neural.function_policy',
    'load': 'sbot.scenario.load',
    'load_network': 'sbot.controllers.neural.network',
    'load_policy': 'sbot.controllers.neural.function_policy',
    'network': 'sbot.controllers.neural.network',
    'plot': 'sbot.api.functions',
    'replay': 'sbot.api.functions',
    'run': 'sbot.api.functions',
    'save_network': 'sbot.api.worlds',
    'save_policy': 'sbot.api.worlds',
    'session': 'sbot.api.functions',
    'sweep': 'sbot.api.functions',
    'view': 'sbot.api.functions',
}
_RENAMED = {'network': 'make_network'}

__all__ = ['Bag', 'Broadcast', 'Controller', 'InputError', 'Observation', 'Run', 'Scenario',
           'Session', 'World', 'Worlds', 'function_policy', 'learn', 'load', 'load_network',
           'load_policy', 'network', 'plot', 'replay', 'run', 'save_network', 'save_policy',
           'session', 'sweep', 'view']

if TYPE_CHECKING:
    __version__: str

    from sbot import learn
    from sbot.api.functions import plot, replay, run, session, sweep, view
    from sbot.api.worlds import World, Worlds, save_network, save_policy
    from sbot.bag.reader import Bag
    from sbot.controllers.neural.function_policy import function_policy, load_policy
    from sbot.controllers.neural.network import load_network
    from sbot.controllers.neural.network import make_network as network
    from sbot.runner.history import Run
    from sbot.runner.session import Session
    from sbot.scenario.load import load
    from sbot.scenario.model import Scenario
    from sbot_common.errors import InputError
    from sbot_common.observation import Controller, Observation
    from sbot_common.wire.controller import Broadcast


def __getattr__(name: str) -> object:
    if name == '__version__':
        value: object = import_module('sbot.version').VERSION
        globals()[name] = value
        return value
    if name not in __all__:
        raise AttributeError(f"module 'sbot' has no attribute '{name}'")
    with uncollected():
        module = import_module('sbot.learn' if name == 'learn' else _PLACES[name])
    value = module if name == 'learn' else getattr(module, _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _frame(shown: Run | Bag) -> str | None:
    """Return HTML with the viewer's page of a run or recording; None: its line of text will do."""
    from sbot.viewer.data import notebook_page
    from sbot_common.errors import InputError
    try:
        return notebook_page(shown)
    except InputError:
        return None
