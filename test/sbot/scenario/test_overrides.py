import pytest

from sbot.files.yaml_text import parse_yaml
from sbot.scenario.overrides import apply_overrides, parse_override
from sbot_common.errors import InputError

TEXT = """
world: {bounds: [0, 0, 9, 9]}
robots:
- {goal: [1, 2]}
- {goal: [3, 4], parameters: {speed: 1}}
controllers: {'mine.one:Class': {gain: 1}}
"""


def applied(**overrides):
    data, origins = parse_yaml(TEXT, 'file.yaml')
    apply_overrides(data, {key.replace('__', '.'): value for key, value in overrides.items()},
                    origins)
    return data, origins


@pytest.mark.parametrize(('text', 'expected'), [
    ('a=1', ('a', 1)), ('a.b.0=[1, x]', ('a.b.0', [1, 'x'])), (' a =', ('a', None)),
    ('a=b=c', ('a', 'b=c')), ('controllers.mine:Class=', ('controllers.mine:Class', ''))])
def test_key_and_value_are_read(text, expected):
    assert parse_override(text) == expected


@pytest.mark.parametrize('text', ['a', '=1', 'a..b=1', '.a=1', 'a.=1', '.'.join('a' * 999) + '=1',
                                  'a=\udcff', 'a=[1'])
def test_what_is_no_override_is_one_line(text):
    with pytest.raises(InputError, match='--set') as raised:
        parse_override(text)
    assert len(str(raised.value).splitlines()) == 1


def test_values_are_put_and_mappings_made_on_the_way():
    data, _ = applied(robots__0__goal=[5, 6], wind__wake=True, seed=3)
    assert data['robots'][0] == {'goal': [5, 6]}
    assert (data['wind'], data['seed']) == ({'wake': True}, 3)


def test_a_star_stands_for_each_entry():
    data, origins = applied(**{'robots.*.goal': [0, 0], 'robots.*.body': 's-bot'})
    assert [robot['goal'] for robot in data['robots']] == [[0, 0]] * 2
    assert [robot['body'] for robot in data['robots']] == ['s-bot'] * 2
    assert ('robots', 1, 'goal') in origins.overrides


def test_a_known_key_with_dots_comes_first():
    data, _ = applied(**{'controllers.mine.one:Class.gain': 7})
    assert data['controllers'] == {'mine.one:Class': {'gain': 7}}


def test_later_ones_win_and_lines_of_the_file_no_longer_count():
    data, origins = applied(**{'robots.1.parameters.speed': 2, 'robots.1.parameters': {'x': 1}})
    assert data['robots'][1]['parameters'] == {'x': 1}
    assert ('robots', 1, 'parameters', 'speed') not in origins.lines
    assert ('robots', 1, 'goal') in origins.lines


@pytest.mark.parametrize(('key', 'said'), [
    ('robots.2.goal', 'an index from 0 to 1'), ('robots.x', 'an index from 0 to 1'),
    ('world.bounds.0.x', 'has no keys'), ('world.*.x', "'world' is not a list"),
    ('nothing.*', "'nothing' is not a list")])
def test_a_path_that_leads_nowhere_is_named(key, said):
    with pytest.raises(InputError, match='file.yaml, override: ' + key.replace('*', r'\*')) as why:
        applied(**{key: 1})
    assert said in str(why.value)
