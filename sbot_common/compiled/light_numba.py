# SPDX-License-Identifier: Apache-2.0
"""Import of numba without scipy, which numba would import to look for BLAS.

Where scipy is installed, that look imports a hundred modules of it, in every process. What uses
BLAS in a user's own compiled functions still finds it, when it is compiled.

The garbage collector does not look at numba's 100,000 objects, which stay until the end: not while
they are made, not later, and not when the interpreter takes itself apart, which takes as long.

``NUMBA_DISABLE_JIT`` is refused here, once for all functions: in Python there are no vectors, no
whole numbers of 64 bits that wrap around, and no addresses of functions.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from sbot_common.compiled.lazy import uncollected
from sbot_common.errors import bad_value


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


def _refuse_no_compilation() -> None:
    from numba import config
    if config.DISABLE_JIT:
        raise bad_value('NUMBA_DISABLE_JIT', config.DISABLE_JIT,
                        '0, because simulations need compiled code; to debug a function of your '
                        'own, call it from Python')


_import_numba()
_refuse_no_compilation()
