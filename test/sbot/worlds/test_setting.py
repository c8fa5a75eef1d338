"""What worlds of a batch do not have, and what they must share."""

import pytest

import sbot
from sbot_common.errors import InputError

PLAIN = {'name': 'plain', 'world': {'bounds': [0, 0, 4, 4]},
         'robots': [{'pose': [1, 1, 0], 'body': 's-bot', 'controller': 'none'}]}
REFUSED = {
    'sensors.imu': {'sensors': {'imu': True}},
    'sensors.gnss': {'sensors': {'gnss': True}},
    'bodies.s-bot.drive: omnidirectional': {'bodies.s-bot.drive': 'omnidirectional'},
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
    words = r'^sensors\.imu, sensors\.gnss, bodies\..*: worlds do not have them'
    with pytest.raises(InputError, match=words):
        sbot.World(PLAIN, **{key: value for name in REFUSED for key, value in
                             REFUSED[name].items() if key != 'sensors'},
                   sensors={'imu': True, 'gnss': True})
