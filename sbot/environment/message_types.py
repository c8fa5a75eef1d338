"""Types that the messages of a package use: each must be there, and none may contain itself.

The generators of ROS 2 answer both with the name of a missing dictionary key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

MOST_DEPTH = 50  # of messages within messages of one package
MOST_VALUES = 1 << 24  # of a message and all that it contains, with arrays of a fixed length


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
        for owner, name, _ in types:
            if owner is None:
                continue
            if owner == package:
                if f'msg/{name}.msg' not in used:
                    raise ValueError(f'{path}: type {name}: there is no msg/{name}.msg')
            elif not (share / owner).is_dir():
                raise ValueError(f'{path}: type {owner}/{name} needs {owner}, which is not '
                                 'installed')
            elif not any((share / owner / 'msg' / f'{name}{end}').is_file()
                         for end in ('.idl', '.msg', '.json')):
                raise ValueError(f'{path}: type {owner}/{name}: {owner} has no such message')
    check_contained({
        path: [(f'msg/{name}.msg', count) for owner, name, count in types if owner == package]
        for path, types in used.items()}, {
        path: sum(count for owner, _, count in types if owner != package)
        for path, types in used.items()})


def check_contained(contained: Mapping[str, Sequence[tuple[str, int]]],
                    own: Mapping[str, int]) -> None:
    """Raise ValueError for a file that contains itself, or others in too many levels or too often.

    Parameters
    ----------
    contained : to each file's path the paths that it contains, each with a count
    own : number of values of each file beside these

    """
    users: dict[str, list[str]] = {path: [] for path in contained}
    for path, inner in contained.items():
        for name, _ in inner:
            users[name].append(path)
    missing = {path: len(inner) for path, inner in contained.items()}
    ready = [path for path, count in missing.items() if not count]
    levels, values = dict.fromkeys(ready, 1), {path: own[path] for path in ready}
    for path in ready:  # grows: those whose contents are known
        for user in users[path]:
            missing[user] -= 1
            if not missing[user]:
                inner = contained[user]
                levels[user] = 1 + max(levels[name] for name, _ in inner)
                values[user] = own[user] + sum(count * values[name] for name, count in inner)
                ready.append(user)
    if len(ready) < len(contained):
        raise ValueError(f'{_in_a_circle(contained, levels)}: contains itself')
    for path in contained:
        if levels[path] > MOST_DEPTH:
            raise ValueError(f'{path}: nests messages in more than {MOST_DEPTH} levels')
        if values[path] > MOST_VALUES:
            raise ValueError(f'{path}: has {values[path]} values, expected at most {MOST_VALUES}')


def _parsed(folder: Path, package: str) -> Iterator[
        tuple[str, list[tuple[str | None, str, int]]]]:
    """Yield each file's path, and of its fields package (None: primitive), type and number.

    The number is the length of an array; 0 for one that may be empty.
    """
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
        yield where, [
            (field.type.pkg_name, field.type.type,
             (field.type.array_size if field.type.is_fixed_size_array() else 0)
             if field.type.is_array else 1) for field in fields]


def _in_a_circle(contained: Mapping[str, Sequence[tuple[str, int]]],
                 known: Mapping[str, int]) -> str:
    """Return the first name of a circle; what only leads to one is not to blame."""
    path = next(path for path in contained if path not in known)
    way: list[str] = []
    while path not in way:  # at most MOST_FILES names
        way.append(path)
        path = next(name for name, _ in contained[path] if name not in known)
    return min(way[way.index(path):])
