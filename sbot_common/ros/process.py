# SPDX-License-Identifier: Apache-2.0
"""Process of a ROS 2 node: parameters, start, signals, end."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

import rclpy
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions, uninstall_signal_handlers

from sbot_common.errors import InputError, keep_warnings_plain, unknown_name
from sbot_common.params import Spec
from sbot_common.signals import Held, came, end_on_signals, raise_swallowed
from sbot_common.user_code import UserCodeError

# ROS parameters from declarations (``sbot_common.params``): descriptors and range checks.

def _descriptor(spec: Spec) -> ParameterDescriptor:
    text = ' '.join(filter(None, [spec.text, f'[{spec.unit}]' if spec.unit else '',
                                  f'({spec.source})' if spec.source else '']))
    descriptor = ParameterDescriptor(description=text, read_only=not spec.at_runtime,
                                     additional_constraints=f'expected {spec.expected}')
    if _is_bounded(spec) and isinstance(spec.default, int) and not isinstance(spec.default, bool):
        descriptor.integer_range = [
            IntegerRange(from_value=int(spec.minimum), to_value=int(spec.maximum))]
    # So that `2` is taken for 2.0, `[1, 0, 0]` for three doubles.
    descriptor.dynamic_typing = isinstance(spec.default, float | tuple)
    return descriptor


def _is_bounded(spec: Spec) -> bool:
    return spec.minimum > float('-inf') and spec.maximum < float('inf')


def declare(node: Node, specs: Iterable[Spec],
            changed: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
    """Declare parameters with description and range; return their values, checked.

    A bad value at the start raises InputError. ``changed`` is called with the new values (all in
    one dict) after a good change at run time; it may raise InputError to refuse it. A bad value at
    run time is refused with the reason.
    """
    table = {spec.name: spec for spec in specs}
    values: dict[str, Any] = {}
    for spec in table.values():
        descriptor = _descriptor(spec)
        if descriptor.dynamic_typing:
            _as_doubles(node, spec.name)
        default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
        try:
            value = node.declare_parameter(spec.name, default, descriptor).value
        except ParameterException as error:  # a type or a range that rclpy itself refuses
            reason = ' '.join(str(error).split())
            raise InputError(f'{node.get_name()}: parameter {spec.name}: {reason}; expected '
                             f'{spec.expected}') from None
        values[spec.name] = spec.check(value, f'{node.get_name()}: parameter {spec.name}')

    def on_set(parameters: Sequence[Parameter]) -> SetParametersResult:
        try:
            new = {p.name: table[p.name].check(p.value, f'parameter {p.name}')
                   for p in parameters if p.name in table}
            if new and changed is not None:
                changed(new)
        except InputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def as_doubles(parameters: list[Parameter]) -> list[Parameter]:
        return [_with_doubles(p) if isinstance(getattr(table.get(p.name), 'default', None),
                                               float | tuple) else p for p in parameters]

    _describe_ranges(node, table)
    node.add_on_set_parameters_callback(on_set)
    node.add_pre_set_parameters_callback(as_doubles)
    return values


def _describe_ranges(node: Node, table: Mapping[str, Spec]) -> None:
    """Let the node describe the ranges of its floats, from which tools make sliders.

    rclpy would refuse a value outside by a text of its own, and know no open ends.
    """
    described = node.describe_parameter
    ranges = {name: [FloatingPointRange(from_value=spec.minimum, to_value=spec.maximum)]
              for name, spec in table.items()
              if _is_bounded(spec) and isinstance(spec.default, float)}

    def describe(name: str) -> ParameterDescriptor:
        descriptor = described(name)
        if name in ranges:
            descriptor = deepcopy(descriptor)
            descriptor.floating_point_range = ranges[name]
        return descriptor

    node.describe_parameter = describe


def _with_doubles(parameter: Parameter) -> Parameter:
    """Return a parameter with double(s) for integer(s), so that `10` does not change its type."""
    kind, value = parameter.type_, parameter.value
    if kind == Parameter.Type.INTEGER:
        return Parameter(parameter.name, Parameter.Type.DOUBLE, float(value))
    if kind == Parameter.Type.INTEGER_ARRAY:
        return Parameter(parameter.name, Parameter.Type.DOUBLE_ARRAY, [float(v) for v in value])
    return parameter


def _as_doubles(node: Node, name: str) -> None:
    """Do so with the value that a command line or a file gives a parameter, if rclpy lets us."""
    overrides = getattr(node, '_parameter_overrides', {})
    if name in overrides:
        overrides[name] = _with_doubles(overrides[name])


def warn_of_unknown(node: Node) -> None:
    """Log a warning for each parameter that was given and is none of the node's.

    To be called when all are declared.
    """
    given = getattr(node, '_parameter_overrides', {})
    known = [parameter.name for parameter in node.get_parameters_by_prefix('').values()]
    for name in sorted(given):
        if not node.has_parameter(name) and not name.startswith('qos_overrides.'):
            node.get_logger().warning(f'{unknown_name("parameter", name, known)}; it is not used')


SAME = 3.0  # s; `ros2 launch` passes on a Ctrl-C that the terminal has sent already
LIMIT = 10  # s after a signal; then the process ends in the middle of whatever it is doing
_SHUTDOWN_TIMEOUT = 3.0  # s; then the process ends without what rclpy still had to do


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
        late = threading.Timer(_SHUTDOWN_TIMEOUT, os._exit, [code])
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
