"""Environments are pickled, copied, saved and restored to the bit, and stepped in processes."""


import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')
pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

from learning_scenes import PAIR  # noqa: E402

import sbot  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402


class Drawn(sbot.learn.ReachGoal):
    """Goals and winds by the generators of worlds; episodes of four decisions."""

    seconds, hold, inputs = 0.4, 1, ('goal', 'wind')
    outputs, max_speed, turn = 'twist', 3.0, 1.0

    def begin(self, worlds, world, rng):
        worlds.wind_velocity[world, :2] = rng.uniform(-0.3, 0.3, 2)

    def goals(self, worlds, world, rng):
        return rng.uniform(1.0, 5.0, 2)


def actions(steps, shape, seed=2):
    return np.random.default_rng(seed).uniform(-1, 1, (steps, *shape)).astype(np.float32)


def played(env, rows):
    """Return all that an environment gives for rows of actions, as one array."""
    given = []
    for row in rows:
        step = env.step(dict(zip(env.agents, row, strict=False)) if hasattr(env, 'agents')
                        else row)
        for part in step[:4]:
            values = [part[agent] for agent in sorted(part)] if isinstance(part, dict) else part
            given.append(np.ravel(np.asarray(values, float)))
        if hasattr(env, 'agents') and not env.agents:
            env.reset()
    return np.concatenate(given)


def test_agents_come_back_with_a_state():
    env = sbot.learn.parallel_env(PAIR, task=Drawn())
    env.reset(seed=1)
    state = env.save()
    for _ in range(4):
        env.step(dict.fromkeys(env.agents, np.zeros(2)))
    assert env.agents == []
    assert list(env.restore(state)) == env.agents == ['robot_0', 'robot_1']


def test_gymnasiums_processes_step_environments():
    made = [lambda: sbot.learn.env(PAIR, task='reach_goal')] * 2
    rows = actions(3, (2, 2, 2))
    results = []
    for kind in (gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv):
        envs = kind(made)
        envs.reset(seed=4)
        results.append([np.concatenate([np.ravel(part) for part in envs.step(row)[:4]])
                        for row in rows])
        envs.close()
    assert np.array_equal(*results)
    envs = sbot.learn.vector_env(PAIR, 2, task='reach_goal')
    envs.reset(seed=4)
    assert np.array_equal(results[0], [np.concatenate(
        [np.ravel(part) for part in envs.step(row)[:4]]) for row in rows])


@pytest.mark.parametrize('autoreset', ['next_step', 'disabled'])
def test_a_state_at_the_end_of_an_episode_waits_for_the_next_one(autoreset):
    env, other = (sbot.learn.vector_env(PAIR, 2, task=Drawn(), autoreset=autoreset)
                  for _ in range(2))
    rows = actions(6, (2, 2, 2))
    env.reset(seed=3)
    played(env, rows[:4])
    other.restore(env.save())
    if autoreset == 'disabled':
        for one in (env, other):
            with pytest.raises(InputError, match='world 0; call reset'):
                one.step(rows[4])
        return
    assert np.array_equal(played(other, rows[4:]), played(env, rows[4:]))
    assert other.episodes.now.seen.tick.tolist() == [1, 1]


class Still(Drawn):
    """The scenario's goals and robots' own speeds."""

    max_speed = turn = None

    def goals(self, worlds, world, rng):
        return None


def test_a_restored_scenario_has_its_own_length_goals_and_speeds():
    small = {**PAIR, 'rate': 20, 'robots': [{'pose': [2, 2, 0], 'goal': [1, 1], 'body': 's-bot'},
                                            {'pose': [2, 4, 0], 'body': 's-bot'}]}
    env, other = (sbot.learn.vector_env(one, 2, task=Still()) for one in (small, PAIR))
    env.reset(seed=3)
    other.reset(seed=3)
    limits = other.episodes.limits
    with pytest.raises(InputError, match='max_speed and turn'):
        other.restore(env.save([0]), [0])
    assert np.array_equal(other.episodes.limits, limits)
    other.restore(env.save())
    assert np.array_equal(other.episodes.limits, env.episodes.limits)
    assert (env.episodes.limits != limits).any()
    rows = actions(10, (2, 2, 2))
    assert np.array_equal(played(other, rows), played(env, rows))
    assert other.episodes.goal[0, 0].tolist() == [1, 1]
