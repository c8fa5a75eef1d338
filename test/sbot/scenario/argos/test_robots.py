"""Robots of ARGoS experiments: controllers, places and headings."""

import math

import pytest

from sbot.scenario.argos.robots import (
    controller_kinds,
    distributed,
    refuse_same_ids,
    robot,
    wheel_speed_needed,
)
from sbot.scenario.argos.xml import parse_xml
from sbot.scenario.fields import MAX_ROBOTS
from sbot_common.errors import InputError

KINDS = ('<a><controllers><wind_aware_controller id="w"><params velocity="20"/>'
         '</wind_aware_controller><other id="o"/></controllers></a>')
FOOT_BOT = '<foot-bot id="fb"><controller config="w"/></foot-bot>'


def kinds():
    return controller_kinds(parse_xml(KINDS.encode(), 'x'))


def group(place, turn='method="constant" values="90,0,0"', quantity=2):
    text = (f'<distribute><position {place}/><orientation {turn}/>'
            f'<entity quantity="{quantity}" base_num="3">{FOOT_BOT}</entity></distribute>')
    return distributed(parse_xml(text.encode(), 'x'), kinds())


def test_controllers_by_id_are_in_metres_a_second():
    assert [(name, kind.name, kind.velocity) for name, kind in kinds().items()] == [
        ('w', 'wind_aware', 0.2), ('o', 'none', 0.0)]


def test_a_robot_heads_where_it_stands():
    body = '<body position="1,2,0" orientation="90,0,0"/>'
    text = FOOT_BOT.replace('</foot-bot>', f'{body}</foot-bot>')
    entry = robot(parse_xml(text.encode(), 'x'), kinds())
    assert entry.values['pose'] == pytest.approx([1.0, 2.0, math.pi / 2])
    assert entry.values['parameters'] == {'velocity': 0.2, 'direction': pytest.approx(math.pi / 2)}
    with pytest.raises(InputError, match="id 'fb' is given twice"):
        refuse_same_ids([entry, entry])


def test_robots_of_a_group_have_names_and_places():
    grid = group('method="grid" center="0,0,0" distances="1,2,1" layout="2,1,1"')
    assert [entry.names for entry in grid] == [('fb3',), ('fb4',)]
    assert [entry.values['pose'][:2] for entry in grid] == [[-0.5, 0.0], [0.5, 0.0]]
    area, = group('method="uniform" min="-1,-1,0" max="1,1,0"')
    assert (area.values['count'], area.values['yaw']) == (2, pytest.approx(math.pi / 2))
    assert area.values['area'][0] < -1.0


@pytest.mark.parametrize(('low', 'high', 'degrees'), [
    (-10, 20, [-10, 20]), (350, 370, [-10, 10]), (0, 720, [0, 360]), (-400, -380, [-40, -20])])
def test_headings_between_two_angles_begin_within_a_turn(low, high, degrees):
    made, = group('method="uniform" min="-1,-1,0" max="1,1,0"',
                  f'method="uniform" min="{low},0,0" max="{high},0,0"')
    assert [math.degrees(each) for each in made.values['yaw_uniform']] == pytest.approx(degrees)


@pytest.mark.parametrize(('arguments', 'message'), [
    (('method="grid" center="0,0,0" distances="1,1,1" layout="1,1,1"',),
     'got 1 x 1 places, expected at least 2, the number of robots'),
    (('method="constant" values="0,0,0"',),
     'constant cannot be combined with quantity 2: it is one place'),
    (('method="spiral"',), "got 'spiral', expected uniform"),
    (('method="uniform" min="0,0,0" max="1,1,0"', 'method="constant" values="0,0,0"',
      MAX_ROBOTS + 1), f'at most {MAX_ROBOTS}')])
def test_groups_that_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        group(*arguments)


def test_wheels_that_do_not_limit_the_drive():
    assert wheel_speed_needed('foot-bot', 0.0) >= 10.0
    assert wheel_speed_needed('foot-bot', 2.0) > wheel_speed_needed('foot-bot', 1.0)
