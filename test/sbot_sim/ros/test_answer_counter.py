import pytest

from sbot_common.errors import InputError
from sbot_sim.ros.answer_counter import AnswerCounter


def test_a_tick_is_complete_when_everybody_awaited_has_answered():
    counter = AnswerCounter([True, False, True])
    counter.begin()
    assert counter.silent() == [0, 2]
    assert counter.answer(2, 0.0)
    assert not counter.complete(0.0)
    assert counter.answer(0, 0.0)
    assert counter.complete(0.0)


def test_answers_that_nobody_asked_for_are_errors():
    counter = AnswerCounter([True, False])
    counter.begin()
    counter.answer(0, 0.0)
    with pytest.raises(InputError, match='robot 0: got an unexpected command'):
        counter.answer(0, 0.1)
    with pytest.raises(InputError, match='robot 1'):
        counter.answer(1, 0.1)


def test_after_a_repeated_question_both_answers_are_waited_for():
    counter = AnswerCounter([True], lost_after=0.3)
    counter.begin()
    counter.ask_again(0)
    assert counter.answer(0, 1.0)
    assert not counter.complete(1.1)
    assert not counter.answer(0, 1.2)  # the same answer again: not a new command
    assert counter.complete(1.2)


def test_a_lost_question_does_not_block_for_ever():
    counter = AnswerCounter([True], lost_after=0.3)
    counter.begin()
    counter.ask_again(0)
    counter.answer(0, 1.0)
    assert not counter.complete(1.25)
    assert counter.complete(1.35)


def test_nobody_awaited_is_always_complete():
    counter = AnswerCounter([False])
    counter.begin()
    assert counter.complete(0.0)


def test_after_the_end_only_what_is_still_owed_may_come():
    counter = AnswerCounter([True], lost_after=0.3)
    counter.begin()
    counter.ask_again(0)
    counter.answer(0, 1.0, b'a')
    counter.end()
    assert not counter.answer(0, 2.0, b'a')
    with pytest.raises(InputError, match='robot 0'):
        counter.answer(0, 2.0, b'a')
    counter.begin()
    assert counter.answer(0, 3.0, b'a')


def test_a_late_answer_is_not_taken_for_the_next_tick():
    counter = AnswerCounter([True], lost_after=0.3)
    counter.begin()
    counter.ask_again(0)
    counter.ask_again(0)
    assert counter.answer(0, 1.0, b'a')
    counter.end()  # nothing more has come for a while
    counter.begin()
    assert not counter.answer(0, 2.0, b'a')  # now it comes
    assert counter.silent() == [0]
    assert counter.answer(0, 2.0, b'b')  # in order: the third never comes
    assert counter.complete(2.0)
    counter.end()
    with pytest.raises(InputError, match='robot 0'):
        counter.answer(0, 3.0, b'b')


def test_equal_answers_after_a_lost_one_do_not_go_on_being_doubted():
    """A robot that stands still answers the same each time; a question of the first is lost."""
    counter = AnswerCounter([True], lost_after=0.3, late_after=0.35)
    counter.begin()
    counter.ask_again(0)
    assert counter.answer(0, 1.0, b'still')
    counter.end()
    counter.begin()
    assert not counter.answer(0, 2.0, b'still')  # it may be the lost one
    counter.ask_again(0)
    assert counter.answer(0, 2.5, b'still')
    assert not counter.complete(2.6)
    assert counter.complete(2.9)
    counter.end()
    counter.begin()
    assert counter.answer(0, 3.0, b'still')
    assert counter.complete(3.0)


def test_a_node_that_stalls_twice_is_not_taken_for_two():
    """Its late answer is that of the tick before, so both answers of this tick are to come."""
    counter = AnswerCounter([True], lost_after=0.3, late_after=5.0)
    counter.begin()
    counter.ask_again(0)
    assert counter.answer(0, 1.0, b'a')
    assert counter.complete(1.4)  # it stalls between its answers
    counter.end()
    counter.begin()
    counter.ask_again(0)
    assert not counter.answer(0, 2.0, b'a')
    assert counter.answer(0, 2.0, b'b')
    assert not counter.complete(4.0)  # it stalls again
    assert not counter.answer(0, 4.5, b'b')
    assert counter.complete(4.5)
    counter.end()
    counter.begin()
    assert counter.answer(0, 5.0, b'b')
