"""Entry points of the nodes, which handle signals before the slow imports.

Importing a node takes a second. A signal meanwhile ends the process with exit code 0 and without a
traceback, as it does later on.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from sbot_common.signals import interrupt_on_signals, unblock

STATUS_FD = 'SBOT_STATUS_FD'  # environment: a pipe to `sbot up`, one JSON object a line

MODULES = {
    'sbot_sim': 'sbot.ros.simulator',
    'wind_model': 'wind_model.node',
    'potfield_bot': 'potential_field_bot.node',
    'wind_aware_bot': 'sbot.ros.controller_bot',
    'controller_bot': 'sbot.ros.controller_bot',
    'composed': 'sbot.ros.composed',
}


def run(module: str, argv: Sequence[str] | None = None) -> int:
    """Call ``main(argv)`` of a module (None: of the command line); return its exit code."""
    came = interrupt_on_signals()
    try:
        unblock()  # `sbot up` starts its nodes with signals blocked
        return int(import_module(module).main(argv))
    except (KeyboardInterrupt, ImportError):  # some imports answer an interrupt by an ImportError
        if came.is_set():
            return 0
        raise


sbot_sim = partial(run, MODULES['sbot_sim'])
wind_model = partial(run, MODULES['wind_model'])
potfield_bot = partial(run, MODULES['potfield_bot'])
wind_aware_bot = partial(run, MODULES['wind_aware_bot'])
controller_bot = partial(run, MODULES['controller_bot'])


def end_with_parent() -> None:
    """Ask Linux for a SIGTERM when `sbot up` dies, even by SIGKILL."""
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


if __name__ == '__main__':
    end_with_parent()
    sys.exit(run(sys.argv[1], sys.argv[2:]))
