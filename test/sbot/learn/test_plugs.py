"""Plugs of libraries: Gymnasium's ids, autoreset modes and vector wrappers; SuperSuit."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')
pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.wrappers import vector as wrappers  # noqa: E402
from learning_scenes import PAIR  # noqa: E402

import sbot  # noqa: E402
from sbot_common.errors import InputError  # noqa: E402


class Short(sbot.learn.ReachGoal):
    """Episodes of five decisions; world 1 ends by its goal after three, by where it starts."""

    seconds, hold, inputs = 0.5, 1, ('goal', 'wind')
    outputs, max_speed, turn = 'twist', 1.0, 1.0

    def goals(self, worlds, world, rng):
        return worlds.start[world, :, :2] + [1.25 if worlds.seeds[world] == 3 else 5.25, 0.0]


def made(**options):
    return sbot.learn.vector_env(PAIR, 3, task=Short(), **options)


AHEAD = np.tile(np.array([1.0, 0.0], np.float32), (3, 2, 1))


@pytest.mark.parametrize('mode', ['next_step', 'disabled'])
def test_autoreset_equals_gymnasiums_own(mode):
    ours = made(autoreset=mode)
    assert ours.metadata['autoreset_mode'] == AutoresetMode(ours.metadata['autoreset_mode'])
    theirs = gymnasium.vector.SyncVectorEnv(
        [lambda: sbot.learn.env(PAIR, task=Short())] * 3,
        autoreset_mode=AutoresetMode.NEXT_STEP if mode == 'next_step' else AutoresetMode.DISABLED)
    assert ours.metadata['autoreset_mode'] == theirs.metadata['autoreset_mode']
    np.testing.assert_array_equal(*[env.reset(seed=[2, 3, 4])[0] for env in (ours, theirs)])
    ended = []
    for _ in range(14):
        mine, other = ours.step(AHEAD), theirs.step(AHEAD)
        for one, same in zip(mine[:4], other[:4], strict=True):
            np.testing.assert_array_equal(one, same)
        over = mine[2] | mine[3]
        ended.append(over.tolist())
        if mode == 'disabled' and over.any():
            options = {'reset_mask': over}
            np.testing.assert_array_equal(*[env.reset(options=dict(options))[0]
                                            for env in (ours, theirs)])
    assert [False, True, False] in ended
    assert [True, False, True] in ended


def test_a_mode_may_be_gymnasiums():
    env = made(autoreset=AutoresetMode.NEXT_STEP)
    assert env.metadata['autoreset_mode'] == AutoresetMode.NEXT_STEP
    with pytest.raises(InputError, match=r"^autoreset: got 'never', expected one of same_step, "):
        made(autoreset='never')


def test_each_world_may_have_a_seed():
    env, ordered = made(), made()
    first, _ = env.reset(seed=[9, 4, 7])
    for k, seed in enumerate([9, 4, 7]):
        assert np.array_equal(ordered.reset(seed=seed)[0][0], first[k])
    again, _ = env.reset(seed=[None, 4, np.int64(7)])
    assert np.array_equal(again[1:], first[1:])
    assert env.episodes.worlds.seeds[0] != 9
    for seeds, words in (([1, 2], "got '2 seeds', expected one for each of 3"),
                         ([1, 2, -3], 'of world 2: got -3')):
        with pytest.raises(InputError, match=f'^seed.*{words}'):
            env.reset(seed=seeds)


def tried(env, steps=12):
    env.reset(seed=1)
    for _ in range(steps):
        step = env.step(env.action_space.sample())
    env.close()
    return step


def test_gymnasium_records_videos(tmp_path):
    pytest.importorskip('moviepy', reason='moviepy is missing')
    env = made(autoreset='next_step', render_mode='rgb_array')
    assert env.metadata['render_fps'] == 10
    tried(wrappers.RecordVideo(env, str(tmp_path), video_length=3,
                               step_trigger=lambda step: step == 0), 5)
    assert list(tmp_path.glob('*.mp4'))


def test_each_task_has_an_id():
    ids = {name.removeprefix('sbot/') for name in gymnasium.registry if name.startswith('sbot/')}
    assert ids == {'Task-v0', *(f"{name.title().replace('_', '')}-v0"
                                for name in sbot.learn.TASKS)}


@pytest.mark.parametrize(('name', 'task'), [
    ('ReachGoal', 'reach_goal'), ('Aggregate', 'aggregate'), ('Formation', 'formation')])
def test_ids(name, task):
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='.*infinity.*')
        check_env(gymnasium.make(f'sbot/{name}-v0').unwrapped)
    envs = gymnasium.make_vec(f'sbot/{name}-v0', num_envs=2)
    assert envs.metadata['autoreset_mode'] == AutoresetMode.NEXT_STEP
    assert isinstance(envs.unwrapped.episodes.task, sbot.learn.TASKS[task])
    tried(wrappers.NormalizeObservation(envs), 3)
    assert gymnasium.make(f'sbot/{name}-v0', scenario='single_robot', discrete=True,
                          task='reach_goal').action_space == gymnasium.spaces.Discrete(9)


def test_an_id_imports_its_module():
    code = "import gymnasium; gymnasium.make('sbot.learn:sbot/ReachGoal-v0').reset(seed=1)"
    subprocess.run([sys.executable, '-c', code], check=True, timeout=300)


@pytest.mark.parametrize('processes', [0, 2])
def test_supersuit(processes):
    supersuit = pytest.importorskip('supersuit', reason='supersuit is missing')
    env = supersuit.pettingzoo_env_to_vec_env_v1(sbot.learn.parallel_env(PAIR, task='reach_goal'))
    env = supersuit.concat_vec_envs_v1(env, 2, num_cpus=processes, base_class='gymnasium')
    env.reset(seed=1)
    actions = np.full((4, 2), 0.3, np.float32)
    seen, reward, *_ = env.step(actions)
    ours = sbot.learn.parallel_env(PAIR, task='reach_goal')
    ours.reset(seed=1)
    observed, rewards, *_ = ours.step(dict.fromkeys(ours.agents, actions[0]))
    assert np.array_equal(seen[:2], list(observed.values()))
    assert reward[:2] == pytest.approx(list(rewards.values()))
    env.close()
