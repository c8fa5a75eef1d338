"""Entry points of packages; one line and the user's own frames of what a user's code raises."""


import numba
import pytest
from children import passed

from sbot_common.user_code import UserCodeError, call_user_code, entry_points_of

POINTS = '[some.group]\nb = elsewhere:B\na = elsewhere:A\n'


@numba.njit
def misspelt(values):
    return values.nonsense()


def compiles():
    return misspelt(1.0)


def test_an_error_of_numba_is_its_reason_without_the_compiler():
    with pytest.raises(UserCodeError) as caught:
        call_user_code(compiles, lambda: 'here')
    said = str(caught.value)
    assert said.startswith("here: TypingError: Unknown attribute 'nonsense' of type float64 (")
    line = misspelt.py_func.__code__.co_firstlineno + 2
    assert said.endswith(f'test_user_code.py:{line})')
    shown = caught.value.traceback()
    assert 'in compiles' in shown
    assert 'typeinfer.py' not in shown


class Stop(BaseException):
    pass


def raise_(error):
    raise error


@pytest.mark.parametrize('error', [Stop('now'), SystemExit(0), GeneratorExit()])
def test_no_exception_ends_the_program_by_itself(error):
    with pytest.raises(UserCodeError, match=f'^here: {type(error).__name__}'):
        call_user_code(lambda: raise_(error), lambda: 'here')


class Mute(Exception):
    def __str__(self):
        raise ZeroDivisionError


def test_an_error_that_cannot_say_what_it_is_still_has_a_name_and_a_place():
    with pytest.raises(UserCodeError, match=r'^here: Mute$'):
        call_user_code(lambda: raise_(Mute()), lambda: 'here')


class Gadget:
    goal = 1.0
    _secret = 2.0


@pytest.mark.parametrize(('name', 'asked'), [
    ('gaol', "; did you mean 'goal'?"), ('secret', ''), ('_secert', "; did you mean '_secret'?"),
    ('nothing_like_it', '')])
def test_an_unknown_attribute_names_the_nearest(name, asked):
    with pytest.raises(UserCodeError) as caught:
        call_user_code(lambda: getattr(Gadget(), name), lambda: 'here')
    assert str(caught.value) == (
        f"here: AttributeError: 'Gadget' object has no attribute '{name}'{asked}")


def install(folder):
    package = folder / 'elsewhere-1.dist-info'
    package.mkdir()
    (package / 'METADATA').write_text('Metadata-Version: 2.1\nName: elsewhere\nVersion: 1\n')
    (package / 'entry_points.txt').write_text(POINTS)


def test_points_of_a_package_in_alphabetical_order(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    assert entry_points_of('some.group') == []
    install(tmp_path)
    assert [point.name for point in entry_points_of('some.group')] == ['a', 'b']
    assert entry_points_of('other.group') == []


def test_a_group_that_nobody_has_imports_no_reader():
    code = ("import sys\nfrom sbot_common.user_code import entry_points_of\n"
            "assert entry_points_of('no.such.group') == []\n"
            "assert 'importlib.metadata' not in sys.modules")
    passed('-S', '-c', code)
