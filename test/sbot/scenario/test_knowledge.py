"""What robots know of poses."""

import json
import math
import os
import sys

import numpy as np
import pytest
from children import run_sbot

import sbot
from sbot_common.errors import InputError

pytestmark = pytest.mark.forked

ALL = {'pose_noise_std': 0.02, 'pose_yaw_noise_std': 0.01, 'pose_delay': 0.1,
       'others_noise_std': 0.05, 'others_yaw_noise_std': 0.1, 'others_delay': 0.3,
       'others_range': 6.0, 'others_in_sight': True}


class Seer:
    def __init__(self):
        self.seen, self.given = [], []

    def step(self, observation, rng):
        self.seen.append(np.array(observation.poses))
        self.given.append((observation.tick, observation.num_robots))
        return 0.5, 0.2


def scene(controllers, knowledge, **more):
    places = [(1, 1, 0), (4, 1, 1), (8, 5, 2), (3, 5, -2)]
    return {'duration': 2.0, 'rate': 10, 'seed': 4, 'knowledge': knowledge,
            'world': {'bounds': [0, 0, 10, 6], 'rectangles': [
                {'center': [2.5, 3.5], 'size': [4, 0.2]}]},
            'robots': [{'pose': list(pose), 'controller': controllers(i), 'goal': [9 - x, 5 - y]}
                       for i, pose in enumerate(places) for x, y, _ in [pose]], **more}


def told(knowledge, seed=4, duration=2.0):
    """What each of four robots is told (T, 4, 4, 3), and the true poses (T, 4, 3)."""
    seers = [Seer() for _ in range(4)]
    run = sbot.run(scene(lambda i: seers[i], knowledge), seed=seed, duration=duration)
    return np.stack([seer.seen for seer in seers], axis=1), run.poses


def test_by_default_all_is_known_exactly():
    known, true = told({})
    assert np.array_equal(known, np.broadcast_to(true[:, None], known.shape))


def test_delays_are_those_of_ones_own_pose_and_of_others():
    known, true = told({'pose_delay': 0.1, 'others_delay': 0.3})
    for tick in range(len(true)):
        for i in range(4):
            for j in range(4):
                then = max(0, tick - (1 if i == j else 3))
                assert np.array_equal(known[tick, i, j], true[then, j])


def test_noise_has_its_standard_deviation_and_is_new_for_each_who_looks():
    known, true = told({'pose_noise_std': 0.02, 'pose_yaw_noise_std': 0.01,
                        'others_noise_std': 0.1, 'others_yaw_noise_std': 0.2}, duration=60.0)
    error = known - true[:, None]
    error[..., 2] = np.remainder(error[..., 2] + math.pi, 2 * math.pi) - math.pi
    own = error[:, np.arange(4), np.arange(4)]
    others = error[:, ~np.eye(4, dtype=bool)]
    for found, expected in ((own, (0.02, 0.02, 0.01)), (others, (0.1, 0.1, 0.2))):
        np.testing.assert_allclose(found.std(axis=(0, 1)), expected, rtol=0.05)
        np.testing.assert_allclose(found.mean(axis=(0, 1)), 0.0, atol=0.02)
    flat = np.concatenate([own.reshape(-1, 3), others.reshape(-1, 3)])
    assert len(np.unique(flat[:, 0])) == len(flat)
    again, _ = told({'pose_noise_std': 0.02}, seed=5)
    assert not np.array_equal(again, told({'pose_noise_std': 0.02})[0])


def test_others_are_known_within_the_range_alone():
    known, true = told({'others_range': 4.0})
    apart = np.linalg.norm(true[:, :, None, :2] - true[:, None, :, :2], axis=-1)
    unknown = np.isnan(known).all(axis=-1)
    assert np.array_equal(unknown, apart > 4.0)
    assert unknown.any()
    assert not unknown[:, np.arange(4), np.arange(4)].any()


def test_walls_hide_others_and_robots_do_not():
    known, _ = told({'others_in_sight': True}, duration=0.1)
    # The wall is from x = 0.5 to 4.5 at y = 3.5.
    assert np.isnan(known[0, :, :, 0]).tolist() == [
        [False, False, False, True], [False, False, False, True], [False, False, False, False],
        [True, True, False, False]]


@pytest.mark.parametrize('controller', ['navigate', 'dwa'])
def test_a_recorded_run_replays_to_the_bit(controller, tmp_path):
    values = scene(lambda _: controller, ALL)
    one = sbot.run(values, record=tmp_path / 'bag')
    assert sbot.replay(tmp_path / 'bag').equal
    assert np.array_equal(one.poses, sbot.run(values).poses)
    assert not np.array_equal(one.poses, sbot.run({**values, 'knowledge': {}}).poses)
    assert np.isfinite(one.commands).all()


def test_a_controller_that_keeps_its_goal_still_does(tmp_path):
    class Keeper(Seer):
        def __init__(self):
            super().__init__()
            self.goals, self.just_reached, self.goal = 0, None, None

        def set_goal(self, x, y):
            self.goal, self.goals = (x, y), self.goals + 1

        def step(self, observation, rng):
            if self.goal is None:
                self.set_goal(3.0, 4.0)
            return super().step(observation, rng)
    keepers = [Keeper() for _ in range(4)]
    sbot.run(scene(lambda i: keepers[i], ALL), record=tmp_path / 'bag')
    assert sbot.Bag(tmp_path / 'bag').names()['/robot_0/goal']
    assert np.isnan(keepers[0].seen).any()


def test_what_cannot_be_combined_is_said():
    for name in ('potential_field', 'external'):
        with pytest.raises(InputError, match=rf'robots\.0.*{name} cannot be combined'):
            sbot.load(scene(lambda _, name=name: name, {'others_range': 2.0}))
    with pytest.raises(InputError, match=r'knowledge\.pose_noise_std'):
        sbot.load(scene(lambda _: 'none', {'pose_noise_std': -1.0}))
    with pytest.raises(InputError, match='pose_noise'):
        sbot.load(scene(lambda _: 'none', {'pose_noise': 1.0}))


@pytest.mark.ros
def test_nodes_give_the_run_of_one_process(tmp_path):
    text = sbot.load(scene(lambda i: ('navigate', 'dwa')[i % 2], ALL)).to_yaml()
    (tmp_path / 'knowledge.yaml').write_text(text)
    done = run_sbot('up', '--composed', tmp_path / 'knowledge.yaml', '--json',
                    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    alone = sbot.run(str(tmp_path / 'knowledge.yaml'))
    assert json.loads(done.stdout)['trajectory_sha256'] == alone.summary['trajectory_sha256']
