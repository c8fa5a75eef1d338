"""`sbot new --from FILE.json` writes a scenario in which a network drives as it learned."""

import numpy as np
import pytest

import sbot
from sbot.cli.main import main

LEARNED = {'rate': 12, 'duration': 1, 'world': {'bounds': [0, 0, 9, 9]},
           'robots': [{'body': 'e-puck2', 'count': 2, 'controller': 'none'}],
           'sensors': {'scan_beams': 8, 'scan_range_max': 2, 'range_and_bearing': True}}


def drives(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = outputs[1] = weights[0]


@pytest.mark.parametrize('controller', ['network', 'function_policy'])
def test_the_scenario_has_what_the_network_learned_with(tmp_path, capsys, caplog, controller):
    (tmp_path / 'nets').mkdir()
    path, inputs = tmp_path / 'nets' / 'a.json', ['scan:4', 'goal', 'neighbours']
    if controller == 'network':
        network = sbot.network('perceptron', inputs)
        sbot.save_network(path, network, np.ones(network.weight_count), scenario=LEARNED)
    else:
        sbot.save_policy(path, sbot.function_policy(drives, inputs, weights=1), [1.0],
                         scenario=LEARNED)
    assert main(['new', str(tmp_path / 'drive'), '--from', str(path)]) == 0
    scenario = sbot.load(tmp_path / 'drive.yaml')
    assert scenario.rate.hz == 12
    assert [robot.body for robot in scenario.robots] == ['e-puck2'] * 2
    assert (scenario.sensors.scan.scan_beams, scenario.sensors.scan.scan_range_max) == (8, 2)
    assert 'nets/a.json' in (tmp_path / 'drive.yaml').read_text()
    run = sbot.run(scenario, duration=1)
    assert np.ptp(run.poses[:, :, 0], axis=0).min() > 0.01
    assert not caplog.records


def test_a_file_without_these_is_refused(tmp_path, capsys):
    sbot.save_network(tmp_path / 'a.json', sbot.network(), np.zeros(32))
    assert main(['new', str(tmp_path / 'drive'), '--from', str(tmp_path / 'a.json')]) == 2
    assert 'a.json needs learned_with' in capsys.readouterr().err
    assert not (tmp_path / 'drive.yaml').exists()


@pytest.mark.parametrize(('learned', 'said'), [
    ({'rate': -1}, 'rate: got -1'), ({'rate': 10**300}, '64 bits'),
    ({'body': 'of its own'}, "unknown name 'of its own'"), ({'sensors.none': 1}, "name 'none'"),
    ({'body': '\ud800'}, 'surrogates not allowed')])
def test_values_of_no_scenario_are_refused_and_nothing_is_written(tmp_path, capsys, learned, said):
    network = sbot.network()._replace(learned_with=tuple(learned.items()))
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(32))
    assert main(['new', str(tmp_path / 'drive'), '--from', str(tmp_path / 'a.json')]) == 2
    error = capsys.readouterr().err
    assert '--from: no scenario has the learned_with of ' in error
    assert said in error
    assert [path.name for path in tmp_path.iterdir()] == ['a.json']
