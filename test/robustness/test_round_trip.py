"""A scenario, written as YAML and read again, is the same; or it is not written at all."""

import math
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sbot.controllers.registry import entry_of, shipped
from sbot.files.limits import VARIABLE
from sbot.files.yaml_text import count_values
from sbot.scenario.groups import SensorSettings, WindSettings, group_specs
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot.scenario.model import Scenario
from sbot_common.errors import InputError
from sbot_common.params import specs_of
from sbot_sim.world.bodies import Body

# What YAML 1.1 or 1.2 takes for something else than text, and what needs quotes or escapes.
LIKE_OTHERS = ['', '~', 'null', 'yes', 'No', 'on', 'true', '1e3', '0x1f', '0o17', '017', '1_000',
               '12:30:00', '.5', '5.', '+.inf', '-.INF', '.nan', '2001-01-01', '<<', '=', '*a',
               '&a', '!a', '|', '>', '%a', '@a', '`a', '- a', '? a', 'a: b', 'a #b', '#', "'", '"',
               '\\', '{}', '[', ',', ' a', 'a ', '\ta', 'a\t', 'a\nb', '\n', 'a\n\n b ', 'a\r\nb',
               '\x85', '\u2028', '\ufeff', '\x00', '\x1b[1m', '\x7f', '\ud7ff', '\ue000', '\uffff',
               '\U0001f600', '---', '...', 'x' * 130, ('word ' * 30).strip()]
texts = st.sampled_from(LIKE_OTHERS) | st.text(max_size=12)
floats = st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-2**70, 2**70) | st.integers(-9, 9) | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8)
small = st.sampled_from([0, 1, 2.5, 0.1, 1e-9, 5e-324, 3.0]) | st.floats(0, 3)
angles = st.floats(-1e6, 1e6) | st.sampled_from([-0.0, 0, 3, math.pi, 5e-324])
places = st.tuples(st.floats(1, 30), st.floats(1, 30)).map(list)


class Own:
    """A user's controller that takes any parameters."""

    def __init__(self, **parameters):
        self.parameters = parameters

    def step(self, observation, rng):
        return 0.0, 0.0


def of_spec(spec):
    """Values of a parameter: good ones, seldom others."""
    if spec.name in ('custom_wind_field_path', 'wind_hook', 'motion_hook') or (isinstance(
            spec.default, str) and not spec.choices):
        return st.just(spec.default)
    if spec.choices:
        return st.sampled_from(spec.choices)
    if isinstance(spec.default, bool):
        return st.booleans()
    if isinstance(spec.default, tuple):
        return st.lists(angles, min_size=3, max_size=3)
    low, high = max(spec.minimum, -1e3), min(spec.maximum, 1e3)
    if isinstance(spec.default, int):
        return st.integers(math.ceil(low), min(math.floor(high), 40))
    return st.floats(low, high, exclude_min=spec.open_minimum) | st.sampled_from(
        [value for value in (-0.0, 0, 1, 2, 5e-324, 1e-5, 0.1, 1e16) if low <= value <= high
         and not (spec.open_minimum and value == low)] or [spec.default])


def some_of(specs):
    return st.fixed_dictionaries({}, optional={spec.name: of_spec(spec) for spec in specs})


DECLARED = [entry.name for entry in shipped() if entry.specs]


@st.composite
def robot_entries(draw, bodies):
    controller = draw(st.sampled_from([*DECLARED, 'none', Own, Own]))
    entry = {'controller': controller, 'body': draw(st.sampled_from([*bodies, 'robot', 's-bot']))}
    if controller is Own:
        entry['parameters'] = draw(st.dictionaries(texts, plain, max_size=3))
    elif controller != 'none' and draw(st.booleans()):
        entry['parameters'] = draw(some_of(entry_of(controller).specs))
    if controller == 'potential_field' or draw(st.booleans()):
        entry['goal'] = draw(places)
    if draw(st.booleans()):
        entry['goal_tolerance'] = draw(small.filter(bool))
    if draw(st.integers(0, 2)):
        entry['pose'] = [*draw(places), draw(angles)]
    else:
        entry['count'] = draw(st.integers(1, 3))
        entry['layout'] = draw(st.sampled_from(['random', 'grid', None]))
        entry['yaw'] = draw(angles | st.none())
    return entry


@st.composite
def mappings(draw):
    bodies = draw(st.dictionaries(texts, st.fixed_dictionaries({}, optional={
        'radius': st.floats(0.01, 0.3), 'like': st.sampled_from(['robot', 's-bot'])}), max_size=2))
    for name, values in bodies.items():
        if name and draw(st.booleans()):
            values.update(draw(some_of([spec for spec in specs_of(Body) if spec.name in (
                'mass', 'max_speed', 'drag_area')])))
    entries = draw(st.lists(robot_entries(sorted(bodies)), min_size=1, max_size=3))
    own = f'{Own.__module__}:{Own.__name__}'
    used = sorted({own if entry['controller'] is Own else entry['controller']
                   for entry in entries} - {'none'})
    controllers = {name: draw(st.dictionaries(texts, plain, max_size=2) if name == own
                              else some_of(entry_of(name).specs)) for name in used}
    return draw(st.fixed_dictionaries({
        'world': st.fixed_dictionaries(
            {'bounds': st.just([0, -0.0, 31, 31.5])},
            optional={'segments': st.just([[0.1, 1, 2, 1e-9]]), 'open': st.booleans(),
                      'circles': st.just([{'center': [3, 40], 'radius': 5e-324}])}),
        'robots': st.just(entries), 'bodies': st.just(bodies),
        'controllers': st.just(controllers)}, optional={
            'name': texts, 'description': texts, 'seed': st.integers(0, 2**63 - 1) | st.none(),
            'rate': st.sampled_from([30, 0.1, '100/3', '1/3', 33.3, '1e-3', '2e2/7', 1e-5]),
            'duration': small.filter(bool), 'lockstep': st.booleans(), 'until': st.sampled_from(
                ['goal_reached', 'collision', None]),
            'target_real_time_factor': st.sampled_from([0, 1e-3, 1, 2.5]),
            'sensors': some_of(group_specs(SensorSettings())),
            'wind': some_of(group_specs(WindSettings()))}))


def checked(data: dict) -> Scenario | None:
    """Return the scenario that was read back, after a comparison; None: refused as data."""
    try:
        scenario = scenario_from_mapping(data)
    except InputError:
        return None
    text = scenario.to_yaml()
    again = parse_scenario(text, 'again', Path.cwd(), controllers=scenario.given)
    assert again == scenario
    assert again.to_yaml() == text
    return again


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(data=mappings())
def test_what_is_written_is_read_back_equal(data):
    checked(data)


GOOD = {'world': {'bounds': [0, 0, 9, 9]}, 'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}


def own(parameters):
    return {**GOOD, 'robots': [{'pose': [1, 1, 0], 'controller': Own, 'parameters': parameters}]}


@pytest.mark.parametrize(('data', 'words'), [
    (own({'max speed': 1}), "robots.0.parameters: key: got 'max speed', expected text without"),
    (own({'': 1}), "robots.0.parameters: key: got '', expected text without white space"),
    (own({'\ud800': 1}), 'expected text, which can be written as UTF-8'),
    (own({'n': [1, 2**63]}), 'robots.0.parameters.n.1: got 9223372036854775808, expected'),
    ({**GOOD, 'bodies': {'my body': {'radius': 0.2}}}, "bodies: key: got 'my body'")])
def test_what_a_file_cannot_have_is_refused_from_python(data, words):
    with pytest.raises(InputError) as found:
        scenario_from_mapping(data)
    assert words in str(found.value)


def test_a_scenario_that_could_not_be_read_back_is_not_written(monkeypatch):
    scenario = scenario_from_mapping({**GOOD, 'robots': [{'count': 50, 'controller': 'none'}]})
    size = count_values(yaml.safe_load(scenario.to_yaml()))
    monkeypatch.setenv(VARIABLE, f'text_values={size}')
    parse_scenario(scenario.to_yaml(), 'again', Path.cwd())
    monkeypatch.setenv(VARIABLE, f'text_values={size - 1}')
    with pytest.raises(InputError, match=f'scenario: too large: {size} values of the complete '):
        scenario.to_yaml()
