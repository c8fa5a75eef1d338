from hypothesis import given
from hypothesis import strategies as st

from sbot_common.stamp_sync import StampSync


@given(st.permutations([(key, stamp) for key in range(3) for stamp in (10, 20)]))
def test_each_stamp_is_released_at_most_once_and_in_order(arrivals):
    sync = StampSync(3)
    released = []
    for key, stamp in arrivals:
        inputs = sync.put(stamp, {key: (key, stamp)})
        if inputs is not None:
            assert inputs == {i: (i, stamp) for i in range(3)}
            released.append(stamp)
    # A later stamp that is complete first makes the earlier one obsolete.
    assert released in ([10, 20], [20])
    assert sync.released == 20


def test_a_message_may_carry_several_inputs():
    sync = StampSync(3)
    assert sync.put(10, {0: 'pose', 'twist': 'turn'}) is None
    assert sync.put(10, {'scan': 'far'}) == {0: 'pose', 'twist': 'turn', 'scan': 'far'}


def test_old_stamps_are_dropped_and_clear_forgets():
    sync = StampSync(1)
    assert sync.put(20, {0: 'b'}) == {0: 'b'}
    assert sync.put(10, {0: 'a'}) is None
    sync.clear()
    assert sync.released is None
    assert sync.put(10, {0: 'a'}) == {0: 'a'}


def test_incomplete_stamps_do_not_pile_up():
    sync = StampSync(2, depth=5)
    for stamp in range(1, 50):
        sync.put(stamp, {0: stamp})
    assert sync.put(1, {1: 'late'}) is None
    assert sync.put(49, {1: 'new'}) == {0: 49, 1: 'new'}
