"""Types that the messages of a package use: each must be there, and none may contain itself.

The generators of ROS 2 answer both with the name of a missing dictionary key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

MOST_DEPTH = 50  # of messages within messages of one package


def check_types(folder: Path, package: str, share: Path) -> None:
    """Raise ValueError, in one line with the file's path, unless all files can be made.

    Parameters
    ----------
    folder : has msg/*.msg and srv/*.srv
    package : its name
    share : folder of the installed packages

    """
    used = dict(_parsed(folder, package))
    for path, types in used.items():
        for owner, name in types:
            if owner == package:
                if f'msg/{name}.msg' not in used:
                    raise ValueError(f'{path}: type {name}: there is no msg/{name}.msg')
            elif not (share / owner).is_dir():
                raise ValueError(f'{path}: type {owner}/{name} needs {owner}, which is not '
                                 'installed')
            elif not any((share / owner / 'msg' / f'{name}{end}').is_file()
                         for end in ('.idl', '.msg', '.json')):
                raise ValueError(f'{path}: type {owner}/{name}: {owner} has no such message')
    own = {path: [f'msg/{name}.msg' for owner, name in types if owner == package]
           for path, types in used.items()}
    for path in own:
        _check_depth(path, own)


def _parsed(folder: Path, package: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each file's path, and (package, name) of the messages that it contains."""
    from rosidl_adapter.parser import parse_message_string, parse_service_string
    for path in sorted([*folder.glob('msg/*.msg'), *folder.glob('srv/*.srv')]):
        where = path.relative_to(folder).as_posix()
        text = path.read_text('utf-8')
        try:
            if path.suffix == '.msg':
                fields = parse_message_string(package, path.stem, text).fields
            else:
                parsed = parse_service_string(package, path.stem, text)
                fields = [*parsed.request.fields, *parsed.response.fields]
        except Exception as error:  # the parser raises anything, also of Python's own
            reason = ' '.join(str(error).split()) or 'cannot be read'
            raise ValueError(f'{where}: {reason}') from None
        yield where, [(field.type.pkg_name, field.type.type) for field in fields
                      if not field.type.is_primitive_type()]


def _check_depth(path: str, contained: Mapping[str, Sequence[str]]) -> None:
    """Follow what a file contains, level by level: an endless way comes back to a file."""
    level = {path}
    for _ in range(MOST_DEPTH):
        level = {inner for outer in sorted(level) for inner in contained[outer]}
        if not level:
            return
        if path in level:
            raise ValueError(f'{path}: contains itself')
    raise ValueError(f'{path}: contains messages in more than {MOST_DEPTH} levels, or ones that '
                     'contain themselves')
