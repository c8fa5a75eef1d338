"""Process of a ROS 2 node: initialise, spin, handle signals, shut down."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions, uninstall_signal_handlers

from sbot_common.errors import InputError, keep_warnings_plain
from sbot_common.signals import Held, came, end_on_signals, raise_swallowed
from sbot_common.user_code import UserCodeError

SAME = 3.0  # s; `ros2 launch` passes on a Ctrl-C that the terminal has sent already
LIMIT = 10  # s after a signal; then the process ends in the middle of whatever it is doing
SHUTDOWN_TIMEOUT = 3.0  # s; then the process ends without what rclpy still had to do


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
    keep_warnings_plain()
    end_on_signals(SAME, LIMIT)
    with Held(active=False) as signals:
        return _run_all(make_nodes, arguments, signals)


def _run_all(make_nodes: Callable[[], Iterator[Node]], arguments: Sequence[str] | None,
             signals: Held) -> int:
    try:
        rclpy.init(args=list(sys.argv if arguments is None else arguments),
                   signal_handler_options=SignalHandlerOptions.ALL)
    except (ValueError, RuntimeError) as error:  # what rclpy makes of bad arguments
        kind = '' if type(error).__name__ == 'RCLError' else f'{type(error).__name__}: '
        print(f'--ros-args: {kind}{" ".join(str(error).split())}', file=sys.stderr)
        return 2
    nodes: list[Node] = []
    code: int | None = None
    executor = None
    try:
        executor = make_executor()
        _spin(executor, make_nodes, nodes, signals)
    except InputError as error:
        print(error, file=sys.stderr)
        code = 2
    except UserCodeError as error:
        # One write, and the line that says why comes last: `sbot up` quotes it.
        print(f'{error.traceback()}{error}', file=sys.stderr, flush=True)
        code = 1
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        # A signal during the set-up ends the context between any two calls, which then complain;
        # and some libraries make another error of it while they are imported.
        if rclpy.ok() and not came():
            code = 1  # of the exception
            raise
    finally:
        signals.forget()
        for node in nodes:
            close = getattr(node, 'close', None)
            if close is not None:
                close()
        code = int(getattr(nodes[0], 'exit_code', 0)) if code is None and nodes else code or 0
        late = threading.Timer(SHUTDOWN_TIMEOUT, os._exit, [code])
        late.daemon = True
        late.start()
        end_signal_thread()
        del executor
        # Here and not with the interpreter, which takes its time: others would wait for them.
        for node in nodes:
            with suppress(Exception):  # a signal may have come while it was built
                node.destroy_node()
        with suppress(RuntimeError):  # a signal may shut down the context at this very moment
            rclpy.try_shutdown()
        late.cancel()
    return code


def end_signal_thread() -> None:
    """Wait for rclpy's thread that answers signals, and end it.

    It wakes executors through guard conditions, and takes no lock. If one is destroyed while it
    answers a second signal, the process may end with a segmentation fault. So this is called
    before the executor is let go.
    """
    with suppress(Exception):
        uninstall_signal_handlers()


def _spin(executor: Any, make_nodes: Callable[[], Iterator[Node]],  # noqa: ANN401
          nodes: list[Node], signals: Held) -> None:
    """Make nodes, add them to the list, and spin them; then a signal waits for a callback."""
    for node in make_nodes():
        nodes.append(node)
        executor.add_node(node)
        raise_swallowed()
    signals.active = True
    # What is there now stays: a collection that looks through it takes a tick or two.
    gc.collect()
    gc.freeze()
    executor.spin()


def make_executor() -> Any:  # noqa: ANN401
    """Return the lean executor where rclpy's internals are as it expects, else rclpy's own."""
    try:
        from sbot_common.ros.executor import LeanExecutor
        return LeanExecutor()
    except (ImportError, AttributeError, TypeError):
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor()
