"""Notebook display of a run or a recording."""

from __future__ import annotations

from importlib import import_module

from sbot_common.errors import InputError


def notebook_frame(shown: object) -> str | None:
    """Return HTML with the viewer's page of a run or recording; None: its line of text will do."""
    try:
        # By its name: the viewer stands above runs and recordings, which a notebook shows.
        text: str | None = import_module('sbot.viewer.notebook').frame(shown)
    except InputError:
        return None
    return text
