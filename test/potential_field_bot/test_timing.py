import pytest

from potential_field_bot.timing import check_frequency, ticks_between


@pytest.mark.parametrize(('hz', 'rate', 'turns'), [
    (0.2, 30.0, 149),  # docs/errata.md P4: 0.2 as a float is a little more than 0.2
    (0.5, 30.0, 60), (7.0, 30.0, 4), (30.0, 30.0, 1),
    (0.1, 0.1, 1),  # a float32 above the loop rate must not divide by zero
    (29.0, 30.0, 1),
])
def test_turns_between(hz, rate, turns):
    assert ticks_between(hz, rate) == turns


def test_due_once_in_so_many_turns():
    due = [tick for tick in range(1, 400) if check_frequency(tick, 0.2, 30.0)]
    assert due == [149, 298]
