# SPDX-License-Identifier: Apache-2.0
"""Commands as data: what runs, and options as argparse takes them; options that several have."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

Options = dict[str, dict[str, Any]]  # names of an option or argument: what argparse takes


class Command(NamedTuple):
    """A command of `sbot`, or of one of its commands."""

    run: Callable[[argparse.Namespace], int]  # returns the exit code; InputError: 2
    options: Options
    help: str = ''  # in a list of commands, and above the options
    description: str = ''  # above the options instead
    more: tuple[tuple[str, Options], ...] = ()  # options below headings


def flag(text: str) -> dict[str, Any]:
    """Return an option without a value."""
    return {'action': 'store_true', 'help': text}


def value(metavar: str | None, text: str, **settings: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return an option or argument with a value."""
    return {'metavar': metavar, 'help': text, **settings}


def repeated(metavar: str, text: str, **settings: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return an option that may be given again; its values are a list."""
    return {'action': 'append', 'default': [], 'metavar': metavar, 'help': text, **settings}


BAG = value('BAG', 'a recording: its directory, or its .mcap or .db3 file')
JSON = flag('print one JSON object')
QUIET = flag('print only the result, warnings and errors: no progress, hints, names of written '
             'files or output of nodes')
RECORD = value('DIR', 'record the run in a new directory (rosbag2, MCAP)')
OVERRIDES: Options = {
    '--seed': value('N', "replace the scenario's seed", type=int),
    '--duration': value('S', "replace the scenario's duration (simulated seconds)", type=float),
    '--set': repeated('KEY=VALUE',
        'change any value of the scenario, e.g. wind.wind_speed_mean=0.5 or '
        'robots.0.goal=[30,12]; may be repeated'),
}
