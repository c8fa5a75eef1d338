"""History of a run: a row a tick, of what was asked for, within limits."""

import numpy as np
import pytest

import sbot
from sbot.runner.history import History
from sbot_common.errors import InputError

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


SCENARIO = {'name': 'kept', 'seed': 4, 'rate': 10, 'duration': 0.4,
            'world': {'bounds': [0, 0, 9, 9],
                      'boxes': [{'center': [7, 7], 'radius': 0.3}]},
            'sensors': {'range_and_bearing': True, 'scan_beams': 3},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'},
                       {'pose': [2, 1, 0], 'controller': 'none'}]}


@pytest.fixture(scope='module')
def run():
    return sbot.run(SCENARIO, sense=['scan', 'neighbours', 'odometry', 'wind'])


def test_a_row_a_tick(run):
    assert run.poses.shape == run.commands.shape == (5, 2, 3)
    assert run.boxes.shape == (5, 1, 3)
    assert run.obstacles is None
    np.testing.assert_allclose(run.seconds, [0, 0.1, 0.2, 0.3, 0.4], atol=1e-9)


def test_sensors_are_fields_and_tuples_are_kept_as_such(run):
    assert run.scan.shape == (5, 2, 3)
    assert run.scan is run.sensed['scan']
    assert run.neighbours.number.tolist() == [[1, 1]] * 5
    assert run.imu is None, 'not asked for'
    assert 'wind' not in run.sensed, 'it is kept anyway'
    with pytest.raises(AttributeError, match='scna'):
        run.scna
    with pytest.raises(AttributeError):
        run._private


def test_a_sensor_that_robots_have_not_is_refused():
    with pytest.raises(InputError, match=r'sensors.imu: true'):
        History(sbot.load(SCENARIO), 4, ['imu'])


def test_more_than_memory_may_hold_is_refused(monkeypatch):
    monkeypatch.setenv('SBOT_LIMITS', 'run_bytes=700')
    with pytest.raises(InputError, match=r'kept: history of .* 2 robots: too large: 810 bytes'):
        History(sbot.load(SCENARIO), 4)
    History(sbot.load(SCENARIO), -1)  # keeps nothing
