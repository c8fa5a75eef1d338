"""Who stands in the way: of two robots the later one, unless only the earlier is in question."""


import numpy as np
import pytest

from sbot.files.yaml_text import Origins
from sbot.scenario import place as groups
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import RobotEntry, World
from sbot.scenario.place import _check_free, _Placed, _tried_poses
from sbot.worlds.setting import _placement_of
from sbot_common.errors import InputError
from sbot_sim.world.bodies import NOWHERE, ROBOT
from sbot_sim.world.geometry import make_world

TEXT = """
seed: 3
world: {bounds: [0, 0, 6, 6]}
robots:
  - {count: 4, layout: grid, area: [0, 0, 6, 3], controller: none}
  - {pose: [3, 4.5, 0], controller: none}
  - {count: 2, controller: none}
"""


ROOM = """
seed: 3
world:
  bounds: [0, 0, 9, 9]
  segments: [[1, 1, 4, 4], [5, 2, 8, 2]]
  circles: [{center: [5, 5], radius: 0.7}]
  rectangles: [{center: [2, 7], size: [2, 1], yaw: 0.5}]
robots:
  - {pose: [8, 8, 0], controller: none}
  - {count: 7, area: [0, 0, 5, 9], yaw: 1.0, controller: none}
  - {count: 30, controller: none}
"""


@pytest.mark.parametrize('text', [TEXT, ROOM, ROOM.replace('world:', 'world:\n  open: true')])
def test_a_placement_gives_what_loading_with_that_seed_gives(tmp_path, text):
    seeds = np.array([3, 8, 9, 10, 11, 2**40 + 1])
    placed = _placement_of(parse_scenario(text, 'x.yaml', tmp_path))(seeds)
    for seed, poses in zip(seeds.tolist(), placed, strict=True):
        again = parse_scenario(text, 'x.yaml', tmp_path, overrides={'seed': seed})
        np.testing.assert_array_equal(poses, [robot.pose for robot in again.robots])


def test_a_seed_without_room_is_named_as_by_loading(tmp_path):
    text = ('seed: 0\nworld: {bounds: [0, 0, 2.5, 1.3]}\n'
            'robots: [{count: 5, controller: none}]\n')
    placed, full = None, []
    for seed in range(20):
        try:
            scenario = parse_scenario(text, 'x.yaml', tmp_path, overrides={'seed': seed})
            placed = _placement_of(scenario)
        except InputError:
            full.append(seed)
    with pytest.raises(InputError, match='fewer, which fit at random into'):
        placed(np.array(full))


AREA = 0.0, 0.0, 4.0, 2.0


def poses(count=4000, **entry):
    return _tried_poses(count, RobotEntry(count=count, **entry), AREA, 0.5,
                        np.random.default_rng(3))


def test_an_impossible_number_is_refused_without_trying(tmp_path, monkeypatch):
    monkeypatch.setattr(groups, '_random_poses', None)
    text = 'world: {bounds: [0, 0, 20, 20]}\nrobots: [{count: 90000, controller: none}]\n'
    with pytest.raises(InputError, match=r'robots.0.count: got 90000, expected at most \d+, which '
                                         r'fit at random into \[0.0, 0.0, 20.0, 20.0\] \(m\)'):
        parse_scenario(text, 'x.yaml', tmp_path)


BOUNDS = (0.0, 0.0, 9.0, 9.0)
ORIGINS = Origins('x.yaml', {}, set())


def check(poses, asked):
    placed = _Placed([], [], [])
    placed.add(range(len(poses)), ROBOT, poses)
    paths = {i: ('robots', i, 'pose') for i in asked}
    _check_free(World(bounds=BOUNDS), make_world(BOUNDS), placed, paths, ORIGINS)


@pytest.mark.parametrize(('asked', 'words'), [
    ((0, 1, 2), r'robots.2.pose: .* robot 2 \(collision radius .* m too near to robot 0'),
    ((0, 1), r'robots.0.pose: .* robot 0 \(.* m too near to robot 2')])
def test_one_of_two_robots_is_named(asked, words):
    with pytest.raises(InputError, match=words):
        check([(2.0, 2.0, 0.0), (6.0, 6.0, 0.0), (2.1, 2.0, 0.0)], asked)


RESERVE = """
world: {bounds: [0, 0, 6, 6]}
robots:
  - {pose: [3, 3, 0], controller: none}
  - {reserved: true, count: 2, controller: none}
  - {reserved: true, controller: none, body: turtlebot3_burger}
"""


def test_robots_in_reserve_stand_nowhere_and_are_written_so(tmp_path):
    scenario = parse_scenario(RESERVE, 'x.yaml', tmp_path)
    assert [robot.pose for robot in scenario.robots] == [(3.0, 3.0, 0.0), *[NOWHERE] * 3]
    text = scenario.to_yaml()
    assert text.count('pose: [') == 1
    assert text.count('reserved') == 3
    assert parse_scenario(text, 'x.yaml', tmp_path) == scenario
    assert np.isnan(_placement_of(scenario)(np.array([7]))[0, 1:, 0]).all()


@pytest.mark.parametrize(('entry', 'words'), [
    ('{pose: [3, 3, 0], reserved: true}', r"robots\.1\.pose: cannot be combined with 'reserved'"),
    ('{count: 2, yaw: 0, reserved: true}', r'robots\.1\.yaw: cannot be combined'),
    ('{controller: none}', 'got neither'),
    ('{pose: [1, 1, 0], reserved: 2}', r'robots\.1\.reserved: got 2')])
def test_a_robot_in_reserve_has_no_place(tmp_path, entry, words):
    text = f'world: {{bounds: [0, 0, 6, 6]}}\nrobots:\n  - {{pose: [3, 3, 0]}}\n  - {entry}\n'
    with pytest.raises(InputError, match=words):
        parse_scenario(text, 'x.yaml', tmp_path)


def test_robot_0_is_not_in_reserve(tmp_path):
    with pytest.raises(InputError, match=r'robots\.0\.reserved: got True, expected false'):
        parse_scenario('world: {bounds: [0, 0, 6, 6]}\nrobots: [{reserved: true}]', 'x.yaml',
                       tmp_path)
