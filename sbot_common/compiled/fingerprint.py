# SPDX-License-Identifier: Apache-2.0
"""Fingerprint of a compiled function: a hash of everything that its machine code depends on.

numba freezes what a function refers to: its bytecode, the functions that it calls, constants of
its module, and the field order of the tuples it gets. The fingerprint covers exactly these. So an
edit of a comment, a docstring or another function of the same file leaves machine code in use,
and an edit of a kernel compiles that kernel and its callers.

What it does not see, e.g. the body of an overload, is found in the machine code itself, which
names each function of Python that is in it (``is_whole``).

Whatever imports numba's inside imports this module before: it imports numba without scipy, which
numba would import to look for BLAS, a hundred modules in every process. What uses BLAS in a user's
own compiled functions still finds it, when it is compiled. The garbage collector does not look at
numba's 100,000 objects, which stay until the end: not while they are made, not later, and not when
the interpreter takes itself apart, which takes as long.

``NUMBA_DISABLE_JIT`` is refused here, once for all functions: in Python there are no vectors, no
whole numbers of 64 bits that wrap around, and no addresses of functions.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from sbot_common.compiled.lazy import Lazy, uncollected
from sbot_common.errors import bad_value
from sbot_common.signals import raise_swallowed


def _import_numba() -> None:
    if {'numba', 'scipy'} & sys.modules.keys():
        return
    sys.modules['scipy'] = None  # type: ignore[assignment]
    try:
        with uncollected():
            from numba.np import arraymath
    finally:
        del sys.modules['scipy']
    arraymath._HAVE_BLAS = find_spec('scipy') is not None
    raise_swallowed()  # numba's import swallows some signals


def _refuse_no_compilation() -> None:
    from numba import config
    if config.DISABLE_JIT:
        raise bad_value('NUMBA_DISABLE_JIT', config.DISABLE_JIT,
                        '0, because simulations need compiled code; to debug a function of your '
                        'own, call it from Python')


_import_numba()
_refuse_no_compilation()

# isort: split
from numba import types  # noqa: E402
from numba.core import event  # noqa: E402
from numba.core.dispatcher import Dispatcher  # noqa: E402
from numba.extending import _Intrinsic  # noqa: E402

# Packages whose functions and constants can change while the compiler stays the same. Everything
# else is named only: the versions of Python, NumPy and numba are in the key of the cache.
_FOREIGN = ('numba', 'numpy', 'llvmlite', 'builtins', 'math', 'operator', 'cmath', 'typing',
            '_heapq')
_FACTS = (int, float, complex, str, bytes, type(None), type(...), range, slice, np.dtype)
_DIGITS = 32
_LOAD_CONST = dis.opmap['LOAD_CONST']
# Modules that make machine code of what fingerprints do not see: their text is in the key of the
# cache, so an edit compiles all anew.
MAKERS = ('compiler', 'intrinsics', 'records')
_PLAIN = (types.Number, types.Boolean, types.NoneType, types.UnicodeType, types.Array,
          types.Record, types.Literal)
# How numba calls the global variable that holds a function's environment.
ENVIRONMENT = '_ZN08NumbaEnv'
_ARRAY_EXPRESSION = '__numba_array_expr_'  # a function that numba makes of `a + b` of arrays
_NUMBAS = re.compile(rf'{ENVIRONMENT}(5numba|\d+_3cdynamic_3e\d+{_ARRAY_EXPRESSION})')


class UnknownPartError(ValueError):
    """A function refers to something whose changes a fingerprint would not see."""


def fingerprint(function: Any,  # noqa: ANN401 - or a dispatcher
                functions: set[FunctionType] | None = None) -> str:
    """Return the fingerprint of a function that is to be compiled, as it is now: 32 hex digits.

    Parameters
    ----------
    function : or its dispatcher
    functions : gets the functions of Python that the fingerprint covers

    Raises
    ------
    UnknownPartError
        where it refers to an object of another kind than these; its code is not to be kept.

    """
    digest = sha256()
    for part in _Walk(set() if functions is None else functions).parts_of_compiled(function):
        digest.update(part.encode() + b'\0')
    return digest.hexdigest()[:_DIGITS]


class _Made(NamedTuple):
    """How a function of Python was compiled."""

    function: Any
    fingerprint: str  # then; '' where it was not whole


class _Listener(event.Listener):  # type: ignore[misc]
    """Notes of each function that numba compiles what its fingerprint was then."""

    def __init__(self) -> None:
        self.made: dict[str, _Made] = {}  # by the names of their environments
        self._compiling: list[_Made] = []

    def on_start(self, event: Any) -> None:  # noqa: ANN401 - of numba
        """Take a fingerprint; a pass over another function puts that one into this one."""
        if event.kind == 'numba:compile':
            function = event.data['dispatcher'].py_func
            text = ''
            if not _is_known(function.__module__):
                with contextlib.suppress(UnknownPartError):
                    text = fingerprint(function)
            self._compiling.append(_Made(function, text))
        elif self._compiling and not _is_known(event.data['module']):
            function, name = self._compiling[-1].function, event.data['qualname']
            if name != function.__qualname__ and not name.startswith(_ARRAY_EXPRESSION):
                self._compiling[-1] = _Made(function, '')

    def on_end(self, event: Any) -> None:  # noqa: ANN401 - of numba
        """Note the function."""
        # Empty where this module is imported for what is being compiled already.
        if event.kind == 'numba:compile' and self._compiling:
            made = self._compiling.pop()
            result = event.data['dispatcher'].overloads.get(tuple(event.data['args']))
            if result is not None:
                self.made[result.fndesc.env_name] = made


_listener = _Listener()
event.register('numba:compile', _listener)
event.register('numba:run_pass', _listener)


def is_whole(library: Any, functions: set[FunctionType]) -> bool:  # noqa: ANN401 - of numba
    """Tell whether fingerprints cover all functions of Python in machine code, as they were.

    Parameters
    ----------
    library : of machine code
    functions : that the fingerprint of the whole covers

    """
    now: dict[FunctionType, str] = {}
    for variable in library._final_module.global_variables:
        if not variable.name.startswith(ENVIRONMENT):
            continue
        made = _listener.made.get(variable.name)
        if made is None:  # numba's own, or compiled before anybody took notes
            if not _NUMBAS.match(variable.name):
                return False
        elif not _is_known(made.function.__module__):
            if made.function not in functions:
                return False
            if made.function not in now:
                now[made.function] = fingerprint(made.function)
            if made.fingerprint != now[made.function]:
                return False
    return True


def describe_type(kind: Any, functions: set[FunctionType] | None = None) -> str:  # noqa: ANN401
    """Return a numba type as text, with the fields of its tuples and structures in order.

    numba's own text of a NamedTuple does not name them: two fields of one type that change places
    would find the machine code of before.

    Parameters
    ----------
    kind : a numba type
    functions : gets those that the text covers

    Raises
    ------
    UnknownPartError
        for a type that may stand for more than its text tells.

    """
    def inner(part: Any) -> str:  # noqa: ANN401
        return describe_type(part, functions)
    if isinstance(kind, types.BaseNamedTuple):
        fields = ', '.join(f'{name}: {inner(part)}'
                           for name, part in zip(kind.fields, kind, strict=True))
        return f'{_name(kind.instance_class)}({fields})'
    if isinstance(kind, types.StructRef):
        fields = ', '.join(f'{name}: {inner(part)}' for name, part in kind._fields)
        return f'{_name(type(kind))}{{{fields}}}'
    if isinstance(kind, types.BaseTuple):
        return f'({", ".join(map(inner, kind))})'
    if isinstance(kind, types.Optional):
        return f'optional {inner(kind.type)}'
    if isinstance(kind, types.Dispatcher):
        return fingerprint(kind.dispatcher, functions)
    if isinstance(kind, types.EnumMember | types.IntEnumMember):
        return f'{kind} {_members(kind.instance_class)}'
    if isinstance(kind, types.Omitted):
        return f'omitted {list(_Walk(set()).parts(kind.value))}'
    if isinstance(kind, types.List | types.ListType | types.Set | types.DictType):
        parts = (getattr(kind, name, None) for name in ('dtype', 'key_type', 'value_type'))
        return f'{kind} {[inner(part) for part in parts if part is not None]}'
    if isinstance(kind, _PLAIN) or _is_known(type(kind).__module__, foreign=False):
        return str(kind)
    raise UnknownPartError(f'type {kind}')


def _members(kind: Any) -> str:  # noqa: ANN401 - an enum class
    return f'{_name(kind)} {[(member.name, member.value) for member in kind]}'


def _name(thing: Any) -> str:  # noqa: ANN401 - a class
    return f'{thing.__module__}.{thing.__qualname__}'


def _is_known(module: str | None, foreign: bool = True) -> bool:
    """Tell whether a module is in the key of the cache, by its version or its text."""
    package, _, rest = (module or '').partition('.')
    return (foreign and package in _FOREIGN) or (
        f'{package}.{rest}' in [f'{__package__}.{name}' for name in MAKERS])


class _Walk:
    """Texts that tell what a function is compiled from from anything else."""

    def __init__(self, functions: set[FunctionType]) -> None:
        self._functions = functions
        self._seen: dict[int, int] = {}

    def parts(self, value: Any) -> Iterator[str]:  # noqa: ANN401 - of any type
        """Yield the texts of a value."""
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
                yield from self.parts(item)
        elif isinstance(value, dict):
            yield from self.parts([*value.items()])
        elif isinstance(value, types.Type):
            yield f'type {describe_type(value, self._functions)}'
        elif id(value) in self._seen:  # also ends the circle of a function that calls itself
            yield f'again {self._seen[id(value)]}'
        else:
            self._seen[id(value)] = len(self._seen)
            yield from self._parts_of_object(value)

    def _parts_of_object(self, value: Any) -> Iterator[str]:  # noqa: ANN401
        """Yield the texts of a function, a class or something else that refers to other things."""
        module = getattr(value, '__module__', None)
        if isinstance(value, Dispatcher):
            yield from self.parts_of_compiled(value)
        elif isinstance(value, _Intrinsic) and _is_known(value._defn.__module__):
            yield f'intrinsic {_name(value._defn)}'
        elif isinstance(value, type) and issubclass(value, enum.Enum):
            yield _members(value)
        elif isinstance(value, type) and not hasattr(value, 'class_type'):  # no jitclass
            yield f'class {_name(value)} {getattr(value, "_fields", "")}'
            yield from self.parts(getattr(value, '_field_defaults', None))
        elif value is not getattr and (
                (isinstance(value, (FunctionType, BuiltinFunctionType)) and _is_known(module))
                or isinstance(value, np.ufunc) or type(value).__module__ == 'typing'):
            yield f'{type(value).__name__} {module}.{value.__name__}'
        else:
            raise UnknownPartError(f'{type(value).__name__} {getattr(value, "__name__", "")}')

    def parts_of_compiled(self, function: Any) -> Iterator[str]:  # noqa: ANN401
        """Yield the texts of a function that is compiled, or of its dispatcher."""
        if isinstance(function, Dispatcher):
            yield f'compiled {sorted(function.targetoptions.items())!r}'
            yield f'{sorted((name, str(kind)) for name, kind in function.locals.items())}'
            if not getattr(function, '_can_compile', True):  # signatures are given
                yield ' '.join(map(str, function.nopython_signatures))
            function = function.py_func
        self._functions.add(function)
        yield f'function {function.__name__}'
        yield from self.parts((function.__defaults__, function.__kwdefaults__))
        names: dict[str, None] = {}
        yield from self._parts_of_code(function.__code__, function.__doc__, names)
        if 'getattr' in names:  # of a name that may come from anywhere
            raise UnknownPartError(f'{function.__name__}: getattr')
        for cell in function.__closure__ or ():
            yield from self._parts_of_name(cell.cell_contents, names)
        for name in list(names):
            if name in function.__globals__:
                yield f'global {name}'
                yield from self._parts_of_name(function.__globals__[name], names)

    def _parts_of_name(self, value: Any, names: dict[str, None],  # noqa: ANN401
                       within: tuple[str, ...] = ()) -> Iterator[str]:
        """Yield the texts of what a name stands for.

        Of a module what ``module.name`` may stand for: both names are in the bytecode.
        """
        if not isinstance(value, ModuleType):
            yield from self.parts(value)
            return
        yield f'module {value.__name__}'
        if value.__name__.partition('.')[0] in _FOREIGN or value.__name__ in within:
            return
        for name in list(names):
            if name in vars(value):
                yield f'{value.__name__}.{name}'
                yield from self._parts_of_name(vars(value)[name], names,
                                               (*within, value.__name__))

    def _parts_of_code(self, code: CodeType, doc: str | None,
                       names: dict[str, None]) -> Iterator[str]:
        """Yield the texts of bytecode, and note the names it uses; lines do not count."""
        names.update(dict.fromkeys(code.co_names))
        yield code.co_code.hex()
        yield f'{code.co_names}'  # the bytecode has their numbers: attributes, functions of NumPy
        yield f'{code.co_varnames} {code.co_freevars} {code.co_argcount} {code.co_kwonlyargcount}'
        # Not co_flags: numba changes them where a profiler looks on. The rest tells what they
        # tell.
        yield getattr(code, 'co_exceptiontable', b'').hex()
        for index, value in enumerate(code.co_consts):
            if isinstance(value, CodeType):
                yield from self._parts_of_code(value, None, names)
            elif index > 0 or value != doc or _loads_first_constant(code):
                yield from self.parts(value)


def _loads_first_constant(code: CodeType) -> bool:
    """Tell whether a docstring's constant is in use, as text that the function returns."""
    return any(code.co_code[i] == _LOAD_CONST and code.co_code[i + 1] == 0
               for i in range(0, len(code.co_code), 2))
