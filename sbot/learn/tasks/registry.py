"""Registry of tasks: the ``ENTRY`` of each module here, and ``module:ENTRY`` of users' modules."""

from __future__ import annotations

import inspect
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from sbot.controllers.user import load_named
from sbot.learn.task import Task
from sbot.learn.tasks.entry import Entry, Metric, Rule, Scene
from sbot_common.errors import bad_value, unknown_name
from sbot_common.user_code import call_user_code

_NO_TASKS = ('entry', 'measures', 'registry')


@lru_cache(maxsize=1)
def entries() -> dict[str, Entry]:
    """Return the entries of the package by name, in alphabetical order."""
    found = [import_module(f'{__package__}.{module.name}').ENTRY
             for module in iter_modules(import_module(__package__).__path__)
             if module.name not in _NO_TASKS]
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
        cannot be imported, or has no such entry.

    """
    if isinstance(name, str) and ':' in name:
        found = _own(name)
        if not isinstance(found, Entry):
            raise bad_value('task', name, 'an Entry, which has a metric; a class has none')
        return found
    if not isinstance(name, str):
        raise bad_value('task', name, f"module:ENTRY, or one of {', '.join(entries())}")
    if name not in entries():
        raise unknown_name('task', name, [*entries(), 'module:ENTRY'])
    return entries()[name]


def task_of(name: str) -> Task:
    """Return the task of a name, for any scenario; ``module:Class`` is enough for it."""
    found = _own(name) if ':' in name else entry_of(name)
    task: Task = _made(found.task if isinstance(found, Entry) else found)
    return task


def scene_of(name: str) -> Scene:
    """Return the task of a name with scenes of its own; ``module:Class`` is enough for it."""
    found = _own(name) if isinstance(name, str) and ':' in name else entry_of(name)
    kind = found.scene if isinstance(found, Entry) else found
    if not issubclass(kind, Scene):
        raise bad_value('task', name, 'a class of Scene, which has scenes of its own')
    scene: Scene = _made(kind)
    return scene


def _made(kind: Any) -> Any:  # noqa: ANN401 - a class of Task
    return call_user_code(kind, lambda: f'{kind.__name__}()')


def _own(name: str) -> Any:  # noqa: ANN401
    """Return the Entry or the class of Task that ``module:NAME`` names."""
    found = load_named(name, (str(Path.cwd()),), 'task', 'task', _is_task)
    if found in (Task, Scene):
        raise bad_value('task', name, 'a class of your own')
    return _checked(found._replace(name=name)) if isinstance(found, Entry) else found


def _is_task(value: object) -> bool:
    return isinstance(value, Entry) or _is_class(value, Task)


def _is_class(value: object, kind: type) -> bool:
    return inspect.isclass(value) and issubclass(value, kind)


def _checked(entry: Entry) -> Entry:
    """Return an entry, or raise InputError naming the field that is wrong."""
    where = f'task: {entry.name}'
    for field, good, expected in (
            ('task', _is_class(entry.task, Task), 'a class of Task'),
            ('scene', _is_class(entry.scene, Scene), 'a class of Scene'),
            ('metric', isinstance(entry.metric, Metric), 'a Metric'),
            ('rule', isinstance(entry.rule, Rule | None), 'a Rule, or None'),
            ('learned', isinstance(entry.learned, Rule | None), 'a Rule, or None')):
        if not good:
            raise bad_value(f'{where}.{field}', getattr(entry, field), expected)
    for limit in ('max_speed', 'turn'):  # a network has the same in all scenes
        if getattr(entry.scene, limit) is None:
            raise bad_value(f'{where}.scene: {limit} of {entry.scene.__name__}', None, 'a number')
    return entry
