"""Messages to bytes and back; damage is named; stamps in nanoseconds."""

import importlib
import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from sbot.bag import recorder
from sbot_common.errors import InputError
from sbot_common.ros import pubsub
from sbot_common.wire import cdr, messages
from sbot_common.wire.cdr import END, Layout
from sbot_common.wire.messages import pose, vector3
from sbot_common.wire.templates import LINE_LIST, encode_marker_array, marker

TWIST = 'geometry_msgs/msg/Twist'


def test_bytes_come_back_in_either_order():
    raw = cdr.encode(messages.twist(1.5, -2.0, 0.25))
    assert cdr.decode(raw, TWIST) == messages.twist(1.5, -2.0, 0.25)
    assert cdr.little_endian(raw, TWIST) is raw
    big = b'\0\0' + raw[2:4] + b''.join(raw[4 + k:12 + k][::-1] for k in range(0, 48, 8))
    assert cdr.little_endian(big, TWIST) == raw


@pytest.mark.parametrize(('raw', 'kind', 'message'), [
    (b'\0\1\0\0abc', TWIST, '7 bytes are not such a message'),
    (b'', 'no_msgs/msg/Such', "unknown message type 'no_msgs/msg/Such'")])
def test_what_is_no_message_is_refused(raw, kind, message):
    with pytest.raises(InputError, match=message):
        cdr.decode(raw, kind)


def test_stamps():
    assert cdr.stamp_ns(cdr.stamp(12_345_678_901)) == 12_345_678_901
    with pytest.raises(cdr.DamagedMessage, match='expected less than 1000000000'):
        cdr.total_ns(1, 1_000_000_000)


MARKER = 'visualization_msgs/msg/Marker'
ODOMETRY = 'nav_msgs/msg/Odometry'
POSES = 'geometry_msgs/msg/PoseArray'
names = st.text('abc/_é0', max_size=9)


@given(names, st.text('abc', max_size=9), st.integers(0, 3))
def test_fields_of_a_marker_are_where_they_were_written(name, text, count):
    points = [(k + 0.25, k + 0.5, k + 0.75) for k in range(count)]
    raw = encode_marker_array([
        marker(name * (k + 1), k, LINE_LIST, (1.5, 2.5, 3.5), (0.5, 0.25, 0.125, 1.0),
               stamp_ns=7_000_000_005 + k, z=9.0, text=text, points=points) for k in range(3)])
    begin, = Layout('visualization_msgs/msg/MarkerArray', 'markers').find(raw)
    layout = Layout(MARKER, 'header.stamp', 'id', 'pose.position.z', 'color', 'points#', 'points',
                    END)
    for k, (stamp, number, z, colour, length, first) in enumerate(layout.each(raw, begin, 3)):
        assert struct.unpack_from('<iI', raw, stamp) == (7, 5 + k)
        assert struct.unpack_from('<i', raw, number) == (k,)
        assert struct.unpack_from('<d', raw, z) == (9.0,)
        assert struct.unpack_from('<4f', raw, colour) == (0.5, 0.25, 0.125, 1.0)
        assert struct.unpack_from('<I', raw, length) == (count,)
        if count:
            flat = tuple(value for point in points for value in point)
            assert struct.unpack_from(f'<{3 * count}d', raw, first) == flat


def poses(frame_id, count):
    return cdr.encode(cdr.message(POSES, header=cdr.header(1, frame_id), poses=[pose()] * count))


def test_messages_of_one_size_may_have_other_offsets():
    layout = Layout('geometry_msgs/msg/TransformStamped', 'child_frame_id', 'transform')
    transform = cdr.message('geometry_msgs/msg/Transform', translation=vector3(),
                            rotation=pose().orientation)
    found = []
    for parent, child in (('a', 'bcdefgh'), ('abcdefg', 'h'), ('a', 'bcdefgh')):
        raw = cdr.encode(cdr.message('geometry_msgs/msg/TransformStamped',
                                     header=cdr.header(1, parent), child_frame_id=child,
                                     transform=transform))
        begin = layout.find(raw)[0]
        assert raw[begin:begin + len(child)] == child.encode()
        found.append((len(raw), begin))
    assert len({size for size, _ in found}) == 1
    assert found[0] == found[2] != found[1]


def test_offsets_of_a_message_cut_off_are_behind_its_end():
    raw = cdr.encode(cdr.decode(poses('map', 1), POSES))
    layout = Layout(POSES, 'poses')
    assert layout.find(raw)[0] < len(raw)
    for size in range(layout.find(raw)[0]):
        assert layout.find(raw[:size])[0] + 56 > size


@pytest.mark.parametrize(('type_name', 'paths'), [
    (ODOMETRY, ('pose.position',)), (ODOMETRY, ('twist', 'pose')),
    ('visualization_msgs/msg/MarkerArray', ('markers', END))])
def test_paths_without_an_offset_are_refused(type_name, paths):
    with pytest.raises(ValueError, match=type_name):
        Layout(type_name, *paths)


class _Part:
    """As rclpy makes the class of `own_msgs/msg/Part`."""

    @staticmethod
    def get_fields_and_field_types():
        return {'name': 'string<8>', 'size': 'float[3]', 'marks': 'sequence<uint8, 4>',
                'good': 'boolean', 'raw': 'octet'}


class _Whole:
    """As rclpy makes the class of `own_msgs/msg/Whole`."""

    @staticmethod
    def get_fields_and_field_types():
        return {'header': 'std_msgs/Header', 'parts': 'sequence<own_msgs/Part>',
                'weight': 'double'}


def test_a_type_that_rosbags_does_not_know_is_learned_from_its_class(monkeypatch):
    monkeypatch.setitem(sys.modules, 'own_msgs.msg', SimpleNamespace(Part=_Part, Whole=_Whole))
    monkeypatch.setitem(sys.modules, 'own_msgs', SimpleNamespace())
    for _ in range(2):
        pubsub._learn('own_msgs/msg/Whole', _Whole)
    part = cdr.message('own_msgs/msg/Part', name='a', size=np.ones(3, np.float32),
                       marks=np.ones(4, np.uint8), good=True, raw=7)
    whole = cdr.message('own_msgs/msg/Whole', header=cdr.header(1, 'map'), parts=[part, part],
                        weight=0.5)
    raw = cdr.encode(whole)
    assert cdr.canonical(raw, 'own_msgs/msg/Whole') == raw
    assert [each.name for each in cdr.decode(raw, 'own_msgs/msg/Whole').parts] == ['a', 'a']
    assert recorder._type_hash('own_msgs/msg/Whole').startswith('RIHS01_')
    assert 'string<=8 name\nfloat32[3] size\nuint8[<=4] marks\nbool good\nbyte raw' in (
        recorder._definition('own_msgs/msg/Whole'))
    assert list(cdr.field_names('own_msgs/msg/Whole'))[-7:] == [
        'parts', 'parts.name', 'parts.size', 'parts.marks', 'parts.good', 'parts.raw', 'weight']


@pytest.mark.ros
def test_what_is_learned_of_installed_types_is_what_rosbags_knows(monkeypatch):
    known = cdr.typestore()
    monkeypatch.setattr(pubsub, 'typestore', lambda: learned)
    for name in ('nav_msgs/msg/Odometry', 'nav_msgs/msg/OccupancyGrid',
                 'sensor_msgs/msg/PointCloud2', 'visualization_msgs/msg/MarkerArray',
                 'rcl_interfaces/msg/ParameterDescriptor', 'geometry_msgs/msg/PolygonStamped'):
        learned = get_typestore(Stores.EMPTY)
        package, _, own = name.split('/')
        pubsub._learn(name, getattr(importlib.import_module(f'{package}.msg'), own))
        assert learned.hash_rihs01(name) == known.hash_rihs01(name)
