"""What worlds of a batch do not have, and what they must share."""

import pytest

import sbot
from sbot_common.errors import InputError

PLAIN = {'name': 'plain', 'world': {'bounds': [0, 0, 4, 4]},
         'robots': [{'pose': [1, 1, 0], 'body': 's-bot', 'controller': 'none'}]}
REFUSED = {
    'wind.wind_height_above_terrain': {'wind': {'wind_height_above_terrain': 1.0}},
    'wind.turbulence': {'wind': {'turbulence': 'robot'}},
    'wind.effective_wind_function': {'wind': {'effective_wind_function': 'math:hypot'}},
    'wind.blocking_function': {'wind': {'blocking_function': 'math:hypot',
                                         'wake': True}},
    'wind.drive_impulse_function': {'wind': {'drive_impulse_function': 'math:hypot'}},
    'world.moving': {'world.moving': [
        {'radius': 0.1, 'path': [[2, 2], [3, 2]], 'speed': 0.1}]},
    'world.boxes': {'world.boxes': [{'center': [3, 3], 'size': [0.3, 0.2], 'mass': 1.0}]},
    'sensors.imu': {'sensors': {'imu': True}},
    'sensors.gnss': {'sensors': {'gnss': True}},
    'bodies.s-bot.drive: omnidirectional': {'bodies.s-bot.drive': 'omnidirectional'},
    'bodies.cart.length': {'bodies': {'cart': {'length': 0.3, 'width': 0.2}},
                           'robots.0.body': 'cart'},
}


@pytest.mark.parametrize('name', REFUSED)
def test_what_only_a_single_run_has_is_refused_by_name(name):
    alone = sbot.load(PLAIN, **REFUSED[name])
    words = f'{name}: worlds do not have it; only sbot.run and sbot up do'
    for scenarios in ([alone, alone], [sbot.load(PLAIN), alone]):
        with pytest.raises(InputError) as error:
            sbot.Worlds(scenarios)
        assert str(error.value) == words
    with pytest.raises(InputError, match='worlds do not have it'):
        sbot.World(alone)


def test_all_that_is_refused_is_said_at_once():
    words = r'^wind\.turbulence, world\.boxes, sensors\.gnss: worlds do not have them'
    with pytest.raises(InputError, match=words):
        sbot.World(PLAIN, **{key: value for name in ('sensors.gnss', 'world.boxes',
                                                     'wind.turbulence')
                             for key, value in REFUSED[name].items()})
