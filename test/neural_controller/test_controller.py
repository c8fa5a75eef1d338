"""The class drives robots as a batch of worlds does, to the bit."""

import json

import numpy as np
import pytest
from every_input import ALL, TICKS, sensing

import sbot
from neural_controller.controller import Neural
from neural_controller.layers import perceptron
from sbot.learn.episodes import Episodes
from sbot_common.errors import InputError
from sbot_common.observation import Neighbours, Observation

NEURAL = 'neural_controller.controller:Neural'


def network_of(kind, inputs, outputs='wheels'):
    hidden = {'perceptron': [], 'mlp': [5, 3], 'ctrnn': [4]}[kind]
    return sbot.network(kind, inputs, hidden=hidden, outputs=outputs,
                        turn=0.095 if outputs == 'wheels' else 1.5)


@pytest.mark.parametrize(('kind', 'inputs', 'outputs'), [
    ('perceptron', ALL, 'wheels'), ('mlp', ALL, 'twist'), ('ctrnn', ALL, 'wheels'),
    ('perceptron', ('infrared',), 'wheels')])
def test_equals_a_batch_of_worlds_to_the_bit(tmp_path, kind, inputs, outputs):
    network = network_of(kind, inputs, outputs)
    weights = np.random.default_rng(3).normal(size=network.weight_count)
    sbot.save_network(tmp_path / 'a.json', network, weights)
    scenario = sbot.load(sensing(NEURAL, 'network', tmp_path / 'a.json'))
    run = sbot.run(scenario, seed=5)
    episode = sbot.Worlds(scenario, 3, seeds=[4, 5, 6]).run(
        network, weights, TICKS, keep=['pose', 'command', 'collided'])
    assert run.poses[:TICKS].tobytes() == episode.pose[:, 1].tobytes()
    assert run.collided[:TICKS].tobytes() == episode.collided[:, 1].tobytes()
    # A command is kept as it is acted on in the next tick.
    assert np.ptp(run.poses[:, :, 0], axis=0).min() > 0.01
    assert run.collided.any()
    assert (episode.pose[:, 0] != episode.pose[:, 1]).any()


class Driven(sbot.learn.Task):
    """A decision lasts three ticks."""

    inputs, outputs, max_speed, turn, hold = ('scan:7', 'goal'), 'twist', 0.5, 1.0, 3

    def reward(self, before, now):
        return np.zeros(now.seen.pose.shape[:2])


def test_a_network_that_holds_decisions_drives_as_in_an_environment(tmp_path, caplog):
    episodes = Episodes('single_robot', 1, Driven(), {})
    network = episodes.network
    weights = np.random.default_rng(3).normal(size=network.weight_count)
    sbot.save_network(tmp_path / 'a.json', network, weights)
    episodes.seed(5)
    episodes.reset()
    poses, outputs = [], np.zeros((1, 1, 2))
    for _ in range(TICKS // 3):
        poses.append(episodes.now.seen.pose[0])
        perceptron(episodes.now.inputs[0, 0], weights, np.zeros(0), outputs[0, 0],
                   network.layers, 0.1)
        episodes.step(outputs)
    held, same, free = (sbot.run('single_robot', seed=5, **{
        'robots.0.controller': NEURAL, 'duration': 6,
        'robots.0.parameters': {'network': str(tmp_path / 'a.json'), **hold}}).poses
        for hold in ({}, {'hold': 3}, {'hold': 1}))
    assert held[:TICKS:3].tobytes() == np.array(poses).tobytes()
    assert held.tobytes() == same.tobytes()
    assert (held[:TICKS] != free[:TICKS]).any()
    warnings = [text for text in caplog.messages if 'hold' in text]
    assert len(warnings) == 1
    assert 'robots.0.parameters.hold: got 1, expected 3, the hold in ' in warnings[0]


def test_worlds_hold_the_decisions_of_a_network(tmp_path):
    network = sbot.network('ctrnn', ALL, hidden=[4], hold=3)  # its neurons go by the time
    weights = np.random.default_rng(3).normal(size=network.weight_count)
    sbot.save_network(tmp_path / 'a.json', network, weights)
    scenario = sbot.load(sensing(NEURAL, 'network', tmp_path / 'a.json', 40))
    run = sbot.run(scenario, seed=5)
    worlds = sbot.Worlds(scenario, 2, seeds=[4, 5])
    episode = worlds.run(network, weights, 40, keep=['pose', 'command'])
    assert run.poses[:40].tobytes() == np.ascontiguousarray(episode.pose[:, 1]).tobytes()
    command = episode.command[:39].reshape(13, 3, -1)
    assert (command == command[:, :1]).all()
    assert (command[0] != command[1]).any()
    worlds.reset([4, 5])
    free = worlds.run(network._replace(hold=1), weights, 40, keep=['pose'])
    assert (free.pose != episode.pose).any()


def test_an_old_file_says_nothing_and_drives_as_before(tmp_path, caplog):
    network = sbot.network('mlp', ['scan:7', 'goal'], hidden=[3], outputs='twist', turn=1.0)
    weights = np.random.default_rng(3).normal(size=network.weight_count)
    sbot.save_network(tmp_path / 'new.json', network, weights)
    content = json.loads((tmp_path / 'new.json').read_text())
    assert content.pop('hold') == 1
    (tmp_path / 'old.json').write_text(json.dumps(content, indent=1) + '\n')
    loaded, again = sbot.load_network(tmp_path / 'old.json')
    assert loaded.hold is None
    sbot.save_network(tmp_path / 'copy.json', loaded, again)
    assert (tmp_path / 'copy.json').read_bytes() == (tmp_path / 'old.json').read_bytes()
    poses = [sbot.run('single_robot', duration=2, **{
        'robots.0.controller': NEURAL,
        'robots.0.parameters': {'network': str(tmp_path / name), **hold}}).poses.tobytes()
        for name, hold in (('new.json', {}), ('old.json', {}), ('old.json', {'hold': 3}))]
    assert poses[0] == poses[1] != poses[2]
    assert not caplog.records  # an old file does not say with what it was trained


@pytest.mark.parametrize('hold', [0, 1.5, 'x', True])
def test_ticks_of_a_decision_are_a_whole_number(tmp_path, hold):
    sbot.save_network(tmp_path / 'a.json', sbot.network(), np.zeros(32))
    with pytest.raises(InputError, match=r'^hold: got .*, expected a whole number from 1 to'):
        Neural(str(tmp_path / 'a.json'), hold)
    with pytest.raises(InputError, match=r'^hold: got .*, expected a whole number from 1 to'):
        sbot.network(hold=hold)
    content = json.loads((tmp_path / 'a.json').read_text())
    (tmp_path / 'a.json').write_text(json.dumps({**content, 'hold': hold}))
    with pytest.raises(InputError, match=r'a.json: hold: got .*, expected a whole number from'):
        sbot.load_network(tmp_path / 'a.json')


def test_networks_are_found_beside_the_scenario(tmp_path, monkeypatch):
    network = sbot.network()
    sbot.save_network(tmp_path / 'a.json', network, np.ones(32))
    sbot.save_network(tmp_path / 'b.json', network, -np.ones(32))
    (tmp_path / 'scene.yaml').write_text(f"""
duration: 1
world: {{bounds: [0, 0, 3, 3]}}
robots:
  - {{body: s-bot, pose: [1, 1, 0], controller: '{NEURAL}'}}
  - {{body: s-bot, pose: [2, 2, 0], controller: '{NEURAL}', parameters: {{network: b.json}}}}
controllers: {{'{NEURAL}': {{network: a.json}}}}
sensors: {{infrared: true}}
""")
    monkeypatch.chdir('/')
    scenario = sbot.load(tmp_path / 'scene.yaml')
    run = sbot.run(scenario)
    assert np.sign(run.commands[0, :, 0]).tolist() == [1.0, -1.0]
    assert sbot.load(scenario.to_yaml()) == scenario
    with pytest.raises(InputError, match=r"robots\.1\.parameters\.network: got 'no\.json'"):
        sbot.load(tmp_path / 'scene.yaml', **{'robots.1.parameters.network': 'no.json'})


def seen(**fields):
    return Observation(0, 1, 0, 0, 0.1, np.zeros((1, 3)), **fields)


@pytest.mark.parametrize(('name', 'words'), [
    ('infrared', r'infrared needs .*sensors\.infrared'), ('scan:3', 'needs a sensor'),
    ('neighbours', r'neighbours needs .*sensors\.range_and_bearing'),
    ('goal', 'input goal needs a goal')])
def test_what_a_robot_lacks_is_named(tmp_path, name, words):
    network = sbot.network('perceptron', [name])
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(network.weight_count))
    with pytest.raises(InputError, match=words):
        Neural(str(tmp_path / 'a.json')).step(seen(), np.random.default_rng(0))


@pytest.mark.parametrize('beams', [7, 8])
def test_more_sectors_than_beams_are_refused(tmp_path, beams):
    network = sbot.network('perceptron', ['scan:8'])
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(network.weight_count))
    scene = {'duration': 0.2, 'world': {'bounds': [0, 0, 3, 3]}, 'sensors': {'scan_beams': beams},
             'robots': [{'body': 's-bot', 'pose': [1, 1, 0], 'controller': 'network',
                         'parameters': {'network': str(tmp_path / 'a.json')}}]}
    if beams >= 8:
        sbot.run(scene)
    else:
        with pytest.raises(InputError, match="inputs: got 'scan:8', expected at most scan:7"):
            sbot.run(scene)


@pytest.mark.parametrize('count', [14, 16, 100_000])
def test_readings_that_there_is_no_room_for_are_refused(tmp_path, count):
    network = sbot.network('perceptron', ['infrared'])
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(network.weight_count))
    with pytest.raises(InputError, match=f"infrared: got '{count} readings', expected 15"):
        Neural(str(tmp_path / 'a.json')).step(
            seen(infrared=np.ones(count, np.float32)), np.random.default_rng(0))


def test_memory_is_each_robots_own(tmp_path):
    network = sbot.network('ctrnn', ['twist'], hidden=[3])
    weights = np.random.default_rng(0).normal(size=network.weight_count)
    sbot.save_network(tmp_path / 'a.json', network, weights)
    one, other = (Neural(str(tmp_path / 'a.json')) for _ in range(2))
    rng = np.random.default_rng(0)
    first = one.step(seen(twist=(1.0, 0.0, 1.0)), rng)
    second = one.step(seen(twist=(1.0, 0.0, 1.0)), rng)
    assert first != second
    assert other.step(seen(twist=(1.0, 0.0, 1.0)), rng) == first


@pytest.mark.parametrize(('name', 'fields', 'words'), [
    ('goal', {'robot_id': 5}, 'robot 5 and poses of shape'),
    ('goal', {'poses': np.zeros((0, 3))}, 'poses of shape'),
    ('goal', {'poses': np.zeros((1, 2))}, 'poses of shape'),
    ('goal', {'goal': (1.0,)}, "goal: got '1 numbers', expected 2"),
    ('wind', {'wind': (1.0,)}, "wind: got '1 numbers', expected 2"),
    ('twist', {'twist': (1.0,)}, "twist: got '1 numbers', expected 3"),
    ('neighbours', {'neighbours': Neighbours(np.ones(2), np.ones(1), np.zeros((2, 10)))},
     "neighbours: got '1 bearings', expected 2")])
def test_numbers_that_are_missing_are_not_read(tmp_path, name, fields, words):
    """Compiled code would read what lies behind them."""
    network = sbot.network('perceptron', [name])
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(network.weight_count))
    given = {'robot_id': 0, 'poses': np.zeros((1, 3)), 'goal': (1.0, 2.0), **fields}
    observation = Observation(given.pop('robot_id'), 1, 0, 0, 0.1, given.pop('poses'), **given)
    with pytest.raises(InputError, match=words):
        Neural(str(tmp_path / 'a.json')).step(observation, np.random.default_rng(0))
