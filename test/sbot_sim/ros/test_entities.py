"""Names, filters and poses of simulation_interfaces' entities."""

import math
from types import SimpleNamespace

import pytest

from sbot_common.errors import InputError
from sbot_sim.ros.entities import (
    Refused,
    Shape,
    check_frame,
    fill_state,
    filtered,
    new_name,
    read_pose,
    read_shape,
    refused_as,
    robot_name,
    robot_number,
)

BOX = '<geometry><box><size>2 0.5 1</size></box></geometry>'
DISC = '<geometry><sphere radius="0.25"/></geometry>'


def test_a_description_is_a_disc_or_a_box():
    assert read_shape(f'<sdf><model name="a"><link><collision>{BOX}</collision></link></model>'
                      '</sdf>') == Shape('a', 0.0, 2.0, 0.5)
    assert read_shape(f'<robot name="b"><link><collision>{DISC}</collision></link>'
                      '</robot>') == Shape('b', 0.25)


@pytest.mark.parametrize(('text', 'code'), [
    (f'<robot><link><collision>{DISC.replace("0.25", "1e-320")}</collision></link></robot>',
     'RESOURCE_PARSE_ERROR'), (f'<{"a" * 90_000}/>', 'UNSUPPORTED_FORMAT'),
    ('<robot', 'RESOURCE_PARSE_ERROR'), ('<world/>', 'UNSUPPORTED_FORMAT'),
    ('<robot><joint/></robot>', 'UNSUPPORTED_ASSETS'), ('<robot/>', 'UNSUPPORTED_ASSETS'),
    (f'<robot><link><collision>{DISC.replace("0.25", "-1")}</collision></link></robot>',
     'RESOURCE_PARSE_ERROR')])
def test_what_is_no_obstacle_has_a_code(text, code):
    with pytest.raises(Refused) as caught:
        read_shape(text)
    assert caught.value.code == code
    assert len(str(caught.value)) < 200


def test_bad_input_gets_a_code():
    with pytest.raises(Refused, match='too far') as caught, refused_as('INVALID_POSE'):
        raise InputError('too far')
    assert caught.value.code == 'INVALID_POSE'


def space(**values):
    return SimpleNamespace(**values)


def test_robots_have_names():
    assert robot_number(robot_name(12)) == 12


def test_a_new_name_is_free_and_no_robots():
    assert new_name('crate', ['box'], may_rename=False) == 'crate'
    assert new_name('crate', ['crate', 'crate_copy_1'], may_rename=True) == 'crate_copy_2'
    assert new_name('robot_9', [], may_rename=True) == 'robot_9_copy_1'
    for name, code in (('crate', 'NAME_NOT_UNIQUE'), ('a b', 'NAME_INVALID'),
                       ('', 'NAME_INVALID')):
        with pytest.raises(Refused) as caught:
            new_name(name, ['crate'], may_rename=False)
        assert caught.value.code == code


def asked(text):
    return space(filter=text, categories=(), tags=space(tags=()), bounds=space(points=()))


@pytest.mark.parametrize('text', [
    r'(a)\1*\1*\1*x', '(?P<b>a)(?P=b)*', '(a+)+$', '(?x)(a+) +$',
    '(?ix)(a+)#\n+$', '(|)' * 20 + '!', 'a*a*a*a*b', 'x' * 101])
def test_a_filter_that_may_take_for_ever_is_refused(text):
    with pytest.raises(Refused, match='expected at most 100 characters and 3 of'):
        filtered(asked(text), ['a' * 31 + '_'])


def test_filters_search_names():
    names = ['robot_1', 'robot_2', 'robot_12', 'Box']
    assert filtered(asked('robot_(1|2)$'), names) == ['robot_1', 'robot_2']
    assert filtered(asked('(?i)box'), names) == ['Box']
    assert filtered(asked(''), names) == names
    with pytest.raises(Refused, match='filter: '):
        filtered(asked('('), names)


def test_frames():
    for frame in ('', 'map', '/world'):
        check_frame(space(frame_id=frame), 'CODE')
    with pytest.raises(Refused, match="got 'odom', expected map"):
        check_frame(space(frame_id='odom'), 'CODE')


def test_a_state_is_in_the_frame_of_the_map():
    def parts():
        return space(x=0.0, y=0.0, z=0.0, w=0.0)
    state = space(header=space(stamp=space()), pose=space(position=parts(), orientation=parts()),
                  twist=space(linear=parts(), angular=parts()))
    fill_state(state, 0, (1.0, 2.0, math.pi / 2), (0.5, 0.25, 0.1))
    assert read_pose(state.pose) == pytest.approx((1.0, 2.0, math.pi / 2))
    assert (state.twist.linear.x, state.twist.linear.y) == pytest.approx((-0.25, 0.5))
    state.pose.orientation = parts()
    with pytest.raises(InputError, match='expected finite numbers'):
        read_pose(state.pose)
