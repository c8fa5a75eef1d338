# SPDX-License-Identifier: Apache-2.0
"""Entry points of the nodes: signals wait until the node can handle them.

Ctrl-C while a module is imported prints a traceback. So the first that happens is that signals are
blocked, with what needs no import; ``sbot.ros.executables`` handles and unblocks them.
"""

import _signal  # type: ignore[import-not-found]
from functools import partial
from importlib import import_module


def _run(name: str) -> int:
    """Run an executable of ``sbot.ros.executables``; return its exit code."""
    if hasattr(_signal, 'pthread_sigmask'):
        _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM))
    return int(import_module('sbot.ros.executables').run(name))


sbot_sim = partial(_run, 'sbot_sim')
wind_model = partial(_run, 'wind_model')
potfield_bot = partial(_run, 'potfield_bot')
wind_aware_bot = partial(_run, 'wind_aware_bot')
controller_bot = partial(_run, 'controller_bot')
main = partial(_run, 'main')
