"""Warnings of a sweep: swept keys without effect, and the values that other warnings are about."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sbot.scenario.checks import doubtful, idle, unused
from sbot.sweeps.plan import Axis
from sbot_common.errors import shown

LOG = logging.getLogger(__name__)
_MOST_NAMED = 3  # values in a warning


def warn_of_pictures(axes: Iterable[Axis]) -> None:
    """Log a warning for each swept key that changes nothing but pictures."""
    for key in (key for axis in axes for key in axis.keys):
        if f'{key}.'.startswith(('world.zones.', 'description.')):
            LOG.warning('override: %s: has no effect on a run; it changes only pictures and '
                        'files', key)


@contextmanager
def with_values(values: Mapping[str, Any]) -> Iterator[None]:
    """Add to warnings about a scenario for which values, by key, it was checked."""
    named = [f'{key}={shown(value)}' for key, value in list(values.items())[:_MOST_NAMED]]
    note = f" (at {', '.join(named)}{', …' * (len(values) > _MOST_NAMED)})" if named else ''

    def add(record: logging.LogRecord) -> bool:
        record.msg, record.args = f'{record.getMessage()}{note}', ()
        return True

    logs = [module.LOG for module in (doubtful, idle, unused)]
    for log in logs:
        log.addFilter(add)
    try:
        yield
    finally:
        for log in logs:
            log.removeFilter(add)
