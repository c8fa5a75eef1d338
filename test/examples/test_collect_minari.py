"""The dataset of examples/collect_minari.py has the numbers of its environment."""

from pathlib import Path

import numpy as np
import pytest
from loaded import load

minari = pytest.importorskip('minari', reason='minari is missing')
pytest.importorskip('h5py', reason='minari has no hdf5')
pytest.importorskip('jax', reason='minari cannot create')

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.filterwarnings('ignore:`')  # of an author, who is not named
def test_episodes_are_those_of_the_recovered_environment(tmp_path, monkeypatch):
    monkeypatch.setenv('MINARI_DATASETS_PATH', str(tmp_path))
    load(ROOT / 'examples' / 'collect_minari.py').main(['sbot/test-v0', '--episodes', '2'])
    dataset = minari.load_dataset('sbot/test-v0')
    env = dataset.recover_environment()
    episodes = list(dataset.iterate_episodes())
    assert len(episodes) == 2
    for seed, episode in enumerate(episodes):
        seen, rewards = [env.reset(seed=seed)[0]], []
        for action in episode.actions:
            observation, reward, ended, late, _ = env.step(action)
            seen.append(observation)
            rewards.append(reward)
        assert np.array_equal(seen, episode.observations)
        assert np.array_equal(rewards, episode.rewards)
        assert (ended, late) == (episode.terminations[-1], episode.truncations[-1])
        assert ended or late
    assert not np.array_equal(episodes[0].actions[:5], episodes[1].actions[:5])
