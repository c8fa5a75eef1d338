"""A policy in scenes that training never saw: the numbers of the same runs, and intervals."""

import numpy as np
import pytest

import sbot
from sbot.learn import Scene, Track
from sbot.learn.evaluation import measured
from sbot.learn.tasks.registry import entry_of
from sbot_common.errors import InputError

SEEDS = [90001, 90002, 90003]


def test_a_file_is_evaluated_as_it_drives(tmp_path):
    network = entry_of('coverage').network()
    weights = 0.3 * np.random.default_rng(1).normal(size=network.weight_count)
    path = tmp_path / 'a.json'
    sbot.save_network(path, network, weights)
    found = sbot.learn.evaluate(path, 'coverage', seeds=SEEDS)
    again = sbot.learn.evaluate((network, weights), entry_of('coverage'), seeds=SEEDS, threads=2)
    assert [each.tobytes() for each in found[3:]] == [each.tobytes() for each in again[3:]]
    scene = sbot.learn.scene('coverage')
    collided = [sbot.run(scene.scenario(seed, 'network', {'network': str(path)})).collided
                for seed in SEEDS]
    ticks = round(scene.seconds * 10)
    assert found.contact.tolist() == [
        (each[:ticks].sum(axis=0).mean() * 0.1).item() for each in collided]
    assert found.clean.tolist() == [(~each[:ticks].any(axis=0)).mean() for each in collided]
    assert 0.0 < found.clean.mean() < 1.0
    mean, low, high = found.interval()
    assert low < mean == found.value.mean() < high
    assert found.value.min() <= low
    assert high <= found.value.max()
    assert str(found).startswith(f'coverage, 3 scenes: covered {mean:.3g} ({low:.3g} to ')
    assert f'clean {100 * found.clean.mean():.3g} %' in str(found)


def test_clean_robots_arrive_and_touch_nothing_before():
    collided = np.zeros((4, 1, 4), bool)
    collided[1, 0, :3] = True  # of robot 3: never
    collided[3, 0, 1] = True
    there = np.zeros((4, 1, 4), bool)
    there[0, 0, 0] = there[1, 0, 1] = there[3, 0, 2] = True  # robot 3 does not arrive
    pose = np.zeros((4, 1, 4, 3))
    track = Track(pose, pose, collided, None, pose[0, ..., :2], None, 0.5)
    entry = entry_of('coverage')
    entry = entry._replace(metric=entry.metric._replace(of=lambda _: np.zeros(1)))
    _, contact, clean = measured(entry._replace(arrived=lambda _: there), track)
    assert clean.tolist() == [0.25]  # robot 0, which touched something afterwards
    assert contact.tolist() == [(0.0 + 0.5 + 0.5 + 0.0) / 4]
    _, contact, clean = measured(entry._replace(arrived=None), track)
    assert (contact.tolist(), clean.tolist()) == ([0.5], [0.25])  # robot 3


class Led(Scene):
    team, seconds, scripted = 2, 1.0, (1,)
    arena = entry_of('coverage').make_scene().arena

    def start(self, rng):
        return np.array([[0.3, 0.3, 0.0], [1.5, 1.5, 0.0]])

    def script(self, now):
        return np.zeros((len(now.goal), 1, 2))

    def reward(self, before, now):
        return now.commands[..., 0]


def test_scripted_robots_are_not_driven_by_the_policy():
    entry = entry_of('coverage')._replace(name='led', scene=Led, task=Led)
    with pytest.raises(InputError, match=r'^task: script\(\) needs an environment'):
        sbot.learn.evaluate((sbot.network(), np.zeros(32)), entry, seeds=[1])


@pytest.mark.parametrize(('policy', 'seeds', 'words'), [
    (5, SEEDS, 'policy: got 5, expected a file, or a network and its weights'),
    ((sbot.network(), np.zeros(3)), SEEDS, r'weights: .*expected shape'),
    ((sbot.network(), np.zeros(32)), [-1], 'seed: got -1')])
def test_what_cannot_be_evaluated_is_named(policy, seeds, words):
    with pytest.raises(InputError, match=words):
        sbot.learn.evaluate(policy, 'coverage', seeds=seeds)
