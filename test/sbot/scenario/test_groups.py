"""Parameter groups of a scenario: bodies that build on others, finite numbers, own parameters."""


import pytest

from sbot.files.yaml_text import Origins
from sbot.scenario.groups import SensorSettings, check_bodies, group_in_words, group_specs
from sbot_common.errors import InputError
from sbot_sim.sensors.registry import sensors


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
