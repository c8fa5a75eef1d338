"""One function measures a run and the worlds of a batch; their arrays are equal to the bit."""

import numpy as np
import pytest

import sbot

ARENA = {'rate': 10, 'duration': 3, 'world': {'bounds': [0, 0, 0.9, 0.9]},
         'sensors': {'infrared': True, 'scan_beams': 1}, 'wind': {'wind_speed_mean': 0.01},
         'robots': [{'body': 's-bot', 'count': 3, 'controller': 'none'}]}
KEPT = ['pose', 'command', 'collided', 'infrared', 'wind']


def fitness(episode):
    """Return speed less contacts and nearness, one number per world."""
    near = episode.infrared.max(axis=3) / 30 + np.abs(episode.wind).sum(axis=3)
    away = np.abs(episode.pose[..., :2] - episode.pose[:1, ..., :2]).sum(axis=3)
    return (episode.command[..., 0] + away - episode.collided - near).mean(axis=(0, 2))


def test_a_fitness_takes_an_episode_and_a_run(tmp_path):
    network = sbot.network()
    weights = np.random.default_rng(3).normal(size=network.weight_count)
    sbot.save_network(tmp_path / 'a.json', network, weights, scenario=ARENA)
    episode = sbot.Worlds(ARENA, 2, seeds=[4, 5]).run(network, weights, 30, keep=KEPT)
    robots = [{**ARENA['robots'][0], 'controller': 'network',
               'parameters': {'network': str(tmp_path / 'a.json')}}]
    run = sbot.run({**ARENA, 'robots': robots}, seed=5, sense=['infrared'])
    assert run.episode.dt == episode.dt == 0.1
    for name in KEPT:
        rows = getattr(run.episode, name)
        of_worlds = getattr(episode, name)[:, 1:]
        assert rows.dtype == of_worlds.dtype
        assert rows.tobytes() == np.ascontiguousarray(of_worlds).tobytes(), name
    # numpy adds K = 1 and K = 2 worlds in another order.
    assert fitness(run.episode).tolist() == pytest.approx(fitness(episode)[1:].tolist(), rel=1e-12)
    assert fitness(episode)[0] != fitness(episode)[1]
    assert sbot.run({**ARENA, 'duration': 0.1}).episode.infrared is None
