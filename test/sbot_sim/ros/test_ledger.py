import pytest

from sbot_common.errors import InputError
from sbot_sim.ros.ledger import Ledger


def test_a_tick_is_complete_when_everybody_awaited_has_answered():
    ledger = Ledger([True, False, True])
    ledger.begin()
    assert ledger.silent() == [0, 2]
    assert ledger.answer(2, 0.0)
    assert not ledger.complete(0.0)
    assert ledger.answer(0, 0.0)
    assert ledger.complete(0.0)


def test_answers_that_nobody_asked_for_are_errors():
    ledger = Ledger([True, False])
    ledger.begin()
    ledger.answer(0, 0.0)
    with pytest.raises(InputError, match='robot 0: a command that no stamp asked for'):
        ledger.answer(0, 0.1)
    with pytest.raises(InputError, match='robot 1'):
        ledger.answer(1, 0.1)


def test_after_a_repeated_question_both_answers_are_waited_for():
    ledger = Ledger([True], settle=0.3)
    ledger.begin()
    ledger.ask_again(0)
    assert ledger.answer(0, 1.0)
    assert not ledger.complete(1.1)
    assert not ledger.answer(0, 1.2)  # the same answer again: not a new command
    assert ledger.complete(1.2)


def test_a_lost_question_does_not_block_for_ever():
    ledger = Ledger([True], settle=0.3)
    ledger.begin()
    ledger.ask_again(0)
    ledger.answer(0, 1.0)
    assert not ledger.complete(1.25)
    assert ledger.complete(1.35)


def test_nobody_awaited_is_always_complete():
    ledger = Ledger([False])
    ledger.begin()
    assert ledger.complete(0.0)


def test_after_the_end_only_what_is_still_owed_may_come():
    ledger = Ledger([True], settle=0.3)
    ledger.begin()
    ledger.ask_again(0)
    ledger.answer(0, 1.0, b'a')
    ledger.end()
    assert not ledger.answer(0, 2.0, b'a')
    with pytest.raises(InputError, match='robot 0'):
        ledger.answer(0, 2.0, b'a')
    ledger.begin()
    assert ledger.answer(0, 3.0, b'a')


def test_a_late_answer_is_not_taken_for_the_next_tick():
    ledger = Ledger([True], settle=0.3)
    ledger.begin()
    ledger.ask_again(0)
    ledger.ask_again(0)
    assert ledger.answer(0, 1.0, b'a')
    ledger.end()  # nothing more has come for a while
    ledger.begin()
    assert not ledger.answer(0, 2.0, b'a')  # now it comes
    assert ledger.silent() == [0]
    assert ledger.answer(0, 2.0, b'b')  # in order: the third never comes
    assert ledger.complete(2.0)
    ledger.end()
    with pytest.raises(InputError, match='robot 0'):
        ledger.answer(0, 3.0, b'b')


def test_equal_answers_after_a_lost_one_do_not_go_on_being_doubted():
    """A robot that stands still answers the same each time; a question of the first is lost."""
    ledger = Ledger([True], settle=0.3, doubt=0.35)
    ledger.begin()
    ledger.ask_again(0)
    assert ledger.answer(0, 1.0, b'still')
    ledger.end()
    ledger.begin()
    assert not ledger.answer(0, 2.0, b'still')  # it may be the lost one
    ledger.ask_again(0)
    assert ledger.answer(0, 2.5, b'still')
    assert not ledger.complete(2.6)
    assert ledger.complete(2.9)
    ledger.end()
    ledger.begin()
    assert ledger.answer(0, 3.0, b'still')
    assert ledger.complete(3.0)


def test_a_node_that_stalls_twice_is_not_taken_for_two():
    """Its late answer is that of the tick before, so both answers of this tick are to come."""
    ledger = Ledger([True], settle=0.3, doubt=5.0)
    ledger.begin()
    ledger.ask_again(0)
    assert ledger.answer(0, 1.0, b'a')
    assert ledger.complete(1.4)  # it stalls between its answers
    ledger.end()
    ledger.begin()
    ledger.ask_again(0)
    assert not ledger.answer(0, 2.0, b'a')
    assert ledger.answer(0, 2.0, b'b')
    assert not ledger.complete(4.0)  # it stalls again
    assert not ledger.answer(0, 4.5, b'b')
    assert ledger.complete(4.5)
    ledger.end()
    ledger.begin()
    assert ledger.answer(0, 5.0, b'b')
