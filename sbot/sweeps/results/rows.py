"""Columns of a sweep's rows and their types; whether a row can be one of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sbot.files.yaml_text import LARGEST

# Columns of the summary, with their types; robots' own columns follow.
SUMMARY = {
    'robot_count': 'int', 'goal_reached_s': 'float', 'robots_arrived': 'int', 'ticks': 'int',
    'sim_time_s': 'float', 'ended_by': 'text', 'overlaps': 'int',
    'collisions': 'int', 'collisions_max': 'int', 'reverts': 'int', 'reverts_max': 'int',
    'invalid_turns': 'int', 'invalid_turns_max': 'int',
    'path_length_m_mean': 'float', 'path_length_m_max': 'float',
    'max_leader_distance_m_mean': 'float', 'max_leader_distance_m_max': 'float',
    'final_leader_distance_m_mean': 'float', 'final_leader_distance_m_max': 'float'}
OWN = {
    'x_m': 'float', 'y_m': 'float', 'yaw_rad': 'float', 'goal_reached_s': 'float',
    'path_length_m': 'float', 'collisions': 'int', 'reverts': 'int',
    'invalid_turns': 'int', 'max_leader_distance_m': 'float', 'final_leader_distance_m': 'float'}
LAST = {'trajectory_sha256': 'text', 'version': 'text', 'error': 'text'}
RESERVED = (*SUMMARY, *LAST, 'run', 'scenario', 'seed', 'wall_time_s', 'crc32')  # not of metrics


def kind_of_value(value: object) -> str:
    """Return the type of the column that a value needs: int, float, bool, text."""
    if isinstance(value, bool):
        return 'bool'
    if isinstance(value, int) and abs(value) <= LARGEST:
        return 'int'
    return 'float' if isinstance(value, float) else 'text'


def kind_of(values: Iterable[Any]) -> str:
    """Return the type of a column that holds these values; None fits all."""
    if isinstance(values, range):
        return 'int'
    kinds = {kind_of_value(value) for value in values if value is not None}
    if kinds == {'int', 'float'}:
        return 'float'
    return kinds.pop() if len(kinds) == 1 else 'text'


def is_own(name: str) -> bool:
    """Tell whether a column is one robot's, e.g. ``robot_0_x_m``."""
    word, _, rest = name.partition('_')
    number, _, key = rest.partition('_')
    return word == 'robot' and number.isdecimal() and key in OWN


def is_text(text: str) -> bool:
    """Tell whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
