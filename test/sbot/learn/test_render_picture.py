"""Pictures, pages, and the live view of episodes."""

import json
import re
import time
import urllib.error
import urllib.request
import webbrowser

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


def events(address, kinds):
    """Return the data of the first events of the page's source, one of each kind."""
    found = {}
    with urllib.request.urlopen(address + 'events', timeout=240) as stream:
        kind, lines = None, 0
        while not kinds <= set(found):
            lines += 1
            assert lines < 200, found
            line = stream.readline().decode().rstrip()
            if line.startswith('event: '):
                kind = line[len('event: '):]
            elif line.startswith('data: '):
                found.setdefault(kind, json.loads(line[len('data: '):]))
    return found


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(webbrowser, 'open', addresses.append)
    return addresses


def test_it_shows_the_moment_and_takes_the_time_that_passes(opened, capsys):
    env = sbot.learn.env(NEAR, task='reach_goal', render_mode='human')
    assert opened == []
    began = time.monotonic()
    env.reset(seed=1)
    address, = opened
    assert re.search(r'^http://localhost:\d+/ shows the episodes$', capsys.readouterr().err, re.M)
    env.step(np.array([1.0, 1.0], np.float32))
    env.step(np.array([1.0, 1.0], np.float32))
    assert time.monotonic() - began > 0.55  # two decisions of three ticks of 0.1 s
    assert env.render() is None
    seen = events(address, {'run', 'frame'})
    assert seen['run']['bounds'] == [0, 0, 12, 6]
    assert seen['frame']['t'] == pytest.approx(0.6)
    assert seen['frame']['poses'] == pytest.approx(env.episodes.now.seen.pose[0, 0], abs=1e-4)
    assert seen['frame']['goals'] == [[0.0, 0, 6.0, 3.0]]
    assert seen['run']['controlled'] is False  # nothing to pause
    assert len(opened) == 1
    env.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=240)


def test_of_many_worlds_it_shows_the_first(opened):
    env = sbot.learn.vector_env(NEAR, 2, task='reach_goal', render_mode='human')
    env.reset(seed=1)
    env.step(np.array([[1.0, 1.0], [0.0, 0.0]], np.float32))
    assert env.render() is None
    frame = events(opened[0], {'frame'})['frame']
    assert frame['poses'] == pytest.approx(env.episodes.now.seen.pose[0, 0], abs=1e-4)
    assert frame['poses'][0] > 2.1
