"""Installed version of the package."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def package_version() -> str:
    """Return the installed version, or 'unknown' when run from sources without installation."""
    try:
        return version('potential_field_bot')
    except PackageNotFoundError:
        return 'unknown'
