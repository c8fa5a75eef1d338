"""Actions and rewards of robots: moves by number, masks, bytes, limits of bodies, edges."""

import numpy as np
import pytest

pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')
pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

from gymnasium import spaces
from pettingzoo.test import parallel_api_test

import sbot
from sbot_common.errors import InputError
from sbot_common.user_code import UserCodeError

TEAM = {'rate': 10, 'world': {'bounds': [0, 0, 12, 6]},
        'robots': [{'pose': [2, 1, 0], 'goal': [9, 1]}, {'pose': [2, 3, 0]},
                   {'pose': [2, 5, 0]}],
        'sensors': {'range_and_bearing': True}}


class Turns(sbot.learn.ReachGoal):
    """Robot 1 may not go back; moves are three."""

    inputs = ('goal',)
    outputs, max_speed, turn, hold, seconds = 'twist', 1.0, 2.0, 1, 1.0
    moves = ((1.0, 0.0), (0.5, 1.0), (-1.0, 0.0))

    def mask(self, now):
        mask = np.ones((*now.seen.pose.shape[:2], 3), bool)
        mask[:, 1, 2] = False
        return mask


def test_rewards_of_robots():
    alike = [sbot.learn.vector_env(TEAM, 2, task=Turns(), rewards=rewards)
             for rewards in ('robots', 'mean')]
    actions = np.random.default_rng(1).uniform(-1, 1, (2, 3, 2)).astype(np.float32)
    for env in alike:
        env.reset(seed=1)
    (_, own, *_, infos), (_, mean, *_, others) = [env.step(actions) for env in alike]
    assert own.shape == (2, 3)
    assert len(np.unique(own)) == 6
    assert np.array_equal(own.mean(axis=1), mean)
    assert np.array_equal(infos['reward_of_robots'], own)
    assert np.array_equal(others['reward_of_robots'], own)
    assert infos['_reward_of_robots'].all()
    with pytest.raises(InputError, match=r"^rewards: got 'sum', expected mean or robots"):
        sbot.learn.vector_env(TEAM, 2, task=Turns(), rewards='sum')


def test_moves_are_shares_by_number():
    by_number = sbot.learn.vector_env(TEAM, 2, task=Turns(), discrete=True)
    by_share = sbot.learn.vector_env(TEAM, 2, task=Turns())
    assert by_number.single_action_space == spaces.MultiDiscrete([3, 3, 3])
    by_number.reset(seed=1)
    by_number.step(np.minimum(by_number.action_space.sample(), 1))
    numbers = np.array([[0, 1, 2], [2, 0, 1]])
    for env in (by_number, by_share):
        env.reset(seed=1)
    seen, *_ = by_number.step(numbers)
    other, *_ = by_share.step(np.array(Turns.moves)[numbers])
    assert np.array_equal(seen, other)
    assert by_number.episodes.now.commands[0, :, 0].tolist() == [1.0, 0.5, -1.0]
    alone = sbot.learn.env(TEAM, task='reach_goal', discrete=True)
    assert alone.action_space == spaces.MultiDiscrete([9, 9, 9])


def test_masks_are_handed_on_and_hold():
    env = sbot.learn.vector_env(TEAM, 2, task=Turns(), discrete=True)
    _, infos = env.reset(seed=1)
    expected = np.array([[1, 1, 1], [1, 1, 0], [1, 1, 1]], bool)
    assert np.array_equal(infos['action_mask'], [expected, expected])
    *_, infos = env.step(np.zeros((2, 3), int))
    assert np.array_equal(infos['action_mask'], [expected, expected])
    with pytest.raises(InputError, match=r"^actions: got '2 of robot 1 in world 0', expected a "):
        env.step(np.full((2, 3), 2))
    _, infos = sbot.learn.parallel_env(TEAM, task=Turns(), discrete=True).reset(seed=1)
    assert infos['robot_1']['action_mask'].tolist() == [1, 1, 0]
    assert 'action_mask' not in sbot.learn.vector_env(TEAM, 2, task=Turns()).reset()[1]


def test_pettingzoos_checker_takes_moves():
    parallel_api_test(sbot.learn.parallel_env(TEAM, task='reach_goal', discrete=True), 30)


class Talk(Turns):
    broadcast = 2


def test_bytes_are_heard_by_the_nearest():
    env = sbot.learn.vector_env(TEAM, 2, task=Talk())
    assert env.single_action_space.shape == (3, 4)
    first, _ = env.reset(seed=1)
    assert first.shape == (2, 3, 3 + 3)
    assert first[..., -1].all()  # everybody hears somebody
    said = np.zeros((2, 3, 4), np.float32)
    said[..., 2] = [[-1.0, 1.0, 0.0], [1.0, 0.0, -1.0]]
    said[..., 3] = 0.2
    for _ in range(2):
        seen, *_ = env.step(said)
    shares = np.rint((said[..., 2] + 1.0) * 127.5) / 127.5 - 1.0
    assert seen[..., 3] == pytest.approx(shares[:, [1, 0, 1]], abs=1e-6)
    assert seen[..., 4] == pytest.approx(np.rint(1.2 * 127.5) / 127.5 - 1.0, abs=1e-6)
    far = sbot.learn.vector_env(TEAM, 2, task=Talk(), **{'sensors.rab_range': 0.5})
    assert not far.reset(seed=1)[0][..., 3:].any()


def test_a_critic_gets_the_state_of_the_world():
    env = sbot.learn.vector_env(TEAM, 2, task=Turns())
    env.reset(seed=1)
    state = env.state()
    assert state.shape == (2, 3 * (3 + 4 + 3))
    assert state.reshape(2, 3, 10)[..., 3:5] == pytest.approx(env.episodes.now.seen.pose[..., :2])
    swarm = sbot.learn.parallel_env(TEAM, task=Turns())
    swarm.reset(seed=1)
    assert swarm.state_space.contains(swarm.state())
    assert np.array_equal(swarm.state(), state[0])


class Wrong(Turns):
    def __init__(self, **names):
        super().__init__()
        for name, value in names.items():
            setattr(self, name, value)


def made(**names):
    return sbot.learn.vector_env(TEAM, 2, task=Wrong(**names), discrete='moves' in names or
                                 'mask' in names)


def begun(**names):
    env = made(**names)
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(('call', 'words'), [
    (lambda: made(moves=((1.0, 2.0, 3.0),)), r"moves of the task: got 'shape \(1, 3\)'"),
    (lambda: made(moves=((1.0, 2.0),)), 'moves of the task: got .*shares from -1 to 1'),
    (lambda: made(broadcast=10), 'broadcast of the task: got 10, expected a whole number from 0'),
    (lambda: sbot.learn.vector_env(TEAM, 2, task=Talk(), discrete=True),
     'broadcast of the task cannot be combined with discrete'),
    (lambda: sbot.learn.env({**TEAM, 'sensors': {}}, task=Talk()),
     'broadcast of the task needs range and bearing'),
    (lambda: begun(mask=lambda now: np.ones((2, 3, 4), bool)), r'Wrong\.mask\(\): got'),
    (lambda: begun(moves=Turns.moves).step(np.full((2, 3), 0.5)), 'actions: got .* whole number'),
    (lambda: begun(moves=Turns.moves).step(np.full((2, 3), 3)), 'actions: got .* from 0 to 2'),
    (lambda: made().step(np.zeros((2, 3, 2))), r'step\(\) needs an episode; call reset\(\) first'),
    (lambda: begun(state=lambda now: np.zeros(3)).state(), r'Wrong\.state\(\): got'),
    (lambda: sbot.learn.parallel_env(TEAM, task=Turns()).step({}), r'step\(\) needs an ep')])
def test_what_is_wrong_is_one_line(call, words):
    with pytest.raises(InputError, match=f'^{words}') as caught:
        call()
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('method', ['reward', 'observation', 'goals', 'begin'])
def test_what_a_task_raises_is_one_line(method):
    def broken(*_):
        raise ZeroDivisionError('by\nnothing')

    with pytest.raises(UserCodeError, match=rf'^Wrong\.{method}\(\): ZeroDivisionError: by nothi'):
        begun(**{method: broken}).step(np.zeros((2, 3, 2)))
