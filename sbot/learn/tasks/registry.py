"""Registry of tasks: it finds the ``ENTRY`` of each module in this folder."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from sbot.learn.tasks.entry import Entry
from sbot_common.errors import bad_value, unknown_name

_NO_TASKS = ('entry', 'measures', 'registry')


@lru_cache(maxsize=1)
def entries() -> dict[str, Entry]:
    """Return the entries by name, in alphabetical order."""
    found = [import_module(f'{__package__}.{module.name}').ENTRY
             for module in iter_modules(import_module(__package__).__path__)
             if module.name not in _NO_TASKS]
    return {entry.name: entry for entry in sorted(found, key=lambda entry: str(entry.name))}


def entry_of(name: str) -> Entry:
    """Return the entry of a task.

    Raises
    ------
    InputError
        for an unknown name, with the nearest known one, and for what is no name.

    """
    if not isinstance(name, str):
        raise bad_value('task', name, f"one of {', '.join(entries())}")
    if name not in entries():
        raise unknown_name('task', name, list(entries()))
    return entries()[name]
