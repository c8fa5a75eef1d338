from hypothesis import given
from hypothesis import strategies as st

from sbot_common.stamp_sync import StampGate


@given(st.permutations([(source, stamp) for source in range(3) for stamp in (10, 20)]))
def test_each_stamp_is_released_at_most_once_and_in_order(arrivals):
    gate = StampGate(3)
    released = []
    for source, stamp in arrivals:
        inputs = gate.put(source, stamp, (source, stamp))
        if inputs is not None:
            assert inputs == [(i, stamp) for i in range(3)]
            released.append(stamp)
    # A later stamp that is complete first makes the earlier one obsolete.
    assert released in ([10, 20], [20])
    assert gate.is_repeat(20)


def test_old_stamps_are_dropped_and_clear_forgets():
    gate = StampGate(1)
    assert gate.put(0, 20, 'b') == ['b']
    assert gate.put(0, 10, 'a') is None
    gate.clear()
    assert not gate.is_repeat(20)
    assert gate.put(0, 10, 'a') == ['a']


def test_incomplete_stamps_do_not_pile_up():
    gate = StampGate(2, depth=5)
    for stamp in range(1, 50):
        gate.put(0, stamp, stamp)
    assert gate.put(1, 1, 'late') is None
    assert gate.put(1, 49, 'new') == [49, 'new']
