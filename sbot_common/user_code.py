# SPDX-License-Identifier: Apache-2.0
"""Users' code: entry points of their packages, and calls, with the user's own traceback only."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from glob import glob
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import iter_modules
from traceback import format_exception, walk_tb
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from sbot_common.errors import InputError, question

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar('T')

_LIKENESS = 0.7  # of an unknown attribute and the one that it may mean

# What numba says around a reason.
_AROUND_REASON = re.compile(r'(Failed in |During: |File |\s|$|- |\^|<source elided>|For details|'
                            r'This error |and it raised|There are |Overload)')
_PLACE = re.compile(r'^File "(.+)", line (\d+)', re.MULTILINE)



class UserCodeError(RuntimeError):
    """A user's controller, hook, condition or policy raised an error; one line with the place.

    That error is the ``__cause__``; its traceback begins in the user's code.
    """

    def traceback(self) -> str:
        """Return the user's own traceback, without the frames that called it."""
        return ''.join(format_exception(self.__cause__))

    def place(self) -> str:
        """Return the last line in the folder of the user's code, as 'file.py:12'.

        '' for an error of numba, whose message has the place, and for compiled code.
        """
        cause = self.__cause__
        if cause is None or _is_numbas(cause):
            return ''
        lines = [(*os.path.split(frame.f_code.co_filename), line)
                 for frame, line in walk_tb(cause.__traceback__)]
        own = [f'{file}:{line}' for folder, file, line in lines if folder == lines[0][0]]
        return own[-1] if own else ''


def call_user_code(function: Callable[[], T], where: Callable[[], str]) -> T:
    """Return ``function()`` of a user; its exceptions become a UserCodeError.

    Parameters
    ----------
    function : called without arguments
    where : e.g. robot, tick, class and method in words; called only for an error

    Raises
    ------
    UserCodeError
        for whatever it raises, ``SystemExit`` too, which would otherwise end the program with the
        exit code of a good run; not for InputError and MemoryError, which say enough, and
        KeyboardInterrupt, which a signal raises.

    """
    try:
        return function()
    except BaseException as error:
        raise_of_user(error, where)


def raise_of_user(error: BaseException, where: Callable[[], str]) -> NoReturn:
    """Raise what ``call_user_code`` raises for an error, within the ``except`` that caught it."""
    if isinstance(error, InputError | MemoryError | KeyboardInterrupt):
        raise error
    own = error.__traceback__.tb_next if error.__traceback__ is not None else None
    if _is_numbas(error):
        own, error.__suppress_context__ = _without_compiler(own), True
    raise UserCodeError(f'{where()}: {reason(error)}') from error.with_traceback(own)


def reason(error: BaseException) -> str:
    """Return an error's type and text in one line; for an error of numba, its reason."""
    try:
        text = str(error)
    except Exception:  # a class of the user's may fail at that, too
        text = ''
    if _is_numbas(error):
        lines = [line for line in text.splitlines() if not _AROUND_REASON.match(line)]
        place = _PLACE.search(text)
        text = (lines[0] if lines else text) + (f' ({place[1]}:{place[2]})' if place else '')
    said = ' '.join(f'{type(error).__name__}: {text}'.split()).removesuffix(':')
    near = _near_attribute(error)
    return f'{said}; {near}' if near and 'did you mean' not in said.lower() else said


def _near_attribute(error: BaseException) -> str:
    """Return a question with the name that an unknown attribute may mean; '' without one.

    Python asks only where it prints a traceback itself.
    """
    if not isinstance(error, AttributeError) or not isinstance(error.name, str):
        return ''
    try:
        names = [each for each in dir(error.obj) if isinstance(each, str)]
    except Exception:  # a class of the user's may fail at that, too
        return ''
    if not error.name.startswith('_'):
        names = [each for each in names if not each.startswith('_')]
    return question(error.name, names, _LIKENESS)


def _is_numbas(error: BaseException) -> bool:
    return type(error).__module__.startswith('numba.')


def _without_compiler(frames: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the compiler's frames at its end."""
    if frames is None or frames.tb_frame.f_globals.get('__name__', '').startswith('numba.'):
        return None
    frames.tb_next = _without_compiler(frames.tb_next)
    return frames


def records_of(package: str, name: str) -> list[Any]:
    """Return what the modules of a package have under a name: one record each, or a tuple of some.

    This makes a registry of a folder: a module that is put there is in it.
    """
    modules = (import_module(f'{package}.{module.name}')
               for module in iter_modules(import_module(package).__path__))
    found = (getattr(module, name) for module in modules if hasattr(module, name))
    return [record for one in found for record in (one if type(one) is tuple else (one,))]


def entry_points_of(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, in alphabetical order.

    Few installations have a group of ours, and Python's own reader takes a tenth of a second to
    find that: it is asked only where the name of the group stands in a package's file.
    """
    files = chain.from_iterable(glob(os.path.join(place, '*-info', 'entry_points.txt'))
                                for place in sys.path)
    if not any(group in Path(file).read_text('utf-8') for file in files):
        return []
    from importlib.metadata import entry_points
    return sorted(entry_points(group=group))
