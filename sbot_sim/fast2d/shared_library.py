# SPDX-License-Identifier: Apache-2.0
"""Build Fast2D as a shared library for C programs: ``make fast2d``.

The library embeds the Python that built it. Usage:
``python -m sbot_sim.fast2d.shared_library DIRECTORY``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from sbot_common.errors import InputError
from sbot_sim.fast2d.c_exports import (
    C_FOR_PYTHON,
    C_SOURCE,
    IN_C,
    PYTHON_FOR_C,
    SLOW,
    load_compiled,
)

INCLUDE = Path(__file__).resolve().parent / 'include'
ROOT = Path(__file__).resolve().parents[2]  # where the packages are
HEADER = 'plugins/fast2d/fast2d.h'

# The program name is set before Python starts, so that it finds the packages of that environment.
# ROS wheels start Python a second time to set the loader's path, unless this variable says that
# it has been done; the host program would be gone. Hosts open plugins with local symbols, but
# compiled packages need the symbols of libpython globally.
_BEFORE_PYTHON = """
#include <dlfcn.h>
#include <stdlib.h>
#include <{header}>

__attribute__((constructor)) static void before_python(void)
{{
    setenv("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1", 1);
    dlopen("{libpython}", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    if (!Py_IsInitialized()) {{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        Py_SetProgramName((wchar_t *)L"{executable}");
#pragma GCC diagnostic pop
    }}
}}
"""
_FIRST_CALL = """
import sys
sys.path.extend(path for path in {paths!r} if path not in sys.path)
from _sbot_fast2d import ffi, lib
from sbot_sim.fast2d.c_exports import Exports
Exports(ffi, lib).define()
"""


def _missing() -> str | None:
    """Return the missing requirement of the library, or None."""
    if importlib.util.find_spec('cffi') is None:
        return 'cffi is not installed (pip install cffi)'
    compiler = shlex.split(os.environ.get('CC') or sysconfig.get_config_var('CC') or 'cc')[0]
    if shutil.which(compiler) is None:
        return f'there is no C compiler ({compiler})'
    if not (Path(sysconfig.get_path('include')) / 'Python.h').exists():
        return f'there is no Python.h in {sysconfig.get_path("include")}'
    if not sysconfig.get_config_var('Py_ENABLE_SHARED'):
        return 'this Python was built without a shared library (libpython)'
    return None


def _prototypes(interface: str) -> str:
    """Return the declarations of what C calls in Python."""
    names = [f'{name}{SLOW}(' for name in IN_C]
    lines = ' '.join(re.sub(r'/\*.*?\*/', '', interface, flags=re.DOTALL).split()).split(';')
    found = [f'{line};' for line in lines if any(name in line for name in names)]
    return '\n'.join(f'CFFI_DLLEXPORT {line}' for line in [*found, PYTHON_FOR_C])


def _build(directory: Path) -> Path:
    """Build ``libfast2d.so`` into a directory and return its path.

    Raises
    ------
    InputError
        saying what is missing.

    """
    reason = _missing()
    if reason is not None:
        raise InputError(f'Fast2D for C: {reason}')
    from cffi import FFI  # type: ignore[import-untyped,import-not-found]

    header = (INCLUDE / HEADER).read_text()
    builder = FFI()
    interface = header.split('/* begin */')[1].split('/* end */')[0]
    for name in IN_C:  # Python has the rest, and these by another name
        interface = interface.replace(f'{name}(', f'{name}{SLOW}(')
    builder.embedding_api(interface + PYTHON_FOR_C)
    builder.cdef(C_FOR_PYTHON)
    builder.set_source(
        '_sbot_fast2d',
        _BEFORE_PYTHON.format(header=HEADER, executable=sys.executable,
                              libpython=sysconfig.get_config_var('INSTSONAME'))
        + _prototypes(interface) + C_SOURCE,
        include_dirs=[str(INCLUDE)], extra_compile_args=['-Wno-array-parameter'],
        runtime_library_dirs=[sysconfig.get_config_var('LIBDIR')])
    paths = [str(ROOT), *(path for path in sys.path if path)]
    builder.embedding_init_code(_FIRST_CALL.format(paths=paths))
    directory.mkdir(parents=True, exist_ok=True)
    return Path(builder.compile(tmpdir=str(directory), target='libfast2d.*'))


def main() -> int:
    """Build into the directory named on the command line; 2 and a line if that cannot be.

    The engine is compiled, too, so that the first host need not wait for that.
    """
    try:
        load_compiled()
        print(_build(Path(sys.argv[1] if len(sys.argv) > 1 else 'build/fast2d')))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
