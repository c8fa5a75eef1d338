"""Registry of controllers: entries by name; other packages add theirs by an entry point.

An installed package adds a controller by an entry point of the group ``sbot.controllers``. Its
name is what scenarios write; it leads to an ``Entry`` or to a class with
``step(observation, rng)``, whose keyword arguments are the parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

from sbot.controllers import user
from sbot.controllers.entry import Entry, Place, Sources
from sbot_common.errors import InputError
from sbot_common.observation import Controller
from sbot_common.user_code import call_user_code, entry_points_of, records_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = 'sbot.controllers'
NONE = 'none'  # a robot that something else drives


@lru_cache(maxsize=1)
def shipped() -> tuple[Entry, ...]:
    """Return the entries of this package's modules: by name, families, and users' classes last."""
    return tuple(sorted(records_of(__package__, 'ENTRY'), key=lambda entry: (
        entry is user.ENTRY, ':' in entry.name, entry.name)))


@lru_cache(maxsize=1)
def installed() -> Mapping[str, EntryPoint]:
    """Return the entry points of other packages by name, in alphabetical order."""
    own = {entry.name for entry in shipped()} | {NONE}
    return {point.name: point for point in entry_points_of(GROUP)
            if point.name not in own and ':' not in point.name}


def names() -> list[str]:
    """Return the names that scenarios may give, families and users' classes apart."""
    return [*(entry.name for entry in shipped() if ':' not in entry.name), NONE, *installed()]


def is_named(name: str) -> bool:
    """Tell whether a controller is shipped or installed, not a class of the user's."""
    # Entry points last: looking for them reads a file of each package that is installed.
    return name == NONE or any(_is_name_of(name, entry) for entry in shipped()[:-1]) or (
        name in names())


def entry_of(name: str) -> Entry:
    """Return the entry of a controller's name: shipped, installed, or a user's class.

    Raises
    ------
    InputError
        if an installed package's controller cannot be imported, or is none.

    """
    for entry in shipped()[:-1]:
        if _is_name_of(name, entry):
            return entry
    return _load_entry(installed()[name]) if name in installed() else shipped()[-1]


def is_outside(name: str) -> bool:
    """Tell whether something else than a controller of ours drives a robot."""
    return name == NONE or entry_of(name).outside


def _is_name_of(name: str, entry: Entry) -> bool:
    return name == entry.name or (entry.name.endswith(':') and name.startswith(entry.name))


@cache
def _load_entry(point: EntryPoint) -> Entry:
    where = f"controller '{point.name}' ({point.value})"
    try:
        found: Any = point.load()
    except (Exception, SystemExit) as error:  # another package may raise anything
        raise InputError(f'{where}: {type(error).__name__}: {error}') from None
    if isinstance(found, Entry):
        return found._replace(name=point.name)
    if not inspect.isclass(found) or not user.steps(found):
        raise InputError(f'{where}: needs an Entry, or a class with a method '
                         'step(observation, rng)')

    def make(place: Place) -> Controller:
        made: Any = call_user_code(
            partial(found, **place.parameters),
            lambda: f'robot {place.robot_id}: {found.__name__}()')
        return made  # type: ignore[no-any-return]

    def check(_: str, parameters: Mapping[str, object], place: str, __: Sources) -> None:
        user.check_arguments(found, parameters, place)
    first = (inspect.getdoc(found) or f'A class of {point.module}.').splitlines()[0]
    return Entry(point.name, first, make, check=check)
