"""Wind-blown robot swarms in the plane: load and run scenarios, read, replay and draw recordings.

Public are the names in ``__all__`` (docs/python.md); everything below is private and may change.
They are imported when first used, so that ``import sbot`` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ['Bag', 'InputError', 'Run', 'Scenario', 'World', 'Worlds', 'function_policy', 'learn',
           'load', 'load_network', 'load_policy', 'network', 'plot', 'replay', 'run',
           'save_network', 'save_policy', 'sweep', 'view']

if TYPE_CHECKING:
    from sbot import learn
    from sbot.api import (
        Bag,
        InputError,
        Run,
        Scenario,
        World,
        Worlds,
        function_policy,
        load,
        load_network,
        load_policy,
        network,
        plot,
        replay,
        run,
        save_network,
        save_policy,
        sweep,
        view,
    )


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sbot' has no attribute '{name}'")
    value: object
    if name == 'learn':
        value = import_module('sbot.learn')
    else:
        from sbot import api
        value = getattr(api, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
