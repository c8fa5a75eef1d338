# SPDX-License-Identifier: Apache-2.0
"""Function policy: a user's compiled function that decides for one robot; its file.

Files are saved, loaded, and checked without executing any of them.
"""

from __future__ import annotations

from sbot_common.compiled import fingerprint  # noqa: F401 - before numba

# isort: split
import __future__

import ast
import builtins
import dis
import inspect
import json
import linecache
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.controllers.neural.network import (
    FUNCTION,
    LEARNED_WITH,
    WHEELS,
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
from sbot_common.user_code import UserCodeError, call_user_code, reason

# Source text of a function with everything that it uses, and the function made from it.

# Functions of these are named by module and name, as they are the same wherever the file goes.
_EVERYWHERE = ('math', 'numpy', 'sbot_common')



class Source(NamedTuple):
    """A function as text, with all that it uses of its module."""

    text: str  # begins with `def`
    modules: dict[str, str]  # what it calls modules, and functions of these: 'np': 'numpy'
    constants: dict[str, Any]  # numbers, texts and tuples of its module that it uses

    @classmethod
    def of(cls, function: FunctionType) -> Source:
        """Return the source text of a function and of everything that it uses of its module.

        Raises
        ------
        InputError
            if there is no text, or if it uses anything but modules, their functions and numbers.

        """
        text, name = _text_of(function), function.__name__
        modules: dict[str, str] = {}
        constants: dict[str, Any] = {}
        for used, value in sorted(_used(function).items()):
            known = _importable(value)
            if known:
                modules[used] = known
            elif _is_constant(value):
                constants[used] = value
            else:
                raise InputError(f"{name}: uses '{used}', which is neither a module nor a number; "
                                 'save it by its name (by_name=True)')
        return cls(text, modules, constants)

    def function(self, name: str, where: str) -> FunctionType:
        """Return the function of a source text, which is executed.

        Raises
        ------
        InputError
            beginning with ``where``, if the text gives no function of this name, or a module that
            it uses cannot be imported.

        """
        filename = f'<{where}>'
        # Read by tracebacks, by numba's messages, and where the function is saved again.
        linecache.cache[filename] = (len(self.text), None, self.text.splitlines(True), filename)
        namespace: dict[str, Any] = {'__name__': f'{__name__}.saved', **self.constants}
        try:
            for used, module in self.modules.items():
                first, _, inner = module.partition(':')
                imported = import_module(first)
                namespace[used] = getattr(imported, inner) if inner else imported
            code = compile(self.text, filename, 'exec', __future__.annotations.compiler_flag)
            exec(code, namespace)  # that is what the file is for (docs/reliability.md)
        except (Exception, SystemExit) as error:  # a user's text may raise anything
            raise InputError(f'{where}: source: {type(error).__name__}: {error}') from None
        found = namespace.get(name)
        if not isinstance(found, FunctionType):
            raise InputError(f"{where}: source: has no function '{name}'")
        return found


def _text_of(function: FunctionType) -> str:
    """Return the source text of a function, without decorators and indentation.

    Raises
    ------
    InputError
        if there is none, as in an interactive session, or for a lambda.

    """
    try:
        text = textwrap.dedent(inspect.getsource(function))
        node = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError, IndexError) as error:
        raise InputError(f'{function.__name__}: a policy needs its source text ({error}); define '
                         'it in a file') from None
    if not isinstance(node, ast.FunctionDef):
        raise InputError(f"{function.__name__}: a policy needs a function that begins with 'def'")
    return '\n'.join(text.splitlines()[node.lineno - 1:node.end_lineno]) + '\n'


def _as_constant(value: Any) -> Any:  # noqa: ANN401
    """Return a value of a JSON file as it was: lists were tuples."""
    return tuple(map(_as_constant, value)) if isinstance(value, list) else value


def _used(function: FunctionType) -> dict[str, Any]:
    """Return by name what a function uses from outside; built-in functions apart."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found = {name: cell.cell_contents for name, cell in cells}
    for name in _global_names(function.__code__):
        if name in function.__globals__:
            found[name] = function.__globals__[name]
        elif name not in found and not hasattr(builtins, name):
            raise InputError(f"{function.__name__}: uses '{name}', which is not defined")
    return found


def _global_names(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == 'LOAD_GLOBAL':
            yield instruction.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _global_names(inner)


def _importable(value: Any) -> str:  # noqa: ANN401
    """Return 'module' or 'module:name' of what can be imported everywhere; else ''."""
    if isinstance(value, ModuleType):
        return value.__name__
    value = getattr(value, 'py_func', value)
    module, name = getattr(value, '__module__', None), getattr(value, '__name__', None)
    if isinstance(module, str) and module.partition('.')[0] in _EVERYWHERE and isinstance(
            name, str) and hasattr(import_module(module), name):
        return f'{module}:{name}'
    return ''


def _is_constant(value: object) -> bool:
    """Tell whether JSON keeps a value as it is; tuples become lists (``_as_constant``)."""
    if type(value) is tuple:  # a NamedTuple would lose its names
        return all(map(_is_constant, value))
    return value is None or type(value) in (bool, int, float, str)


# isort: split


_ROW, _READ = numba.float64[::1], numba.types.Array(numba.float64, 1, 'C', readonly=True)
_LAYERS = numba.types.Array(numba.int64, 1, 'C', readonly=True)
_BATCH = (_ROW, _ROW, _ROW, _ROW, numba.int64[::1], numba.float64)  # arguments in a batch
# One robot's: what robots of a batch share, weights and layers, cannot be written to.
_ROBOT = (_ROW, _READ, _ROW, _ROW, _LAYERS, numba.float64)
# Options of numba that change neither bits nor what a function does; error_model is saved.
_HARMLESS = ('nopython', 'nogil', 'boundscheck', 'error_model', 'looplift')
_MOST_NUMBERS = 1_000_000  # weights of a world, memory of a robot
_PARAMETERS = ('inputs', 'weights', 'memory', 'outputs', 'layers', 'dt')


class FunctionPolicy(NamedTuple):
    """A compiled function of one's own as a policy; make one by ``function_policy``."""

    function: Any
    network: Network  # its inputs and outputs
    weight_count: int
    memory_count: int
    text: str = ''  # of the function, when this was made; '': unknown


def function_policy(function: Callable[..., None], inputs: Sequence[str], *, weights: int,
                    memory: int = 0, outputs: str = WHEELS, max_speed: float = 0.08,
                    turn: float = 0.095) -> FunctionPolicy:
    """Return a policy from your own function, which numba compiles.

    It is called once in Python, with zeros, because compiled code does not check indices.

    Parameters
    ----------
    function : called for each robot as ``function(inputs, weights, memory, outputs, layers, dt)``
        with float64 arrays (I,), (W,), (M,), (2,), int64 (L,) and the tick's length (s); it
        writes ``outputs`` (and ``memory``) and returns nothing
    inputs, outputs, max_speed, turn : as in ``make_network``
    weights, memory : number of weights, and of numbers that a robot keeps from tick to tick

    Raises
    ------
    InputError
        for bad parameters, or a function that does not take six arguments.
    UserCodeError
        if numba cannot compile the function, or if an index is out of bounds in the call.

    """
    if not isinstance(function, FunctionType) and not hasattr(function, 'py_func'):
        raise bad_value('function', function, 'a function that is written in Python')
    compiled = _numba_of(function)
    network = make_network('perceptron', inputs, outputs=outputs, max_speed=max_speed, turn=turn)
    weight_count = whole('weights', weights, 0, _MOST_NUMBERS)
    memory_count = whole('memory', memory, 0, _MOST_NUMBERS)
    text = ''
    with suppress(InputError):  # of a session
        text = _text_of(compiled.py_func)
    policy = FunctionPolicy(compiled, network, weight_count, memory_count, text)
    _check_parameters(compiled.py_func)
    _check_indices(policy)
    # Now, not within our own functions, whose lines numba would name instead of the user's.
    _compile(compiled, _BATCH, 'function_policy')
    return policy


def _check_parameters(function: FunctionType) -> None:
    """Raise InputError unless a function can be called as policies are."""
    given = inspect.signature(function)
    try:
        given.bind(*_PARAMETERS)
    except TypeError:
        raise bad_value('function', f'{function.__name__}{given}',
                        f"six parameters: {', '.join(_PARAMETERS)}") from None


def _check_indices(policy: FunctionPolicy) -> None:
    """Raise UserCodeError if a call in Python, with zeros, has an index out of bounds.

    Compiled code would read or overwrite other memory. Other errors are left to the compiled
    code, where for example 1 / 0 may be infinite.
    """
    network, function = policy.network, policy.function.py_func
    sizes = (network.input_count, policy.weight_count, policy.memory_count, network.layers[-1])
    try:
        with np.errstate(all='ignore'):
            function(*map(np.zeros, sizes), network.layers.copy(), 0.1)
    except IndexError as error:
        own = error.__traceback__.tb_next if error.__traceback__ is not None else None
        lines = [frame.lineno for frame in extract_tb(own)
                 if frame.filename == function.__code__.co_filename]
        line = lines[-1] if lines else function.__code__.co_firstlineno
        have = ', '.join(f'{name} {size}' for name, size in zip(_PARAMETERS, sizes, strict=False))
        raise UserCodeError(
            f'function_policy: {function.__name__}() at {function.__code__.co_filename}:{line}: '
            f'{reason(error)} (numbers: {have})') from error.with_traceback(own)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException:  # a user's code may raise anything
        return


def _numba_of(function: Any, error_model: str = 'numpy') -> Any:  # noqa: ANN401
    """Return a function as numba's; one that is numba's already as it is."""
    if hasattr(function, 'py_func'):
        return function
    return numba.njit(error_model=error_model)(function)


def _error_model_of(compiled: Any) -> str:  # noqa: ANN401
    """Return a compiled function's result of 1/0: 'numpy' (inf) or 'python' (raises).

    Raises
    ------
    InputError
        for options of numba that may change bits.

    """
    options = compiled.targetoptions
    if compiled.locals or not getattr(compiled, '_can_compile', True):
        raise InputError(f'{compiled.py_func.__name__}: locals and signatures of numba cannot be '
                         'combined with a policy file, which does not keep them')
    refuse(*((value and name not in _HARMLESS,
              f'{compiled.py_func.__name__}: option {name} of numba cannot be combined with a '
              'policy file: other machines may give other bits')
             for name, value in options.items()))
    return str(options.get('error_model', 'python'))


def compile_for_robot(compiled: Any, where: str) -> None:  # noqa: ANN401
    """Compile a function for the arrays of one robot.

    Raises
    ------
    UserCodeError
        beginning with ``where``, if it cannot be compiled, e.g. as it writes to its weights.

    """
    _compile(compiled, _ROBOT, where, ' (weights can be read only)')


def _compile(compiled: Any, arguments: tuple[Any, ...], where: str,  # noqa: ANN401
             note: str = '') -> None:
    call_user_code(partial(compiled.get_call_template, arguments, {}),
                   lambda: f'{where}: {place_of(compiled)}{note}')


def place_of(compiled: Any) -> str:  # noqa: ANN401
    """Return a function's name, file and line in words."""
    code = compiled.py_func.__code__
    return f'{compiled.py_func.__name__}() at {code.co_filename}:{code.co_firstlineno}'


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
        if _text_of(function) != self.source.text:
            raise InputError(f'{self.path}: function {self.name} has changed since the policy was '
                             'saved; save the policy again')
        return _compilable(found)


_compilable = lru_cache(maxsize=64)(_numba_of)  # compiled once, for many robots


@lru_cache(maxsize=64)
def _function_of(source: str, name: str, error_model: str, path: str) -> Any:  # noqa: ANN401
    """Return the function of a source in JSON, which tells 1 from 1.0, one object for all."""
    text, modules, constants = json.loads(source)
    return _numba_of(Source(text, modules, _as_constants(constants)).function(name, path),
                      error_model)


def _as_constants(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _as_constant(value) for name, value in values.items()}


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
                       whole('memory', content['memory'], 0, _MOST_NUMBERS), weights)


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
    model = _error_model_of(compiled)
    name = _import_name(function) if by_name else function.__name__
    source = Source(_text_of(function), {}, {}) if by_name else Source.of(function)
    if policy.text and source.text != policy.text:
        raise InputError(f'{name}: its file has changed since the policy was made; make it again')
    # What the file will give, and not what is there already.
    again = compiled if by_name else _numba_of(source.function(name, where), model)
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
