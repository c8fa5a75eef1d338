"""Rate, body and sensor settings with which a network learned, by key of a scenario."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from sbot_common.errors import SHOWN, bad_value, one_line

Value = bool | int | float | str
Conditions = tuple[tuple[str, Value], ...]  # ((key, value), …); (): not known, as in old files

_MOST = 1000  # values, and characters of a key or text
_NOT_COMPARED = ('noise', 'bias')  # how exact a reading is, not what it means


def checked_conditions(given: object) -> Conditions:
    """Return the conditions of a file's object of values by key.

    Raises
    ------
    InputError
        for anything but short texts, finite numbers and truth values by name.

    """
    if not isinstance(given, dict) or len(given) > _MOST:
        raise bad_value('learned_with', given, f'at most {_MOST} values by key')
    for key, value in given.items():
        good = len(value) <= _MOST if isinstance(value, str) else (
            isinstance(value, int | float) and abs(value) <= sys.float_info.max)
        if not good or len(key) > _MOST:
            raise bad_value(f'learned_with.{key[:SHOWN]}', value,
                            'a finite number, a short text, true or false')
    return tuple(given.items())


def differences(learned_with: Conditions, now: Mapping[str, Value]) -> str:
    """Return in words what differs from the values of a scenario by key; '' if nothing does."""
    different = [f'{key} {_word(value)} (now {_word(now[key])})' for key, value in learned_with
                 if key in now and now[key] != value
                 and not any(word in key for word in _NOT_COMPARED)]
    return ', '.join(different)


def warning_of(what: str, learned_with: Conditions, now: Mapping[str, Value]) -> str | None:
    """Return the line of a warning about a network, called ``what``; None: nothing differs."""
    words = differences(learned_with, now)
    return one_line(f'{what} learned with {words}, so it drives differently than it learned; give '
                    'the scenario these values') if words else None


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return f'{value:g}' if isinstance(value, float) else str(value)
