# SPDX-License-Identifier: Apache-2.0
"""Files of policies, networks and users' functions: saved, loaded, checked without executing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.function_policy import (
    MOST_NUMBERS,
    FunctionPolicy,
    Source,
    as_constant,
    compilable,
    compile_for_robot,
    error_model_of,
    function_policy,
    text_of,
)
from sbot.controllers.neural.network import (
    FUNCTION,
    LEARNED_WITH,
    Network,
    checked_conditions,
    load_network,
    make_network,
    read_content,
    save_network,
)
from sbot.controllers.registry import load_function
from sbot_common.arguments import numbers, whole
from sbot_common.arrays import Floats
from sbot_common.errors import InputError, bad_value, decoding, refuse

# Content of a function policy file, checked without executing any of it.

Find = Callable[[str], Any]  # from 'module:function' to the function

VERSION = 1  # of the file's format
_KEYS = ('kind', 'version', 'function', 'source', 'modules', 'constants', 'error_model', 'inputs',
         'outputs', 'max_speed', 'turn', 'memory', 'weights', 'sha256')
_ERROR_MODELS = ('numpy', 'python')  # of numba: 1/0 is inf, or raises


class _SavedPolicy(NamedTuple):
    """A function policy as its file holds it."""

    path: str
    name: str  # of the function in the source; or 'module:function', which is imported
    source: Source
    error_model: str
    network: Network  # its inputs and outputs
    memory_count: int
    weights: Floats

    def function(self, find: Find) -> Any:  # noqa: ANN401
        """Return the function as numba's, not compiled yet: its text is executed, or imported.

        Raises
        ------
        InputError
            naming the file, if there is no such function, or another one than was saved.

        """
        if ':' not in self.name:
            return _function_of(json.dumps(self.source), self.name, self.error_model, self.path)
        found = find(self.name)
        function = getattr(found, 'py_func', found)
        if not isinstance(function, FunctionType):
            raise bad_value(f'{self.path}: function', self.name, 'a function written in Python')
        if text_of(function) != self.source.text:
            raise InputError(f'{self.path}: function {self.name} has changed since the policy was '
                             'saved; save the policy again')
        return _compilable(found)


_compilable = lru_cache(maxsize=64)(compilable)  # compiled once, for many robots


@lru_cache(maxsize=64)
def _function_of(source: str, name: str, error_model: str, path: str) -> Any:  # noqa: ANN401
    """Return the function of a source in JSON, which tells 1 from 1.0, one object for all."""
    text, modules, constants = json.loads(source)
    return compilable(Source(text, modules, _as_constants(constants)).function(name, path),
                      error_model)


def _as_constants(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: as_constant(value) for name, value in values.items()}


def _write_policy(path: str | Path, saved: _SavedPolicy) -> None:
    """Write the file that ``read_policy`` reads."""
    network = saved.network
    content: dict[str, Any] = {
        'kind': FUNCTION, 'version': VERSION, 'function': saved.name, 'source': saved.source.text,
        'modules': saved.source.modules, 'constants': saved.source.constants,
        'error_model': saved.error_model, 'inputs': network.inputs, 'outputs': network.outputs,
        'max_speed': network.max_speed, 'turn': network.turn, 'memory': saved.memory_count,
        'weights': saved.weights.tolist()}
    if network.learned_with:
        content[LEARNED_WITH] = dict(network.learned_with)
    Path(path).write_text(json.dumps({**content, 'sha256': _hash(content)}, indent=1) + '\n',
                          'utf-8')


def read_policy(path: str | Path) -> _SavedPolicy:
    """Return the content of a function policy's file, without executing any of it.

    Raises
    ------
    InputError
        naming the file, and what was expected.

    """
    content = read_content(path)
    try:
        with decoding('content'):  # of a file that ``save_policy`` did not write
            version = content.get('version')
            refuse((content.get('kind') != FUNCTION,
                    bad_value('kind', content.get('kind'), f'{FUNCTION}; networks '
                              'are for controller neural_controller.controller:Neural')),
                   (type(version) is not int or version != VERSION,  # true and 1.0 equal 1
                    bad_value('version', version, f'{VERSION}')),
                   (set(content) - {LEARNED_WITH} != set(_KEYS),
                    f"expected an object with the keys {', '.join(_KEYS)}"))
            digest = content.pop('sha256')
            if digest != _hash(content):
                raise bad_value('sha256', digest, 'that of the rest of the file, which has '
                                'changed since it was saved')
            return _checked(str(path), content)
    except InputError as error:
        raise InputError(f'{path}: {error}') from None


def _checked(path: str, content: Mapping[str, Any]) -> _SavedPolicy:
    """Return what a file holds, or raise InputError naming the key."""
    refuse(*((not isinstance(content[key], str), bad_value(key, content[key], 'a text'))
             for key in ('function', 'source')),
           (content['error_model'] not in _ERROR_MODELS,
            bad_value('error_model', content['error_model'], ' or '.join(_ERROR_MODELS))))
    network = make_network('perceptron', content['inputs'], outputs=content['outputs'],
                           max_speed=content['max_speed'], turn=content['turn'])
    network = network._replace(learned_with=checked_conditions(content.get(LEARNED_WITH, {})))
    source = Source(content['source'], dict(content['modules']),
                    _as_constants(content['constants']))
    weights = numbers('weights', content['weights'] or np.zeros(0), (len(content['weights']),))
    return _SavedPolicy(path, content['function'], source, content['error_model'], network,
                       whole('memory', content['memory'], 0, MOST_NUMBERS), weights)


def _hash(content: Mapping[str, Any]) -> str:
    """Return the hash of a file's content, however it is laid out."""
    return sha256(json.dumps(content, sort_keys=True, separators=(',', ':')).encode()).hexdigest()


def save_policy(path: str | Path, policy: Network | FunctionPolicy, weights: ArrayLike, *,
                by_name: bool = False) -> None:
    """Write a policy and its weights (W,) as JSON; as ``sbot.save_policy``, which says more."""
    if isinstance(policy, Network):
        save_network(path, policy, weights)
        return
    if not isinstance(policy, FunctionPolicy):
        raise bad_value('policy', policy, 'one of sbot.function_policy or sbot.network')
    values = numbers('weights', weights, (policy.weight_count,))
    where, compiled, function = 'save_policy', policy.function, policy.function.py_func
    model = error_model_of(compiled)
    name = _import_name(function) if by_name else function.__name__
    source = Source(text_of(function), {}, {}) if by_name else Source.of(function)
    if policy.text and source.text != policy.text:
        raise InputError(f'{name}: its file has changed since the policy was made; make it again')
    # What the file will give, and not what is there already.
    again = compiled if by_name else compilable(source.function(name, where), model)
    compile_for_robot(again, where)
    _write_policy(path, _SavedPolicy(str(path), name, source, model, policy.network,
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
    find = partial(load_function, python_path=(), where=str(path))
    policy = function_policy(
        saved.function(find), network.inputs, weights=len(saved.weights),
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
