"""What a task that raises, or answers with nonsense, leaves behind."""

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')

import sbot  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402
from sbot_common.user_code import UserCodeError  # noqa: E402

NEAR = {'rate': 10, 'world': {'bounds': [0, 0, 12, 6]},
        'robots': [{'pose': [2, 3, 0], 'goal': [6, 3]}]}


class Broken(sbot.learn.ReachGoal):
    """A task whose methods do in world 1 what a test puts in ``fault``."""

    seconds, hold, fault, inputs = 0.3, 1, {}, ('goal', 'wind')

    def asked(self, method, good, world=1):
        return self.fault[method]() if world == 1 and method in self.fault else good

    def begin(self, worlds, world, rng):
        worlds.wind_velocity[world, 0] = rng.uniform(0.0, 0.2)
        return self.asked('begin', np.array([[rng.uniform(2, 4), 3.0, 0.0]]), world)

    def goals(self, worlds, world, rng):
        return self.asked('goals', rng.uniform(1, 5, 2), world)

    def mask(self, now):
        return self.asked('mask', None)

    def reward(self, before, now):
        return self.asked('reward', np.ones((2, 1)))

    def ended(self, now):
        return self.asked('ended', np.zeros((2, 1), np.bool_))


def faulty(**options):
    task = Broken()
    env = sbot.learn.vector_env(NEAR, 2, task=task, discrete=True, **options)
    env.reset(seed=1)
    return env, task


def forbidding():
    mask = np.ones((2, 1, 9), np.bool_)
    mask[0, 0, 7] = False
    return mask


def test_a_forbidden_move_leaves_worlds_that_wait_as_they_are():
    env, task = faulty(autoreset='next_step')
    while not env.step(np.array([7, 5]))[3].any():
        pass
    env.reset(options={'reset_mask': np.array([True, False])})
    task.fault = {'mask': forbidding}
    with pytest.raises(InputError, match='7 of robot 0 in world 0'):
        env.step(np.array([7, 5]))
    assert env.episodes.active.all()
    env.step(np.array([5, 7]))
    assert env.episodes.now.seen.tick.tolist() == [1, 0]


def test_a_reward_that_raises_lets_the_next_step_continue():
    env, task = faulty()
    task.fault = {'reward': lambda: 1 / 0}
    with pytest.raises(UserCodeError, match='ZeroDivisionError'):
        env.step(np.array([7, 5]))
    task.fault = {}
    env.step(np.array([7, 5]))
    assert env.episodes.now.seen.tick.tolist() == [2, 2]


@pytest.mark.parametrize('method', ['begin', 'goals', 'mask', 'reward', 'ended'])
@pytest.mark.parametrize('answer', ['x', [[1], [1, 2]], [1j, 2]])
def test_answers_that_are_no_numbers_are_named(method, answer):
    env, task = faulty()
    task.fault = {method: lambda: answer}
    with pytest.raises(InputError, match=f'^({method} of the task|Broken.{method}\\(\\)): got '):
        (env.reset if method in ('begin', 'goals') else env.step)(
            **{} if method in ('begin', 'goals') else {'actions': np.array([7, 5])})
