"""Warnings of a sweep: swept keys without effect, and the values that other warnings are about."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from sbot.sweeps.plan import Axis
from sbot_common.errors import shown

LOG = logging.getLogger(__name__)
_MOST_NAMED = 3  # values in a warning


def warn_of_pictures(axes: Iterable[Axis]) -> None:
    """Log a warning for each swept key that changes nothing but pictures."""
    for axis in axes:
        for key in axis.keys:
            if f'{key}.'.startswith(('world.zones.', 'description.')):
                LOG.warning('override: %s: has no effect on a run; it changes only pictures and '
                            'files', key)


def note_of_values(axes: Iterable[Axis]) -> str:
    """Return the end of a warning about the first run of a sweep: the values that change."""
    values = {key: value for axis in axes if len(axis) > 1 for key, value in axis.at(0).items()}
    if not values:
        return ''
    named = [f'{key}={shown(value)}' for key, value in list(values.items())[:_MOST_NAMED]]
    return f" (at {', '.join(named)}{', …' * (len(values) > _MOST_NAMED)})"
