"""Parameter groups of a scenario: bodies that build on others, finite numbers, own parameters."""

import math

import pytest

from sbot.files.yaml_text import Origins
from sbot.scenario.groups import (
    SensorSettings,
    check_bodies,
    check_group,
    controller_in_words,
    group_in_words,
    group_specs,
)
from sbot.scenario.load import _check_finite
from sbot.scenario.validate import _check_common_parameters, _check_own_parameters
from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_sim.sensors.registry import sensors
from sbot_sim.world.bodies import BODIES


@pytest.fixture
def origins():
    return Origins('file', {}, set())


def test_every_sensor_with_settings_is_in_the_group():
    group = SensorSettings()
    for name, sensor in sensors().items():
        if sensor.settings is not None:
            assert getattr(group, name) == sensor.settings
    with pytest.raises(AttributeError, match='radar'):
        group.radar
    names = [spec.name for spec in group_specs(group)]
    assert len(names) == len(set(names)), 'a key names one setting'
    assert list(group_in_words(group)) == names


def test_a_group_takes_the_values_of_a_file(origins):
    group = check_group(SensorSettings(), {'imu': True, 'scan_beams': 9}, 'sensors', origins)
    assert group.imu.imu is True
    assert group.scan.scan_beams == 9
    assert group.gnss == SensorSettings().gnss
    with pytest.raises(InputError, match=r'sensors\.scan_beam\b.*scan_beams'):
        check_group(SensorSettings(), {'scan_beam': 9}, 'sensors', origins)
    with pytest.raises(InputError, match=r'sensors\.scan_beams: got 0'):
        check_group(SensorSettings(), {'scan_beams': 0}, 'sensors', origins)


def test_a_body_leaves_what_it_does_not_say_to_another(origins):
    bodies = check_bodies({'mine': {'mass': 9.0}, 's-bot': {'mass': 2.0},
                           'like_mine': {'like': 'mine', 'radius': 0.5}}, origins)
    assert bodies['mine'] == BODIES['robot']._replace(name='mine', mass=9.0)
    assert bodies['s-bot'] == BODIES['s-bot']._replace(mass=2.0)
    assert (bodies['like_mine'].mass, bodies['like_mine'].radius) == (9.0, 0.5)
    assert bodies['e-puck2'] is BODIES['e-puck2']


def test_a_rectangles_radius_follows_from_its_size(origins):
    body = check_bodies({'cart': {'length': 0.8, 'width': 0.6}}, origins)['cart']
    assert body.radius == pytest.approx(0.5)


@pytest.mark.parametrize(('body', 'words'), [
    ({'length': 0.8}, r'bodies\.b\.width: got 0'), ({'width': 0.8}, r'bodies\.b\.length: got 0'),
    ({'length': 0.8, 'width': 0.6, 'offset': 0.4}, 'less than half the length'),
    ({'length': 0.8, 'width': 0.6, 'radius': 0.3}, 'radius cannot be combined with length'),
    ({'like': 'tank'}, r'bodies\.b\.like'), ({'like': 3}, r'bodies\.b\.like')])
def test_a_body_that_does_not_go_together_is_refused(origins, body, words):
    with pytest.raises(InputError, match=words):
        check_bodies({'b': body}, origins)


@pytest.mark.parametrize('value', [math.nan, [1.0, [math.inf]], {'a': {'b': -math.inf}}])
def test_numbers_that_are_not_finite_are_found_wherever_they_are(origins, value):
    with pytest.raises(InputError, match=r'wind\.x.*expected a finite number'):
        _check_finite({'x': value}, ('wind',), origins)
    _check_finite({'x': 'nan', 'y': [1, 2.0]}, ('wind',), origins)


def test_parameters_of_one_robot_come_over_the_common_ones(origins):
    common = _check_common_parameters('navigate', {'turn_gain': 5.0}, Rate(10, 1), origins)
    own = _check_own_parameters('navigate', common, {'drift_weight': 0.5}, ('robots', 1), origins)
    assert (own.turn_gain, own.drift_weight) == (5.0, 0.5)
    assert controller_in_words(own)['turn_gain'] == 5.0
    with pytest.raises(InputError, match='turn_gian'):
        _check_own_parameters('navigate', common, {'turn_gian': 1.0}, ('robots', 1), origins)
    assert _check_own_parameters('m:C', {'a': 1}, {'b': 2}, (), origins) == {'a': 1, 'b': 2}
    with pytest.raises(InputError, match='cannot be combined with controller none'):
        _check_common_parameters('none', {'a': 1}, Rate(10, 1), origins)
