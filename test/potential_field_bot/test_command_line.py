import pytest

from potential_field_bot.command_line import Arguments, parse
from sbot_common.errors import InputError


def test_four_numbers():
    assert parse(['1', '3', '-2.5', '1e1']) == Arguments(1, 3, -2.5, 10.0)


@pytest.mark.parametrize('arguments', [
    '', '0', '0 1 2', '0 1 2 3 4', 'a 1 2 3', '0.0 1 2 3', '0 one 2 3', '-1 1 2 3', '0 0 2 3',
    '1 1 2 3', '7 3 2 3', '0 1 x 3', '0 1 2 nan', '0 1 inf 3', '0 1_0 2 3', '0 1 2_0 3'])
def test_anything_else_is_refused(arguments):
    with pytest.raises(InputError):
        parse(arguments.split())
