"""Pictures and pages of episodes."""

import numpy as np
import pytest

pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')
pytest.importorskip('pettingzoo', reason='pettingzoo is missing (extra learn)')

from learning_scenes import NEAR, SBOTS

import sbot


def test_images_and_pages():
    env = sbot.learn.parallel_env('leader_follower', render_mode='rgb_array')
    env.reset(seed=1)
    before = env.render()
    assert before.dtype == np.uint8
    assert before.shape[2] == 3
    for _ in range(10):
        env.step({agent: np.ones(2, np.float32) for agent in env.agents})
    assert (env.render() != before).any()
    near, far = (sbot.learn.env(NEAR, task='reach_goal', render_mode='rgb_array', **{
        'robots.0.goal': goal}) for goal in ([6, 3], [10, 5]))
    assert (near.render() != far.render()).any()
    env = sbot.learn.vector_env(SBOTS, 2, task='aggregate', render_mode='html')
    env.reset(seed=1)
    for _ in range(4):
        env.step(np.ones(env.action_space.shape, np.float32))
    pages = env.render()
    assert len(pages) == 2
    assert all(page.lstrip().startswith('<!') for page in pages)
    assert pages[0] != pages[1]
    assert sbot.learn.env(SBOTS, task='aggregate').render() is None
