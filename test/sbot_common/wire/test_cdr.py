"""Messages to bytes and back; damage is named; stamps in nanoseconds."""

import pytest

from sbot_common.errors import InputError
from sbot_common.wire import cdr, geometry

TWIST = 'geometry_msgs/msg/Twist'


def test_bytes_come_back_in_either_order():
    raw = cdr.encode(geometry.twist(1.5, -2.0, 0.25))
    assert cdr.decode(raw, TWIST) == geometry.twist(1.5, -2.0, 0.25)
    assert cdr.little_endian(raw, TWIST) is raw
    big = b'\0\0' + raw[2:4] + b''.join(raw[4 + k:12 + k][::-1] for k in range(0, 48, 8))
    assert cdr.little_endian(big, TWIST) == raw


def test_padding_does_not_count():
    header = cdr.encode(cdr.header(3, 'map'))
    assert cdr.canonical(header, 'std_msgs/msg/Header') == header


@pytest.mark.parametrize(('raw', 'kind', 'message'), [
    (b'\0\1\0\0abc', TWIST, '7 bytes that are no such message'),
    (b'', 'no_msgs/msg/Such', "unknown message type 'no_msgs/msg/Such'")])
def test_what_is_no_message_is_refused(raw, kind, message):
    with pytest.raises(InputError, match=message):
        cdr.decode(raw, kind)


def test_stamps():
    assert cdr.stamp_ns(cdr.stamp(12_345_678_901)) == 12_345_678_901
    with pytest.raises(cdr.DamagedMessage, match='expected less than 1000000000'):
        cdr.total_ns(1, 1_000_000_000)
