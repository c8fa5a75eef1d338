"""Evolution by examples/evolve.py, and the network that it made and that is shipped."""

import sys
from pathlib import Path

import numpy as np
import pytest
from loaded import load

import sbot

pytest.importorskip('cma', reason='cma is missing (extra evolve)')

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def evolve():
    return load(ROOT / 'examples' / 'evolve.py')


def test_a_few_generations_avoid_obstacles_better_than_chance(evolve, tmp_path, capsys):
    scores = evolve.main(['avoid', '--generations', '8', '--population', '12', '-o',
                          str(tmp_path / 'out')])
    assert set(scores) == {'evolved', 'searched', 'rule', 'random'}
    assert (scores['evolved'] - scores['random']).mean() > 0.3
    said = capsys.readouterr().out
    assert 'best of 96 random weights' in said
    assert f"rule written by hand           {scores['rule'].mean():6.3f}" in said
    network, weights = sbot.load_network(tmp_path / 'out' / 'network.json')
    assert network.inputs == ('infrared',)
    assert weights.shape == (32,)
    assert (tmp_path / 'out' / 'fitness.png').stat().st_size > 5000


def test_without_cma_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'cma', None)
    with pytest.raises(SystemExit, match=r"^evolve\.py needs cma: pip install '\.\[evolve\]'"):
        load(ROOT / 'examples' / 'evolve.py')


def test_evolution_is_repeatable(evolve):
    problem = evolve.PROBLEMS['avoid']()._replace(ticks=50)
    one, other = (evolve.evolve(problem, 2, 6, 3, threads) for threads in (1, 2))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


def test_evolution_goes_on_where_it_was_stopped(evolve, tmp_path):
    problem = evolve.PROBLEMS['avoid']()._replace(ticks=50)
    whole = evolve.evolve(problem, 3, 6, 3, 1)
    evolve.evolve(problem, 1, 6, 3, 1, tmp_path / 'search')
    weights, scores = evolve.evolve(problem, 3, 6, 3, 1, tmp_path / 'search')
    assert np.array_equal(scores, whole[1])
    assert np.array_equal(weights, whole[0])


def test_the_shipped_network_gathers_on_fresh_seeds(evolve):
    problem = evolve.PROBLEMS['aggregate']()
    network, weights = sbot.load_network(ROOT / 'config' / 'networks' / 'aggregation.json')
    assert network.hold is None  # its file is older than the key, which changes nothing here
    assert network._replace(hold=problem.network.hold) == problem.network
    scores = evolve.compare(problem, 1, evolved=weights)
    assert (scores['evolved'] > scores['random']).sum() >= 18
    assert (scores['evolved'] - scores['random']).mean() > 0.35


def test_the_shipped_scenario_equals_a_batch_of_worlds():
    network, weights = sbot.load_network(ROOT / 'config' / 'networks' / 'aggregation.json')
    run = sbot.run('evolved_aggregation', duration=5, seed=4)
    episode = sbot.World('evolved_aggregation', seed=4).run(network, weights, 50, keep=['pose'])
    assert run.poses[:50].tobytes() == episode.pose.tobytes()
