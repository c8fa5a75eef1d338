"""What worlds of a batch must share."""

import pytest

import sbot
from sbot.scenario.shipped import gallery_scenarios, shipped_scenarios
from sbot.worlds.knowing import Knowing
from sbot.worlds.setting import tables_of_worlds, winds_of
from sbot.worlds.starts import Starts
from sbot_common.errors import InputError
from sbot_sim.engine.many import Simulation

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


def test_worlds_take_every_shipped_scenario():
    """What a run accepts; tables, phases and starts, without compiling them."""
    files = [*shipped_scenarios().values(), *gallery_scenarios().values()]
    assert len(files) > 15
    for path in files:
        scenario = sbot.load(path)
        tables = tables_of_worlds([scenario] * 2)
        parameters = [table.parameters for table in tables]
        batch = Simulation(parameters, winds_of(tables), ['scan', 'wind'], lambda k, seed: None)
        assert batch.tick.advancing(batch.setting)
        assert batch.tick.sensing(batch.setting)
        Knowing([scenario] * 2, batch.state)
        assert Starts(scenario)(3).shape == (len(scenario.robots), 3)
