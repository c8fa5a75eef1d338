"""Fingerprint of a compiled function: a hash of everything that its machine code depends on.

numba freezes what a function refers to: its bytecode, the functions that it calls, constants of
its module, and the field order of the tuples it gets. The fingerprint covers exactly these. So an
edit of a comment, a docstring or another function of the same file leaves machine code in use,
and an edit of a kernel compiles that kernel and its callers.
"""

from __future__ import annotations

import dis
import enum
from collections.abc import Iterator
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic
from numba.np.ufunc.dufunc import DUFunc
from numba.np.ufunc.gufunc import GUFunc
from numba.stencils.stencil import StencilFunc

from sbot_common.compiled.lazy import Lazy

# Packages whose functions and constants can change while the compiler stays the same. Everything
# else is named only: the versions of Python, NumPy and numba are in the key of the cache.
_FOREIGN = ('numba', 'numpy', 'llvmlite', 'builtins', 'math', 'operator', 'cmath', 'typing')
_FACTS = (int, float, complex, str, bytes, type(None), type(...), range, slice, np.dtype)
_DIGITS = 32
_LOAD_CONST = dis.opmap['LOAD_CONST']
# Objects of numba's types that hold functions of users.
_MADE_BY_USERS = (DUFunc, GUFunc, StencilFunc)


class UnknownPartError(ValueError):
    """A function refers to something whose changes a fingerprint would not see."""


def fingerprint(function: Any) -> str:  # noqa: ANN401 - or a dispatcher
    """Return the fingerprint of a function that is to be compiled, as it is now: 32 hex digits.

    Raises
    ------
    UnknownPartError
        where it refers to an object of another kind than these; its code is not to be kept.

    """
    digest = sha256()
    for part in _parts(function, {}):
        digest.update(part.encode() + b'\0')
    return digest.hexdigest()[:_DIGITS]


def describe_type(kind: Any) -> str:  # noqa: ANN401 - a numba type
    """Return a numba type as text, with the fields of its tuples and structures in order.

    numba's own text of a NamedTuple does not name them: two fields of one type that change places
    would find the machine code of before.
    """
    if isinstance(kind, types.BaseNamedTuple):
        fields = ', '.join(f'{name}: {describe_type(part)}'
                           for name, part in zip(kind.fields, kind, strict=True))
        return f'{_name(kind.instance_class)}({fields})'
    if isinstance(kind, types.StructRef):
        fields = ', '.join(f'{name}: {describe_type(part)}' for name, part in kind._fields)
        return f'{_name(type(kind))}{{{fields}}}'
    if isinstance(kind, types.BaseTuple):
        return f'({", ".join(map(describe_type, kind))})'
    if isinstance(kind, types.Optional):
        return f'optional {describe_type(kind.type)}'
    if isinstance(kind, types.Dispatcher):
        return fingerprint(kind.dispatcher)
    if isinstance(kind, types.EnumMember | types.IntEnumMember):
        return f'{kind} {_members(kind.instance_class)}'
    if isinstance(kind, types.List | types.ListType | types.Set | types.DictType):
        inner = (getattr(kind, name, None) for name in ('dtype', 'key_type', 'value_type'))
        return f'{kind} {[describe_type(part) for part in inner if part is not None]}'
    return str(kind)


def _members(kind: Any) -> str:  # noqa: ANN401 - an enum class
    return f'{_name(kind)} {[(member.name, member.value) for member in kind]}'


def _name(thing: Any) -> str:  # noqa: ANN401 - a class
    return f'{thing.__module__}.{thing.__qualname__}'


def _parts(value: Any, seen: dict[int, int]) -> Iterator[str]:  # noqa: ANN401 - of any type
    """Yield the texts that tell a value from any other."""
    if isinstance(value, Lazy):  # e.g. in a tuple, where no compiled function took its place
        value = value.real
    if isinstance(value, (bool, np.bool_)):
        yield f'bool {value}'
    elif isinstance(value, enum.Enum):
        yield f'{_name(type(value))}.{value.name} {value.value!r}'
    elif isinstance(value, (*_FACTS, np.generic)):
        yield f'{type(value).__name__} {value!r}'
    elif isinstance(value, np.ndarray):
        yield f'array {value.dtype.descr} {value.shape} {value.flags.f_contiguous}'
        yield sha256(value.tobytes()).hexdigest()
    elif isinstance(value, (tuple, list, frozenset)):
        items = sorted(value, key=repr) if isinstance(value, frozenset) else value
        yield f'{_name(type(value))} {len(items)} {getattr(value, "_fields", "")}'
        for item in items:
            yield from _parts(item, seen)
    elif isinstance(value, dict):
        yield from _parts([*value.items()], seen)
    elif isinstance(value, types.Type):
        yield f'type {describe_type(value)}'
    elif id(value) in seen:  # also ends the circle of a function that calls itself
        yield f'again {seen[id(value)]}'
    else:
        seen[id(value)] = len(seen)
        yield from _parts_of_object(value, seen)


def _parts_of_object(value: Any, seen: dict[int, int]) -> Iterator[str]:  # noqa: ANN401
    """Yield the texts of a function, a class or something else that refers to other things."""
    if isinstance(value, Dispatcher):
        yield f'compiled {sorted(value.targetoptions.items())!r}'
        yield f'{sorted((name, str(kind)) for name, kind in value.locals.items())}'
        if not getattr(value, '_can_compile', True):  # signatures are given
            yield ' '.join(map(str, value.nopython_signatures))
        yield from _parts_of_function(value.py_func, seen)
    elif isinstance(value, _Intrinsic):
        yield 'intrinsic'
        yield from _parts(value._defn, seen)
    elif isinstance(value, FunctionType) and not _is_foreign(value):
        yield from _parts_of_function(value, seen)
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        yield _members(value)
    elif isinstance(value, type) and not hasattr(value, 'class_type'):  # no jitclass
        yield f'class {_name(value)} {getattr(value, "_fields", "")}'
        yield from _parts(getattr(value, '_field_defaults', None), seen)
    elif isinstance(value, ModuleType):
        yield f'module {value.__name__}'
    elif not isinstance(value, _MADE_BY_USERS) and (_is_foreign(value)
                                                    or _is_foreign(type(value))):
        # A text with an address would differ in every process.
        yield f'{_name(type(value))} {getattr(value, "__module__", "")}.{_own_name(value)}'
    else:
        raise UnknownPartError(f'{type(value).__name__} {_own_name(value)}')


def _own_name(value: Any) -> str:  # noqa: ANN401 - an object of a foreign package
    return str(getattr(value, '__qualname__', None) or getattr(value, '__name__', ''))


def _is_foreign(value: Any) -> bool:  # noqa: ANN401 - a function, class or other object
    return str(getattr(value, '__module__', None) or '').partition('.')[0] in _FOREIGN


def _parts_of_function(function: FunctionType, seen: dict[int, int]) -> Iterator[str]:
    yield f'function {function.__name__}'
    yield from _parts((function.__defaults__, function.__kwdefaults__), seen)
    names: dict[str, None] = {}
    yield from _parts_of_code(function.__code__, function.__doc__, names, seen)
    for cell in function.__closure__ or ():
        yield from _parts(cell.cell_contents, seen)
    for name in list(names):
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        yield f'global {name}'
        if isinstance(value, ModuleType):
            yield from _parts_of_module(value, names, seen)
        else:
            yield from _parts(value, seen)


def _parts_of_module(module: ModuleType, names: dict[str, None],
                     seen: dict[int, int], within: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the texts of what ``module.name`` may stand for; both names are in the bytecode."""
    yield f'module {module.__name__}'
    if module.__name__.partition('.')[0] in _FOREIGN or module.__name__ in within:
        return
    for name in list(names):
        value = vars(module).get(name)
        if isinstance(value, ModuleType):
            yield from _parts_of_module(value, names, seen, (*within, module.__name__))
        elif name in vars(module):
            yield f'{module.__name__}.{name}'
            yield from _parts(value, seen)


def _parts_of_code(code: CodeType, doc: str | None, names: dict[str, None],
                   seen: dict[int, int]) -> Iterator[str]:
    """Yield the texts of bytecode, and note the names it uses; lines and comments do not count."""
    names.update(dict.fromkeys(code.co_names))
    yield code.co_code.hex()
    yield f'{code.co_names}'  # the bytecode has their numbers: attributes, functions of NumPy
    yield f'{code.co_varnames} {code.co_freevars} {code.co_argcount} {code.co_kwonlyargcount}'
    # Not co_flags: numba changes them where a profiler looks on. The rest tells what they tell.
    yield getattr(code, 'co_exceptiontable', b'').hex()
    for index, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            yield from _parts_of_code(value, None, names, seen)
        elif index > 0 or value != doc or _loads_first_constant(code):
            yield from _parts(value, seen)


def _loads_first_constant(code: CodeType) -> bool:
    """Tell whether a docstring's constant is in use, as text that the function returns."""
    return any(code.co_code[i] == _LOAD_CONST and code.co_code[i + 1] == 0
               for i in range(0, len(code.co_code), 2))
