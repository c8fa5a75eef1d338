"""Recorder of a run: what is in the bag, what a cut says, and that an empty bag goes."""

import hashlib
import json

import numpy as np
import pytest

import sbot
from sbot.bag.reader import Bag
from sbot.cli.main import main
from sbot.regression.testing import Sbot
from sbot.runner.loop import FILES, _closed, _noted_files, changed_files, open_recorder
from sbot.scenario.load import load_scenario
from sbot.version import VERSION
from sbot_common.topics import CLOCK
from sbot_common.wire.messages import write_clock

NETWORK = sbot.network('perceptron', ['pose'])


def saved(path, seed):
    sbot.save_network(path, NETWORK, np.random.default_rng(seed).normal(size=NETWORK.weight_count))


@pytest.fixture
def bag(tmp_path):
    """A recording of two robots with a network and one without."""
    saved(tmp_path / 'a.json', 1)
    neural = {'controller': 'neural_controller.controller:Neural',
              'parameters': {'network': str(tmp_path / 'a.json')}}
    scene = {'duration': 0.5, 'rate': 10, 'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
        {'pose': [2, 2, 0], **neural}, {'pose': [4, 4, 0], **neural},
        {'pose': [6, 6, 0], 'goal': [8, 8]}]}
    sbot.run(scene, record=tmp_path / 'bag')
    return sbot.Bag(tmp_path / 'bag')


def test_a_recording_has_the_digests_of_its_files(bag, tmp_path):
    digest = hashlib.sha256((tmp_path / 'a.json').read_bytes()).hexdigest()
    assert json.loads(bag.metadata[FILES]) == {str(tmp_path / 'a.json'): digest}
    assert _noted_files(load_scenario('leader_follower')) == {}
    shipped = load_scenario('evolved_aggregation')  # the same on every machine
    assert list(json.loads(_noted_files(shipped)[FILES])) == ['networks/aggregation.json']
    assert changed_files(_noted_files(shipped), shipped) == []
    assert changed_files({FILES: '{"networks/aggregation.json": ""}'}, shipped)


def test_a_replay_names_the_file_that_has_changed_before_the_difference(bag, tmp_path, capfd):
    assert main(['replay', str(bag.path)]) == 0
    assert 'changed' not in capfd.readouterr().err
    saved(tmp_path / 'a.json', 2)
    assert main(['replay', str(bag.path)]) == 1
    out, err = capfd.readouterr()
    assert err == f'{bag.path}: changed since the recording: {tmp_path / "a.json"}\n'
    assert out.splitlines()[-1].startswith('2 of 3 robots differ: robot 0 from tick 0 (6 commands'
                                           '), robot 1 from tick 0 (6 commands)')
    assert main(['replay', str(bag.path), '--json']) == 1
    result = json.loads(capfd.readouterr().out)
    assert result['changed_files'] == [str(tmp_path / 'a.json')]
    assert result['differing'][1] == {'robot': 1, 'tick': 0, 'differences': 6}
    with pytest.raises(AssertionError, match=r'first difference: .* .changed since the recor'):
        Sbot().assert_replays(bag.path)


LEARNED = """
import numpy as np


class Learned:
    def __init__(self, weights, mode):
        self.speed = float(np.loadtxt(weights))

    def step(self, observation, rng):
        return self.speed, 0.0
"""
LEARNED_SCENARIO = """
duration: 0.5
world: {bounds: [0, 0, 9, 9]}
robots: [{pose: [2, 2, 0], controller: 'learned_by_file:Learned',
          parameters: {weights: speed.txt, mode: fast}}]
"""


def test_a_file_of_an_own_class_is_beside_the_scenario_and_in_the_digests(tmp_path, monkeypatch,
                                                                          capfd):
    folder, elsewhere = tmp_path / 'mine', tmp_path / 'elsewhere'
    folder.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    (folder / 'learned_by_file.py').write_text(LEARNED)
    (folder / 'speed.txt').write_text('0.25')
    (folder / 'scene.yaml').write_text(LEARNED_SCENARIO)
    run = sbot.run(folder / 'scene.yaml', record='bag')
    assert run.commands[0, 0, 0] == 0.25
    assert run.scenario.robots[0].parameters == {'weights': str(folder / 'speed.txt'),
                                                 'mode': 'fast'}
    digest = hashlib.sha256(b'0.25').hexdigest()
    assert json.loads(sbot.Bag('bag').metadata[FILES]) == {str(folder / 'speed.txt'): digest}
    (folder / 'speed.txt').write_text('0.5')
    assert main(['replay', 'bag', '--trust']) == 1
    assert f'changed since the recording: {folder / "speed.txt"}' in capfd.readouterr().err


SCENARIO = {'name': 'noted', 'seed': 7, 'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}


def recorder_in(path):
    return open_recorder(path, sbot.load(SCENARIO))


def test_scenario_seed_and_version_are_in_the_bag(tmp_path):
    with _closed(recorder := recorder_in(tmp_path / 'bag'), lambda: 'never'):
        recorder.write(CLOCK.name, CLOCK, 1, write_clock(1))
    bag = Bag(tmp_path / 'bag')
    assert sbot.load(bag.scenario_text).to_yaml() == sbot.load(SCENARIO).to_yaml()
    assert bag.metadata['seed'] == '7'
    assert bag.metadata['version'] == VERSION
