"""Conditions under which networks drive, by key."""

from pathlib import Path

from sbot.scenario.checks.conditions import conditions_of
from sbot.scenario.load import parse_scenario

SCENE = """\
world: {bounds: [0, 0, 9, 9]}
rate: 20
sensors: {scan_beams: 7, scan_range_max: 3.5}
robots: [{pose: [1, 1, 0], goal: [8, 8], body: s-bot}, {pose: [3, 3, 0], body: BODY}]
"""


def conditions(body):
    return conditions_of(parse_scenario(SCENE.replace('BODY', body), 'scene.yaml', Path()))


def test_rate_body_and_sensors_have_keys():
    found = conditions('s-bot')
    assert (found['rate'], found['body']) == (20.0, 's-bot')
    assert (found['sensors.scan_beams'], found['sensors.scan_range_max']) == (7, 3.5)
    assert found['sensors.scan_sees_robots'] is False


def test_robots_with_several_bodies_have_no_common_one():
    assert 'body' not in conditions('e-puck2')
