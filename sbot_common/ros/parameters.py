"""ROS parameters from declarations (``sbot_common.params``): descriptors and range checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from sbot_common.errors import InputError
from sbot_common.params import Spec


def _descriptor(spec: Spec) -> ParameterDescriptor:
    text = ' '.join(filter(None, [spec.text, f'[{spec.unit}]' if spec.unit else '',
                                  f'({spec.source})' if spec.source else '']))
    descriptor = ParameterDescriptor(description=text, read_only=not spec.at_runtime,
                                     additional_constraints=f'expected {spec.expected}')
    bounded = spec.minimum > float('-inf') and spec.maximum < float('inf')
    if bounded and isinstance(spec.default, int) and not isinstance(spec.default, bool):
        descriptor.integer_range = [
            IntegerRange(from_value=int(spec.minimum), to_value=int(spec.maximum))]
    elif bounded and isinstance(spec.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=spec.minimum, to_value=spec.maximum)]
    return descriptor


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
        dynamic = _descriptor(spec)
        # So that `2` is taken for 2.0, `[1, 0, 0]` for three doubles.
        dynamic.dynamic_typing = isinstance(spec.default, float | tuple)
        if dynamic.dynamic_typing:
            dynamic.floating_point_range = []
        default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
        try:
            value = node.declare_parameter(spec.name, default, dynamic).value
        except ParameterException as error:  # a type or a range that rclpy itself refuses
            reason = ' '.join(str(error).split())
            raise InputError(f'{node.get_name()}: parameter {spec.name}: expected '
                             f'{spec.expected}; {reason}') from None
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

    node.add_on_set_parameters_callback(on_set)
    return values
