"""Registry of tasks: the ``ENTRY`` of each module here, and ``module:ENTRY`` of users' modules."""

from __future__ import annotations

import inspect
import re
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from sbot.controllers.registry import load_named
from sbot.learn.task import Task, check_task
from sbot.learn.tasks.entry import Entry, Scene
from sbot_common.arguments import whole
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.user_code import call_user_code, records_of

_MOST_ROBOTS = 1_000_000


@lru_cache(maxsize=1)
def entries() -> dict[str, Entry]:
    """Return the entries of the package by name, in alphabetical order."""
    found: list[Entry] = records_of(__package__, 'ENTRY')
    return {entry.name: entry for entry in sorted(found, key=lambda entry: str(entry.name))}


def entry_of(name: str) -> Entry:
    """Return the entry of a task: of the package, or of a module of the user's.

    Parameters
    ----------
    name : of a task of the package, or ``module:ENTRY``; such an entry has this as its name.
        The module may be in the current folder; it is executed

    Raises
    ------
    InputError
        for an unknown name, with the nearest known one, and for what is no name; if the module
        cannot be imported, or has no such entry; for a field of the entry that is wrong.
    UserCodeError
        if the class of its scenes cannot be made without arguments.

    """
    if isinstance(name, str) and ':' in name:
        found = _load_own(name)
        if not isinstance(found, Entry):
            raise bad_value('task', name, 'an Entry, which has a metric; a class has none')
        return found
    if isinstance(name, Task):
        raise bad_value('task', f'an object of {type(name).__name__}', 'a name; an object of '
                        'Scene needs none: call its scenario(seed)')
    if not isinstance(name, str):
        raise bad_value('task', name, f"module:ENTRY, or one of {', '.join(entries())}")
    if name not in entries():
        raise _unknown(name)
    return entries()[name]


def _unknown(name: str) -> InputError:
    """Return the error for a name of no task; it may be a module whose ENTRY was forgotten."""
    if name.isidentifier():
        module = PathFinder.find_spec(name, [str(Path.cwd()), *sys.path])  # executes nothing
        file = Path(module.origin or '') if module is not None else Path()
        if file.suffix == '.py' and re.search(rb'^ENTRY\b', file.read_bytes(), re.MULTILINE):
            return InputError(f"task: unknown name '{name}'; did you mean '{name}:ENTRY'?")
    error = unknown_name('task', name, entries())
    return error if str(error).endswith('?') else InputError(f'{error}, module:ENTRY')


def task_of(name: str) -> Task:
    """Return the task of a name, for any scenario; ``module:Class`` is enough for it."""
    found = _load_own(name) if ':' in name else entry_of(name)
    task: Task = _instance_of(found.task if isinstance(found, Entry) else found)
    return task


def scene_of(name: str) -> Scene:
    """Return the task of a name with scenes of its own; ``module:Class`` is enough for it."""
    found = _load_own(name) if isinstance(name, str) and ':' in name else entry_of(name)
    kind = found.scene if isinstance(found, Entry) else found
    if not issubclass(kind, Scene):
        raise bad_value('task', name, 'a class of Scene, which has scenes of its own')
    scene: Scene = _instance_of(kind)
    check_scene(scene)
    return found.named(scene) if isinstance(found, Entry) else scene


def _instance_of(kind: Any) -> Any:  # noqa: ANN401 - a class of Task
    return call_user_code(kind, lambda: f'{kind.__name__}()')


def _load_own(name: str) -> Any:  # noqa: ANN401
    """Return the Entry or the class of Task that ``module:NAME`` names."""
    found = load_named(name, (str(Path.cwd()),), 'task', 'task', _is_task)
    if found in (Task, Scene):
        raise bad_value('task', name, 'a class of your own')
    return _checked_entry(found._replace(name=name)) if isinstance(found, Entry) else found


def _is_task(value: object) -> bool:
    return isinstance(value, Entry) or (inspect.isclass(value) and issubclass(value, Task))


def _checked_entry(entry: Entry) -> Entry:
    """Return an entry, or raise InputError naming what is wrong with its scene or network."""
    try:
        entry.network()
        check_scene(entry.make_scene())
    except InputError as error:
        raise InputError(f'task: {entry.name}: {error}') from None
    return entry


def check_scene(scene: Scene) -> None:
    """Raise InputError for attributes of a task with scenes of its own.

    What only environments would draw is refused, as runs would not have it.
    """
    name = type(scene).__name__
    for what, is_own, instead in (
            ('begin()', type(scene).begin is not Scene.begin,
             'draw the wind in weather() and poses in start()'),
            ('goals()', type(scene).goals is not Scene.goals, 'draw goals in aims()'),
            ('randomise', bool(scene.randomise), 'draw the wind in weather()')):
        if is_own:
            raise InputError(f'task: {what} of {name} cannot be combined with Scene, as it would '
                             f'not reach scenario(seed); {instead}, or use a class of Task')
    check_task(scene)
    if not isinstance(scene.name, str):
        raise bad_value('name of the task', scene.name, 'a text')
    whole('team of the task', scene.team, 1, _MOST_ROBOTS)
