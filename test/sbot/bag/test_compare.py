"""Comparison of recordings: padding, bits of numbers, lines of texts."""

import numpy as np
from bag_maker import make_bag

from sbot.bag.compare import Comparison, _first_difference
from sbot.bag.reader import Bag
from sbot_common.wire import cdr


def test_padding_is_no_difference(tmp_path):
    def dirty(tick, name, payload):
        if not name.endswith('base_pose_ground_truth'):
            return payload
        # 'robot_0/base_link' and its zero end at 42, the doubles begin at 44.
        assert payload[41:44] == bytes(3)
        return payload[:42] + b'\xAA\xBB' + payload[44:]

    a = make_bag(tmp_path / 'a')
    b = make_bag(tmp_path / 'b', change=dirty)
    assert Comparison.of(Bag(a), Bag(b)).equal


def test_first_difference_sees_bits():
    def scan(value):
        return cdr.message_class('sensor_msgs/msg/LaserScan')(
            header=cdr.header(1, 'laser'), angle_min=0.0, angle_max=0.0, angle_increment=0.0,
            time_increment=0.0, scan_time=0.0, range_min=0.0, range_max=0.0,
            ranges=np.array([1.0, value], np.float32), intensities=np.zeros(0, np.float32))

    nan = float('nan')
    assert _first_difference(scan(nan), scan(nan)) is None
    assert _first_difference(scan(0.0), scan(-0.0)) == ('ranges[1]', '0.0', '-0.0')


def test_first_difference_of_a_text_is_a_line():
    def text(data):
        return cdr.message_class('std_msgs/msg/String')(data=data)

    old = text('name: a\nseed: 1\nrate: 30\n')
    assert _first_difference(old, old) is None
    assert _first_difference(old, text('name: a\nseed: 2\nrate: 30\n')) == (
        'data line 2', "'seed: 1'", "'seed: 2'")
    assert _first_difference(old, text('name: a\nseed: 1\nrate: 30\nx: 1\n')) == (
        'data line 4', "''", "'x: 1'")
    assert _first_difference(old, text('name: a\nseed: 1\nrate: 30')) == (
        'data line 4', "''", "''")
