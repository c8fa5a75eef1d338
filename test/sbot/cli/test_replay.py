"""`sbot replay --json`: what it prints is JSON, which has no NaN."""

import json
import math

from sbot.cli.replay import _as_json


def test_numbers_that_json_does_not_have_are_texts():
    def refuse(name):
        raise AssertionError(name)
    text = _as_json({'equal': False, 'first': {'recorded': (0.5, -math.inf), 'new': math.nan}})
    assert json.loads(text, parse_constant=refuse) == {
        'equal': False, 'first': {'recorded': [0.5, '-inf'], 'new': 'nan'}}
