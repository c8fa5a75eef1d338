"""Who stands in the way: of two robots the later one, unless only the earlier is in question."""

import pytest

from sbot.files.yaml_text import Origins
from sbot.scenario.model import World
from sbot.scenario.robots.standing import Placed, check_free
from sbot_common.errors import InputError
from sbot_sim.world.bodies import ROBOT
from sbot_sim.world.geometry import make_world

BOUNDS = (0.0, 0.0, 9.0, 9.0)
ORIGINS = Origins('x.yaml', {}, set())


def check(poses, asked):
    placed = Placed([], [], [])
    placed.add(range(len(poses)), ROBOT, poses)
    paths = {i: ('robots', i, 'pose') for i in asked}
    check_free(World(bounds=BOUNDS), make_world(BOUNDS), placed, paths, ORIGINS)


@pytest.mark.parametrize(('asked', 'words'), [
    ((0, 1, 2), r'robots.2.pose: .* robot 2 \(collision radius .* m too near to robot 0'),
    ((0, 1), r'robots.0.pose: .* robot 0 \(.* m too near to robot 2')])
def test_one_of_two_robots_is_named(asked, words):
    with pytest.raises(InputError, match=words):
        check([(2.0, 2.0, 0.0), (6.0, 6.0, 0.0), (2.1, 2.0, 0.0)], asked)


def test_a_wall_is_named_and_a_free_place_is_not():
    with pytest.raises(InputError, match=r'robots.0.pose: got \[0.1, 2.0, 0.0\], expected a free '
                                         r'place: robot 0 .* too near to .*world.bounds'):
        check([(0.1, 2.0, 0.0)], (0,))
    check([(2.0, 2.0, 0.0), (6.0, 6.0, 0.0)], (0, 1))
