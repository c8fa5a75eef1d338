"""Values of any shape where a file is expected: read, or refused in one line."""

import contextlib
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.cli.bag import information
from sbot.files.yaml_text import dump_yaml, parse_yaml
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot.scenario.model import ScenarioFile
from sbot.scenario.overrides import parse_override
from sbot_common.errors import LONGEST, InputError
from sbot_common.topics import SCENARIO
from sbot_common.wire.messages import write_string

sys.path.insert(0, str(Path(__file__).parent))

from targets import READERS

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
        scenario = scenario_from_mapping({**GOOD, key: value})
        text = scenario.to_yaml()
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


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    path = tmp_path_factory.mktemp('any') / 'bag'
    with Recorder(path, metadata={'scenario': 'name: x'}) as recorder:
        recorder.write('/scenario', SCENARIO, 1, write_string('name: x'))
    return path


@settings(max_examples=200)
@given(data=st.data())
def test_any_values_in_metadata(bag, data):
    path = bag / 'metadata.yaml'
    if not (bag / 'good').exists():
        (bag / 'good').write_text(path.read_text())
    found = yaml.safe_load((bag / 'good').read_text())
    inside = found['rosbag2_bagfile_information']
    for _ in range(data.draw(st.integers(1, 3))):
        inside[data.draw(st.sampled_from(sorted(inside)))] = data.draw(values)
    path.write_bytes(yaml.safe_dump(found).encode('utf-8', 'replace'))
    with one_line():
        information(Bag(bag, partly=True))


@pytest.mark.parametrize('read', READERS)
@settings(max_examples=40)
@given(raw=st.binary(max_size=200))
def test_any_bytes_as_a_message(read, raw):
    with one_line():
        read(b'\0\1\0\0' + raw)
    with one_line():
        read(raw)


@settings(max_examples=100)
@given(raw=st.binary(max_size=300))
def test_any_bytes_as_a_bag(bag, raw):
    start = next(bag.glob('*.mcap')).read_bytes()
    path = bag.parent / 'any.mcap'
    for data in (raw, start[:8] + raw, start[:-60] + raw, start[:200] + raw + start[200:]):
        path.write_bytes(data)
        with one_line():
            found = Bag(path, partly=True)
            information(found)
