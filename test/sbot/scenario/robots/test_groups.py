"""How many robots fit at random."""

import numpy as np
import pytest

from sbot.scenario.load import parse_scenario
from sbot.scenario.model import RobotEntry
from sbot.scenario.robots import groups
from sbot.scenario.robots.draws import MAX_ROBOTS, most_at_random
from sbot.scenario.robots.groups import random_poses
from sbot.scenario.robots.standing import Placed
from sbot_common.errors import InputError
from sbot_sim.world.bodies import ROBOT
from sbot_sim.world.geometry import make_world

ENTRY = RobotEntry(count=1)
WORLD = make_world((-100.0, -100.0, 100.0, 100.0))


@pytest.mark.parametrize('size', [(0.6, 0.6), (0.61, 0.7), (6.0, 0.62), (3.0, 3.0), (12.0, 5.0)])
def test_more_than_the_limit_never_find_room(size):
    area = (0.0, 0.0, *size)
    most = most_at_random(area, ROBOT.safety_radius)
    for seed in range(3):
        poses = random_poses(most, ENTRY, area, ROBOT, WORLD, Placed([], [], []),
                             np.random.default_rng(seed))
        assert 0.5 * most - 3 < len(poses) < most


def test_an_impossible_number_is_refused_without_trying(tmp_path, monkeypatch):
    monkeypatch.setattr(groups, 'random_poses', None)
    text = ('world: {bounds: [0, 0, 20, 20]}\n'
            'robots: [{count: 90000, controller: none}]\n')
    with pytest.raises(InputError, match=r'robots.0.count: got 90000, expected at most \d+, which '
                                         r'fit at random into \[0.0, 0.0, 20.0, 20.0\] \(m\)'):
        parse_scenario(text, 'x.yaml', tmp_path)


@pytest.mark.parametrize('radius', [0.0, 1e-170, 1e-9])
def test_points_have_no_limit(radius):
    assert most_at_random((0.0, 0.0, 1.0, 1e30), radius) >= MAX_ROBOTS
