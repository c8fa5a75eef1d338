import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from potential_field_bot.inputs import Arrival, Latest, Lockstep
from sbot_common.clock import Rate
from sbot_common.observation import Scan
from sbot_common.wire.messages import PosesStamped, PoseStamped, ScanStamped

RATE = Rate(30, 1)
SECOND = 10**9


def pose(tick, x=0.0, yaw=0.5):
    return PoseStamped(RATE.stamp_ns(tick), 'map', x, 2.0, yaw)


def scan(tick):
    return ScanStamped(RATE.stamp_ns(tick), Scan(np.full(3, tick, np.float32), 0.0, 0.1, 0.0, 9.0))


def poses(tick, *rows):
    return PosesStamped(RATE.stamp_ns(tick), 'map', np.array(rows))


def feed(lockstep, tick, order=(0, 1, 2)):
    """Give both poses (x = tick + robot) and the scan (source 2) of a tick."""
    return [lockstep.scan(scan(tick)) if source == 2
            else lockstep.pose(source, pose(tick, tick + source)) for source in order]


@given(st.lists(st.permutations([0, 1, 2]), min_size=1, max_size=6))
def test_one_turn_a_stamp_in_any_order(orders):
    lockstep = Lockstep(1, 2, 30.0)
    for tick, order in enumerate(orders):
        arrivals = feed(lockstep, tick, order)
        assert arrivals[:2] == [Arrival(), Arrival()]
        inputs = arrivals[2].inputs
        assert inputs.stamp_ns == RATE.stamp_ns(tick)
        assert inputs.poses[:, 0].tolist() == [tick, tick + 1]
        assert inputs.scan.ranges[0] == tick
        assert inputs.scan_heading == inputs.poses[1, 2]


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_all_poses_in_one_message_make_the_same_turns(scan_first):
    apart, together = Lockstep(1, 2, 30.0), Lockstep(1, 2, 30.0, together=True)
    for tick, first in enumerate(scan_first):
        wanted = feed(apart, tick)[2].inputs
        rows = poses(tick, *([tick + robot, 2.0, 0.5] for robot in range(2)))
        steps = [lambda rows=rows: together.poses(rows),
                 lambda tick=tick: together.scan(scan(tick))]
        arrivals = [step() for step in (reversed(steps) if first else steps)]
        assert arrivals[0] == Arrival()
        inputs = arrivals[1].inputs
        assert inputs.poses.tolist() == wanted.poses.tolist()
        assert inputs[0] == wanted[0]
        assert inputs.scan_heading == wanted.scan_heading
    assert together.poses(rows) == Arrival()
    assert together.scan(scan(tick)) == Arrival(repeat=True)


def test_a_repeated_snapshot_is_answered_once():
    lockstep = Lockstep(0, 2, 30.0)
    feed(lockstep, 0)
    feed(lockstep, 1)
    assert feed(lockstep, 1) == [Arrival(), Arrival(), Arrival(repeat=True)]


def test_a_half_lost_snapshot_is_completed_by_its_repetition():
    lockstep = Lockstep(0, 2, 30.0)
    assert lockstep.pose(1, pose(0)) == Arrival()
    arrivals = feed(lockstep, 0)
    assert [arrival.inputs is not None for arrival in arrivals] == [False, False, True]


def test_old_stamps_are_dropped():
    lockstep = Lockstep(0, 2, 30.0)
    for tick in range(5):
        feed(lockstep, tick)
    assert feed(lockstep, 2) == [Arrival()] * 3


def test_the_first_stamp_again_is_a_reset():
    lockstep = Lockstep(0, 2, 30.0)
    for tick in range(5):
        feed(lockstep, tick)
    arrivals = feed(lockstep, 0)
    assert [arrival.reset for arrival in arrivals] == [True, False, False]
    assert arrivals[2].inputs is not None
    assert feed(lockstep, 1)[2].inputs is not None


def test_first_stamps_of_odd_rates():
    for rate in (Rate(100, 3), Rate(1, 7), Rate(1000, 1)):
        lockstep = Lockstep(0, 1, rate.hz)
        for tick in (0, 1, 0, 1):
            stamp = rate.stamp_ns(tick)
            lockstep.pose(0, pose(0)._replace(stamp_ns=stamp))
            assert lockstep.scan(scan(0)._replace(stamp_ns=stamp)).inputs is not None


def test_everything_is_awaited():
    latest = Latest(0, 2)
    assert latest.missing() == ['pose of robot 0', 'pose of robot 1', 'scan']
    latest.pose(1, pose(0), SECOND)
    latest.scan(scan(0), SECOND)
    assert latest.missing() == ['pose of robot 0']
    latest.pose(0, pose(0, math.nan), SECOND)
    assert latest.missing() == ['pose of robot 0']
    latest.pose(0, pose(0), SECOND)
    assert latest.missing() == []


def test_of_all_poses_in_one_message_those_that_are_not_finite_count_as_none():
    latest = Latest(1, 2)
    latest.scan(scan(0), SECOND)
    latest.poses(poses(0, [1.0, 2.0, 0.5], [math.nan, 2.0, 0.5]), SECOND)
    assert latest.missing() == ['pose of robot 1']
    latest.poses(poses(1, [math.inf, 2.0, 0.5], [3.0, 4.0, 0.25]), 2 * SECOND)
    assert latest.missing() == []
    assert latest.stale(2 * SECOND + 1, 1.0) == ['pose of robot 0', 'scan']
    inputs = latest.inputs()
    assert inputs.stamp_ns == RATE.stamp_ns(1)
    assert inputs.poses.tolist() == [[1.0, 2.0, 0.5], [3.0, 4.0, 0.25]]


def test_the_scan_keeps_the_heading_of_its_arrival():
    """docs/errata.md P5."""
    latest = Latest(0, 1)
    latest.pose(0, pose(0, yaw=0.25), SECOND)
    latest.scan(scan(0), SECOND)
    latest.pose(0, pose(1, yaw=0.75), SECOND)
    inputs = latest.inputs()
    assert (inputs.scan_heading, inputs.poses[0, 2]) == (0.25, 0.75)
    assert inputs.stamp_ns == RATE.stamp_ns(1)


def test_what_is_old_is_named():
    latest = Latest(0, 2)
    latest.pose(0, pose(0), 2 * SECOND)
    latest.pose(1, pose(0), 3 * SECOND)
    latest.scan(scan(0), 2 * SECOND)
    now = 2 * SECOND + SECOND // 2
    assert latest.stale(now, 0.5) == []
    assert latest.stale(now + 1, 0.5) == ['pose of robot 0', 'scan']
    assert latest.stale(100 * SECOND, 0.0) == []
    latest.pose(0, pose(0, math.inf), now)  # not a pose
    assert 'pose of robot 0' in latest.stale(now + 1, 0.5)


def test_a_clock_that_goes_back_is_noticed():
    latest = Latest(0, 1)
    latest.pose(0, pose(9), 5 * SECOND)
    assert not latest.went_back(5 * SECOND)
    assert latest.went_back(5 * SECOND - 1)
