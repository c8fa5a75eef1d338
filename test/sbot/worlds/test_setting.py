"""What worlds of a batch must share."""

import pytest

import sbot
from sbot_common.errors import InputError

PLAIN = {'name': 'plain', 'world': {'bounds': [0, 0, 4, 4]},
         'robots': [{'pose': [1, 1, 0], 'body': 's-bot', 'controller': 'none'}]}
HERE = {'center': [3, 3], 'size': [0.3, 0.2], 'mass': 1.0}


@pytest.mark.parametrize(('other', 'words'), [
    ({'rate': 20}, 'rate: got'),
    ({'sensors': {'imu': True}}, 'imu: got False and True'),
    ({'sensors': {'gnss': True}}, 'gnss: got False and True'),
    ({'world.boxes': [HERE]}, r'obstacles that move: got \(0, 0\) and \(0, 1\)'),
    ({'wind': {'effective_wind_function': 'math:hypot'}}, 'hooks: got'),
    ({'wind': {'wind_height_above_terrain': 1.0}}, 'wind_height: got')])
def test_what_differs_and_must_not_is_named(other, words):
    with pytest.raises(InputError, match=f'worlds of one batch: {words}.* expected the same'):
        sbot.Worlds([sbot.load(PLAIN), sbot.load(PLAIN, **other)])
