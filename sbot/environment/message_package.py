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
_COMPILERS = {'.c': 0, '.cpp': 1}  # which one of ``compilers``
_OTHER_PACKAGE = re.compile(r'^\s*([a-z]\w*)/[A-Z]\w*', re.MULTILINE)  # rcl_interfaces/Parameter a


def compilers() -> tuple[str, str] | None:
    """Return a C and a C++ compiler, if there are both and the headers of Python."""
    header = Path(sysconfig.get_paths()['include']) / 'Python.h'
    c = shutil.which('gcc') or shutil.which('cc')
    cpp = shutil.which('g++') or shutil.which('c++')
    return (c, cpp) if c and cpp and header.is_file() else None


def make_in_child(sources: Path, folder: Path, package: str, prefix: Path,
                  timeout: float | None = None) -> str:
    """Make a package in a process of its own; return in words what went wrong, '' if nothing.

    Parameters
    ----------
    sources, folder, package, prefix : as for ``_main``
    timeout : s; None: none. After it subprocess.TimeoutExpired is raised

    """
    done = subprocess.run(
        python_command('from sbot.environment.message_package import _main; '
                       'sys.exit(_main(*sys.argv[1:]))', str(sources), str(folder), package,
                       str(prefix)),
        capture_output=True, text=True, errors='replace', check=False, timeout=timeout,
        stdin=subprocess.DEVNULL)
    problem = done.stderr.strip() or f'exit code {done.returncode}'
    return problem.splitlines()[-1] if done.returncode else ''


class _Maker:
    """Generates and compiles one package in a folder of its own.

    Parameters
    ----------
    sources : has msg/*.msg, srv/*.srv, or both; nothing is written there
    folder : what is made stands in its folder ``made``
    package : name
    prefix : of the installed ROS 2: has include, lib and share

    """

    def __init__(self, sources: Path, folder: Path, package: str, prefix: Path) -> None:
        self._package, self._prefix, self._sources = package, prefix, sources
        self._folder, self._made = folder, folder / 'made' / package
        self._out = folder / 'generated'  # a folder for each generator: some name files alike
        self._files = {kind: sorted(sources.glob(f'{kind}/*.{kind}')) for kind in KINDS}
        self._dependencies = self._find_dependencies()
        self._idls: list[str] = []
        self._hashes: list[str] = []
        found = compilers()
        assert found is not None
        self._compilers = found

    def make(self) -> None:
        """Make the package; errors of the generators and compilers are raised."""
        with contextlib.redirect_stdout(io.StringIO()):  # generators print what they read
            self._generate()
        for kind, files in self._files.items():
            if files:
                shutil.copytree(
                    self._generated('rosidl_generator_py') / kind, self._made / kind,
                    ignore=lambda _, names: [name for name in names if not name.endswith('.py')])
        (self._made / '__init__.py').write_text('')
        self._compile()

    def _find_dependencies(self) -> list[str]:
        """Return the packages whose types are used, that are installed."""
        found = dict.fromkeys(_DEPENDENCIES)
        for path in (path for files in self._files.values() for path in files):
            found.update(dict.fromkeys(_OTHER_PACKAGE.findall(path.read_text('utf-8'))))
        return [name for name in found
                if name != self._package and (self._prefix / 'share' / name).is_dir()]

    def _generate(self) -> None:
        from rosidl_adapter.msg import convert_msg_to_idl
        from rosidl_adapter.srv import convert_srv_to_idl
        from rosidl_generator_type_description import generate_type_hash
        for kind, convert in zip(KINDS, (convert_msg_to_idl, convert_srv_to_idl), strict=True):
            for path in self._files[kind]:
                convert(self._sources, self._package, path.relative_to(self._sources),
                        self._folder / kind)
                self._idls.append(f'{self._folder}:{kind}/{path.stem}.idl')
        generate_type_hash(self._arguments('rosidl_generator_c'))
        described = self._generated('rosidl_generator_c')
        relative = [idl.rpartition(':')[2] for idl in self._idls]
        self._hashes = [f'{idl}:{described / Path(idl).with_suffix(".json")}' for idl in relative]
        for module, name, *more in (
                ('rosidl_generator_c', 'generate_c'),
                ('rosidl_typesupport_introspection_c', 'generate_c'),
                ('rosidl_typesupport_fastrtps_c', 'generate_typesupport_fastrtps_c'),
                ('rosidl_typesupport_c', 'generate_c', list(_IMPLEMENTATIONS)),
                ('rosidl_generator_py.generate_py_impl', 'generate_py', ['rosidl_typesupport_c'])):
            generate: Callable[..., object] = getattr(import_module(module), name)
            generate(self._arguments(module.partition('.')[0]), *more)
        for path in (self._prefix / 'share').glob('rosidl_*/resource/*__visibility_control.h.in'):
            text = path.read_text().replace('@PROJECT_NAME@', self._package)
            target = self._generated('rosidl_generator_c') / 'msg' / path.stem
            target.parent.mkdir(exist_ok=True)
            target.write_text(text.replace('@PROJECT_NAME_UPPER@', self._package.upper()))

    def _generated(self, generator: str) -> Path:
        return self._out / generator / self._package

    def _arguments(self, generator: str) -> str:
        """Write a generator's arguments; return the path of the file."""
        import rosidl_pycommon
        rosidl_pycommon.template_prefix_path.clear()  # else the first one's of a name are taken
        share, file = self._prefix / 'share', self._folder / 'arguments.json'
        file.write_text(json.dumps({
            'package_name': self._package, 'output_dir': str(self._generated(generator)),
            'template_dir': str(share / generator / 'resource'), 'idl_tuples': self._idls,
            'include_paths': [f'{name}:{share / name}' for name in self._dependencies],
            'ros_interface_files': [
                str(path) for files in self._files.values() for path in files],
            'ros_interface_dependencies': [],
            'target_dependencies': [], 'type_description_tuples': self._hashes}))
        return str(file)

    def _compile(self) -> None:
        """Compile a library of each kind, then the one that Python loads."""
        suffix, lib = sysconfig.get_config_var('EXT_SUFFIX'), self._prefix / 'lib'
        libraries = [
            *(f'{each}__{kind}' for each in self._dependencies for kind in (
                'rosidl_generator_c', *_IMPLEMENTATIONS, 'rosidl_generator_py',
                'rosidl_typesupport_c')),
            'rosidl_runtime_c', 'rcutils', 'fastcdr', 'rosidl_typesupport_fastrtps_c',
            'rosidl_typesupport_fastrtps_cpp', 'rosidl_typesupport_c']
        made: list[str] = []
        for name, kinds in (
                *((f'lib{self._package}__{kind}.so', [kind])
                  for kind in ('rosidl_generator_c', *_IMPLEMENTATIONS)),
                (f'{self._package}_s__rosidl_typesupport_c{suffix}',
                 ['rosidl_generator_py', 'rosidl_typesupport_c'])):
            objects = [self._object(path) for kind in kinds for path in sorted(
                self._generated(kind).rglob('*')) if path.suffix in _COMPILERS]
            _call([self._compilers[1], '-shared', '-o', str(self._made / name), *objects,
                   '-Wl,--no-as-needed', f'-Wl,-soname,{name}', '-Wl,-rpath,$ORIGIN',
                   f'-Wl,-rpath,{lib}', f'-L{self._made}', f'-L{lib}',
                   *(f'-l:{each}' for each in made), *(f'-l{each}' for each in libraries)])
            made.append(name)

    def _object(self, source: Path) -> str:
        import numpy
        target, include = source.with_suffix('.o'), self._prefix / 'include'
        includes = [*self._out.iterdir(), include,
                    *(path for path in include.iterdir() if path.is_dir()),
                    sysconfig.get_paths()['include'], numpy.get_include()]
        _call([self._compilers[_COMPILERS[source.suffix]], '-O1', '-fPIC', '-w', '-c', str(source),
               '-o', str(target), *(f'-I{path}' for path in includes)])
        return str(target)


def _call(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f'{command[0]}: {_first_error(done.stderr)}')


def _first_error(text: str) -> str:
    lines = text.strip().splitlines() or ['failed']
    return next((line for line in lines if 'error' in line), lines[-1])


def _main(sources: str, folder: str, package: str, prefix: str) -> int:
    """Make a package and load it; return 0, or 1 after an error in one line on stderr.

    Parameters
    ----------
    sources, folder, package, prefix : as for ``_Maker``

    """
    try:
        _Maker(Path(sources), Path(folder), package, Path(prefix)).make()
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
