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


def test_answers_after_the_end_are_errors_even_if_one_is_outstanding():
    ledger = Ledger([True], settle=0.3)
    ledger.begin()
    ledger.ask_again(0)
    ledger.answer(0, 1.0)
    ledger.end()
    with pytest.raises(InputError, match='robot 0'):
        ledger.answer(0, 2.0)
    ledger.begin()
    assert ledger.answer(0, 3.0)
