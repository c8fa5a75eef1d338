"""Recorder of a run: what is in the bag, what a cut says, and that an empty bag goes."""

import pytest

import sbot
from sbot.bag.reader import Bag
from sbot.runner.recording import closed, open_recorder, removed_if_empty
from sbot.version import VERSION
from sbot_common.errors import InputError
from sbot_common.topics import CLOCK
from sbot_common.wire.messages import write_clock

SCENARIO = {'name': 'noted', 'seed': 7, 'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}


def recorder_in(path):
    return open_recorder(path, sbot.load(SCENARIO))


def test_scenario_seed_and_version_are_in_the_bag(tmp_path):
    with closed(recorder_in(tmp_path / 'bag'), lambda: 'never') as _:
        pass
    bag = Bag(tmp_path / 'bag')
    assert sbot.load(bag.scenario_text).to_yaml() == sbot.load(SCENARIO).to_yaml()
    assert bag.metadata['seed'] == '7'
    assert bag.metadata['version'] == VERSION


@pytest.mark.parametrize(('error', 'words'), [
    (ValueError('no more'), 'at tick 3: no more'), (KeyboardInterrupt(), 'at tick 3')])
def test_an_exception_leaves_a_bag_that_says_where_it_was_cut(tmp_path, error, words):
    recorder = recorder_in(tmp_path / 'bag')
    said = []
    recorder.cut_short, before = lambda text: said.append(text) or before(text), recorder.cut_short

    def write_and_fail():
        with closed(recorder, lambda: 'at tick 3'):
            recorder.write(CLOCK.name, CLOCK, 1, write_clock(1))
            raise error
    with pytest.raises(type(error)):
        write_and_fail()
    assert said == [words]
    assert [message.name for message in Bag(tmp_path / 'bag').messages()] == [CLOCK.name]


def test_a_bag_without_a_message_is_removed_and_its_name_is_free_again(tmp_path):
    for _ in range(2):
        with pytest.raises(ValueError, match='at once'), removed_if_empty(tmp_path / 'bag'), \
                recorder_in(tmp_path / 'bag'):
            raise ValueError('at once')
        assert not (tmp_path / 'bag').exists()


def test_a_bag_with_messages_stays_and_so_does_one_that_was_there(tmp_path):
    def write_and_fail():
        with removed_if_empty(tmp_path / 'bag'), recorder_in(tmp_path / 'bag') as recorder:
            recorder.write(CLOCK.name, CLOCK, 1, write_clock(1))
            raise ValueError('later')
    with pytest.raises(ValueError, match='later'):
        write_and_fail()
    assert (tmp_path / 'bag').is_dir()
    with pytest.raises(InputError), removed_if_empty(tmp_path / 'bag'):
        recorder_in(tmp_path / 'bag')
    assert (tmp_path / 'bag').is_dir()


def test_names_that_no_folder_can_have_are_left_to_the_recorder():
    for name in ('a\0b', 'x' * 5000, None):
        with pytest.raises(ValueError, match='as is'), removed_if_empty(name):
            raise ValueError('as is')
