"""Messages compared field by field: to the bit, with tolerances, and where one is missing."""

import math

import pytest

from sbot.regression.commands import Differing, Tolerances, differences, in_words
from sbot_common import topics
from sbot_common.errors import InputError
from sbot_common.observation import Twist
from sbot_common.wire.cdr import encode, header, message
from sbot_common.wire.controller import write_command
from sbot_common.wire.messages import point, pose, write_twist

TYPE = topics.CMD_VEL.type


def compared(recorded, new, *tolerances):
    raw = [None if each is None else write_twist(*each) for each in (recorded, new)]
    return list(differences(*raw, TYPE, Tolerances(tolerances)))


def test_equal_bits_agree_and_no_others():
    assert compared((0.1, 0.0, 0.2), (0.1, 0.0, 0.2)) == []
    nearly = math.nextafter(0.2, 1.0)
    assert compared((0.1, 0.0, 0.2), (0.1, 0.0, nearly)) == [('angular.z', 0.2, nearly)]
    assert compared((0.0, 0.0, 0.0), (0.0, 0.0, -0.0)) == [('angular.z', 0.0, -0.0)]
    assert compared((math.nan, 0.0, 0.0), (math.nan, 0.0, 0.0)) == []


def test_tolerances_hold_for_all_numbers_or_for_one_field():
    one, other = (0.1, 0.0, 0.2), (0.1005, 0.0, 0.21)
    assert [field for field, *_ in compared(one, other)] == ['linear.x', 'angular.z']
    assert [field for field, *_ in compared(one, other, '1e-3')] == ['angular.z']
    assert compared(one, other, '1e-3', 'angular.z=0.02') == []
    assert [field for field, *_ in compared(one, other, 'angular.z=0.02')] == ['linear.x']
    assert compared((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0), '1')[0][0] == 'linear.x'
    assert compared((0.0, 0.0, 0.0), (0.0, 0.0, -0.0), '1e-9') == []


@pytest.mark.parametrize('text', ['x', '-1', 'nan', 'inf', 'linear.w=1', 'linear.x=', '=1'])
def test_bad_tolerances_are_refused(text):
    with pytest.raises(InputError, match='--tolerance'):
        Tolerances([text]).check([TYPE])


PATH, GRID = 'nav_msgs/msg/Path', 'nav_msgs/msg/OccupancyGrid'


def path(*xs, frame='map', stamp_ns=7):
    poses = [message('geometry_msgs/msg/PoseStamped', header=header(stamp_ns, frame),
                     pose=pose(point(x, 0.0, 0.0))) for x in xs]
    return encode(message(PATH, header=header(0, frame), poses=poses))


def other(recorded, new, *tolerances):
    given = Tolerances(tolerances)
    given.check([PATH])
    return list(differences(recorded, new, PATH, given))


def test_of_any_message_the_fields_that_differ_are_named():
    nearly = math.nextafter(1.0, 2.0)
    assert other(path(0.0, 1.0), path(0.0, nearly)) == [('poses[1].pose.position.x', 1.0, nearly)]
    assert other(path(0.0), path(0.0, 1.0)) == [('poses.length', 1, 2)]
    assert other(path(), path(frame='odom'), '1') == [('header.frame_id', 'map', 'odom')]
    assert other(path(frame='a'), path(frame='a\nb')) == [('header.frame_id', 'a', '')]
    assert other(path(), None) == [('message', 'one', 'none')]


def test_integers_are_exact_unless_their_field_has_a_tolerance():
    stamped = ('poses[0].header.stamp.nanosec', 7, 9)
    moved = ('poses[0].pose.position.x', 1.0, 1.5)
    one, two = path(1.0), path(1.5, stamp_ns=9)
    assert other(one, two) == [stamped, moved]
    assert other(one, two, '1') == other(one, two, f'{PATH}=1') == [stamped]
    assert other(one, two, 'poses.header=2') == [moved]
    assert other(one, two, 'poses=2') == []
    assert other(one, two, 'poses=2', 'poses.pose.position=0.1') == [moved]


@pytest.mark.parametrize('text', ['pose=1', 'poses.po=1', f'{GRID}=1', 'poses[0]=1'])
def test_tolerances_of_what_is_not_compared_are_refused(text):
    with pytest.raises(InputError, match='--tolerance'):
        other(path(), path(), text)


def test_of_stamped_commands_the_frame_counts_and_the_stamp_does_not():
    def stamped(stamp_ns, frame):
        return write_command(topics.CMD_VEL_STAMPED, stamp_ns, frame, Twist(0.1, 0.0, 0.2))
    kind = topics.CMD_VEL_STAMPED.type
    assert list(differences(stamped(1, 'a'), stamped(2, 'a'), kind, Tolerances())) == []
    assert list(differences(stamped(1, 'a'), stamped(1, 'b'), kind, Tolerances())) == [
        ('header.frame_id', 'a', 'b')]


def test_each_robot_has_its_first_tick_and_its_count():
    differing = Differing()
    for robot, tick in ((2, 5), (0, 7), (2, 6), (2, 9)):
        differing.add(robot, tick)
    assert differing.robots() == ((0, 7, 1), (2, 5, 3))
    assert in_words(differing.robots(), 4) == (
        '2 of 4 robots differ: robot 0 from tick 7 (1 command), robot 2 from tick 5 (3 commands)')
    assert in_words(differing.robots(), 1) == in_words((), 4) == ''
