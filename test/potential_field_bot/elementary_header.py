"""The project's elementary functions for C++: what a listing gets in place of <cmath>'s.

The header is to be included after all others, in the one file that is compiled. It makes `sin` a
pointer to a function, and so on; `set_elementary` of the library gives the pointers their values.
Other functions of <cmath> are errors when they are compiled.
"""

import ctypes
import functools
from typing import Any

import numba

from sbot_common import elementary

ONE, TWO = ('sin', 'cos'), ('atan2',)  # arguments; what the listings call, beside sqrt
NAMES = (*ONE, *TWO)
OTHERS = ('tan', 'asin', 'acos', 'atan', 'exp', 'log', 'log10', 'pow', 'hypot', 'fmod')


def header() -> str:
    """C++ text; needs no more than C++98."""
    types = {**dict.fromkeys(ONE, '(double)'), **dict.fromkeys(TWO, '(double, double)')}
    return '\n'.join([
        '#pragma once', '#include <cmath>',
        *(f'static double (*elementary_{name}){types[name]};' for name in NAMES),
        'extern "C" void set_elementary(void* const* functions) {',
        *(f'  elementary_{name} = (double (*){types[name]}) functions[{i}];'
          for i, name in enumerate(NAMES)),
        '}',
        *(f'#define {name} elementary_{name}' for name in NAMES),
        f'#pragma GCC poison {" ".join(OTHERS)}', ''])


@functools.cache
def callbacks() -> list[Any]:
    """C functions that call the compiled functions; to be kept while they may be called."""
    found = []
    for name in NAMES:
        function = getattr(elementary, name)
        if name in ONE:
            found.append(numba.cfunc('float64(float64)')(_of_one(function)))
        else:
            found.append(numba.cfunc('float64(float64, float64)')(_of_two(function)))
    return found


def _of_one(function: Any) -> Any:
    return lambda x: function(x)


def _of_two(function: Any) -> Any:
    return lambda x, y: function(x, y)


def set_functions(library: ctypes.CDLL) -> None:
    """Give a library compiled with the header its functions."""
    addresses = [callback.address for callback in callbacks()]
    library.set_elementary((ctypes.c_void_p * len(addresses))(*addresses))
