"""Values of any shape where a file is expected: read, or refused in one line."""

import contextlib
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sbot.files.yaml_text import dump_yaml, parse_yaml
from sbot.scenario.load import parse_override, parse_scenario, scenario_from_mapping
from sbot.scenario.model import ScenarioFile
from sbot_common.errors import LONGEST, InputError

sys.path.insert(0, str(Path(__file__).parent))


words = st.sampled_from(['', 'robot', 'none', 'potential_field', 'random', 'os:system', '1e3', '~',
                         'yes', '.', '/dev/null', 'a.b', '\x1b[1m', '\u202e', '\ud800'])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12)
GOOD = {'world': {'bounds': [0, 0, 9, 9]}, 'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}
KEYS = sorted(ScenarioFile.__dataclass_fields__)


@contextlib.contextmanager
def one_line():
    try:
        yield
    except InputError as error:
        text = str(error)
    else:
        return
    assert text.isprintable()
    assert len(text) <= 10 * LONGEST


@settings(max_examples=300)
@given(key=st.sampled_from(KEYS), value=values)
def test_any_value_of_any_key_of_a_scenario(key, value):
    with one_line():
        text = scenario_from_mapping({**GOOD, key: value}).to_yaml()
        assert parse_scenario(text, 'again', Path.cwd()).to_yaml() == text


@settings(max_examples=200)
@given(text=st.text(max_size=60))
def test_any_text_as_a_setting(text):
    with one_line():
        key, value = parse_override(f'{text[:20]}={text[20:]}')
        scenario_from_mapping(GOOD, {key: value})


@settings(max_examples=200)
@given(values.filter(lambda value: 'ud800' not in repr(value)))
def test_written_values_are_read_back(value):
    """As far as YAML's keys are those of scenarios: words."""
    with one_line():
        back, _ = parse_yaml(dump_yaml({'x': value}), 'x')
        assert repr(back) == repr({'x': value})
