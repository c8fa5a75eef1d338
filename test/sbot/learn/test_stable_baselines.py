"""The environment and the networks of Stable-Baselines3, beside its own ``DummyVecEnv``."""

import warnings

import numpy as np
import pytest

reason = 'stable-baselines3 is missing (extra train)'
pytest.importorskip('torch', reason=reason)
pytest.importorskip('stable_baselines3', reason=reason)

import torch  # noqa: E402
from stable_baselines3 import A2C, PPO, SAC  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.vec_env import (  # noqa: E402
    DummyVecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

import sbot  # noqa: E402
from sbot.controllers.neural.controller import FORWARD  # noqa: E402
from sbot.learn.episodes import world_seeds  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402

NEAR = {'rate': 10, 'world': {'bounds': [0, 0, 12, 6]},
        'robots': [{'pose': [2, 3, 0], 'goal': [6, 3], 'controller': 'none'}],
        'wind': {'wind_direction': [0, 1, 0], 'wind_speed_mean': 0.1}}
SBOTS = {'rate': 10, 'world': {'bounds': [0, 0, 1.2, 1.2]},
         'robots': [{'body': 's-bot', 'count': 3, 'controller': 'none'}],
         'sensors': {'infrared': True, 'infrared_noise': 0.1, 'scan_beams': 1}}


class Short(sbot.learn.ReachGoal):
    """Goals and starts that differ; some arrive, some run out of time."""

    inputs = ('goal', 'wind', 'scan:4')
    outputs, max_speed, turn = 'twist', 3.0, 1.0
    seconds, hold = 2.0, 2

    def begin(self, worlds, world, rng):
        return np.array([[rng.uniform(2, 4.5), 3.0, 0.0]])

    def goals(self, worlds, world, rng):
        return worlds.start[world, 0, :2] + [rng.uniform(1.2, 6.0), 0.0]


def compared(info):
    return {name: info.get(name) for name in ('TimeLimit.truncated',)}


@pytest.mark.parametrize('threads', [1, 2])
def test_it_steps_as_environments_one_by_one(threads):
    ours = sbot.learn.sb3_env(NEAR, 5, task=Short(), threads=threads, squash=False)
    theirs = DummyVecEnv([lambda: sbot.learn.env(NEAR, task=Short())] * 5)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    ours.seed(3)
    theirs._seeds = world_seeds(3, 5)  # its ``seed`` would give 3 to 7
    assert np.array_equal(ours.reset(), theirs.reset())
    rng, kinds = np.random.default_rng(0), set()
    for _ in range(60):
        actions = rng.uniform([0.2, -0.2], [1.0, 0.2], (5, 2)).astype(np.float32)
        mine, oracle = ours.step(actions), theirs.step(actions)
        for one, other in zip(mine[:3], oracle[:3], strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
        for done, one, other in zip(mine[2], mine[3], oracle[3], strict=True):
            assert compared(one) == compared(other)
            assert ('terminal_observation' in one) == bool(done)
            if done:
                assert np.array_equal(one['terminal_observation'], other['terminal_observation'])
                kinds.add(one['TimeLimit.truncated'])
    assert kinds == {True, False}


def test_each_robot_is_a_row_and_worlds_end_as_a_whole():
    class Early(sbot.learn.AvoidObstacles):
        """Robot 1 is done after 3 decisions; all after 6."""

        seconds = 0.6

        def ended(self, now):
            done = np.zeros(now.seen.pose.shape[:2], bool)
            done[:, 1] = now.seen.tick >= 3
            return done

    env = sbot.learn.sb3_env(SBOTS, 2, task=Early(), squash=False)
    assert env.num_envs == 6
    env.seed(4)
    env.reset()
    actions = np.full((6, 2), 0.5, np.float32)
    for step in range(1, 7):
        _, reward, done, infos = env.step(actions)
        assert done.tolist() == [step == 6] * 6
        if 3 < step < 6:
            assert reward[[1, 4]].tolist() == [0.0, 0.0]
            assert (reward[[0, 2, 3, 5]] != 0.0).any()
    assert [info['TimeLimit.truncated'] for info in infos] == [True, False, True] * 2
    assert env.episodes.now.seen.tick.tolist() == [0, 0]


def test_the_checker_of_stable_baselines():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        check_env(sbot.learn.env(NEAR, task=Short()))


def test_images():
    env = sbot.learn.sb3_env(NEAR, 3, task=Short(), render_mode='rgb_array')
    env.seed(1)
    env.reset()
    assert env.render().shape[2] == 3
    assert len(env.get_images()) == 3


def model_of(kind=PPO, wrap=VecMonitor, task=None, **arguments):
    torch.set_num_threads(1)
    env = sbot.learn.sb3_env(NEAR, 2, task=task or Short())
    return kind('MlpPolicy', wrap(env), seed=3, device='cpu', **arguments)


@pytest.mark.parametrize(('kind', 'hidden'), [(PPO, [16, 8]), (A2C, [5]), (PPO, [])])
def test_the_network_is_the_deterministic_policy(tmp_path, kind, hidden):
    model = model_of(kind, policy_kwargs={'net_arch': {'pi': hidden, 'vf': [4]}})
    with torch.no_grad():
        model.policy.action_net.weight *= 100  # its first weights are tiny
    network, weights = sbot.learn.sb3_network(model)
    assert network.kind == ('mlp' if hidden else 'perceptron')
    assert network.hidden == tuple(hidden)
    assert network.inputs == Short.inputs
    assert (network.outputs, network.max_speed, network.turn) == ('twist', 3.0, 1.0)
    assert network.hold == Short.hold == 2
    assert network.learned_with == model.get_env().episodes.network.learned_with != ()
    assert np.array_equal(weights, weights.astype(np.float32))
    sbot.save_network(tmp_path / 'a.json', network, weights)
    assert np.array_equal(sbot.load_network(tmp_path / 'a.json')[1], weights)
    assert sbot.load_network(tmp_path / 'a.json')[0] == network
    rng = np.random.default_rng(2)
    for row in rng.normal(size=(50, network.input_count)).astype(np.float32):
        outputs = np.empty(2)
        FORWARD[network.kind](row.astype(float), weights, np.zeros(network.memory_count), outputs,
                              network.layers, 0.1)
        action, _ = model.predict(row, deterministic=True)
        assert outputs == pytest.approx(np.tanh(action.astype(float)), abs=2e-6)
        assert np.abs(outputs).max() > 1e-3


@pytest.mark.parametrize('hidden', [[5], []])
def test_the_network_of_a_policy_with_memory(hidden):
    contrib = pytest.importorskip('sb3_contrib', reason='sb3-contrib is missing')
    env = sbot.learn.sb3_env(NEAR, 2, task=Short())
    model = contrib.RecurrentPPO('MlpLstmPolicy', env, seed=3, device='cpu', policy_kwargs={
        'net_arch': {'pi': hidden, 'vf': [4]}, 'lstm_hidden_size': 6})
    with torch.no_grad():
        model.policy.action_net.weight *= 100
    network, weights = sbot.learn.sb3_network(model)
    assert (network.kind, network.hidden) == ('lstm', (6, *hidden))
    rows = np.random.default_rng(2).normal(size=(10, network.input_count)).astype(np.float32)
    memory, outputs, state = np.zeros(network.memory_count), np.empty(2), None
    for t, row in enumerate(rows):
        FORWARD['lstm'](row.astype(float), weights, memory, outputs, network.layers, 0.1)
        action, state = model.predict(row, state, np.array([t == 0]), deterministic=True)
        assert outputs == pytest.approx(np.tanh(action.astype(float)), abs=2e-6)
    deep = contrib.RecurrentPPO('MlpLstmPolicy', env, policy_kwargs={'n_lstm_layers': 2})
    with pytest.raises(InputError, match='n_lstm_layers: got 2, expected 1 in `policy_kwargs`'):
        sbot.learn.sb3_network(deep)


def stacked(env):
    return VecFrameStack(env, 2)


class Other(Short):
    def observation(self, now):
        return 2.0 * now.inputs


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'policy_kwargs': {'activation_fn': torch.nn.ReLU}}, 'activation_fn: got ReLU'),
    ({'kind': SAC}, "policy: got SACPolicy, expected the 'MlpPolicy' of PPO or A2C"),
    ({'wrap': VecNormalize}, 'VecNormalize with norm_obs=True cannot be .* norm_obs=False'),
    ({'wrap': stacked}, 'a wrapper that changes observations'),
    ({'task': Other()}, r'observation\(\) of Other')])
def test_what_robots_could_not_do_is_refused(arguments, words):
    model = model_of(**arguments)
    with pytest.raises(InputError, match=words):
        sbot.learn.sb3_network(model)
