"""Obstacles of SDF and URDF texts; refusals have a code."""

import pytest

from sbot_common.errors import InputError
from sbot_sim.ros.spawned import Refused, Shape, read_shape, refused_as

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
