"""TorchRL's batched environment: its checker, equal bits, groups, masks, BenchMARL's training."""

import numpy as np
import pytest

reason = 'torchrl is missing (extra marl)'
torch = pytest.importorskip('torch', reason=reason)
pytest.importorskip('torchrl', reason=reason)

from torchrl.envs import EnvBase  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

import sbot  # noqa: E402
from sbot.learn.torchrl import RobotsTorchEnv  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402

TEAM = {'rate': 10, 'world': {'bounds': [0, 0, 12, 6]},
        'robots': [{'pose': [2, 1, 0], 'goal': [9, 1]}, {'pose': [2, 3, 0]}, {'pose': [2, 5, 0]}]}


class Short(sbot.learn.ReachGoal):
    """Episodes of five decisions; robot 1 may not go back by number."""

    inputs, seconds, hold = ('goal',), 0.5, 1
    outputs, max_speed, turn = 'twist', 1.0, 2.0
    moves = ((1.0, 0.0), (0.5, 1.0), (-1.0, 0.0))


class Held(Short):
    seconds, hold = 1.0, 2


class Masked(Short):
    def mask(self, now):
        mask = np.ones((*now.seen.pose.shape[:2], 3), bool)
        mask[:, 1, 2] = False
        return mask


@pytest.mark.parametrize(('count', 'options'), [
    (1, {}), (4, {}), (4, {'discrete': True}),
    (3, {'groups': {'leader': [0], 'followers': [2, 1]}})])
def test_torchrls_checker(count, options):
    env = sbot.learn.torchrl_env(TEAM, count, task=Short(), **options)
    env.set_seed(1)
    check_env_specs(env)
    rollout = env.rollout(12, break_when_any_done=False)
    assert rollout.batch_size == (count, 12)
    assert rollout['next', 'truncated'].sum() == 2 * count


@pytest.mark.parametrize('step', [RobotsTorchEnv.step, EnvBase.step])
def test_it_is_the_vector_environment(step):
    env = sbot.learn.torchrl_env(TEAM, 3, task=Short(), groups={'a': [2, 0], 'b': [1]})
    ours = sbot.learn.vector_env(TEAM, 3, task=Short(), rewards='robots')
    env.set_seed(4)
    first, (seen, _) = env.reset(), ours.reset(seed=4)
    assert np.array_equal(first['a', 'observation'], seen[:, [2, 0]])
    actions = np.random.default_rng(1).uniform(-1, 1, (3, 3, 2)).astype(np.float32)
    first['a', 'action'] = torch.tensor(actions[:, [2, 0]])
    first['b', 'action'] = torch.tensor(actions[:, [1]])
    after = step(env, first)['next']
    seen, reward, *_ = ours.step(actions)
    assert np.array_equal(after['b', 'observation'], seen[:, [1]])
    assert np.array_equal(after['a', 'reward'][..., 0], reward[:, [2, 0]].astype(np.float32))
    assert np.array_equal(after['state'], ours.state())
    assert after['a', 'mask'].all()


@pytest.mark.parametrize('also', ['tensors', 'names', 'next'])
def test_what_the_next_step_begins_with(also):
    from tensordict import TensorDict
    env = sbot.learn.torchrl_env(TEAM, 3, task=Masked(), groups={'a': [2, 0], 'b': [1]},
                                 discrete=True)
    given = env.reset()
    for group in ('a', 'b'):
        given[group, 'action'] = torch.zeros(given[group, 'mask'].shape, dtype=torch.int64)
    given['a', 'chance'] = given['a', 'reward'] = given['reward'] = torch.ones(3, 2)
    given['mine'] = TensorDict({'reward': torch.ones(3)}, [3])
    given['_reset'] = given['b', '_reset'] = torch.zeros(3, 1, dtype=torch.bool)
    given.names = ['worlds'] if also == 'names' else None
    if also == 'next':
        given['next'] = TensorDict({'mine': torch.ones(3)}, [3])
    env.step(given)
    found, expected = env.step_mdp(given), EnvBase._step_mdp.fget(env)(given)
    assert {*found.keys(True)} == {*expected.keys(True)}
    assert (found == expected).all()
    assert (found.names, found.device) == (expected.names, expected.device)
    found['mine', 'more'] = found['a', 'more'] = torch.ones(3, 2)
    assert not {('mine', 'more'), ('a', 'more'), ('next', 'a', 'more')} & {*given.keys(True)}


def test_masks_of_moves():
    from torchrl.envs import ActionMask, TransformedEnv

    env = TransformedEnv(sbot.learn.torchrl_env(TEAM, 4, task=Masked(), discrete=True),
                         ActionMask(('robots', 'action'), ('robots', 'action_mask')))
    rollout = env.rollout(12, break_when_any_done=False)
    chosen = rollout['robots', 'action']
    assert chosen[..., 1].max() == 1
    assert chosen[..., 0].max() == 2
    assert not rollout['robots', 'action_mask'][..., 1, 2].any()


@pytest.mark.parametrize(('groups', 'words'), [
    ({'a': [0, 1]}, 'expected each robot from 0 to 2 in one group'),
    ({'a': [0, 1], 'b': [1, 2]}, 'expected each robot'), ([0, 1, 2], 'lists of robots by name'),
    ({'state': [0, 1, 2]}, 'cannot be named state')])
def test_groups_have_each_robot_once(groups, words):
    with pytest.raises(InputError, match=f'^groups.*{words}'):
        sbot.learn.torchrl_env(TEAM, 2, task=Short(), groups=groups)


def experiment(folder, name='MappoConfig', task=Short, continuous=True, shared=True, kind='mlp',
               **model):
    pytest.importorskip('benchmarl', reason='benchmarl is missing (extra marl)')
    from benchmarl import algorithms, models
    from benchmarl.experiment import Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig

    config = ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.loggers, config.save_folder = 2, [], str(folder)
    config.on_policy_collected_frames_per_batch = config.evaluation_interval = 60
    config.on_policy_n_envs_per_worker, config.on_policy_n_minibatch_iters = 3, 2
    config.on_policy_minibatch_size, config.evaluation_episodes = 30, 3
    config.evaluation, config.render, config.create_json = True, False, False
    config.prefer_continuous_actions, config.share_policy_params = continuous, shared
    if kind == 'mlp':
        policy = MlpConfig.get_from_yaml()
        policy.num_cells = [16, 8]
    else:
        policy = getattr(models, f'{kind.title()}Config').get_from_yaml()
        policy.hidden_size, policy.mlp_num_cells = 8, [5]
        policy.mlp_activation_class = torch.nn.Tanh
    for key, value in model.items():
        setattr(policy, key, value)
    return Experiment(task=sbot.learn.benchmarl_task(TEAM, task=task()),
                      algorithm_config=getattr(algorithms, name).get_from_yaml(),
                      model_config=policy, critic_model_config=MlpConfig.get_from_yaml(),
                      seed=0, config=config)


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'continuous', 'task'), [
    ('IppoConfig', True, Short), ('MappoConfig', True, Short), ('MappoConfig', False, Masked)])
def test_benchmarl_trains_on_it(tmp_path, name, continuous, task):
    trained = experiment(tmp_path, name, task, continuous)
    before = [weight.clone() for weight in trained.policy.parameters()]
    trained.run()
    assert trained.total_frames == 120
    assert any((old != new).any() for old, new in zip(
        before, trained.policy.parameters(), strict=True))


@pytest.mark.parametrize('shared', [True, False])
def test_what_a_team_learned_drives_robots(tmp_path, shared):
    from torchrl.envs.utils import ExplorationType, set_exploration_type

    from sbot.controllers.neural.controller import FORWARD

    trained = experiment(tmp_path, task=Held, shared=shared)
    network, weights = sbot.learn.benchmarl_network(trained)
    assert network.hold == 2
    assert dict(network.learned_with)['rate'] == sbot.load(TEAM).rate.hz
    assert (network.inputs, network.hidden, network.max_speed) == (('goal',), (16, 8), 1.0)
    assert weights.shape == ((network.weight_count,) if shared else (3, network.weight_count))
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        decided = trained.group_policies['robots'](trained.test_env.reset())['robots']
    for i in range(3):
        outputs, own = np.empty(2), weights if shared else weights[i]
        FORWARD['mlp'](decided['observation'][0, i].double().numpy(), own,
                       np.zeros(network.memory_count), outputs, network.layers, 0.1)
        assert outputs == pytest.approx(decided['action'][0, i].numpy(), abs=2e-6)
        sbot.save_network(tmp_path / f'{i}.json', network, own)
    driven = {'controller': 'neural_controller.controller:Neural'}
    goals = [[9, 1]] * 3  # as in learning, where robots without a goal have robot 0's
    run = sbot.run({**TEAM, 'duration': 2, 'robots': [
        {**robot, **driven, 'goal': goals[i], 'parameters': {
            'network': str(tmp_path / f'{i}.json')}} for i, robot in enumerate(TEAM['robots'])]})
    assert np.abs(run.commands[:, :, 0]).max() > 0.0
    if shared:
        episode = sbot.Worlds(TEAM, 1, sense=[]).run(network, weights, 20, goals=goals,
                                                     keep=['pose'])
        assert np.array_equal(run.poses[:20], episode.pose[:, 0])


@pytest.mark.parametrize(('kind', 'shared'), [('gru', True), ('gru', False), ('lstm', False)])
def test_what_a_team_with_memory_learned_drives_robots(tmp_path, kind, shared):
    from torchrl.envs.utils import ExplorationType, set_exploration_type

    from sbot.controllers.neural.controller import FORWARD

    trained = experiment(tmp_path, shared=shared, kind=kind)
    trained.run()
    network, weights = sbot.learn.benchmarl_network(trained)
    assert (network.kind, network.hidden) == (kind, (8, 5))
    assert weights.shape == ((network.weight_count,) if shared else (3, network.weight_count))
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        decided = trained.test_env.rollout(5, trained.policy)['robots']
    for i in range(3):
        outputs, memory = np.empty(2), np.zeros(network.memory_count)
        for t in range(5):
            FORWARD[kind](decided['observation'][0, t, i].double().numpy(),
                          weights if shared else weights[i], memory, outputs, network.layers, 0.1)
            assert outputs == pytest.approx(decided['action'][0, t, i].numpy(), abs=2e-6)
    assert np.ptp(decided['action'].numpy(), axis=1).max() > 1e-3


@pytest.mark.parametrize(('options', 'words'), [
    ({'kind': 'gru', 'n_layers': 2}, 'experiment: its policy is not one MLP of what each robot'),
    ({'activation_class': torch.nn.ReLU}, 'activation_class: got ReLU, expected torch.nn.Tanh'),
    ({'continuous': False}, 'experiment: the policy of its algorithm does not end with tanh')])
def test_what_robots_could_not_do_is_refused(tmp_path, options, words):
    trained = experiment(tmp_path, **options)
    with pytest.raises(InputError, match=f'^{words}'):
        sbot.learn.benchmarl_network(trained)
