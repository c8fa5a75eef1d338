"""Terminal output of warnings: log lines and Python warnings without control characters.

They quote files of others, whose text must not move the cursor or rename the window. Errors are
one line by ``InputError``; whatever else is printed goes through ``one_line`` where it is printed.
"""

from __future__ import annotations

import logging
import warnings

from sbot_common.errors import one_line

_written = warnings.formatwarning


def plain_lines(text: str) -> str:
    """Return text with its line breaks, and all other control characters escaped."""
    return '\n'.join(map(one_line, text.split('\n')))


class PlainFormatter(logging.Formatter):
    """Formatter of log lines whose text may come from a file."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return plain_lines(super().format(record))


def _plain_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int,
                   line: str | None = None) -> str:
    return plain_lines(_written(message, category, filename, lineno, line))


def keep_warnings_plain() -> None:
    """Escape control characters in warnings of this process, where nobody has set up logging."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PlainFormatter())
    warnings.formatwarning = _plain_warning
