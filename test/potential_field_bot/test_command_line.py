import pytest

from potential_field_bot.node import _parse
from potential_field_bot.parameters import NODE_SPECS, OWN_SPECS, Parameters
from sbot_common.errors import InputError

FOUR = {'robot_id': 1, 'num_robots': 3, 'goal_x': -2.5, 'goal_y': 10.0}


def test_four_numbers():
    assert _parse(['1', '3', '-2.5', '1e1']) == FOUR


def test_more_arguments_are_tolerated():
    """docs/errata.md P17, as the listing does."""
    assert _parse(['1', '3', '-2.5', '1e1', 'six', '7']) == FOUR


@pytest.mark.parametrize('arguments', [
    ['0', '9' * 5000, '1', '2'], ['0', '4294967297', '1', '2'], ['-' + '9' * 30, '1', '1', '2'],
    ['0', '1', '1e999', '2'], ['0', '1', '9' * 5000, '2']])
def test_a_number_too_large_is_a_usage_error_of_one_short_line(arguments):
    with pytest.raises(InputError) as info:
        _parse(arguments)
    assert len(str(info.value)) < 120


@pytest.mark.parametrize('arguments', ['', '0 1 2', 'a 1 2 3', '0.0 1 2 3', '-1 1 2 3', '1 1 2 3',
    '7 3 2 3', '0 1 2 nan', '0 1_0 2 3'])
def test_anything_else_is_refused(arguments):
    with pytest.raises(InputError):
        _parse(arguments.split())


def test_names_are_the_nodes_alone():
    names = [spec.name for spec in NODE_SPECS]
    assert len(set(names)) == len(names)
    assert not {*names} & {*Parameters._fields}
    assert {spec.name: spec.default for spec in OWN_SPECS} == {
        'publish_forces': False, 'diagnostics_frequency_hz': 0.0}
