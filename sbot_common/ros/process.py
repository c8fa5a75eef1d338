"""The life of a node's process: init, spin, signals, orderly end."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from sbot_common.errors import InputError

PATIENCE = 3.0  # s, that a callback has to come to its end after a signal


def run(make_node: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """Initialise rclpy, build one node, spin it until SIGINT, SIGTERM or shutdown.

    Returns the exit code: 0 after a signal, 2 with one line on stderr after InputError, else what
    the node has set as ``exit_code``.
    """
    return run_all(lambda: iter([make_node()]), arguments)


def run_all(make_nodes: Callable[[], Iterator[Node]],
            arguments: Sequence[str] | None = None) -> int:
    """Do as ``run`` with several nodes in one executor; the first sets the exit code."""
    spinning = _hold_back_interrupts()
    rclpy.init(args=list(sys.argv if arguments is None else arguments),
               signal_handler_options=SignalHandlerOptions.ALL)
    nodes: list[Node] = []
    try:
        executor = make_executor()
        for node in make_nodes():
            nodes.append(node)
            executor.add_node(node)
        spinning.set()
        # What is there now stays: looking through it for rubbish again would take a tick or two.
        gc.collect()
        gc.freeze()
        executor.spin()
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        # A signal during the set-up ends the context between any two calls, which then complain.
        if rclpy.ok():
            raise
    finally:
        _ignore_signals()
        for node in nodes:
            close = getattr(node, 'close', None)
            if close is not None:
                close()
        with suppress(RuntimeError):  # a signal may shut down the context at this very moment
            rclpy.try_shutdown()
    return int(getattr(nodes[0], 'exit_code', 0)) if nodes else 0


def _hold_back_interrupts() -> threading.Event:
    """Return what, once set, keeps the first signal from raising an exception.

    rclpy's handler ends the context, which ends ``spin`` after the callback that runs, and calls
    Python's handler as well. An exception that the latter raises out of nowhere, while numba turns
    a result into Python objects, ends the process with a segmentation fault.
    """
    spinning = threading.Event()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if callable(before):
                signal.signal(number, partial(_hold_back, spinning, before))
    return spinning


def _hold_back(spinning: threading.Event, handler: Callable[..., object], number: int,
               frame: FrameType | None) -> None:
    """Heed a signal, unless it is the first one while the executor spins."""
    if not spinning.is_set():
        handler(number, frame)
        return
    spinning.clear()
    # A callback that never ends shall not keep the node: again, when it has had its time.
    again = threading.Timer(PATIENCE, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _ignore_signals() -> None:
    """Let nothing short of SIGKILL interrupt the orderly end, e.g. of a recording."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


def make_executor() -> Any:  # noqa: ANN401
    """Return the lean executor where rclpy's internals are as it expects, else rclpy's own."""
    try:
        from sbot_common.ros.executor import LeanExecutor
        return LeanExecutor()
    except (ImportError, AttributeError, TypeError):
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor()
