"""TorchRL's batched environment: its checker, equal bits, groups, masks, BenchMARL's training."""

import numpy as np
import pytest

reason = 'torchrl is missing (extra marl)'
torch = pytest.importorskip('torch', reason=reason)
pytest.importorskip('torchrl', reason=reason)

from torchrl.envs.utils import check_env_specs  # noqa: E402

import sbot  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402

TEAM = {'rate': 10, 'world': {'bounds': [0, 0, 12, 6]},
        'robots': [{'pose': [2, 1, 0], 'goal': [9, 1]}, {'pose': [2, 3, 0]},
                   {'pose': [2, 5, 0]}]}


class Short(sbot.learn.ReachGoal):
    """Episodes of five decisions; robot 1 may not go back by number."""

    inputs, seconds, hold = ('goal',), 0.5, 1
    outputs, max_speed, turn = 'twist', 1.0, 2.0
    moves = ((1.0, 0.0), (0.5, 1.0), (-1.0, 0.0))


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


def test_it_is_the_vector_environment():
    env = sbot.learn.torchrl_env(TEAM, 3, task=Short(), groups={'a': [2, 0], 'b': [1]})
    ours = sbot.learn.vector_env(TEAM, 3, task=Short(), rewards='robots')
    env.set_seed(4)
    first, (seen, _) = env.reset(), ours.reset(seed=4)
    assert np.array_equal(first['a', 'observation'], seen[:, [2, 0]])
    actions = np.random.default_rng(1).uniform(-1, 1, (3, 3, 2)).astype(np.float32)
    first['a', 'action'] = torch.tensor(actions[:, [2, 0]])
    first['b', 'action'] = torch.tensor(actions[:, [1]])
    after = env.step(first)['next']
    seen, reward, *_ = ours.step(actions)
    assert np.array_equal(after['b', 'observation'], seen[:, [1]])
    assert np.array_equal(after['a', 'reward'][..., 0], reward[:, [2, 0]].astype(np.float32))
    assert np.array_equal(after['state'], ours.state())
    assert after['a', 'mask'].all()


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


@pytest.mark.slow
@pytest.mark.parametrize(('name', 'continuous', 'task'), [
    ('IppoConfig', True, Short), ('MappoConfig', True, Short), ('MappoConfig', False, Masked)])
def test_benchmarl_trains_on_it(tmp_path, name, continuous, task):
    pytest.importorskip('benchmarl', reason='benchmarl is missing (extra marl)')
    from benchmarl import algorithms
    from benchmarl.experiment import Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig

    config = ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.loggers, config.save_folder = 2, [], str(tmp_path)
    config.on_policy_collected_frames_per_batch = config.evaluation_interval = 60
    config.on_policy_n_envs_per_worker, config.on_policy_n_minibatch_iters = 3, 2
    config.on_policy_minibatch_size, config.evaluation_episodes = 30, 3
    config.evaluation, config.render = True, False
    config.prefer_continuous_actions, config.create_json = continuous, False
    experiment = Experiment(
        task=sbot.learn.benchmarl_task(TEAM, task=task()),
        algorithm_config=getattr(algorithms, name).get_from_yaml(),
        model_config=MlpConfig.get_from_yaml(), critic_model_config=MlpConfig.get_from_yaml(),
        seed=0, config=config)
    before = [weight.clone() for weight in experiment.policy.parameters()]
    experiment.run()
    assert experiment.total_frames == 120
    assert any((old != new).any() for old, new in zip(
        before, experiment.policy.parameters(), strict=True))
