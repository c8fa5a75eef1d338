"""Commands that start another Python process of this package.

``python -m`` and ``python -c`` search the current folder before everything else, so that a
``queue.py`` or ``wind_model.py`` there would be executed instead. These do not (``python -P`` does
the same from 3.11 on).
"""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[2])  # where the packages are
_FIRST = ('import sys; sys.path[:1] = [path for path in sys.path[:1] if path]; '
          f'{_ROOT!r} in sys.path or sys.path.append({_ROOT!r}); ')


def python_command(code: str, *arguments: str) -> list[str]:
    """Return the command that executes ``code`` in this interpreter, with these ``sys.argv[1:]``.

    ``sys`` is imported; the current folder is not searched for modules.
    """
    return [sys.executable, '-c', _FIRST + code, *arguments]
