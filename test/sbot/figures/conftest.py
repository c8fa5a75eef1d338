import pytest
from pictures import record

from sbot.figures.data import RunData


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    return record(tmp_path_factory.mktemp('plot'))


@pytest.fixture(scope='module')
def data(recorded):
    return RunData.from_bag(recorded[0])
