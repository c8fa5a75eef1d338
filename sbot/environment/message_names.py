"""Names of message packages, messages and fields: rules of ROS 2, of C, C++ and Python."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from sbot_common.errors import InputError, bad_value

FIELD = re.compile(r'(?!.*__)(?!.*_$)[a-z][a-z0-9_]*', re.ASCII)  # as rosidl wants them
PACKAGE = FIELD
INTERFACE = re.compile(r'[A-Z][A-Za-z0-9]*', re.ASCII)
# Keywords of C and C++, operators of C++ in words, macros of compilers.
_RESERVED = frozenset((
    'alignas', 'alignof', 'and', 'and_eq', 'asm', 'assert', 'auto', 'bitand', 'bitor', 'bool',
    'break', 'case', 'catch', 'char', 'char16_t', 'char32_t', 'char8_t', 'class', 'co_await',
    'co_return', 'co_yield', 'compl', 'complex', 'concept', 'const', 'const_cast', 'consteval',
    'constexpr', 'constinit', 'continue', 'decltype', 'default', 'delete', 'do', 'double',
    'dynamic_cast', 'else', 'enum', 'errno', 'explicit', 'export', 'extern', 'false', 'float',
    'for', 'friend', 'goto', 'i386', 'if', 'inline', 'int', 'linux', 'long', 'mutable',
    'namespace', 'new', 'noexcept', 'noreturn', 'not', 'not_eq', 'nullptr', 'operator', 'or',
    'or_eq', 'private', 'protected', 'public', 'register', 'reinterpret_cast', 'requires',
    'restrict', 'return', 'short', 'signed', 'sizeof', 'static', 'static_assert', 'static_cast',
    'stderr', 'stdin', 'stdout', 'struct', 'switch', 'template', 'this', 'thread_local', 'throw',
    'true', 'try', 'typedef', 'typeid', 'typename', 'typeof', 'typeof_unqual', 'union', 'unix',
    'unsigned', 'using', 'virtual', 'void', 'volatile', 'wchar_t', 'while', 'xor', 'xor_eq',
    # Types and macros of headers.
    'constchar', 'int16_t', 'int32_t', 'int64_t', 'int8_t', 'longdouble_t', 'math_errhandling',
    'npy_fseek', 'npy_ftell', 'npy_lseek', 'npy_off_t', 'sched_priority', 'size_t', 'st_atime',
    'st_ctime', 'st_mtime', 'uint16_t', 'uint32_t', 'uint64_t', 'uint8_t',
    # What each generated class has.
    'builtins', 'check_fields', 'get_fields_and_field_types',
    'structure_needs_at_least_one_member'))


def is_reserved(name: str) -> bool:
    """Tell whether a name means something in C, C++, Python or the classes that are made."""
    return name in _RESERVED or keyword.iskeyword(name)


def check_interface(folder: Path, name: str, kind: str) -> None:
    """Raise InputError for a file's name that no message or service may have."""
    stem = name.removesuffix(f'.{kind}')
    if not INTERFACE.fullmatch(stem) or is_reserved(stem):
        raise bad_value(str(folder), name,
                        f'a file name such as Pose.{kind}: a capital letter first, then '
                        'letters and digits, and not a word of Python')


def check_different(paths: Iterable[str]) -> None:
    """Raise InputError where two files, e.g. msg/AB.msg and msg/Ab.msg, make the same files."""
    first: dict[str, str] = {}
    for path in paths:
        other = first.setdefault(_lower(path), path)
        if other != path:
            raise InputError(f'{other} cannot be combined with {path}: ROS 2 makes '
                             f'{Path(_lower(path)).stem} of both')


def check_package(where: str, name: str) -> None:
    """Raise InputError for a name that no package of messages may have."""
    if not PACKAGE.fullmatch(name) or is_reserved(name) or name in sys.stdlib_module_names:
        raise bad_value(where, name,
                        'small letters, digits and single underscores, a letter first, and not '
                        'a name of Python or C')


def check_free(where: str, name: str, prefix: Path) -> None:
    """Raise InputError for a name that ROS 2 in ``prefix`` or Python has, which would be hidden.

    What ``sbot.ros.interfaces`` made may be made again.
    """
    share = prefix / 'share' / name
    if share.is_dir():
        raise bad_value(where, name, f'a package that is not installed; {share} is')
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        raise bad_value(where, name, 'a name that no Python module has') from None
    # A folder without __init__.py, such as that of the sources, hides nothing.
    if spec is not None and spec.origin is not None and not (
            Path(spec.origin).with_name(f'lib{name}__rosidl_generator_c.so').is_file()):
        raise bad_value(where, name, f'a name that no Python module has; {spec.origin} has it')


def _lower(path: str) -> str:
    """Return a path as rosidl names what it makes of it."""
    folder, _, name = path.rpartition('/')
    for before in ('(.)([A-Z][a-z]+)', '([a-z0-9])([A-Z])'):
        name = re.sub(before, r'\1_\2', name.partition('.')[0])
    return f'{folder}/{name.lower()}'
