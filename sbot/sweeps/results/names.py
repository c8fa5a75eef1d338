"""Names of a sweep's parameters and columns for people: short names, and labels with units."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from sbot.controllers.registry import entry_of
from sbot.scenario.groups import SensorSettings, WindSettings, group_specs
from sbot.sweeps.results.rows import SUMMARY, is_own
from sbot_common.errors import InputError, one_line
from sbot_common.params import Spec

# What the name of a column does not say.
MEANING = {
    'goal_reached_s': 'of robot 0',
    'collisions': 'ticks, of all robots', 'collisions_max': 'ticks, greatest of one robot',
    'reverts': 'ticks, of all robots', 'reverts_max': 'ticks, greatest of one robot',
    'overlaps': 'pairs of bodies, in all ticks'}
_COUNTED = {'collisions': ' (ticks)', 'reverts': ' (ticks)', 'overlaps': ' (pairs × ticks)'}
_UNIT = re.compile('(.+)_(m|s|rad)')
_GROUPS = {'wind': WindSettings, 'sensors': SensorSettings}


def short_names(keys: Sequence[str]) -> list[str]:
    """Return the shortest end of each key path that tells it from the others.

    An end does not begin with an index: of the goals of two robots there are only whole names.
    """
    return [next(end for end in _path_ends(key) if sum(
        f'.{other}'.endswith(f'.{end}') for other in keys) == 1 or end == key) for key in keys]


def _path_ends(key: str) -> list[str]:
    """Return the ends of a key path that may stand for it, the shortest first."""
    parts = key.split('.')
    return ['.'.join(parts[k:]) for k in range(len(parts) - 1, -1, -1)
            if k == 0 or not (parts[k].isdigit() or parts[k] == '*')]


def parameter_label(key: str) -> tuple[str, ...]:
    """Return a swept parameter in words with its declared unit, and its key if that is longer."""
    words = key.rpartition('.')[2].replace('_', ' ')
    return (f'{words}{unit_of(key)}', *([key] if '.' in key else []))


def unit_of(key: str) -> str:
    """Return the unit in brackets of a parameter of wind, sensors or controllers, else ''."""
    parts = key.split('.')
    specs: Sequence[Spec] = ()
    if parts[0] in _GROUPS and len(parts) == 2:
        specs = group_specs(_GROUPS[parts[0]]())
    elif parts[0] == 'controllers' and len(parts) == 3:
        with suppress(InputError):  # a class of one's own
            specs = entry_of(parts[1]).specs
    unit = next((spec.unit for spec in specs if spec.name == parts[-1]), '')
    return f' ({unit})' if unit else ''


def column_label(column: str, *, unit: bool = True) -> str:
    """Return a column of the summary as a label, `path length, mean of robots (m)`.

    Metrics of the user's own stay as they are. Without ``unit`` the label has none.
    """
    robot, name = '', column
    if is_own(column):
        _, number, name = column.split('_', 2)
        robot = f'robot {number}: '
    elif column not in SUMMARY:
        return column
    elif column == 'goal_reached_s':
        robot = 'robot 0: '
    base, _, over = name.rpartition('_')
    of = {'mean': ', mean of robots', 'max': ', greatest of one robot'}.get(over, '')
    if of:
        name = base
    elif not robot and name in ('collisions', 'reverts'):
        of = ' of all robots'
    if name in _COUNTED:
        words, measured = name, _COUNTED[name]
    elif match := _UNIT.fullmatch(name):
        words, measured = match[1], f' ({match[2]})'
    else:
        words, measured = name, ''
    return f"{robot}{words.replace('_', ' ')}{of}{measured if unit else ''}"


def value_text(value: object) -> str:
    """Return a value of a swept parameter for a cell or a label."""
    if isinstance(value, float):
        return f'{value:.6g}'
    return one_line(value) if isinstance(value, str) else json.dumps(value)
