"""navground's behaviours by name: parameters are checked before anything runs."""

import sys
from pathlib import Path

import pytest

from sbot.scenario.load import parse_scenario
from sbot_common.errors import InputError

TEXT = """
world: {bounds: [0, 0, 20, 12]}
robots: [{pose: [3, 6, 0], goal: [15, 6], controller: 'navground:ORCA'}]
"""


def load(text=TEXT, **overrides):
    pytest.importorskip('navground')
    return parse_scenario(text, 'text', Path.cwd(), overrides=overrides)


@pytest.mark.parametrize(('overrides', 'words'), [
    ({'robots.0.controller': 'navground:ORKA'}, "did you mean 'navground:ORCA'"),
    ({'robots.0.controller': 'navground:Dummy'}, "unknown name 'navground:Dummy'"),
    ({'robots.0.parameters': {'time_horizn': 2}}, "did you mean 'time_horizon'"),
    ({'robots.0.parameters': {'time_horizon': 'long'}}, "got 'long'"),
    ({'robots.0.parameters': {'optimal_speed': -1}}, 'expected a number >= 0'),
])
def test_mistakes_are_named_before_anything_runs(overrides, words):
    with pytest.raises(InputError, match=words):
        load(**overrides)


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    pytest.importorskip('navground')
    monkeypatch.setitem(sys.modules, 'navground', None)
    with pytest.raises(InputError, match=r"'\.\[navground\]'"):
        parse_scenario(TEXT, 'text', Path.cwd())
