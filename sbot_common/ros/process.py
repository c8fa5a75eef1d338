"""Process of a ROS 2 node: initialise, spin, handle signals, shut down."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from sbot_common.errors import InputError
from sbot_common.signals import Deferral, ignore_signals

CALLBACK_TIMEOUT = 3.0  # s; a callback that runs longer after a signal is interrupted


def run(make_node: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """Initialise rclpy, build one node, spin it until SIGINT, SIGTERM or shutdown.

    Returns the exit code: 0 after a signal, 2 with one line on stderr after InputError, else what
    the node has set as ``exit_code``.
    """
    return run_all(lambda: iter([make_node()]), arguments)


def run_all(make_nodes: Callable[[], Iterator[Node]],
            arguments: Sequence[str] | None = None) -> int:
    """Run several nodes in one executor, as ``run``; the first sets the exit code."""
    # Before rclpy.init: rclpy's handler ends the context, which ends ``spin`` after the callback
    # that runs, and calls the handler that it has found.
    deferral = Deferral(CALLBACK_TIMEOUT)
    rclpy.init(args=list(sys.argv if arguments is None else arguments),
               signal_handler_options=SignalHandlerOptions.ALL)
    nodes: list[Node] = []
    try:
        executor = make_executor()
        for node in make_nodes():
            nodes.append(node)
            executor.add_node(node)
        deferral.active = True
        # What is there now stays: a collection that looks through it takes a tick or two.
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
        ignore_signals()
        for node in nodes:
            close = getattr(node, 'close', None)
            if close is not None:
                close()
        with suppress(RuntimeError):  # a signal may shut down the context at this very moment
            rclpy.try_shutdown()
    return int(getattr(nodes[0], 'exit_code', 0)) if nodes else 0


def make_executor() -> Any:  # noqa: ANN401
    """Return the lean executor where rclpy's internals are as it expects, else rclpy's own."""
    try:
        from sbot_common.ros.executor import LeanExecutor
        return LeanExecutor()
    except (ImportError, AttributeError, TypeError):
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor()
