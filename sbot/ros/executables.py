# SPDX-License-Identifier: Apache-2.0
"""Entry points of the nodes, which handle signals before the slow imports.

Importing a node takes a second. A signal meanwhile ends the process with exit code 0 and without a
traceback, as it does later on.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from sbot_common.signals import came, end_on_signals, raise_swallowed, unblock

END_WITH_PARENT = 'SBOT_END_WITH_PARENT'  # environment, of nodes that others start
STATUS_FD = 'SBOT_STATUS_FD'  # environment: a pipe to `sbot up`, one JSON object a line

MODULES = {
    'sbot_sim': 'sbot.ros.simulator',
    'wind_model': 'wind_model.node',
    'potfield_bot': 'potential_field_bot.node',
    'wind_aware_bot': 'sbot.ros.controller_bot',
    'controller_bot': 'sbot.ros.controller_bot',
    'composed': 'sbot.ros.composed',
}
_HELP = """Usage: ros2 run potential_field_bot {0} {1}[--ros-args -p PARAMETER:=VALUE ...]

{2} Parameters and topics: docs/ros2_topics.md;
of a running node: ros2 param list, ros2 param describe."""
_ARGUMENTS = {'potfield_bot': '[ROBOT_NUM_ID] [NUM_ROBOTS] [GOAL_X] [GOAL_Y] '}
_WHAT = {
    'sbot_sim': 'The simulator of a scenario: -p scenario:=NAME_OR_FILE.',
    'wind_model': 'Wind field, wind outside it, gusts.',
    'potfield_bot': 'The leader/follower controller of one robot.',
    'wind_aware_bot': 'The wind-aware controller of one robot: -p scenario_text:=YAML.',
    'controller_bot': "A user's controller of one robot: -p scenario_text:=YAML.",
}


def _run(module: str, argv: Sequence[str] | None = None, name: str = '') -> int:
    """Call ``main(argv)`` of a module (None: of the command line); return its exit code.

    Parameters
    ----------
    module : of a node
    argv : its arguments
    name : of the executable whose help ``--help`` prints; '': none

    """
    words = list(sys.argv[1:] if argv is None else argv)
    own = words[:words.index('--ros-args')] if '--ros-args' in words else words
    if name and {'-h', '--help'} & set(own):
        print(_HELP.format(name, _ARGUMENTS.get(name, ''), _WHAT[name]))
        return 0
    codes, code = list[int](), 0
    try:
        atexit.register(_leave, codes)  # the first to be registered is called last
        end_on_signals()
        if END_WITH_PARENT in os.environ:
            _end_with_parent()
        unblock()  # `sbot up` starts its nodes with signals blocked
        main = import_module(module).main
        raise_swallowed()
        code = int(main(argv))
    except (KeyboardInterrupt, Exception):
        # Some libraries make another error of an interrupt while they are imported.
        if not came():
            raise
    codes.append(code)
    return code


def _end_with_parent() -> None:
    """Ask Linux for a SIGTERM when the process that started this one dies, even by SIGKILL."""
    if sys.platform == 'linux':
        import ctypes  # not before signals are handled
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _leave(codes: Sequence[int]) -> None:
    """End the process with the exit code of ``_run``, if it has returned one.

    The interpreter would take itself apart first: seconds on a busy machine, in which it handles
    no signals, so that the Ctrl-C that `ros2 launch` passes on would be the exit code.
    """
    for code in codes:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def run(name: str) -> int:
    """Run an executable, or for 'main' the module that the command line names; return its code."""
    if name == 'main':
        return _run(sys.argv[1], sys.argv[2:])
    return _run(MODULES[name], name=name)
