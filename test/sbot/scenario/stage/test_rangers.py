"""Lasers of Stage's robots: units, defaults, the first sensor of each ranger."""

import math
from pathlib import Path

import pytest

from sbot.scenario.stage.entities import parse_entities
from sbot.scenario.stage.notes import Notes
from sbot.scenario.stage.rangers import lasers_of
from sbot.scenario.stage.tokens import read_tokens
from sbot_common.errors import InputError

UNITS = 0.5, math.radians(1.0)  # half metres, degrees


def lasers(text, units=UNITS):
    tokens = read_tokens(f'position ( {text} )'.encode(), Path('x.world'))
    world = parse_entities(tokens, 'x.world')
    return lasers_of(world.children[0], units, Notes())


def test_a_sensor_is_in_the_units_of_the_file_and_on_its_mount():
    first, = lasers('ranger ( pose [2 0 0 90] sensor ( range [1 6] fov 180 samples 9 '
                    'noise [0.08 0 0] ) sensor ( samples 3 ) )')
    assert first.samples == first.values['scan_beams'] == 9
    assert (first.values['scan_range_min'], first.values['scan_range_max']) == (0.5, 3.0)
    assert first.values['scan_angle_max'] == -first.values['scan_angle_min'] == math.pi / 2
    assert (first.values['laser_x'], first.values['laser_yaw']) == (1.0, math.pi / 2)
    assert first.values['scan_noise_std'] == pytest.approx(0.2)  # the file has the variance


def test_defaults_are_those_of_stage():
    ranger, = lasers('ranger ( sensor ( ) )', (1.0, 1.0))
    old, = lasers('laser ( )', (1.0, 1.0))
    assert (ranger.values['scan_range_max'], ranger.samples) == (5.0, 1)
    assert (old.values['scan_range_max'], old.samples) == (8.0, 180)
    assert lasers('ranger ( )') == lasers('model ( )') == []


@pytest.mark.parametrize(('text', 'message'), [
    ('samples 2.5', r"got '2\.5'"), ('range [3 3]', 'range: got'),
    ('noise [-1 0 0]', 'a variance >= 0')])
def test_bad_values_are_refused_by_line(text, message):
    with pytest.raises(InputError, match=rf'x\.world:1: .*{message}'):
        lasers(f'ranger ( sensor ( {text} ) )')
