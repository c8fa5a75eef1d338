"""Temporary folders of commands."""

from __future__ import annotations

import tempfile


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder, deleted at the end of a ``with`` or with this object.

    Parameters
    ----------
    purpose : a word of its name

    """

    def __init__(self, purpose: str) -> None:
        super().__init__(prefix=f'sbot_{purpose}_')
