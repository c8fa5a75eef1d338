"""What holds for every task: scenes by seed, rewards of robots, a metric, a rule that helps."""

import json

import numpy as np
import pytest

import sbot
from sbot.cli.main import main
from sbot.learn.episodes import Episodes, world_seeds
from sbot.learn.proof.training import _worlds_of, play, play_randomly
from sbot.learn.tasks.aggregate import AggregateInBox
from sbot.learn.tasks.entry import Entry, Metric, Scene
from sbot.learn.tasks.registry import entries, entry_of
from sbot.worlds.policy import scenario_goals
from sbot.worlds.setting import senses_of
from sbot_common.errors import InputError


class Gathered(AggregateInBox):
    """A task whose reward is the team's."""

    def reward(self, before, now):
        return np.repeat(super().reward(before, now).mean(axis=1, keepdims=True), self.team, 1)


# The least that an entry may be: no rule, a number without a unit, one reward for all robots.
LEAST = Entry('gathered', 'Robots gather.', Gathered, Gathered, Metric(
    'contraction', '', 'less distance', 'our own', entry_of('aggregate').metric.of))
EVERY = [*entries().values(), LEAST]
each = pytest.mark.parametrize('entry', EVERY, ids=[entry.name for entry in EVERY])
OF_TEAMS = {'foraging', 'box_pushing', LEAST.name}  # their reward is the team's
RULED = [entry for entry in EVERY if entry.rule is not None]
each_rule = pytest.mark.parametrize('entry', RULED, ids=[entry.name for entry in RULED])
SEEDS = range(3001, 3006)


def test_the_tasks_of_the_field_are_there():
    assert set(entries()) == {
        'reach_goal', 'follow_leader', 'avoid_obstacles', 'aggregate', 'formation', 'coverage',
        'foraging', 'box_pushing', 'doorway', 'corridor', 'pursuit', 'flocking'}
    with pytest.raises(InputError, match="'flock'; did you mean 'flocking'"):
        entry_of('flock')
    assert isinstance(sbot.learn.scene('flocking'), Scene)


@pytest.mark.parametrize(('call', 'words'), [
    *((lambda name=name: sbot.learn.scene(name),
       r'task: got .*, expected module:ENTRY, or one of .*flocking')
      for name in (None, 3, [])),
    *((lambda seed=seed: sbot.learn.scene('reach_goal').scenario(seed),
       'seed: got .*, expected a whole number from 0 to ')
      for seed in ('x', -1, 1.5, float('nan'), None, 2**63)),
    *((lambda given=given: sbot.learn.scene('reach_goal').scenario(1, 'none', given),
       'parameters: got .*, expected a dictionary') for given in ('x', 3))])
def test_wrong_arguments_of_scenes_are_named(call, words):
    with pytest.raises(InputError, match=f'^{words}'):
        call()


def test_they_are_listed(capsys):
    assert main(['list', 'tasks', '--json']) == 0
    assert list(json.loads(capsys.readouterr().out)['tasks']) == [*entries(), 'module:ENTRY']


@each
def test_a_seed_gives_one_scene(entry):
    scene = entry.scene()
    one, same, other = (sbot.load(scene.scenario(seed)) for seed in (1, 1, 2))
    assert one.to_yaml() == same.to_yaml()
    assert [robot.pose for robot in one.robots] != [robot.pose for robot in other.robots]
    assert len(one.robots) == scene.team
    assert one.duration == scene.seconds


@each
def test_environments_begin_the_scene_of_their_seed(entry):
    scene = entry.scene()
    episodes = Episodes(scene.scenario(0), 2, scene, {})
    episodes.seed(41)
    episodes.reset()
    worlds = _worlds_of(entry, world_seeds(41, 2))
    assert np.array_equal(episodes.worlds.start, worlds.start)
    assert np.array_equal(episodes.worlds.wind_velocity, worlds.wind_velocity)
    assert np.array_equal(episodes.worlds.gust_velocity, worlds.gust_velocity)
    assert np.array_equal(episodes.worlds.gust_ticks, worlds.gust_ticks)
    assert np.array_equal(episodes.goal, scenario_goals(worlds.scenarios), equal_nan=True)


@each
def test_a_scenario_is_rewarded_as_its_own_scenes_are(entry):
    assert (entry.task.reward, entry.task.ended) == (entry.scene.reward, entry.scene.ended)


@each
def test_each_robot_has_a_reward(entry):
    scene = entry.scene()
    episodes = Episodes(scene.scenario(0), 3, scene, {})
    episodes.seed(1)
    episodes.reset()
    rng = np.random.default_rng(2)
    total = np.zeros((3, scene.team))
    for _ in range(30):
        outcome = episodes.step(rng.uniform(-0.2, 1.0, (3, scene.team, 2)))
        assert outcome.reward.shape == (3, scene.team)
        total += outcome.reward
    assert np.isfinite(total).all()
    if scene.team > 1 and entry.name not in OF_TEAMS:
        assert (np.ptp(total, axis=1) > 0.0).all()


@each_rule
def test_the_rule_is_better_than_chance(entry):
    rule = play(entry, SEEDS, entry.rule_policy(), np.array(entry.rule.weights))
    chance = play_randomly(entry, SEEDS)
    assert rule.pose.shape == chance.pose.shape
    assert np.array_equal(rule.pose[0], chance.pose[0])
    values, random = entry.metric.of(rule), entry.metric.of(chance)
    assert values.shape == random.shape == (len(SEEDS),)
    assert np.isfinite(values).all()
    gain = values.mean() - random.mean()
    assert gain > 0.0 if entry.metric.higher else gain < 0.0
    assert entry.score(rule).mean() > entry.score(chance).mean()


@each_rule
def test_the_rule_drives_runs_with_the_same_bits(entry, tmp_path):
    policy, weights = entry.rule_policy(), np.array(entry.rule.weights)
    sbot.save_policy(tmp_path / 'rule.json', policy, weights)
    scene, ticks = entry.scene(), 20
    given = scene.scenario(7, 'function_policy', {'policy': str(tmp_path / 'rule.json')})
    run = sbot.run({**given, 'duration': 4.0}, overlaps=False)
    episode = _worlds_of(entry, [7]).run(policy, weights, ticks, keep=['pose'])
    assert run.poses[:ticks].tobytes() == np.ascontiguousarray(episode.pose[:, 0]).tobytes()
    assert np.ptp(run.poses[:, :, :2], axis=0).max() > 0.01


@each
def test_a_policy_is_found_for_what_is_sensed(entry):
    policy = entry.trained_policy()
    worlds = _worlds_of(entry, [1])
    assert set(senses_of(entry.scene.inputs)) <= worlds.senses
    weights = np.random.default_rng(1).normal(size=policy.weight_count)
    assert worlds.run(policy, weights, 3, keep=['command']).command.shape[0] == 3


@each
def test_its_entry_says_what_its_number_is(entry):
    metric = entry.metric
    assert metric.text
    assert metric.source
    assert entry.text.endswith('.')
    if entry.navigate is not None:
        sbot.load(entry.scene().scenario(1, 'navigate', entry.navigate))
        assert 'goal' in entry.scene.inputs
