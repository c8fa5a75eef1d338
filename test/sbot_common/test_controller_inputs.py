"""Inputs of a controller, synchronised by stamp or newest of each."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.clock import Rate
from sbot_common.controller_inputs import ALL_POSES, Latest, Lockstep, _Arrival, _StampSync


def test_incomplete_stamps_do_not_pile_up():
    sync = _StampSync(2, depth=5)
    for stamp in range(1, 50):
        sync.put(stamp, {0: stamp})
    assert sync.put(1, {1: 'late'}) is None
    assert sync.put(49, {1: 'new'}) == {0: 49, 1: 'new'}


RATE = Rate(30, 1)
SECOND = 10**9


def lockstep(num_robots=2, **options):
    return Lockstep(num_robots, ['scan'], RATE, **options)


def pose(x=0.0, yaw=0.5):
    return x, 2.0, yaw


def feed(inputs, tick, order=(0, 1, 2)):
    """Give both poses (x = tick + robot) and the scan (2) of a tick."""
    stamp = RATE.stamp_ns(tick)
    return [inputs.put(stamp, {'scan': tick} if source == 2 else {source: pose(tick + source)})
            for source in order]


@given(st.lists(st.permutations([0, 1, 2]), min_size=1, max_size=6))
def test_one_turn_a_stamp_in_any_order(orders):
    inputs = lockstep()
    for tick, order in enumerate(orders):
        arrivals = feed(inputs, tick, order)
        assert arrivals[:2] == [_Arrival(), _Arrival()]
        stamp_ns, poses, sensed = arrivals[2].inputs
        assert stamp_ns == RATE.stamp_ns(tick)
        assert poses.tolist() == [[tick, 2.0, 0.5], [tick + 1, 2.0, 0.5]]
        assert sensed == {'scan': tick}


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_all_poses_in_one_message_make_the_same_turns(scan_first):
    apart, together = lockstep(), lockstep(together=True)
    for tick, first in enumerate(scan_first):
        wanted = feed(apart, tick)[2].inputs
        rows = {ALL_POSES: np.array([pose(tick + robot) for robot in range(2)])}
        scan = {'scan': tick}
        stamp = RATE.stamp_ns(tick)
        arrivals = [together.put(stamp, values) for values in (
            (scan, rows) if first else (rows, scan))]
        assert arrivals[0] == _Arrival()
        inputs = arrivals[1].inputs
        assert inputs.poses.tolist() == wanted.poses.tolist()
        assert (inputs.stamp_ns, inputs.sensed) == (wanted.stamp_ns, wanted.sensed)
    assert together.put(stamp, rows) == _Arrival()
    assert together.put(stamp, scan) == _Arrival(repeats=1)


def test_a_repeated_snapshot_is_answered_once():
    inputs = lockstep()
    feed(inputs, 0)
    feed(inputs, 1)
    assert feed(inputs, 1) == [_Arrival(), _Arrival(), _Arrival(repeats=1)]


def test_a_repetition_before_the_last_input_is_answered_too():
    inputs = Lockstep(1, ['scan', 'wind'], RATE)
    for tick in range(2):
        stamp = RATE.stamp_ns(tick)
        for _ in range(3):  # asked three times before the wind is in
            assert inputs.put(stamp, {0: pose()}) == _Arrival()
            assert inputs.put(stamp, {'scan': 1}) == _Arrival()
        complete = inputs.put(stamp, {'wind': (0.0, 0.0)})
        assert complete.inputs is not None
        assert complete.repeats == 2
        assert inputs.put(stamp, {'wind': (0.0, 0.0)}) == _Arrival()


def test_a_half_lost_snapshot_is_completed_by_its_repetition():
    inputs = lockstep()
    assert inputs.put(RATE.stamp_ns(0), {1: pose()}) == _Arrival()
    assert [arrival.inputs is not None for arrival in feed(inputs, 0)] == [False, False, True]


def test_old_stamps_are_dropped():
    inputs = lockstep()
    for tick in range(5):
        feed(inputs, tick)
    assert feed(inputs, 2) == [_Arrival()] * 3


def test_the_first_stamp_again_is_a_reset():
    inputs = lockstep()
    for tick in range(5):
        feed(inputs, tick)
    arrivals = feed(inputs, 0)
    assert [arrival.reset for arrival in arrivals] == [True, False, False]
    assert arrivals[2].inputs is not None
    assert feed(inputs, 1)[2].inputs is not None


@pytest.mark.parametrize('rate', [Rate(100, 3), Rate(1, 7), Rate(1000, 1)])
def test_first_stamps_of_odd_rates(rate):
    """A node knows the rate as a float, which may not be exact."""
    inputs = Lockstep(1, ['scan'], Rate.parse(rate.hz))
    for round_ in range(2):
        for tick in (0, 1):
            stamp = rate.stamp_ns(tick)
            assert inputs.put(stamp, {0: pose()}).reset == (round_ == 1 and tick == 0)
            assert inputs.put(stamp, {'scan': 0}).inputs is not None


def latest(robot_id, num_robots, fields=('scan',)):
    return Latest(robot_id, num_robots, fields)


def test_everything_is_awaited():
    inputs = latest(0, 2, ('scan', 'wind'))
    assert inputs.missing() == ['pose of robot 0', 'pose of robot 1', 'scan', 'wind']
    inputs.put(1, {1: pose()}, SECOND)
    inputs.put(1, {'scan': 'far'}, SECOND)
    inputs.put(1, {'wind': (0.0, 0.0)}, SECOND)
    assert inputs.missing() == ['pose of robot 0']
    inputs.put(1, {0: pose(math.nan)}, SECOND)
    assert inputs.missing() == ['pose of robot 0']
    inputs.put(1, {0: pose()}, SECOND)
    assert inputs.missing() == []


def test_of_all_poses_in_one_message_those_that_are_not_finite_count_as_none():
    inputs = latest(1, 2)
    inputs.put(1, {'scan': 'far'}, SECOND)
    inputs.put(1, {ALL_POSES: np.array([pose(1.0), pose(math.nan)])}, SECOND)
    assert inputs.missing() == ['pose of robot 1']
    inputs.put(2, {ALL_POSES: np.array([pose(math.inf), (3.0, 4.0, 0.25)])}, 2 * SECOND)
    assert inputs.missing() == []
    assert inputs.stale(2 * SECOND + 1, 1.0) == (['scan'], ['pose of robot 0'])
    found = inputs.inputs()
    assert found.stamp_ns == 2
    assert found.poses.tolist() == [[1.0, 2.0, 0.5], [3.0, 4.0, 0.25]]


def test_the_scan_keeps_the_heading_of_its_arrival():
    """docs/errata.md P5."""
    inputs = latest(0, 1)
    inputs.put(1, {0: pose(yaw=0.25)}, SECOND)
    inputs.put(1, {'scan': 'far'}, SECOND)
    inputs.put(2, {0: pose(yaw=0.75)}, SECOND)
    stamp_ns, poses, sensed = inputs.inputs()
    assert (sensed, poses[0, 2]) == ({'scan': 'far', 'scan_heading': 0.25}, 0.75)
    assert stamp_ns == 2


def test_inputs_stay_as_they_are_when_newer_ones_come():
    inputs = latest(0, 1)
    inputs.put(1, {0: pose(1.0), 'scan': 'far'}, SECOND)
    old = inputs.inputs()
    inputs.put(2, {0: pose(5.0), 'scan': 'near'}, SECOND)
    assert (old.poses[0, 0], old.sensed['scan']) == (1.0, 'far')


def test_what_is_old_is_named():
    inputs = latest(0, 2)
    inputs.put(1, {0: pose()}, 2 * SECOND)
    inputs.put(1, {1: pose()}, 3 * SECOND)
    inputs.put(1, {'scan': 'far'}, 2 * SECOND)
    now = 2 * SECOND + SECOND // 2
    assert inputs.stale(now, 0.5) == ([], [])
    assert inputs.stale(now + 1, 0.5) == (['pose of robot 0', 'scan'], [])
    assert inputs.stale(100 * SECOND, 0.0) == ([], [])
    inputs.put(2, {0: pose(math.inf)}, now)  # not a pose
    assert 'pose of robot 0' in inputs.stale(now + 1, 0.5)[0]


def test_a_silent_leader_stops_its_followers_and_nobody_else_stops_anybody():
    """docs/errata.md P16."""
    for follows, required in ((0, ['pose of robot 0']), (None, [])):
        inputs = Latest(1, 3, ['scan'], follows)
        inputs.put(1, {0: pose(), 2: pose()}, SECOND)
        inputs.put(1, {1: pose(), 'scan': 'far'}, 3 * SECOND)
        stale = inputs.stale(3 * SECOND, 0.5)
        assert stale[0] == required
        assert {*stale[0], *stale[1]} == {'pose of robot 0', 'pose of robot 2'}


def test_a_stamp_of_zero_counts_as_heard():
    """docs/errata.md P18."""
    inputs = latest(0, 1)
    inputs.put(0, {0: pose(), 'scan': 'far'}, SECOND)
    assert inputs.missing() == []
    assert inputs.inputs().stamp_ns == 0


def test_a_clock_that_goes_back_is_a_reset():
    inputs = latest(0, 1)
    assert not inputs.restarted(0)
    inputs.put(9, {0: pose()}, 5 * SECOND)
    assert not inputs.restarted(5 * SECOND)
    assert inputs.restarted(5 * SECOND - 1)
    assert not inputs.restarted(5 * SECOND - 1)
    assert inputs.missing() == ['pose of robot 0', 'scan']


def test_a_stamp_that_goes_back_is_a_reset():
    inputs = latest(0, 2)
    inputs.put(9, {0: pose()}, SECOND)
    inputs.put(8, {1: pose()}, SECOND)  # another topic's
    inputs.put(9, {0: pose()}, SECOND)  # sent again
    assert not inputs.restarted(SECOND)
    inputs.put(8, {0: pose()}, SECOND)
    assert inputs.restarted(SECOND)
    assert not inputs.restarted(SECOND)


def test_inputs_of_the_new_run_are_kept_over_a_reset():
    inputs = latest(0, 1)
    inputs.put(9, {0: pose(), 'scan': 'old'}, SECOND)
    inputs.put(1, {0: pose(4.0)}, SECOND)
    inputs.put(1, {'scan': 'new'}, SECOND)
    assert inputs.restarted(SECOND)
    assert inputs.missing() == []
    assert inputs.inputs().sensed['scan'] == 'new'
    assert inputs.inputs().poses[0, 0] == 4.0


def test_another_robot_that_is_not_in_the_world_is_known_not_to_be_there():
    inputs = Latest(0, 3, (), follows=2)
    inputs.put(1, {0: pose(1.0), 1: (math.nan, math.nan, 0.0), 2: (math.nan, math.nan, 0.0)},
               SECOND)
    assert inputs.missing() == ['pose of robot 2']  # it must not go on without this one
    inputs.put(1, {2: pose(3.0)}, SECOND)
    assert inputs.missing() == []
    assert np.isnan(inputs.inputs().poses[:, 0]).tolist() == [False, True, False]
