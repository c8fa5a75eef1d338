"""Pickling of objects for other processes, with cloudpickle if it is installed."""

from __future__ import annotations

import io
import pickle
from typing import Any

from sbot_common.errors import InputError, install_command


class _ByName(pickle.Pickler):
    """Pickles functions and classes by name, except those that another process does not find."""

    def reducer_override(self, value: Any) -> Any:  # noqa: ANN401 - any object
        """Raise InputError for what a script or a notebook has defined."""
        if getattr(value, '__module__', None) == '__main__' and hasattr(value, '__qualname__'):
            raise InputError(f'{value.__qualname__} of the script or notebook itself needs '
                             f'cloudpickle, or a module of its own: {install_command("sweep")}')
        return NotImplemented


def pickled(value: Any, what: str) -> bytes:  # noqa: ANN401 - any object
    """Return a user's controllers or metric as bytes for another process.

    Raises
    ------
    InputError
        beginning with ``what``, if they cannot be sent.

    """
    try:
        import cloudpickle
    except ImportError:
        return _pickled_by_name(value, what)
    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as error:
        raise _not_sent(what, error) from None


def _pickled_by_name(value: Any, what: str) -> bytes:  # noqa: ANN401
    data = io.BytesIO()
    try:
        _ByName(data).dump(value)
    except InputError as error:
        raise _not_sent(what, error) from None
    except Exception as error:  # of a lambda, or of a function within another
        raise InputError(f'{_not_sent(what, error)}; cloudpickle sends more: '
                         f'{install_command("sweep")}') from None
    return data.getvalue()


def _not_sent(what: str, error: Exception) -> InputError:
    return InputError(f'{what}: cannot be sent to another process: {error}')
