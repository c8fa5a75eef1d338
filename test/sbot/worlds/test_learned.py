"""A network says in what scenario it learned, and warns once where it is driven in another."""

import json

import numpy as np
import pytest

import sbot
from sbot.learn.episodes import Episodes
from sbot.worlds.learned import learned_in
from sbot_common.errors import InputError


def scene(**changes):
    return {'rate': 10, 'duration': 1, 'world': {'bounds': [0, 0, 3, 3]},
            'sensors': {'scan_beams': 8, 'scan_range_max': 2, **changes},
            'robots': [{'body': 's-bot', 'pose': [1, 1, 0], 'controller': 'none'}]}


def driven(path, controller='network', **changes):
    robot = {'body': 's-bot', 'pose': [1, 1, 0], 'controller': controller,
             'parameters': {'network' if controller == 'network' else 'policy': str(path)}}
    return {**scene(**changes), 'robots': [robot]}


def constant(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = weights[0]


def saved(path, **given):
    network = sbot.network('perceptron', ['scan:4'])
    sbot.save_network(path, network, np.zeros(network.weight_count), **given)
    return sbot.load_network(path)


def test_only_rate_body_and_the_sensors_of_the_inputs_are_kept(tmp_path):
    network, _ = saved(tmp_path / 'a.json', scenario=scene())
    kept = dict(network.learned_with)
    assert kept['rate'] == 10
    assert kept['body'] == 's-bot'
    assert kept['sensors.scan_beams'] == 8
    assert all(key in ('rate', 'body') or key.startswith(('sensors.scan_', 'sensors.laser_'))
               for key in kept)
    several = learned_in(network, [sbot.load(scene(scan_noise_std=noise)) for noise in (0, 0.1)])
    assert set(kept) - set(dict(several.learned_with)) == {'sensors.scan_noise_std'}
    assert saved(tmp_path / 'b.json')[0].learned_with == ()
    for worlds in (sbot.Worlds(scene(), 3), sbot.World(scene())):
        assert saved(tmp_path / 'c.json', scenario=worlds)[0] == network


@pytest.mark.parametrize('controller', ['network', 'function_policy'])
def test_a_scenario_with_other_values_is_warned_in_one_line(tmp_path, caplog, controller):
    path = tmp_path / 'a.json'
    if controller == 'network':
        saved(path, scenario=scene())
    else:
        policy = sbot.function_policy(constant, ['scan:4'], weights=1)
        sbot.save_policy(path, policy, [0.5], scenario=scene())
        assert dict(sbot.load_policy(path)[0].network.learned_with)['rate'] == 10
    sbot.load(driven(path, controller))
    sbot.load(driven(path, controller, scan_noise_std=0.1))  # as exact as one likes
    assert not caplog.records
    sbot.run(driven(path, controller, scan_beams=180, scan_range_max=4), rate=20)
    [record] = caplog.records
    key = 'network' if controller == 'network' else 'policy'
    assert record.getMessage() == (
        f'scenario: robots.0.parameters.{key}: {path} learned with rate 10 (now 20), '
        'sensors.scan_beams 8 (now 180), sensors.scan_range_max 2 (now 4), so it drives '
        'differently than it learned; give the scenario these values')


def test_worlds_are_warned_once(tmp_path, caplog):
    network, weights = saved(tmp_path / 'a.json', scenario=scene())
    sbot.Worlds(scene(), 2).run(network, weights, 2)
    assert not caplog.records
    worlds = sbot.Worlds(scene(scan_beams=9), 2)
    for _ in range(2):
        worlds.run(network, weights, 2)
    [record] = caplog.records
    assert record.getMessage().startswith(
        'scenario: network learned with sensors.scan_beams 8 (now 9), so it drives '
        'differently')


def test_networks_of_environments_know_their_scenario():
    class Ahead(sbot.learn.Task):
        inputs = ('scan:4',)

    assert dict(Episodes(scene(), 1, Ahead(), {}).network.learned_with)['sensors.scan_beams'] == 8
    several = Episodes([scene(), scene(scan_noise_std=0.1)], 2, Ahead(), {})
    assert 'sensors.scan_noise_std' not in dict(several.network.learned_with)


def test_a_table_is_known_by_its_name(tmp_path):
    (tmp_path / 'mine.txt').write_text('\n'.join(str(30 - 0.2 * k) for k in range(151)))
    network = sbot.network()
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(32), scenario=scene(
        infrared=True, infrared_table=str(tmp_path / 'mine.txt')))
    content = json.loads((tmp_path / 'a.json').read_text())
    assert content['learned_with']['sensors.infrared_table'] == 'mine.txt'


def test_a_scenario_without_the_sensors_of_the_network_is_refused(tmp_path):
    with pytest.raises(InputError, match=r'infrared needs sensors\.infrared: true'):
        sbot.save_network(tmp_path / 'a.json', sbot.network(), np.zeros(32), scenario=scene())
    with pytest.raises(InputError, match='scenario: got'):
        saved(tmp_path / 'a.json', scenario=[])
