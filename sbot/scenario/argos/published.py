"""Readings of `.argos` files as in their authors' published code, each with a notice."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

# What the published code computes, where the text differs (docs/errata.md W1, W2, W7).
WAKE = {'wake_fade': 'fade_out', 'wake_boost': 'power'}
# The heading of the published controller, where ours differs (docs/errata.md W8, W11).
WIND_AWARE_LAW = {'law': 'published'}

LOG = logging.getLogger(__name__)


def name_readings(file: str, values: Mapping[str, Any], overrides: Iterable[str]) -> None:
    """Log which reading a scenario made from a file has, and how to have the other.

    Nothing is said of what the user sets.

    Parameters
    ----------
    file : what messages call it
    values : of the scenario
    overrides : key paths that the user sets

    """
    chosen = set(overrides)
    if WAKE.items() <= values['wind'].items() and not _sets(
            chosen, *(f'wind.{key}' for key in WAKE)):
        LOG.warning('%s: wakes follow the code that is published with these experiments: they '
                    'fade out, and the boost is an exponent; to follow the text: --set '
                    'wind.wake_fade=ramp_in --set wind.wake_boost=linear', file)
    if values['controllers'] and not _sets(chosen, 'controllers.wind_aware.law') and not any(
            key.startswith('robots.') and key.endswith('.law') for key in chosen):
        LOG.warning('%s: wind_aware follows the code that is published with these experiments: it '
                    'heads along the difference of track and wind; to cancel the wind across the '
                    'track: --set controllers.wind_aware.law=cancel', file)


def _sets(overrides: set[str], *keys: str) -> bool:
    """Tell whether an override sets one of some keys, or what contains it."""
    return any(f'{key}.'.startswith(f'{given}.') for key in keys for given in overrides)
