"""Source text of a function with everything that it uses, and the function made from it."""

from __future__ import annotations
import __future__

import ast
import builtins
import dis
import inspect
import linecache
import textwrap
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from sbot_common.errors import InputError

# Functions of these are named by module and name, as they are the same wherever the file goes.
_EVERYWHERE = ('math', 'numpy', 'sbot_common')



class Source(NamedTuple):
    """A function as text, with all that it uses of its module."""

    text: str  # begins with `def`
    modules: dict[str, str]  # what it calls modules, and functions of these: 'np': 'numpy'
    constants: dict[str, Any]  # numbers, texts and tuples of its module that it uses


def source_of(function: FunctionType) -> Source:
    """Return the source text of a function and of everything that it uses of its module.

    Raises
    ------
    InputError
        if there is no text, or if it uses anything but modules, their functions and numbers.

    """
    text, name = text_of(function), function.__name__
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
    return Source(text, modules, constants)


def text_of(function: FunctionType) -> str:
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


def function_of(source: Source, name: str, where: str) -> FunctionType:
    """Return the function of a source text, which is executed.

    Raises
    ------
    InputError
        beginning with ``where``, if the text gives no function of this name, or a module that it
        uses cannot be imported.

    """
    filename = f'<{where}>'
    # Read by tracebacks, by numba's messages, and where the function is saved again.
    linecache.cache[filename] = (len(source.text), None, source.text.splitlines(True), filename)
    namespace: dict[str, Any] = {'__name__': f'{__name__}.saved', **source.constants}
    try:
        for used, module in source.modules.items():
            first, _, inner = module.partition(':')
            imported = import_module(first)
            namespace[used] = getattr(imported, inner) if inner else imported
        code = compile(source.text, filename, 'exec', __future__.annotations.compiler_flag)
        exec(code, namespace)  # that is what the file is for (docs/reliability.md)
    except (Exception, SystemExit) as error:  # a user's text may raise anything
        raise InputError(f'{where}: source: {type(error).__name__}: {error}') from None
    found = namespace.get(name)
    if not isinstance(found, FunctionType):
        raise InputError(f"{where}: source: has no function '{name}'")
    return found


def is_constants(values: object) -> bool:
    """Tell whether these are constants by name, as a file has them."""
    return isinstance(values, Mapping) and all(map(_is_constant, map(as_constant,
                                                                     values.values())))


def as_constant(value: Any) -> Any:  # noqa: ANN401
    """Return a value of a JSON file as it was: lists were tuples."""
    return tuple(map(as_constant, value)) if isinstance(value, list) else value


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
    """Tell whether JSON keeps a value as it is; tuples become lists (``as_constant``)."""
    if type(value) is tuple:  # a NamedTuple would lose its names
        return all(map(_is_constant, value))
    return value is None or type(value) in (bool, int, float, str)
