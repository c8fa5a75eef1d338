"""Types of scenario fields: what they accept, how they keep it, and what they say otherwise."""

import math

import pytest
from pydantic import TypeAdapter, ValidationError

from sbot.scenario import fields
from sbot_common.clock import Rate


def read(kind, value):
    return TypeAdapter(getattr(fields, kind)).validate_python(value)


@pytest.mark.parametrize(('kind', 'given', 'kept'), [
    ('Point', [1, 2.5], (1.0, 2.5)), ('Pose', (0, -1, 7), (0.0, -1.0, 7.0)),
    ('Box', [0, 0, 1, 2], (0.0, 0.0, 1.0, 2.0)), ('Segment', [0, 0, 0, 1], (0.0, 0.0, 0.0, 1.0)),
    ('Waypoints', [[0, 0], [1, 0]], ((0.0, 0.0), (1.0, 0.0))),
    ('Corners', [[0, 0], [1, 0], [0, 1]], ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))),
    ('Seed', 3.0, 3), ('Seed', 2 ** 63 - 1, 2 ** 63 - 1), ('Count', 100_000, 100_000),
    ('Hertz', '100/3', Rate(100, 3)), ('Pace', 0, 0.0), ('Pace', 1e6, 1e6),
    ('Interval', 0, 0.0), ('Colour', '#00aaFF', '#00aaFF'), ('Colour', 'red', 'red'),
    ('Flag', False, False), ('Until', 'mine.rules:over', 'mine.rules:over'),
    ('Controller', 'navigate', 'navigate'), ('Name', 'a b', 'a b'), ('Name', '猫', '猫'),
    ('Mapping', {'a': 1}, {'a': 1}), ('Spread', [1, 0], (1.0, 0.0))])
def test_good_values_are_kept_in_one_form(kind, given, kept):
    found = read(kind, given)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(('kind', 'given', 'words'), [
    ('Point', [1], 'two numbers from'), ('Point', [1, math.nan], 'two numbers from'),
    ('Point', [True, 1], 'two numbers from'), ('Point', [1e7, 0], 'two numbers from'),
    ('Box', [0, 0, 0, 1], 'xmin < xmax'), ('Segment', [1, 2, 1, 2], 'two different points'),
    ('Waypoints', [[0, 0]], 'two or more'), ('Waypoints', [[0, 0], [1, 0], [0, 0]], 'different'),
    ('Corners', [[0, 0], [1, 0]], 'three or more'), ('Seed', -1, '0 to 2'),
    ('Seed', 1.5, 'a whole number'), ('Seed', '1', 'a whole number'), ('Seed', 2 ** 63, '0 to 2'),
    ('Hertz', 'often', 'fraction of hertz'), ('Pace', 1e-4, '0, or a number from 0.001'),
    ('Length', 0, 'a number > 0'), ('Colour', 'pink', "'#rrggbb'"),
    ('Mass', 1e10, '1e-06 to 1e+09'), ('Flag', 1, 'true or false'),
    ('Until', 'sometime', 'goal_reached, collision'), ('Controller', 'nobody', 'sbot list'),
    ('Name', ' a', 'one line'), ('Name', 'x' * 101, 'at most 100'),
    ('Name', 'a\x07', 'control character'),
    ('Name', 'a\ud800b', 'control character'), ('Mapping', [], 'a mapping'),
    ('Mappings', {'a': 1}, 'names to mappings'), ('Range', [1, 1], 'low < high')])
def test_bad_values_are_told_what_is_expected(kind, given, words):
    with pytest.raises(ValidationError) as info:
        read(kind, given)
    error, = info.value.errors()
    assert words in error['msg']
