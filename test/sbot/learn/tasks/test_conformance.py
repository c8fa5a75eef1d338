"""What holds for every task: ``sbot.testing``, and their list."""


import numpy as np
import pytest

import sbot
from sbot import testing
from sbot.learn.tasks.entry import CONTACT, Entry, Metric, Scene, distance
from sbot.learn.tasks.registry import entries, entry_of
from sbot.testing import check_task
from sbot_common.errors import InputError


class Gathered(entry_of('aggregate').scene):
    """A task whose reward is the team's."""

    def reward(self, before, now):
        return np.repeat(super().reward(before, now).mean(axis=1, keepdims=True), self.team, 1)


# The least that an entry may be: no rule, a number without a unit, one reward for all robots.
LEAST = Entry('gathered', 'Robots gather.', Gathered, Gathered, Metric(
    'contraction', '', 'less distance', 'our own', entry_of('aggregate').metric.of))
EVERY = [*entries().values(), LEAST]
each = pytest.mark.parametrize('entry', EVERY, ids=[entry.name for entry in EVERY])
OF_TEAMS = {'foraging', 'box_pushing', LEAST.name}  # their reward is the team's


def test_the_tasks_of_the_field_are_there():
    assert set(entries()) == {
        'reach_goal', 'follow_leader', 'avoid_obstacles', 'aggregate', 'formation', 'coverage',
        'foraging', 'box_pushing', 'doorway', 'corridor', 'pursuit', 'flocking', 'gather',
        'patrol'}
    with pytest.raises(InputError, match="'flock'; did you mean 'flocking'"):
        entry_of('flock')
    assert isinstance(sbot.learn.scene('flocking'), Scene)


@pytest.mark.parametrize(('call', 'words'), [
    *((lambda name=name: sbot.learn.scene(name),
       r'task: got .*, expected a name: module:ENTRY, or one of .*flocking')
      for name in (None, 3, [])),
    *((lambda seed=seed: sbot.learn.scene('reach_goal').scenario(seed),
       'seed: got .*, expected a whole number from 0 to ')
      for seed in ('x', -1, 1.5, float('nan'), None, 2**63))])
def test_wrong_arguments_of_scenes_are_named(call, words):
    with pytest.raises(InputError, match=f'^{words}'):
        call()


@each
def test_it_keeps_what_holds_for_every_task(entry):
    check_task(entry)


@pytest.mark.parametrize('entry', [entry for entry in EVERY if entry.name not in OF_TEAMS
                                   and entry.make_scene().team > 1], ids=lambda entry: entry.name)
def test_each_robot_has_its_own_reward(entry):
    assert (np.ptp(testing._total_rewards(entry), axis=1) > 0.0).all()


@pytest.mark.parametrize('name', ['reach_goal', 'doorway', 'corridor'])
def test_compiled_rewards_have_the_bits_of_numpy(name):
    env = sbot.learn.vector_env(None, 3, task=name, rewards='robots', autoreset='disabled')
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(60):
        before, active = env.episodes.now, env.episodes.active
        reward = env.step(env.action_space.sample())[1]
        now = env.episodes.now
        way = distance(now.seen.pose[..., :2], now.goal)
        expected = distance(before.seen.pose[..., :2], before.goal) - way + (
            way <= env.episodes.task.tolerance) - CONTACT * now.seen.collided
        assert (reward == np.where(active, expected, 0.0)).all()


class Restless(entry_of('aggregate').scene):
    drawn = np.random.default_rng(1)

    def weather(self, rng):
        return {'wind_speed_mean': float(self.drawn.uniform(0.1, 0.5))}


@pytest.mark.parametrize(('changes', 'words'), [
    ({'text': 'Robots gather'}, 'full stop'),
    ({'task': Gathered, 'scene': Restless}, 'rewarded otherwise'),
    ({'task': Restless, 'scene': Restless}, 'a seed gives two scenes'),
    ({'navigate': {'sped': 1}}, 'sped'),
    ({'metric': LEAST.metric._replace(higher=False)}, 'not better than chance')])
def test_what_is_wrong_is_one_line(changes, words):
    with pytest.raises(AssertionError, match=f'^task aggregate: [^\n]*{words}[^\n]*$'):
        check_task(entry_of('aggregate')._replace(**changes), range(3001, 3003))
