# SPDX-License-Identifier: Apache-2.0
"""Message package made from its text with the generators and headers of installed ROS 2.

For packages that no wheel has, as tf2_msgs: Python classes, and type support for rmw_fastrtps_cpp.
``_main`` is for a process of its own: generators change what a process prints, and load libraries.
Needs a C and a C++ compiler and Python.h.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from sbot.environment.running import python_command

_IMPLEMENTATIONS = ('rosidl_typesupport_fastrtps_c', 'rosidl_typesupport_introspection_c')
_DEPENDENCIES = ('geometry_msgs', 'std_msgs', 'builtin_interfaces', 'service_msgs')
KINDS = ('msg', 'srv')
_OTHER_PACKAGE = re.compile(r'^\s*([a-z]\w*)/[A-Z]\w*', re.MULTILINE)  # rcl_interfaces/Parameter a


def compilers() -> tuple[str, str] | None:
    """Return a C and a C++ compiler, if there are both and the headers of Python."""
    header = Path(sysconfig.get_paths()['include']) / 'Python.h'
    c = shutil.which('gcc') or shutil.which('cc')
    cpp = shutil.which('g++') or shutil.which('c++')
    return (c, cpp) if c and cpp and header.is_file() else None


def make_in_child(folder: Path, package: str, prefix: Path, timeout: float | None = None) -> str:
    """Make a package in a process of its own; return in words what went wrong, '' if nothing.

    Parameters
    ----------
    folder, package, prefix : as for ``_main``
    timeout : s; None: none. After it subprocess.TimeoutExpired is raised

    """
    done = subprocess.run(
        python_command('from sbot.environment.message_package import _main; '
                       'sys.exit(_main(*sys.argv[1:]))', str(folder), package, str(prefix)),
        capture_output=True, text=True, errors='replace', check=False, timeout=timeout,
        stdin=subprocess.DEVNULL)
    problem = done.stderr.strip() or f'exit code {done.returncode}'
    return problem.splitlines()[-1] if done.returncode else ''


class _Maker:
    """Generates and compiles one package in a folder of its own.

    Parameters
    ----------
    folder : with PACKAGE/msg/*.msg, PACKAGE/srv/*.srv, or both; what is made stands in its
        folder ``made``
    package : name
    prefix : of the installed ROS 2: has include, lib and share

    """

    def __init__(self, folder: Path, package: str, prefix: Path) -> None:
        self._folder, self._package, self._prefix = folder, package, prefix
        self._source = folder / package
        self._made = folder / 'made'
        self._out = folder / 'generated'  # a folder for each generator: some name files alike
        self._arguments = folder / 'arguments.json'
        self._kinds = [kind for kind in KINDS if (self._source / kind).is_dir()]
        self._dependencies = self._find_dependencies()
        self._idls: list[str] = []
        self._hashes: list[str] = []

    def make(self) -> None:
        """Make the package; errors of the generators and compilers are raised."""
        with contextlib.redirect_stdout(io.StringIO()):  # generators print what they read
            self._generate()
        (self._made / self._package).mkdir(parents=True)
        self._compile()
        for kind in self._kinds:
            shutil.copytree(
                self._generated('rosidl_generator_py') / kind, self._made / self._package / kind,
                ignore=lambda _, names: [name for name in names if not name.endswith('.py')])
        (self._made / self._package / '__init__.py').write_text('')

    def _find_dependencies(self) -> list[str]:
        """Return the packages whose types are used, that are installed."""
        found = dict.fromkeys(_DEPENDENCIES)
        for kind in self._kinds:
            for path in sorted(self._source.glob(f'{kind}/*.{kind}')):
                found.update(dict.fromkeys(_OTHER_PACKAGE.findall(path.read_text('utf-8'))))
        return [name for name in found
                if name != self._package and (self._prefix / 'share' / name).is_dir()]

    def _generate(self) -> None:
        from rosidl_adapter.msg import convert_msg_to_idl
        from rosidl_adapter.srv import convert_srv_to_idl
        from rosidl_generator_py.generate_py_impl import generate_py
        from rosidl_generator_type_description import generate_type_hash
        for kind, convert in zip(KINDS, (convert_msg_to_idl, convert_srv_to_idl), strict=True):
            for path in sorted((self._source / kind).glob(f'*.{kind}')):
                convert(self._source, self._package, path.relative_to(self._source),
                        self._source / kind)
                self._idls.append(f'{self._source}:{kind}/{path.stem}.idl')
        self._write_arguments('rosidl_generator_c')
        generate_type_hash(str(self._arguments))
        described = self._generated('rosidl_generator_c')
        relative = [idl.rpartition(':')[2] for idl in self._idls]
        self._hashes = [f'{idl}:{described / Path(idl).with_suffix(".json")}' for idl in relative]
        for module, name, more in (
                ('rosidl_generator_c', 'generate_c', ()),
                ('rosidl_typesupport_introspection_c', 'generate_c', ()),
                ('rosidl_typesupport_fastrtps_c', 'generate_typesupport_fastrtps_c', ()),
                ('rosidl_typesupport_c', 'generate_c', (list(_IMPLEMENTATIONS),))):
            generate: Callable[..., object] = getattr(import_module(module), name)
            self._write_arguments(module)
            generate(str(self._arguments), *more)
        for path in (self._prefix / 'share').glob('rosidl_*/resource/*__visibility_control.h.in'):
            text = path.read_text().replace('@PROJECT_NAME@', self._package)
            target = self._generated('rosidl_generator_c') / 'msg' / path.stem
            target.parent.mkdir(exist_ok=True)
            target.write_text(text.replace('@PROJECT_NAME_UPPER@', self._package.upper()))
        self._write_arguments('rosidl_generator_py')
        generate_py(str(self._arguments), ['rosidl_typesupport_c'])

    def _generated(self, generator: str) -> Path:
        return self._out / generator / self._package

    def _write_arguments(self, generator: str) -> None:
        import rosidl_pycommon
        rosidl_pycommon.template_prefix_path.clear()  # else the first one's of a name are taken
        share = self._prefix / 'share'
        self._arguments.write_text(json.dumps({
            'package_name': self._package, 'output_dir': str(self._generated(generator)),
            'template_dir': str(share / generator / 'resource'), 'idl_tuples': self._idls,
            'include_paths': [f'{name}:{share / name}' for name in self._dependencies],
            'ros_interface_files': [
                str(path) for kind in self._kinds
                for path in self._source.glob(f'{kind}/*.{kind}')],
            'ros_interface_dependencies': [],
            'target_dependencies': [], 'type_description_tuples': self._hashes}))

    def _compile(self) -> None:
        found = compilers()
        assert found is not None
        c, cpp = found
        libraries = [
            *(f'{each}__{kind}' for each in self._dependencies for kind in (
                'rosidl_generator_c', *_IMPLEMENTATIONS)), 'rosidl_runtime_c', 'rcutils']
        own: list[str] = []
        for kind, compiler, more in (
                ('rosidl_generator_c', c, ()), ('rosidl_typesupport_introspection_c', c, ()),
                ('rosidl_typesupport_fastrtps_c', cpp, (
                    'fastcdr', 'rosidl_typesupport_fastrtps_c',
                    'rosidl_typesupport_fastrtps_cpp'))):
            name = f'{self._package}__{kind}'
            sources = sorted(self._generated(kind).glob('*/detail/*.c*'))
            self._link(self._made / self._package / f'lib{name}.so', compiler,
                       [self._object(path, compiler) for path in sources],
                       [*own, *libraries, *more])
            own.append(name)
        suffix = sysconfig.get_config_var('EXT_SUFFIX')
        module = f'{self._package}_s__rosidl_typesupport_c{suffix}'
        objects = [self._object(path, c) for path in sorted(
            self._generated('rosidl_generator_py').rglob('*.c'))]
        objects += [self._object(path, cpp) for path in sorted(
            self._generated('rosidl_typesupport_c').rglob('*.cpp'))]
        self._link(self._made / self._package / module, cpp, objects, [
            *own, *libraries, 'rosidl_typesupport_c', *(
                f'{each}__{kind}' for each in self._dependencies for kind in (
                    'rosidl_generator_py', 'rosidl_typesupport_c'))])

    def _object(self, source: Path, compiler: str) -> Path:
        target = self._folder / 'objects' / f'{source.relative_to(self._out)}.o'
        target.parent.mkdir(parents=True, exist_ok=True)
        import numpy
        includes = [*self._out.iterdir(), self._prefix / 'include',
                    *(path for path in (self._prefix / 'include').iterdir() if path.is_dir()),
                    sysconfig.get_paths()['include'], numpy.get_include()]
        _call([compiler, '-O1', '-fPIC', '-w', '-c', str(source), '-o', str(target),
               *(f'-I{path}' for path in includes)])
        return target

    def _link(self, target: Path, compiler: str, objects: Sequence[Path],
              libraries: Sequence[str]) -> None:
        folders = [self._made / self._package, self._prefix / 'lib']
        _call([compiler, '-shared', '-o', str(target), *map(str, objects), '-Wl,--no-as-needed',
               f'-Wl,-soname,{target.name}', '-Wl,-rpath,$ORIGIN',
               f'-Wl,-rpath,{self._prefix / "lib"}', *(f'-L{path}' for path in folders),
               *(f'-l{name}' for name in libraries)])


def _call(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f'{command[0]}: {_first_error(done.stderr)}')


def _first_error(text: str) -> str:
    lines = text.strip().splitlines() or ['failed']
    return next((line for line in lines if 'error' in line), lines[-1])


def _main(folder: str, package: str, prefix: str) -> int:
    """Make a package and load it; return 0, or 1 after an error in one line on stderr.

    Parameters
    ----------
    folder, package, prefix : as for ``_Maker``

    """
    try:
        _Maker(Path(folder), package, Path(prefix)).make()
        sys.path.append(os.path.join(folder, 'made'))
        for name in KINDS:
            if os.path.isdir(os.path.join(folder, 'made', package, name)):
                for kind in vars(import_module(f'{package}.{name}')).values():
                    if isinstance(kind, type):
                        kind.__class__.__import_type_support__()  # type: ignore[attr-defined]
    except Exception as error:  # of the generators, which may raise anything
        text = str(error).strip()
        kind = '' if type(error) is ValueError else f'{type(error).__name__}: '
        print(f'{kind}{text.splitlines()[0] if text else ""}', file=sys.stderr)
        return 1
    return 0
