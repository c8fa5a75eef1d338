"""Saving and loading of policies: networks, and users' own functions."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neural_controller.function_policy import (
    FunctionPolicy,
    compilable,
    compile_for_robot,
    error_model_of,
    function_policy,
)
from neural_controller.function_source import Source, function_of, source_of, text_of
from neural_controller.network import (
    FUNCTION,
    Network,
    load_network,
    read_content,
    save_network,
)
from neural_controller.saved_policy import SavedPolicy, read_policy, write_policy
from sbot_common.arguments import numbers
from sbot_common.errors import InputError, bad_value


def save_policy(path: str | Path, policy: Network | FunctionPolicy, weights: ArrayLike, *,
                by_name: bool = False) -> None:
    """Write a policy and its weights (W,) as JSON, which keeps every bit.

    Parameters
    ----------
    path : of the file, with which the controller ``function_policy`` drives robots
    policy : from ``sbot.function_policy``; or a network, which is written as by ``save_network``
    weights : (W,)
    by_name : True: wherever the file is used, the function is imported as ``module:function``, and
        may call functions of its module. False: the file contains the function's source text,
        which must be complete and is executed

    Raises
    ------
    InputError
        if the source text is not known or not complete, or for bad weights.
    UserCodeError
        if numba cannot compile the text alone, or if the function writes to its weights, which
        robots share.

    """
    if isinstance(policy, Network):
        save_network(path, policy, weights)
        return
    if not isinstance(policy, FunctionPolicy):
        raise bad_value('policy', policy, 'one of sbot.function_policy or sbot.network')
    values = numbers('weights', weights, (policy.weight_count,))
    where, compiled, function = 'save_policy', policy.function, policy.function.py_func
    model = error_model_of(compiled)
    name = _import_name(function) if by_name else function.__name__
    source = Source(text_of(function), {}, {}) if by_name else source_of(function)
    if policy.text and source.text != policy.text:
        raise InputError(f'{name}: its file has changed since the policy was made; make it again')
    # What the file will give, and not what is there already.
    again = compiled if by_name else compilable(function_of(source, name, where), model)
    compile_for_robot(again, where)
    write_policy(path, SavedPolicy(str(path), name, source, model, policy.network,
                                   policy.memory_count, values))


def load_policy(path: str | Path) -> tuple[Network | FunctionPolicy, NDArray[np.float64]]:
    """Return the policy and weights (W,) of a file of ``save_policy`` or ``save_network``.

    A function's source text is executed, or its module imported: such a file is a program.

    Raises
    ------
    InputError
        if the file cannot be used; names the file and what was expected.
    UserCodeError
        if numba cannot compile the function.

    """
    if read_content(path).get('kind') != FUNCTION:
        return load_network(path)
    saved = read_policy(path)
    network = saved.network
    policy = function_policy(
        saved.function(_imported), network.inputs, weights=len(saved.weights),
        memory=saved.memory_count, outputs=network.outputs, max_speed=network.max_speed,
        turn=network.turn)
    return policy._replace(network=network), saved.weights


def _import_name(function: Any) -> str:  # noqa: ANN401
    """Return 'module:function', or raise InputError if that does not lead to the function."""
    module, name = function.__module__, function.__name__
    # Another process would import another __main__.
    found = None if module == '__main__' else getattr(import_module(module), name, None)
    if getattr(found, 'py_func', found) is not function:
        raise bad_value('by_name', f'{module}:{name}', 'a function that can be imported by its '
                        'name')
    return f'{module}:{name}'


def _imported(name: str) -> Any:  # noqa: ANN401
    module, _, inner = name.partition(':')
    try:
        return getattr(import_module(module), inner)
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        raise InputError(f"cannot import '{name}': {type(error).__name__}: {error}") from None
