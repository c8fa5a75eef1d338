"""ROS parameters from declarations (``sbot_common.params``): descriptors and range checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
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

from sbot_common.errors import InputError, unknown_name
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
            dynamic.floating_point_range = []  # described; refused here, in words
            _as_doubles(node, spec.name)
        default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
        try:
            value = node.declare_parameter(spec.name, default, dynamic).value
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
    if hasattr(node, 'add_pre_set_parameters_callback'):  # not in Humble
        node.add_pre_set_parameters_callback(as_doubles)
    return values


def _describe_ranges(node: Node, table: Mapping[str, Spec]) -> None:
    """Let the node describe the ranges of its floats, from which tools make sliders.

    rclpy would refuse a value outside by a text of its own, and know no open ends.
    """
    described = node.describe_parameter
    ranges = {name: found for name, spec in table.items()
              if (found := _descriptor(spec).floating_point_range)}

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
