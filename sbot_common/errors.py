"""InputError: bad input reported in one line, with suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Bad input from a person or a file, in one line: where, what was found, what was expected."""


def bad_value(where: str, value: object, expected: str) -> InputError:
    """Return the error for one bad value.

    Parameters
    ----------
    where : file, line, key path or parameter name
    value : what was found there
    expected : what would have been accepted, e.g. 'a number > 0 (m)'

    """
    shown = repr(value)
    if len(shown) > 80:
        shown = shown[:77] + '...'
    return InputError(f'{where}: got {shown}, expected {expected}')


def unknown_name(where: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown key or name, with the nearest known one."""
    names = sorted(known)
    near = get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f'known: {", ".join(names)}'
    return InputError(f"{where}: unknown name '{name}'; {hint}")
