# SPDX-License-Identifier: Apache-2.0
"""Registry of controllers: shipped, of installed packages, and users' own classes.

An installed package adds a controller by an entry point of the group ``sbot.controllers``. Its
name is what scenarios write; it leads to an ``Entry`` or to a class with
``step(observation, rng)``, whose keyword arguments are the parameters.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sbot.controllers.entry import Entry, Place, Sources
from sbot_common.errors import InputError, bad_value, hint, one_line
from sbot_common.observation import Controller
from sbot_common.user_code import call_user_code, entry_points_of, records_of

# User-defined controllers: ``module:Class`` in a file; a class or an object from Python.

_OBJECT = 'object'  # stands for the module of a controller that is given as an object
# Modules of these are part of this package wherever a scenario names them; navground is no module,
# its behaviours are named like one.
_SHIPPED = ('navigate', 'neural_controller', 'potential_field_bot', 'sbot', 'sbot_common',
            'sbot_sim', 'wind_model', 'navground')
_FEW = 5  # names that a message lists
_STEP = 'a class with a method step(observation, rng)'


def name_controllers(data: Mapping[str, Any], where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return scenario data with names for controllers that are classes or objects, and these.

    A class is named ``module:Class``, an object ``object:Class``, the second one
    ``object:Class_2``.

    Parameters
    ----------
    data : keys and values of a scenario; not changed
    where : what messages call it

    Raises
    ------
    InputError
        if something else than a name is no controller, or two classes have the same name.

    """
    given: dict[str, Any] = {}
    robots = data.get('robots')
    if not isinstance(robots, list | tuple):
        return dict(data), given
    entries = []
    for i, entry in enumerate(robots):
        controller = entry.get('controller') if isinstance(entry, Mapping) else None
        if controller is not None and not isinstance(controller, str):
            place = f'{where}: robots.{i}.controller'
            if not _steps(controller):
                raise bad_value(place, controller, f'a name, an object or {_STEP}')
            entry = {**entry, 'controller': _name_of(controller, given, place)}
        entries.append(entry)
    return {**data, 'robots': entries}, given


def _steps(controller: Any) -> bool:  # noqa: ANN401
    """Tell whether a class or an object has a ``step`` that takes observation and rng."""
    step = getattr(controller, 'step', None)
    if not callable(step):
        return False
    kept = inspect.getattr_static(controller, 'step', None)
    unbound = (inspect.isclass(controller) and hasattr(type(kept), '__get__')
               and not isinstance(kept, staticmethod | classmethod))
    try:
        inspect.signature(step).bind(*[None] * (3 if unbound else 2))
    except ValueError:  # compiled code need not tell
        return True
    except TypeError:
        return False
    return True


def _name_of(controller: Any, given: dict[str, Any], where: str) -> str:  # noqa: ANN401
    """Return the name of a controller, and note it in ``given``."""
    if inspect.isclass(controller):
        importable = re.fullmatch(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*', controller.__module__)
        name = f'{controller.__module__ if importable else _OBJECT}:{controller.__name__}'
        if given.setdefault(name, controller) is not controller:
            raise InputError(f'{where}: two different classes have the name {name}')
        return name
    first = f'{_OBJECT}:{type(controller).__name__}'
    name, number = first, 1
    while given.setdefault(name, controller) is not controller:
        number += 1
        name = f'{first}_{number}'
    return name


def load_class(name: str, python_path: Iterable[str], where: str = 'controller') -> Any:  # noqa: ANN401
    """Return the class that ``module:Class`` names.

    ``python_path``: folders (absolute) that are searched after the installed modules; they stay in
    ``sys.path``, because a module may import its neighbours later.

    Raises
    ------
    InputError
        if the module cannot be imported, has no such class, or the class has no ``step``.

    """
    if name.partition(':')[0] == _OBJECT:
        raise InputError(f"{where}: '{name}' was an object given from Python, which a file cannot "
                         f"hold; give it again: controllers={{'{name}': ...}}")
    found = load_named(name, python_path, where, 'class', inspect.isclass)
    if not _steps(found):
        raise bad_value(where, name, _STEP)
    return found


def load_function(name: str, python_path: Iterable[str], where: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` names.

    Raises
    ------
    InputError
        if the module cannot be imported or has no such function.

    """
    function: Callable[..., Any] = load_named(name, python_path, where, 'function', callable)
    return function


def load_named(name: str, python_path: Iterable[str], where: str, kind: str,
               is_one: Callable[[object], bool]) -> Any:  # noqa: ANN401
    """Return the object that ``module:name`` names.

    Parameters
    ----------
    name, python_path, where : as in ``load_class``
    kind : what messages call such an object, e.g. 'class'
    is_one : tells whether an object is one

    Raises
    ------
    InputError
        if the module cannot be imported or has no such object.

    """
    module = _import(name, python_path, where)
    found = getattr(module, name.partition(':')[2], None)
    if not is_one(found):
        raise _missing(kind, module, name, where, is_one)
    return found


def _missing(kind: str, module: ModuleType, name: str, where: str,
             is_one: Callable[[object], bool]) -> InputError:
    """Return the error for an object, e.g. a class (``kind``), that a module lacks."""
    module_name, _, wanted = name.partition(':')
    # An object has no name, and its class is often another module's.
    own = [each for each, value in vars(module).items() if is_one(value) and each[0] != '_'
           and (getattr(value, '__module__', '') == module_name or not hasattr(value, '__name__'))]
    names = hint(wanted, own)
    file = getattr(module, '__file__', None)
    return InputError(one_line(
        f"{where}: module '{module_name}' has no {kind} '{wanted}'"
        + (f'; {names}' if names.endswith('?') or 0 < len(own) <= _FEW else '')
        + f' (it was loaded from {file or "Python itself"})'))


def is_shipped(name: str) -> bool:
    """Tell whether ``module:Class`` names a controller or function of this package."""
    return name.partition(':')[0].partition('.')[0] in _SHIPPED


def _import(name: str, python_path: Iterable[str], where: str) -> ModuleType:
    """Return the module of ``module:name``, from what is installed or from ``python_path``.

    For a shipped module those folders are not searched: it may import others that are optional.
    """
    for folder in () if is_shipped(name) else python_path:
        if folder not in sys.path:
            sys.path.append(folder)
    module_name = name.partition(':')[0]
    try:
        return import_module(module_name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        if module_name.endswith('.py'):
            stem = re.split(r'[/\\]', module_name)[-1].removesuffix('.py')
            folder = '' if stem + '.py' == module_name else ', with its folder in python_path'
            raise bad_value(where, name, f"the module without .py{folder}: "
                            f"'{stem}:{name.partition(':')[2]}'") from None
        reason = ' '.join(f'{type(error).__name__}: {error}'.split())[:200]
        raise InputError(f"{where}: cannot import '{module_name}' of '{name}': {reason}") from None


def module_folder(name: str) -> str:
    """Return the folder in which an imported module or package was found."""
    module = sys.modules[name]
    file = getattr(module, '__file__', None)
    if not file:  # a package without __init__.py
        return str(Path(next(iter(getattr(module, '__path__', ())), '')).parent)
    path = Path(file)
    return str(path.parent.parent if path.name == '__init__.py' else path.parent)


def check_arguments(controller: Any, parameters: Mapping[str, object], where: str) -> None:  # noqa: ANN401
    """Raise InputError if the class does not take ``parameters`` as keyword arguments.

    An object that was given from Python is made already and takes none.
    """
    if not inspect.isclass(controller):
        if parameters:
            raise bad_value(where, dict(parameters), 'no parameters: the controller is an object')
        return
    try:
        signature = inspect.signature(controller)
    except ValueError:  # a class without a signature, as some extension types are
        return
    try:
        signature.bind(**parameters, **_place_of(controller, None))
    except TypeError as error:
        named = [each.name for each in signature.parameters.values()
                 if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
        known = f'; its parameters: {", ".join(named) or "none"}'
        raise InputError(f'{where}: {error}{known}') from None


def _place_of(found: Any, place: Place | None) -> dict[str, Place | None]:  # noqa: ANN401
    return {'place': place} if getattr(found, 'takes_place', False) else {}


def _made(found: Any, place: Place) -> Controller:  # noqa: ANN401 - a class
    """Return a new object of a class; one that ``takes_place`` is told which robot it is for."""
    made: Controller = call_user_code(partial(found, **_place_of(found, place),
                                              **place.parameters),
                                      lambda: f'robot {place.robot_id}: {found.__name__}()')
    return made


def _make(place: Place) -> Controller:
    """Return a new object of the user's class; an object from Python as it is, after a reset."""
    found = _class_of(place.name, place.sources, 'controller')
    if inspect.isclass(found):
        return _made(found, place)
    if callable(reset := getattr(found, 'reset', None)):
        call_user_code(reset, lambda: f'robot {place.robot_id}: '
                       f'{place.name.partition(":")[2]}.reset()')
    return found  # type: ignore[no-any-return]


def _class_of(name: str, sources: Sources, where: str) -> Any:  # noqa: ANN401
    """Return the class or object of a name; InputError if there is none."""
    given = sources.given.get(name)
    return load_class(name, sources.python_path, where) if given is None else given


def _check(name: str, parameters: Mapping[str, object], where: str, sources: Sources) -> None:
    """Raise InputError if there is no such class, or it does not take the parameters."""
    check_arguments(_class_of(name, sources, where), parameters, where)


ENTRY = Entry('module:Class',
              'Your own class (docs/controllers.md; sbot new NAME --controller).', _make,
              check=_check)


if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = 'sbot.controllers'
NONE = 'none'  # a robot that something else drives


@lru_cache(maxsize=1)
def shipped() -> tuple[Entry, ...]:
    """Return the entries of this package's modules: by name, families, and users' classes last."""
    return tuple(sorted(records_of(__package__, 'ENTRY'), key=lambda entry: (
        entry is ENTRY, ':' in entry.name, entry.name)))


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
    if not inspect.isclass(found) or not _steps(found):
        raise InputError(f'{where}: needs an Entry, or a class with a method '
                         'step(observation, rng)')

    def check(_: str, parameters: Mapping[str, object], place: str, __: Sources) -> None:
        check_arguments(found, parameters, place)
    first = (inspect.getdoc(found) or f'A class of {point.module}.').splitlines()[0]
    return Entry(point.name, first, partial(_made, found), check=check)
