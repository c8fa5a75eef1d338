"""Training by examples/train_leader.py, and the network that it trained and that is shipped."""

import sys
from pathlib import Path

import numpy as np
import pytest
from loaded import load

import sbot

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / 'config' / 'networks' / 'leader.json'
NAME = 'leader_in_gusts'


@pytest.fixture(scope='module')
def example():
    return load(ROOT / 'examples' / 'train_leader.py')


def test_without_its_library_one_line_says_what_to_install(example, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, 'stable_baselines3', None)
    with pytest.raises(SystemExit, match=r"^train_leader\.py needs stable-baselines3: pip install "
                                         r"'\.\[train\]'"):
        example.main(['-o', str(tmp_path / 'leader')])
    assert not (tmp_path / 'leader').exists()


def test_the_shipped_network_arrives_on_fresh_seeds(example, monkeypatch):
    monkeypatch.setattr(example, 'FRESH_SEEDS', range(2001, 2007))
    times, contacts = example.examine(example.neural(SHIPPED))
    assert np.isfinite(times).all()
    assert times.mean() < 15.0
    assert (contacts == 0).sum() >= 4


def test_the_rule_and_navigate_are_in_the_comparison(example, monkeypatch):
    monkeypatch.setattr(example, 'FRESH_SEEDS', range(2001, 2003))
    for name in ('rule', 'navigate', 'navigate, as fast'):
        times, _ = example.examine(example.OTHERS[name])
        assert np.isfinite(times).all(), name


def test_training_and_examination_have_the_same_kind_of_weather(example):
    rng = np.random.default_rng(1)
    circles = sbot.load(NAME).world.circles
    for _ in range(200):
        weather = example.draw_weather(rng)
        assert np.hypot(*weather.wind) <= 0.4
        assert 0.4 <= np.hypot(*weather.gust) <= 1.2
        start = example.draw_place(rng, circles)
        assert np.hypot(*(example.draw_place(rng, circles, start) - start)) > 8.0
        for circle in circles:
            assert np.hypot(*(start - circle.center)) > circle.radius + 0.9


def test_the_shipped_scenario_equals_a_world():
    network, weights = sbot.load_network(SHIPPED)
    lone = {'robots': [dict(sbot.load(NAME).source.data['robots'][0])]}
    run = sbot.run(NAME, duration=2, seed=4, **lone)
    episode = sbot.World(NAME, seed=4, **lone).run(network, weights, 60, keep=['pose', 'wind'])
    assert run.poses[:60].tobytes() == episode.pose.tobytes()
    assert np.abs(np.diff(episode.wind[:, 0], axis=0)).max() > 0.9  # the gust, at 1 s


def test_the_shipped_scenario_arrives_and_touches_nothing():
    leader = sbot.run(NAME).summary['robots'][0]
    assert leader['goal_reached_s'] < 20.0
    assert leader['collisions'] == 0


@pytest.fixture
def libraries():
    for name in ('torch', 'stable_baselines3'):
        pytest.importorskip(name, reason='stable-baselines3 is missing (extra train)')


def test_training_makes_the_kind_of_network_that_is_shipped(example, libraries, tmp_path,
                                                            monkeypatch, capsys):
    monkeypatch.setattr(example, 'FRESH_SEEDS', range(2001, 2003))
    monkeypatch.setattr(example, 'WORLDS', 8)
    found = example.main(['--steps', '512', '-o', str(tmp_path / 'out')])
    assert set(found) == {'untrained', 'trained', *example.OTHERS}
    assert 'of 2 fresh seeds arrive' in capsys.readouterr().out
    network, weights = sbot.load_network(tmp_path / 'out' / 'leader.json')
    # The shipped file is older than `hold` and `learned_with` in files.
    assert network == sbot.load_network(SHIPPED)[0]._replace(
        hold=example.LeaderInGusts.hold, learned_with=network.learned_with)
    assert dict(network.learned_with)['sensors.scan_beams'] == sbot.load(
        example.NAME).sensors.scan.scan_beams
    assert (weights != sbot.load_network(tmp_path / 'out' / 'untrained.json')[1]).all()
    assert (tmp_path / 'out' / 'run.png').stat().st_size > 5000


def test_training_is_repeatable(example, libraries, monkeypatch):
    monkeypatch.setattr(example, 'WORLDS', 8)
    one, other = (example.train(512, 3, threads)[1][1] for threads in (1, 2))
    assert np.array_equal(one, other)


def test_learning_finds_the_goal(example, libraries):
    rows = example.train(60_000, 1, 1)[2]
    assert rows[0, 2] < 0.5
    assert rows[-1, 2] > 0.9
