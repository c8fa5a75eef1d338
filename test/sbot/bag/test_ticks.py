import pytest
from bag_maker import RATE, command, make_bag, pose

from sbot.bag.reader import Bag
from sbot.bag.ticks import _MOST_WAITING, ticks
from sbot_common.errors import InputError
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, BASE_SCAN, INFRARED
from sbot_common.wire.messages import PoseStamped, read_twist

TOPICS = (BASE_POSE_GROUND_TRUTH, BASE_SCAN, INFRARED)


def all_ticks(path, robots=3):
    return list(ticks(Bag(path), robots, RATE, TOPICS))


@pytest.mark.parametrize('robots', [1, 3])
@pytest.mark.parametrize('shuffle', [None, 5])
def test_ticks_hold_what_was_recorded(tmp_path, robots, shuffle):
    found = all_ticks(make_bag(tmp_path / 'bag', robots, 20, shuffle=shuffle), robots)
    assert [tick.tick for tick in found] == list(range(20))
    for tick in found:
        assert tick.stamp_ns == RATE.stamp_ns(tick.tick)
        assert not tick.restarted
        for robot in range(robots):
            odometry = PoseStamped.of_odometry(tick.inputs['base_pose_ground_truth'][robot])
            assert (odometry.x, odometry.y) == pose(tick.tick, robot)[:2]
            assert read_twist(tick.commands[robot]) == command(tick.tick, robot)
            assert tick.inputs['base_scan'][robot] is not None
            assert tick.inputs['infrared'][robot] is None


def test_an_unfinished_last_tick_is_left_out(tmp_path):
    path = make_bag(tmp_path / 'bag', change=lambda tick, name, payload: (
        None if tick == 39 and name == '/robot_2/cmd_vel' else payload))
    assert [tick.tick for tick in all_ticks(path)] == list(range(39))


def test_a_message_missing_in_the_middle_is_named(tmp_path):
    path = make_bag(tmp_path / 'bag', 1, _MOST_WAITING + 20, lambda tick, name, payload: (
        None if tick == 7 and name == '/base_scan' else payload))
    with pytest.raises(InputError, match='tick 7: /base_scan is missing'):
        all_ticks(path, 1)


def test_time_that_begins_again_is_a_restart(tmp_path):
    # Ticks 0..9, then 0..9 again: only their place in the file tells them apart.
    from bag_maker import tick_messages

    from sbot.bag.recorder import Recorder
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        for _ in range(2):
            for tick in range(10):
                for name, topic, payload in tick_messages(tick, 2):
                    recorder.write(name, topic, RATE.stamp_ns(tick), payload)
    found = all_ticks(tmp_path / 'bag', 2)
    assert [tick.tick for tick in found] == [*range(10), *range(10)]
    assert [tick.restarted for tick in found] == [k == 10 for k in range(20)]


def test_a_snapshot_sent_again_counts_once(tmp_path):
    from bag_maker import tick_messages

    from sbot.bag.recorder import Recorder
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        for tick in range(10):
            group = tick_messages(tick, 2)
            again = [message for message in group if not message[0].endswith('cmd_vel')]
            for name, topic, payload in again + group + again:
                recorder.write(name, topic, RATE.stamp_ns(tick), payload)
    assert [tick.tick for tick in all_ticks(tmp_path / 'bag', 2)] == list(range(10))
