"""C interface of Fast2D: opaque integer handles, errors as text.

Run by the interpreter that the shared library of ``shared_library`` embeds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from sbot_common.errors import InputError
from sbot_sim import fast2d
from sbot_sim.fast2d import functions
from sbot_sim.fast2d.arguments import ray_count
from sbot_sim.fast2d.c_memory import IN_C, SLOW, SharedMemory
from sbot_sim.fast2d.warm_up import load_compiled

_PREFIX = 'webots_'
_CORNERS = 4
# What a function returns to C, other than nothing.
_RESULTS = {
    'create_robot': 'RobotRef', 'create_solid': 'SolidRef', 'create_irsensor': 'SensorRef',
    'get_activation': 'double',
}


class Exports:
    """Functions for C; ``ffi`` and ``lib`` are those of the embedding module."""

    def __init__(self, ffi: Any, lib: Any) -> None:  # noqa: ANN401
        self._ffi = ffi
        self._memory = SharedMemory(ffi, lib, functions.WORLD)
        self._references: dict[int, object] = {}
        # Numbers are not used twice, so that old references stay unknown; a small count that a
        # host passes by mistake is none.
        self._created = 1 << 16
        self._error: Any = ffi.NULL

    def define(self) -> None:
        """Define the functions of the library."""
        for name in fast2d.__all__:
            if name.startswith(_PREFIX):
                own = name + SLOW if name in IN_C else name
                self._ffi.def_extern(name=own)(self._guarded(name))
        self._ffi.def_extern(name=f'webots_fast2d_last_error{SLOW}')(lambda: self._error)
        self._ffi.def_extern(name='sbot_fast2d_sense')(self._memory.sensed)

    def _guarded(self, name: str) -> Callable[..., Any]:
        """Return the function with references as pointers and errors as a line of text."""
        function = self._function(name)
        result = next((kind for end, kind in _RESULTS.items() if name.endswith(end)), 'void')

        def call(*given: Any) -> Any:  # noqa: ANN401
            self._error = self._ffi.NULL
            value = None
            try:
                value = function(*(self._received(value) for value in given))
            except InputError as error:
                self._fail(str(error) if name in str(error) else f'{name}: {error}')
            except Exception as error:  # C cannot catch it
                self._fail(f'{name}: {type(error).__name__}: {error}')
            if result == 'void':
                return None
            if result == 'double':
                return math.nan if value is None else value
            return self._ffi.cast(result, 0 if value is None else self._number(value))

        return call

    def _function(self, name: str) -> Callable[..., Any]:
        """Return the function of that name, made to take C's arrays."""
        function: Callable[..., Any] = getattr(fast2d, name)
        if name.endswith(('_rectangle', '_polygon')):
            return lambda object, x, y: function(
                object, self._list(x, _CORNERS), self._list(y, _CORNERS))
        if name.endswith('_irsensor'):
            return lambda *given: function(*given[:-1], self._list(
                given[-1], ray_count('create_irsensor', given[-2])))
        if name.endswith('_get_transform'):
            return self._get_transform
        if name.endswith('_cleanup'):
            return self._cleanup
        if name.endswith('_init'):
            return self._init
        if name.endswith('_step'):
            return self._step
        return function

    def _get_transform(self, reference: fast2d.ObjectRef, *pointers: Any) -> None:  # noqa: ANN401
        values = fast2d.webots_fast2d_object_get_transform(reference)
        for pointer, value in zip(pointers, values, strict=True):
            if pointer != self._ffi.NULL:
                pointer[0] = value

    def _init(self) -> None:
        load_compiled()
        fast2d.webots_fast2d_init()

    def _step(self, dt: float) -> None:
        fast2d.webots_fast2d_step(dt)
        self._memory.moved(self._references)

    def _cleanup(self) -> None:
        fast2d.webots_fast2d_cleanup()
        self._memory.forget()
        self._references.clear()

    def _list(self, pointer: Any, count: int) -> list[float]:  # noqa: ANN401
        if pointer == self._ffi.NULL:
            raise InputError('got NULL, expected an array of numbers')
        return [pointer[k] for k in range(count)]

    def _received(self, value: Any) -> Any:  # noqa: ANN401
        """Return the reference that a pointer stands for; other values as they are."""
        if isinstance(value, self._ffi.CData) and 'struct' in self._ffi.typeof(value).cname:
            number = int(self._ffi.cast('uintptr_t', value))
            return self._references.get(number, f'the pointer {number:#x}')
        return value

    def _number(self, reference: object) -> int:
        self._created += 1
        self._references[self._created] = reference
        return self._created

    def _fail(self, text: str) -> None:
        self._error = self._ffi.new('char[]', text.encode())
        self._memory.failed()
        print(text, file=sys.stderr, flush=True)
