"""Inputs of a controller from message bytes, commands to bytes."""

import math

import numpy as np
import pytest

import sbot
from sbot_common import topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.controller_inputs import ALL_POSES
from sbot_common.errors import InputError
from sbot_common.observation import Neighbours
from sbot_common.ros.controller_host import _Source
from sbot_common.wire import cdr
from sbot_common.wire.cdr import DamagedMessage
from sbot_common.wire.controller import FIELDS, encode_points, read_points
from sbot_common.wire.templates import OdometryTemplate, PosesTemplate


def heard(*said):
    data = np.zeros((len(said), 10), np.uint8)
    for row, given in zip(data, said, strict=True):
        row[0] = 58
        row[1:1 + len(given)] = np.frombuffer(given, np.uint8)
    return Neighbours(np.zeros(len(said), np.float32), np.zeros(len(said), np.float32), data)


def test_what_is_packed_is_unpacked():
    message = sbot.Broadcast(heading='float32', hops='uint8', home='bool', x='int16')
    assert message.size == 8
    one = message.pack(heading=-1.5, hops=255, home=True, x=-300)
    assert one == b'\x00\x00\xc0\xbf\xff\x01\xd4\xfe'
    read = message.unpack(heard(one, b''))
    assert read.heading.tolist() == [-1.5, 0.0]
    assert read['hops'].tolist() == [255, 0]
    assert read.home.tolist() == [True, False]
    assert read.x.tolist() == [-300, 0]
    assert message.unpack(heard()).heading.shape == (0,)


def test_the_record_has_range_and_bearing():
    message = sbot.Broadcast(hops='uint8')
    neighbours = heard(b'\x05', b'\x07')._replace(
        range=np.array([0.5, 2.0], np.float32), bearing=np.array([-1.0, 3.0], np.float32))
    read = message.unpack(neighbours)
    assert (read.range.tolist(), read.bearing.tolist()) == ([0.5, 2.0], [-1.0, 3.0])
    assert read[read.range < 1.0].hops.tolist() == [5]


@pytest.mark.parametrize(('fields', 'error'), [
    ({'a': 'float'}, r"Broadcast\.a: got 'float', expected one of bool, int8, .*float64"),
    ({'a': 'float64', 'b': 'int16'}, r"got '10 bytes', expected 1 to 9 bytes"),
    ({}, r"got '0 bytes', expected 1 to 9 bytes"),
    ({'size': 'uint8'}, r"got 'size', expected a name that no attribute of an array has"),
    ({'range': 'float32'}, r"got 'range', expected .* not range or bearing"),
    ({'self': 'uint9'}, r"Broadcast\.self: got 'uint9'")])
def test_wrong_fields_are_one_line(fields, error):
    with pytest.raises(sbot.InputError, match=error):
        sbot.Broadcast(**fields)


@pytest.mark.parametrize(('values', 'error'), [
    ({'hops': 256, 'x': 0.0}, r'Broadcast\.hops: got 256, expected a whole number from 0 to 255'),
    ({'hops': 0.5, 'x': 0.0}, r'Broadcast\.hops: got 0\.5'),
    ({'hops': math.nan, 'x': 0.0}, r'Broadcast\.hops: got nan'),
    ({'hops': 1, 'x': 1e6}, r'Broadcast\.x: got 1000000\.0, expected a number that float16'),
    ({'hops': 1}, r'Broadcast needs x; give it a value'),
    ({'hops': 'x', 'x': 0.0}, r"Broadcast\.hops: got 'x', expected a whole number from 0 to 255"),
    ({'hop': 1, 'x': 0.0}, r"'hop'; did you mean 'hops'")])
def test_wrong_values_are_one_line(values, error):
    with pytest.raises(sbot.InputError, match=error):
        sbot.Broadcast(hops='uint8', x='float16').pack(**values)


def test_neighbours_read_it_a_tick_later():
    message = sbot.Broadcast(number='uint8')

    class Counter:
        def step(self, observation, rng):
            if observation.tick == 2:
                read.append(message.unpack(observation.neighbours).number.tolist())
            return 0.0, 0.0, message.pack(number=10 * observation.robot_id + observation.tick)

    read = []
    sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 5, 5]},
              'sensors': {'range_and_bearing': True},
              'robots': [{'pose': [x, 2, 0], 'controller': Counter} for x in (1, 2, 3)]})
    assert read == [[11, 21], [1, 21], [1, 11]]


def test_only_neighbours_are_read():
    with pytest.raises(sbot.InputError, match=r'neighbours: got .* expected observation'):
        sbot.Broadcast(a='uint8').unpack(np.zeros((2, 10), np.uint8))


CLOUD = 'sensor_msgs/msg/PointCloud2'
POINT = np.dtype([('x', '<f4'), ('range', '<f4'), ('time', '<f8'), ('data', 'u1', 10)])


def points(shape):
    out = np.zeros(shape, POINT)
    count = out.size
    out['x'].flat = np.arange(count)
    out['range'].flat = 0.5 + np.arange(count)
    out['time'].flat = 0.1 * np.arange(count)
    out['data'] = np.arange(10 * count).reshape(*shape, 10)
    return out


KINDS = {'x': ('<f4', 1), 'range': ('<f4', 1), 'time': ('<f8', 1), 'data': ('<u1', 10)}


@pytest.mark.parametrize('shape', [(3, 4), (1, 1), (1, 0)])
def test_points_come_back_with_their_bytes(shape):
    sent = points(shape)
    stamp_ns, size, received = read_points(encode_points(5, 'base_link', sent, dense=True),
                                           **KINDS)
    assert (stamp_ns, size) == (5, shape)
    for name in POINT.names:
        assert received[name].dtype == POINT[name].base
        assert np.array_equal(received[name].reshape(sent[name].shape), sent[name])


def test_fields_are_those_of_the_points():
    message = cdr.decode(encode_points(5, 'base_link', points((1, 4)), dense=False), CLOUD)
    assert [(f.name, f.offset, f.datatype, f.count) for f in message.fields] == [
        ('x', 0, 7, 1), ('range', 4, 7, 1), ('time', 8, 8, 1), ('data', 16, 2, 10)]
    assert message.header.frame_id == 'base_link'
    assert (message.point_step, message.row_step) == (26, 4 * 26)
    assert not message.is_dense


def test_a_cloud_of_nothing_has_no_points():
    message = cdr.decode(encode_points(5, 'map', points((0, 0)), dense=True), CLOUD)
    message.fields, message.point_step = [], 0
    assert read_points(cdr.encode(message), **KINDS)[2]['data'].shape == (0, 10)


FAR = (2**31 - 1, 2**31 - 8, 2**31, 2**32 - 1, 2**32 - 8, 26, 25)


def changed(shape=(1, 4), **changes):
    """A cloud with other numbers, its own or those of the field `time`, as bytes."""
    message = cdr.decode(encode_points(5, 'base_link', points(shape), dense=False), CLOUD)
    for name, value in changes.items():
        setattr(message if hasattr(message, name) else message.fields[2], name, value)
    return cdr.encode(message)


@pytest.mark.parametrize(('changes', 'words'), [
    *(({'offset': offset}, rf"'time' has 1 numbers .* at byte {offset} of") for offset in FAR),
    *(({'count': count}, f"'time' has {count} numbers") for count in (2, 2**29, 2**32 - 1)),
    *((changes, 'little-endian bytes without') for changes in (
        {'height': 2**32 - 1}, {'width': 2**32 - 1, 'row_step': 2**32 - 1},
        {'point_step': 2**32 - 1}, {'point_step': 0, 'row_step': 0},
        {'height': 2**32 - 1, 'width': 2**32 - 1}))], ids=str)
def test_clouds_whose_numbers_do_not_fit_are_refused(changes, words):
    with pytest.raises(cdr.DamagedMessage, match=words):
        read_points(changed(**changes), **KINDS)


def test_a_count_of_none_is_one():
    assert read_points(changed(count=0), **KINDS)[2]['time'].shape == (4,)


QUATERNION = quaternion_from_yaw(0.5)
ODOMETRY = OdometryTemplate('map', 'base_link').fill(9, 1.0, 2.0, *QUATERNION, 0.1, 0.2, 0.3)


def test_all_poses_are_the_single_ones():
    raw = PosesTemplate('map', 2).fill(9, [(1.0, 2.0, *QUATERNION)] * 2)
    source = _Source(topics.POSES, 0, (ALL_POSES,))
    stamp_ns, values = source.read(2, raw)
    assert stamp_ns == 9
    pose = _Source(topics.BASE_POSE_GROUND_TRUTH, 0, (0,)).read(2, ODOMETRY)[1][0]
    assert values[ALL_POSES].tolist() == [[*pose]] * 2
    with pytest.raises(InputError, match='got 2, expected 3'):
        source.read(3, raw)


def field(name, raw):
    return _Source(FIELDS[name][0], 0, (name,)).read(1, raw)


def infrared(count, kind='<f4'):
    points = np.zeros((1, count), [('x', '<f4'), ('reading', kind)])
    return encode_points(5, 'base_link', points, dense=False)


def test_there_are_as_many_infrared_readings_as_sensors():
    assert FIELDS['infrared'][1](infrared(15))[1].shape == (15,)
    for count in (0, 14, 16, 100_000):
        with pytest.raises(DamagedMessage, match=f'{count} infrared readings, expected 15'):
            FIELDS['infrared'][1](infrared(count))


@pytest.mark.parametrize('change', [('range', '<f8'), ('bearing', ('<f4', 2)), ('data', ('u1', 9)),
                                    ('data', 'u1'), ('data', ('i1', 10))])
def test_neighbours_of_another_layout_are_refused(change):
    kinds = {'range': '<f4', 'bearing': '<f4', 'data': ('u1', 10)} | dict([change])
    points = np.zeros((1, 2), [(name, *((kind,) if isinstance(kind, str) else kind))
                               for name, kind in kinds.items()])
    with pytest.raises(DamagedMessage, match=f"'{change[0]}' has"):
        FIELDS['neighbours'][1](encode_points(5, 'base_link', points, dense=False))
