"""Networks that remember are evolved as others, and drive in batches, runs and replays alike."""

import numpy as np
import pytest

import sbot
from sbot.learn.proof.training import Trained
from sbot.learn.tasks.registry import entry_of

pytest.importorskip('cma', reason='cma is missing (extra evolve)')
SEEDS = [11, 12]


@pytest.mark.parametrize('kind', ['ctrnn', 'gru', 'lstm'])
def test_what_evolved_with_memory_drives_as_in_evolution(tmp_path, kind):
    entry = entry_of('coverage')._replace(kind=kind, hidden=(4,))
    found = Trained.evolve(entry, 1, generations=2, population=6, scenes=1)
    assert found.policy.kind == kind
    path, scene = tmp_path / 'a.json', entry.make_scene()
    sbot.save_policy(path, found.policy, found.weights)
    values = {**scene.scenario(11, 'network', {'network': str(path)}), 'duration': 3}
    run = sbot.run(values, record=tmp_path / 'bag')
    worlds = sbot.Worlds([scene.scenario(seed) for seed in SEEDS], seeds=SEEDS, threads=2,
                         sense=['infrared', 'neighbours'])
    episode = worlds.run(found.policy, found.weights, 30, keep=['pose'])
    assert run.poses[:30].tobytes() == np.ascontiguousarray(episode.pose[:, 0]).tobytes()
    assert np.ptp(run.poses, axis=0).max() > 0.01
    result = sbot.replay(tmp_path / 'bag')
    assert result.equal, result.first
