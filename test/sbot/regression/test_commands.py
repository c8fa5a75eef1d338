"""Commands compared field by field: to the bit, with tolerances, and where one is missing."""

import math

import pytest

from sbot.regression.commands import CommandDifference, Tolerances, differences
from sbot_common import topics
from sbot_common.errors import InputError
from sbot_common.twist import Twist
from sbot_common.wire.controller import write_command
from sbot_common.wire.messages import write_twist

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
        Tolerances([text])


def test_a_missing_command_is_a_difference():
    assert compared(None, None) == []
    assert compared((0.5, 0.0, 0.25), None) == [
        ('command', 'linear.x = 0.5, angular.z = 0.25', 'none')]
    assert compared(None, (0.0, 0.0, 0.0)) == [('command', 'none', 'all 0')]


def test_of_stamped_commands_the_frame_counts_and_the_stamp_does_not():
    def stamped(stamp_ns, frame):
        return write_command(topics.CMD_VEL_STAMPED, stamp_ns, frame, Twist(0.1, 0.0, 0.2))
    kind = topics.CMD_VEL_STAMPED.type
    assert list(differences(stamped(1, 'a'), stamped(2, 'a'), kind, Tolerances())) == []
    assert list(differences(stamped(1, 'a'), stamped(1, 'b'), kind, Tolerances())) == [
        ('header.frame_id', 'a', 'b')]


def test_in_words():
    assert str(CommandDifference(7, 1, '/robot_1/cmd_vel', 'angular.z', 0.2, 0.25)) == (
        'first difference: tick 7, /robot_1/cmd_vel, angular.z: recorded 0.2; now 0.25')
