import numpy as np

import sbot
from sbot.worlds.starts import Starts

AT_RANDOM = {'count': 3, 'area': [1, 1, 9, 9], 'controller': 'none'}


def starts_of(*robots):
    return Starts(sbot.load({'duration': 1, 'world': {'bounds': [0, 0, 10, 10]},
                             'robots': list(robots)}))


def test_each_seed_places_robots_as_a_run_of_it_does():
    starts = starts_of(AT_RANDOM)
    for seed in (0, 7, 7):
        run = sbot.run({'duration': 0.1, 'seed': seed, 'world': {'bounds': [0, 0, 10, 10]},
                        'robots': [AT_RANDOM]})
        assert np.abs(starts(seed) - run.poses[0]).max() < 1e-14  # as messages carry the yaw
    assert not np.array_equal(starts(0), starts(7))


def test_where_nothing_is_drawn_every_seed_has_the_same_poses():
    starts = starts_of({'pose': [2, 3, 1], 'controller': 'none'},
                       {**AT_RANDOM, 'layout': 'grid'})
    assert starts(5) is starts(0)
    assert starts(5)[0].tolist() == [2.0, 3.0, 1.0]


def test_no_more_seeds_are_kept_than_allowed(monkeypatch):
    monkeypatch.setattr('sbot.worlds.starts._KEPT', 2)
    starts = starts_of(AT_RANDOM)
    first = starts(1).copy()
    for seed in range(2, 6):
        starts(seed)
    assert len(starts._poses) <= 2
    assert np.array_equal(starts(1), first)
