"""Parts of benchmark scenes: walls with gaps, and numbers that are the same everywhere."""

import numpy as np
import pytest
from every_scene import by_name, check_starts_goals_and_seeds

from sbot.navigation.scenes import OPEN_SPACE, box, robot, rounded, scene, turned, wall_with_gaps


def test_a_wall_leaves_its_gaps_free():
    wall = wall_with_gaps(7.0, 0.0, 8.0, [(6.0, 1.0), (2.0, 0.5)])
    edges = [(part['center'][1] - part['size'][1] / 2, part['center'][1] + part['size'][1] / 2)
             for part in wall]
    assert edges == [(0.0, 1.75), (2.25, 5.5), (6.5, 8.0)]
    assert {part['center'][0] for part in wall} == {7.0}
    assert turned(wall[0]) == {'center': [0.875, 7.0], 'size': [1.75, 0.2]}


def test_a_scene_ends_when_all_have_arrived_and_may_have_other_sensors():
    made = scene(60, {'bounds': [0, 0, 1, 1]}, [robot(0.0, 0.0, 0.0, (1.0, 1.0))],
                 sensors={'scan_beams': 9})
    assert made['until'] == 'goal_reached'
    assert made['sensors'] == {'scan_noise_std': 0.01, 'scan_beams': 9}


def test_numbers_are_pythons_and_rounded():
    values = rounded({'a': np.float64(0.1234567), 'b': (np.int64(3), 'x'), 'c': -1e-9})
    assert values == {'a': 0.123457, 'b': [3, 'x'], 'c': 0.0}
    assert [type(value) for value in (values['a'], values['b'][0])] == [float, int]
    assert str(values['c']) == '0.0'
    assert box(1.0, 2.0, 3.0, 4.0) == {'center': [1.0, 2.0], 'size': [3.0, 4.0]}


OPEN_SPACE_SCENES = by_name(OPEN_SPACE)


@pytest.mark.parametrize('name', OPEN_SPACE_SCENES)
def test_starts_and_goals_are_free_of_walls_and_differ_by_seed(name):
    check_starts_goals_and_seeds(OPEN_SPACE_SCENES[name])
