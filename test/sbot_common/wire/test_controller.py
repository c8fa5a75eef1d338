"""Inputs of a controller from message bytes, commands to bytes."""

import numpy as np
import pytest

from sbot_common import topics
from sbot_common.angles import quaternion_from_yaw
from sbot_common.controller_inputs import ALL_POSES
from sbot_common.errors import InputError
from sbot_common.observation import Odometry
from sbot_common.twist import Twist
from sbot_common.wire.cdr import DamagedMessage
from sbot_common.wire.controller import (
    FIELDS,
    Source,
    read_inputs,
    read_once,
    sources,
    write_command,
)
from sbot_common.wire.messages import read_twist
from sbot_common.wire.point_cloud import encode_points
from sbot_common.wire.templates import (
    OdometryTemplate,
    PosesTemplate,
    ScanTemplate,
    VectorTemplate,
)

QUATERNION = quaternion_from_yaw(0.5)
ODOMETRY = OdometryTemplate('map', 'base_link').fill(9, 1.0, 2.0, *QUATERNION, 0.1, 0.2, 0.3)


def keys(*arguments):
    return [(source.topic.name, source.robot, source.keys) for source in sources(*arguments)]


def test_poses_of_everybody_and_the_own_sensors_are_listened_to():
    assert keys(1, 3, ['scan'], False) == [
        *(('base_pose_ground_truth', i, (i,)) for i in range(3)), ('base_scan', 1, ('scan',))]


def test_one_message_may_carry_pose_and_twist():
    assert keys(1, 2, [*FIELDS], False) == [
        ('base_pose_ground_truth', 0, (0,)), ('base_pose_ground_truth', 1, (1, 'twist')),
        ('base_scan', 1, ('scan',)), ('odom', 1, ('odometry',)), ('infrared', 1, ('infrared',)),
        ('range_and_bearing', 1, ('neighbours',)), ('wind', 1, ('wind',))]


def test_with_all_poses_in_one_message_only_the_twist_is_missing():
    assert keys(1, 9, ['scan'], True) == [('/poses', 1, (ALL_POSES,)), ('base_scan', 1, ('scan',))]
    assert keys(1, 9, ['twist', 'scan'], True) == [
        ('base_pose_ground_truth', 1, ('twist',)), ('/poses', 1, (ALL_POSES,)),
        ('base_scan', 1, ('scan',))]


def test_odometry_is_pose_and_twist():
    source = Source(topics.BASE_POSE_GROUND_TRUTH, 4, (4, 'twist'))
    stamp_ns, values = read_inputs(source, 9, ODOMETRY)
    assert stamp_ns == 9
    assert values[4] == pytest.approx((1.0, 2.0, 0.5), abs=1e-15)
    assert values['twist'] == (0.1, 0.2, 0.3)
    assert read_inputs(source._replace(keys=(4,)), 9, ODOMETRY)[1] == {4: values[4]}


def test_the_wheels_odometry_has_three_speeds():
    source = Source(topics.ODOM, 4, ('odometry',))
    assert read_inputs(source, 9, ODOMETRY)[1]['odometry'] == pytest.approx(
        Odometry(1.0, 2.0, 0.5, v=0.1, omega=0.3, lateral=0.2), abs=1e-15)


def test_all_poses_are_the_single_ones():
    raw = PosesTemplate('map', 2).fill(9, [(1.0, 2.0, *QUATERNION)] * 2)
    source = Source(topics.POSES, 0, (ALL_POSES,))
    stamp_ns, values = read_inputs(source, 2, raw)
    assert stamp_ns == 9
    pose = read_inputs(Source(topics.BASE_POSE_GROUND_TRUTH, 0, (0,)), 2, ODOMETRY)[1][0]
    assert values[ALL_POSES].tolist() == [[*pose]] * 2
    with pytest.raises(InputError, match='got 2, expected 3'):
        read_inputs(source, 3, raw)


def field(name, raw):
    return read_inputs(Source(FIELDS[name][0], 0, (name,)), 1, raw)


def test_scan_and_wind():
    ranges = np.array([1.0, np.inf], np.float32)
    stamp_ns, values = field('scan', ScanTemplate('laser', 2, -1.0, 1.0, 0.5, 0.0, 0.0, 9.0).fill(
        9, ranges))
    assert stamp_ns == 9
    assert values['scan'].ranges.tolist() == ranges.tolist()
    assert values['scan'][1:] == (-1.0, 0.5, 0.0, 9.0)
    assert field('wind', VectorTemplate('map').fill(9, 0.5, -0.25, 0.0)) == (
        9, {'wind': (0.5, -0.25)})


def test_clouds_of_infrared_and_neighbours():
    points = np.array([[(0.5, 0.25)] * 15], [('x', '<f4'), ('reading', '<f4')])
    stamp_ns, values = field('infrared', encode_points(9, 'base_link', points, dense=False))
    assert (stamp_ns, values['infrared'].tolist()) == (9, [0.25] * 15)
    points = np.array([[(0.5, 0.25, range(10))]], [('range', '<f4'), ('bearing', '<f4'),
                                                   ('data', '<u1', (10,))])
    stamp_ns, values = field('neighbours', encode_points(9, 'base_link', points, dense=False))
    heard = values['neighbours']
    assert (stamp_ns, heard.range.tolist(), heard.bearing.tolist()) == (9, [0.5], [0.25])
    assert heard.data.tolist() == [[*range(10)]]


def test_what_several_nodes_are_given_is_decoded_once():
    decoded = []

    def decode(raw, extra=0):
        decoded.append(raw)
        return len(raw) + extra

    read, raw, same = read_once(decode), bytes(3), bytearray(3)
    assert [read(raw), read(raw), read(same)] == [3, 3, 3]
    assert [read(same, 1), read(same, extra=1)] == [4, 4]
    assert len(decoded) == 4


def test_a_command_is_a_twist_with_or_without_a_stamp():
    raw = write_command(topics.CMD_VEL, 9, 'base_link', Twist(0.5, 0.25, -1.0))
    assert read_twist(raw) == (0.5, 0.25, -1.0)
    raw = write_command(topics.CMD_VEL_STAMPED, 9, 'base_link', Twist(0.5, 0.25, -1.0))
    assert read_twist(raw, topics.CMD_VEL_STAMPED.type) == (0.5, 0.25, -1.0)
    assert b'base_link' in raw


def infrared(count, kind='<f4'):
    points = np.zeros((1, count), [('x', '<f4'), ('reading', kind)])
    return encode_points(5, 'base_link', points, dense=False)


def test_there_are_as_many_infrared_readings_as_sensors():
    assert FIELDS['infrared'][1](infrared(15))[1].shape == (15,)
    for count in (0, 14, 16, 100_000):
        with pytest.raises(DamagedMessage, match=f'{count} infrared readings, expected 15'):
            FIELDS['infrared'][1](infrared(count))


@pytest.mark.parametrize('kind', ['<f8', '<i4', ('<f4', 3)])
def test_infrared_readings_of_another_type_are_refused(kind):
    with pytest.raises(DamagedMessage, match=r"'reading' is .*expected 1 of float32"):
        FIELDS['infrared'][1](infrared(15, kind))


@pytest.mark.parametrize('change', [('range', '<f8'), ('bearing', ('<f4', 2)), ('data', ('u1', 9)),
                                    ('data', 'u1'), ('data', ('i1', 10))])
def test_neighbours_of_another_layout_are_refused(change):
    kinds = {'range': '<f4', 'bearing': '<f4', 'data': ('u1', 10)} | dict([change])
    points = np.zeros((1, 2), [(name, *((kind,) if isinstance(kind, str) else kind))
                               for name, kind in kinds.items()])
    with pytest.raises(DamagedMessage, match=f"'{change[0]}' is"):
        FIELDS['neighbours'][1](encode_points(5, 'base_link', points, dense=False))
