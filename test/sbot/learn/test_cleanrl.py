"""The structure of CleanRL's ``ppo_continuous_action``: its wrappers, its loop, its shapes."""

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip('torch', reason='torch is missing (extra train)')
pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

from gymnasium.wrappers import vector as wrappers  # noqa: E402

STEPS, WORLDS = 16, 3


def by_thunks():
    """As CleanRL makes its environments, each with wrappers of its own."""
    def thunk():
        env = gymnasium.make('sbot/ReachGoal-v0', scenario='single_robot')
        env = gymnasium.wrappers.FlattenObservation(env)
        env = gymnasium.wrappers.RecordEpisodeStatistics(env)
        env = gymnasium.wrappers.ClipAction(env)
        env = gymnasium.wrappers.NormalizeObservation(env)
        env = gymnasium.wrappers.TransformObservation(
            env, lambda seen: np.clip(seen, -10, 10), env.observation_space)
        env = gymnasium.wrappers.NormalizeReward(env, gamma=0.99)
        return gymnasium.wrappers.TransformReward(env, lambda reward: np.clip(reward, -10, 10))
    return gymnasium.vector.SyncVectorEnv([thunk] * WORLDS)


def in_one_call():
    env = gymnasium.make_vec('sbot/ReachGoal-v0', num_envs=WORLDS)
    env = wrappers.RecordEpisodeStatistics(wrappers.ClipAction(env))
    return wrappers.NormalizeReward(wrappers.NormalizeObservation(env), gamma=0.99)


@pytest.mark.parametrize('make', [by_thunks, in_one_call])
def test_a_policy_learns_by_ppo(make):
    torch.manual_seed(1)
    envs = make()
    assert isinstance(envs.single_action_space, gymnasium.spaces.Box)
    columns = int(np.prod(envs.single_observation_space.shape))
    actor, critic = torch.nn.Linear(columns, 2), torch.nn.Linear(columns, 1)
    logstd = torch.nn.Parameter(torch.zeros(1, 2))
    adam = torch.optim.Adam([*actor.parameters(), *critic.parameters(), logstd], lr=1e-2)

    def act(seen):
        return torch.distributions.Normal(actor(seen), logstd.exp())

    obs = torch.zeros((STEPS, WORLDS, *envs.single_observation_space.shape))
    actions = torch.zeros((STEPS, WORLDS, *envs.single_action_space.shape))
    rewards = torch.zeros((STEPS, WORLDS))
    seen, _ = envs.reset(seed=1)
    for step in range(STEPS):
        obs[step] = torch.Tensor(seen)
        with torch.no_grad():
            actions[step] = act(obs[step]).sample()
        seen, reward, over, late, infos = envs.step(actions[step].numpy())
        rewards[step] = torch.tensor(reward).view(-1)
        assert np.logical_or(over, late).shape == (WORLDS,)
        assert isinstance(infos, dict)
    old = act(obs).log_prob(actions).sum(-1).detach()
    advantage = rewards - rewards.mean()
    before = actor.weight.detach().clone()
    for _ in range(2):
        ratio = (act(obs).log_prob(actions).sum(-1) - old).exp()
        loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        loss = loss + 0.5 * ((critic(obs)[..., 0] - rewards) ** 2).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert torch.isfinite(actor.weight).all()
    assert (actor.weight != before).any()
    envs.close()
