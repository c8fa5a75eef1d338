"""Controllers and metrics on their way to other processes, with cloudpickle and without."""

import pickle
import sys

import pytest
from sweep_users import last_x

from sbot.sweeps.pickles import pickled
from sbot_common.errors import InputError


@pytest.fixture
def no_cloudpickle(monkeypatch):
    monkeypatch.setitem(sys.modules, 'cloudpickle', None)


def of_the_script(monkeypatch):
    def metric(run):
        return 1.0
    metric.__module__, metric.__qualname__ = '__main__', 'metric'
    monkeypatch.setattr(sys.modules['__main__'], 'metric', metric, raising=False)
    return metric


def test_cloudpickle_sends_what_a_script_defines(monkeypatch):
    metric = of_the_script(monkeypatch)
    data = pickled(metric, 'metric')
    monkeypatch.undo()
    assert pickle.loads(data)(None) == 1.0


@pytest.mark.usefixtures('no_cloudpickle')
def test_functions_of_modules_need_no_cloudpickle():
    assert pickle.loads(pickled({'a': last_x, 'b': [1, 2.5]}, 'controllers')) == {
        'a': last_x, 'b': [1, 2.5]}


@pytest.mark.usefixtures('no_cloudpickle')
def test_without_cloudpickle_a_function_of_a_script_is_refused_in_one_line(monkeypatch):
    metric = of_the_script(monkeypatch)
    for value in (metric, {'a': [metric]}):
        with pytest.raises(InputError, match=r"^metric m: cannot be sent .*: metric of the script "
                           r"or notebook itself needs cloudpickle.*'\.\[sweep\]'"):
            pickled(value, 'metric m')


@pytest.mark.usefixtures('no_cloudpickle')
def test_without_cloudpickle_a_lambda_is_refused_in_one_line():
    with pytest.raises(InputError, match=r"^metric m: cannot be sent .*cloudpickle.*'\.\[sweep"):
        pickled(lambda run: 1.0, 'metric m')
