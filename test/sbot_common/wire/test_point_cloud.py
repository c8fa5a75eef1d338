import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_common.wire import cdr
from sbot_common.wire.point_cloud import decode_points, encode_points, read_point_cloud

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


def test_points_come_back_with_their_bytes():
    sent = points((3, 4))
    stamp_ns, received = decode_points(encode_points(5, 'base_link', sent, dense=True))
    assert stamp_ns == 5
    assert received.shape == (3, 4)
    for name in POINT.names:
        assert np.array_equal(received[name], sent[name])


def test_fields_are_those_of_the_points():
    message = cdr.decode(encode_points(5, 'base_link', points((1, 4)), dense=False), CLOUD)
    assert [(f.name, f.offset, f.datatype, f.count) for f in message.fields] == [
        ('x', 0, 7, 1), ('range', 4, 7, 1), ('time', 8, 8, 1), ('data', 16, 2, 10)]
    assert message.header.frame_id == 'base_link'
    assert (message.point_step, message.row_step) == (26, 4 * 26)
    assert not message.is_dense


@pytest.mark.parametrize('count', [0, 1, 4])
def test_fields_are_read_by_name(count):
    sent = points((1, count))
    stamp_ns, fields = read_point_cloud(encode_points(5, 'base_link', sent, dense=False))
    assert stamp_ns == 5
    assert fields['range'].dtype == np.float32
    assert fields['range'].tolist() == sent['range'][0].tolist()
    assert fields['data'].shape == (count, 10)
    assert np.array_equal(fields['data'], sent['data'][0])


@pytest.mark.parametrize('change', [
    {'is_bigendian': True}, {'row_step': 99}, {'width': 5}, {'height': 2},
    {'datatype': 9}, {'offset': 1000}], ids=str)
def test_clouds_of_another_layout_are_refused(change):
    message = cdr.decode(encode_points(5, 'base_link', points((1, 4)), dense=False), CLOUD)
    for name, value in change.items():
        setattr(message if hasattr(message, name) else message.fields[1], name, value)
    with pytest.raises(InputError, match=CLOUD):
        decode_points(cdr.encode(message))


def test_a_cloud_of_nothing_has_no_points():
    message = cdr.decode(encode_points(5, 'map', points((0, 0)), dense=True), CLOUD)
    message.fields, message.point_step = [], 0
    assert decode_points(cdr.encode(message))[1].shape == (0, 0)


FAR = (2**31 - 1, 2**31 - 8, 2**31, 2**32 - 1, 2**32 - 8, 26, 25)


def changed(shape=(1, 4), **changes):
    """A cloud with other numbers, its own or those of the field `time`, as bytes."""
    message = cdr.decode(encode_points(5, 'base_link', points(shape), dense=False), CLOUD)
    for name, value in changes.items():
        setattr(message if hasattr(message, name) else message.fields[2], name, value)
    return cdr.encode(message)


@pytest.mark.parametrize('offset', FAR)
def test_fields_behind_the_end_of_a_point_are_refused(offset):
    for read in (decode_points, read_point_cloud):
        with pytest.raises(cdr.DamagedMessage, match="'time', 1 of float64 at byte"):
            read(changed(offset=offset))


@pytest.mark.parametrize(('offset', 'count'), [
    (0, 2**29), (8, 2**28), (0, 2**32 - 1), (8, 2**29 - 1), (0, 4), (2**31 - 1, 2**28)])
def test_counts_of_more_than_a_point_has_are_refused(offset, count):
    with pytest.raises(cdr.DamagedMessage, match='ends behind the 26 bytes of a point'):
        decode_points(changed(offset=offset, count=count))


@pytest.mark.parametrize('changes', [
    {'height': 2**32 - 1}, {'width': 2**32 - 1, 'row_step': 2**32 - 1},
    {'point_step': 2**32 - 1}, {'point_step': 0, 'row_step': 0},
    {'height': 2**32 - 1, 'width': 2**32 - 1}], ids=str)
def test_points_that_are_not_there_are_refused(changes):
    with pytest.raises(cdr.DamagedMessage, match='little-endian bytes without'):
        decode_points(changed(**changes))


def test_no_points_need_no_memory_whatever_the_numbers_say():
    assert decode_points(changed(height=2**32 - 1, width=0))[1].size == 0
    assert decode_points(changed((0, 0), height=0, width=2**32 - 1))[1].size == 0
    with pytest.raises(cdr.DamagedMessage, match='65536 bytes where there are none'):
        decode_points(changed((0, 0), point_step=2**32 - 1))
    with pytest.raises(cdr.DamagedMessage, match='names of 256 characters'):
        decode_points(changed(name='x' * 300))


@pytest.mark.parametrize('count', [0, 1])
def test_a_count_of_none_is_one(count):
    assert read_point_cloud(changed(count=count))[1]['time'].shape == (4,)
