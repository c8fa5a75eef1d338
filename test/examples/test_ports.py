"""Tasks of VMAS and MPE as ours: they run, and rewards are their originals' in the same states."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('gymnasium', reason='gymnasium is missing (extra learn)')

from sbot import learn

FOLDER = Path(__file__).parents[2] / 'examples/ports'
ORIGINALS = json.loads(Path(__file__).with_name('ported_rewards.json').read_text('utf-8'))
PORTS = {'discovery': 'vmas_discovery:Discovery', 'navigation': 'vmas_navigation:Navigation',
         'transport': 'vmas_transport:Transport', 'spread': 'mpe_spread:SimpleSpread',
         'tag': 'mpe_tag:SimpleTag', 'speaker_listener': 'mpe_speaker_listener:SpeakerListener'}
EVERY = [*PORTS.values(), 'mpe_tag:Hunt']


@pytest.fixture(autouse=True)
def _folder(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)


def port(name):
    module, _, kind = name.partition(':')
    return getattr(importlib.import_module(module), kind)()


def poses(places):
    return np.pad(np.array(places), ((0, 0), (0, 0), (0, 1)))


@pytest.mark.parametrize('name', PORTS)
def test_rewards_are_those_of_the_original_in_the_same_states(name):
    task, states = port(PORTS[name]), ORIGINALS[name]
    wanted = np.array(states['rewards'])
    now = learn.vector_env(None, len(wanted), task=task).episodes.now
    kept, seen, goal = {**now.kept}, now.seen, now.goal
    for key in kept:
        kept[key] = np.array(states['targets' if key == 'targets' else key])
    if 'robots' in states:
        seen = seen._replace(pose=poses(states['robots']))
    before = seen
    if name == 'transport':
        seen = seen._replace(boxes=np.dstack([states['package'], states['yaw']]))
        before = seen._replace(boxes=poses(states['before']))
        goal = np.repeat(states['goal'], task.team, axis=1)
    if name == 'navigation':
        before, goal = seen._replace(pose=poses(states['before'])), np.array(states['goals'])
    now = now._replace(seen=seen, kept=kept, goal=goal)
    found = task.reward(now._replace(seen=before), now)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() < 1e-6
    assert len(np.unique(wanted)) > 2


@pytest.mark.parametrize('name', EVERY)
def test_a_port_is_short_and_repeats_after_it_was_restored(name):
    assert len((FOLDER / f"{name.partition(':')[0]}.py").read_text('utf-8').splitlines()) <= 60
    envs = learn.vector_env(None, 3, task=port(name), rewards='robots')
    envs.reset(seed=5)
    envs.action_space.seed(5)
    actions = [envs.action_space.sample() for _ in range(40)]
    saved = envs.save()
    first = [envs.step(each)[:2] for each in actions]
    envs.restore(saved)
    again = [envs.step(each)[:2] for each in actions]
    for (seen, reward), (same, equal) in zip(first, again, strict=True):
        assert np.isfinite(seen).all()
        assert np.array_equal(seen, same)
        assert np.array_equal(reward, equal)


def test_covered_targets_appear_elsewhere_and_the_others_stay():
    envs = learn.vector_env(None, 8, task=port('vmas_discovery:Discovery'))
    envs.reset(seed=2)
    before = envs.episodes.now
    targets = before.kept['targets'].copy()
    targets[:, 0] = before.seen.pose[:, 0, :2] + np.array([0.0, 0.1])
    pose = before.seen.pose.copy()
    pose[:, 1] = pose[:, 0]  # two robots cover target 0
    now = before._replace(kept={'targets': targets}, seen=before.seen._replace(pose=pose))
    new = envs.episodes.task.update(now, now, envs.episodes._draws())['targets']
    assert (np.linalg.norm(new[:, 0] - targets[:, 0], axis=1) > 0.15).all()
    by_none = ~(np.linalg.norm(pose[:, :, None, :2] - targets[:, None], axis=3) < 0.25).any(axis=1)
    assert np.array_equal(new[by_none], targets[by_none])
    assert by_none.sum() > 20


def test_robots_push_the_package():
    envs = learn.vector_env(None, 4, task=port('vmas_transport:Transport'), rewards='robots')
    envs.reset(seed=3)
    first = envs.episodes.now.seen.boxes.copy()
    for _ in range(120):
        now = envs.episodes.now
        way = now.seen.boxes[..., :2] - now.seen.pose[..., :2]
        envs.step(np.pad(way / np.abs(way).max(axis=2, keepdims=True), ((0, 0), (0, 0), (0, 1))))
    assert (np.linalg.norm(envs.episodes.now.seen.boxes - first, axis=2) > 0.01).any()


def test_the_listener_hears_what_the_speaker_sends():
    envs = learn.vector_env(None, 2, task=port('mpe_speaker_listener:SpeakerListener'))
    envs.reset(seed=1)
    actions = np.zeros((2, 2, 6))
    actions[:, 0, 3:] = [1.0, -1.0, 0.0]
    for _ in range(3):
        seen = envs.step(actions)[0]
    assert np.allclose(seen[:, 1, -4:], [1.0, -1.0, 0.0, 1.0], atol=0.01)
    assert np.array_equal(seen[:, 0, :3].sum(axis=1), [1.0, 1.0])
