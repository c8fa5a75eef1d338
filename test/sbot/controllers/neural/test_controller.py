"""Forward passes beside NumPy's, written as matrices; functions beside mpmath's."""

import itertools
import json

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sbot
from sbot.controllers.neural.controller import (
    LEAST_TAU,
    MOST_TAU,
    FunctionController,
    Neural,
    _ctrnn,
    _gru,
    _logistic,
    _lstm,
    _mlp,
    _perceptron,
    _tanh,
    _time_constant,
)
from sbot.controllers.neural.network import make_network
from sbot.learn.episodes import Episodes
from sbot_common.errors import InputError
from sbot_common.observation import Observation
from sbot_common.user_code import UserCodeError

TICKS = 60


def run(function, inputs, weights, layers, memory, dt=0.1):
    outputs = np.full(2, np.nan)
    function(inputs, weights, memory, outputs, np.array(layers, np.int64), dt)
    return outputs


@given(st.floats(-1e4, 1e4))
def test_tanh(x):
    assert _tanh(x) == pytest.approx(float(mpmath.tanh(x)), abs=3e-16)
    assert _tanh(-x) == -_tanh(x)


@given(st.floats(-600, 600))
def test_logistic(x):
    assert _logistic(x) == pytest.approx(float(1 / (1 + mpmath.exp(-mpmath.mpf(x)))), rel=1e-15)


@given(st.floats(-5, 5))
def test_time_constants_are_bounded_powers_of_ten(exponent):
    expected = min(max(10.0 ** exponent, LEAST_TAU), MOST_TAU)
    assert _time_constant(exponent) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize('seed', range(3))
def test_perceptron(seed):
    rng = np.random.default_rng(seed)
    inputs, weights = rng.normal(size=7), rng.normal(size=16)
    rows = weights.reshape(2, 8)
    expected = np.tanh(rows[:, 0] + rows[:, 1:] @ inputs)
    assert run(_perceptron, inputs, weights, [7, 2], np.zeros(0)) == pytest.approx(
        expected, abs=1e-14)


@pytest.mark.parametrize('hidden', [[1], [6], [5, 3, 4]])
def test_mlp(hidden):
    rng = np.random.default_rng(len(hidden))
    layers = [4, *hidden, 2]
    weights = rng.normal(size=make_network('mlp', ['pose'], hidden=hidden).weight_count)
    values = inputs = rng.normal(size=4)
    at = 0
    for before, after in itertools.pairwise(layers):
        rows = weights[at:at + after * (before + 1)].reshape(after, before + 1)
        values, at = np.tanh(rows[:, 0] + rows[:, 1:] @ values), at + rows.size
    assert at == weights.size
    assert run(_mlp, inputs, weights, layers, np.zeros(sum(hidden))) == pytest.approx(
        values, abs=1e-14)


class Beer:
    """A CTRNN in matrices, by Euler's method."""

    def __init__(self, weights, inputs, hidden):
        rows = weights[:hidden * (2 + hidden + inputs)].reshape(hidden, -1)
        self.tau = np.clip(10.0 ** rows[:, 0], LEAST_TAU, MOST_TAU)
        self.bias, self.own, self.gain = rows[:, 1], rows[:, 2:2 + hidden], rows[:, 2 + hidden:]
        self.out = weights[rows.size:].reshape(2, hidden + 1)
        self.y = np.zeros(hidden)

    def values(self):
        return 1 / (1 + np.exp(-(self.y + self.bias)))

    def step(self, inputs, dt):
        rate = -self.y + self.own @ self.values() + self.gain @ inputs
        self.y = self.y + np.minimum(1.0, dt / self.tau) * rate
        return np.tanh(self.out[:, 0] + self.out[:, 1:] @ self.values())


@pytest.mark.parametrize(('hidden', 'dt'), [(1, 0.1), (5, 0.1), (3, 0.5)])
def test_ctrnn_over_many_ticks(hidden, dt):
    rng = np.random.default_rng(hidden)
    network = make_network('ctrnn', ['goal'], hidden=[hidden])
    weights = rng.normal(size=network.weight_count)
    memory, oracle = np.zeros(network.memory_count), Beer(weights, 3, hidden)
    seen = []
    for _ in range(60):
        inputs = rng.normal(size=3)
        seen.append(run(_ctrnn, inputs, weights, [3, hidden, 2], memory, dt))
        assert seen[-1] == pytest.approx(oracle.step(inputs, dt), abs=1e-11)
    assert np.ptp(seen, axis=0).max() > 0.01
    assert memory[:hidden] == pytest.approx(oracle.y, abs=1e-11)


def logistic(x):
    return 1 / (1 + np.exp(-x))


class Cho:
    """A GRU in matrices: ``a`` of the inputs, ``b`` of what is remembered, (units, 3)."""

    gates, function, places = 3, staticmethod(_gru), 2

    def __init__(self, units):
        self.h = np.zeros(units)

    def step(self, a, b):
        (r, z), n = logistic(a + b)[:, :2].T, np.tanh
        self.h = (1 - z) * n(a[:, 2] + r * b[:, 2]) + z * self.h


class Gers:
    """An LSTM in matrices, (units, 4)."""

    gates, function, places = 4, staticmethod(_lstm), 3

    def __init__(self, units):
        self.h, self.c = np.zeros((2, units))

    def step(self, a, b):
        i, f, _, o = logistic(a + b).T
        self.c = f * self.c + i * np.tanh(a + b)[:, 2]
        self.h = o * np.tanh(self.c)


@pytest.mark.parametrize('oracle', [Cho, Gers])
@pytest.mark.parametrize('cells', [[], [3]])
def test_gated_units_over_many_decisions(oracle, cells):
    rng, units = np.random.default_rng(1), 4
    kind = oracle.function.__name__.removeprefix('_')
    network, other = make_network(kind, ['goal'], hidden=[units, *cells]), oracle(units)
    weights = rng.normal(size=network.weight_count)
    assert network.memory_count == oracle.places * units + sum(cells)
    memory, seen = np.zeros(network.memory_count), []
    gates = weights[:units * oracle.gates * 9].reshape(units, oracle.gates, 9)
    for _ in range(20):
        x = rng.normal(size=3)
        other.step(gates[..., 0] + gates[..., 1:4] @ x, gates[..., 4] + gates[..., 5:] @ other.h)
        seen.append(run(oracle.function, x, weights, network.layers, memory))
        tail = run(_mlp, other.h, weights[gates.size:], network.layers[1:], np.zeros(3))
        assert seen[-1] == pytest.approx(tail, abs=1e-12)
    assert memory[:units] == pytest.approx(other.h, abs=1e-12)
    assert np.ptp(seen, axis=0).max() > 0.01


NEURAL = 'neural_controller.controller:Neural'


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
        _perceptron(episodes.now.inputs[0, 0], weights, np.zeros(0), outputs[0, 0],
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


@pytest.mark.parametrize('hold', [0, True])
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
    assert np.sign(sbot.run(scenario).commands[0, :, 0]).tolist() == [1.0, -1.0]
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


@pytest.mark.parametrize('count', [14, 16])
def test_readings_that_there_is_no_room_for_are_refused(tmp_path, count):
    network = sbot.network('perceptron', ['infrared'])
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(network.weight_count))
    with pytest.raises(InputError, match=f"infrared: got '{count} readings', expected 15"):
        Neural(str(tmp_path / 'a.json')).step(
            seen(infrared=np.ones(count, np.float32)), np.random.default_rng(0))


def nothing(inputs, weights, memory, outputs, layers, dt):
    pass


def controller_of(tmp_path, function, inputs=('twist',), **more):
    policy = sbot.function_policy(function, inputs, weights=3, **more)
    sbot.save_policy(tmp_path / 'a.json', policy, [0.5, 0.2, 0.1])
    return [FunctionController(str(tmp_path / 'a.json'), find=None) for _ in range(2)]


def test_a_function_that_writes_nothing_stands_still(tmp_path):
    assert controller_of(tmp_path, nothing)[0].step(seen(), np.random.default_rng(0)) == (0.0, 0.0)


def raises(inputs, weights, memory, outputs, layers, dt):
    if inputs[0] >= 0.0:
        raise ValueError('no way')


def test_what_a_function_raises_ends_the_run_in_one_line(tmp_path):
    controller_of(tmp_path, raises)
    scenario = {'duration': 0.5, 'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
        {'pose': [4, 4, 0], 'controller': 'function_policy',
         'parameters': {'policy': str(tmp_path / 'a.json')}}]}
    with pytest.raises(UserCodeError, match=r'robot 0 at tick 0: .*step.*: ValueError: no way$'):
        sbot.run(scenario)
