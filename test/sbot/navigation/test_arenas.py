"""Scenes in which something is unusual, and maps of MovingAI."""

import pytest
from every_scene import by_name, check_starts_goals_and_seeds

from sbot.navigation.arenas import ARENAS
from sbot.navigation.library import chosen_scenes, families, scenario_values
from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError

SCENES = by_name(ARENAS)
MAP = """type octile
height 4
width 12
map
............
.@@T....G.W.
.@@.........
@@@@@@@@@@@.
"""


@pytest.mark.parametrize('name', SCENES)
def test_starts_and_goals_are_free_of_walls_and_differ_by_seed(name):
    check_starts_goals_and_seeds(SCENES[name])


def test_who_is_parked_stands_whatever_its_controller_says():
    values = scenario_values('parked/door', SCENES['parked/door'], 3)
    scenario = scenario_from_mapping(values)
    assert [robot.goal is not None for robot in scenario.robots] == [True, False, False]
    assert [scenario.bodies[robot.body].max_wheel_speed for robot in scenario.robots[1:]] == [0, 0]
    x, y, _ = scenario.robots[1].pose
    doors = [part['center'][1] + part['size'][1] / 2 for part in values['world']['rectangles']]
    assert (x, y - 0.5) == pytest.approx((7.0, doors[0]))


def test_a_map_of_movingai_is_a_scene_with_starts_and_goals_in_its_largest_part(tmp_path):
    (tmp_path / 'small.map').write_text(MAP)
    values = scenario_values('movingai/small', families(movingai=tmp_path)['movingai']['small'], 5)
    world = scenario_from_mapping(values).world.arrays()
    assert world.bounds.tolist() == [0, 0, 12, 4]
    # The lowest row of the file is at y = 0 to 1.
    assert {tuple(row[:4]) for row in world.rectangles.tolist()} == {
        (5.5, 0.5, 11, 1), (2, 1.5, 2, 1), (2.5, 2.5, 3, 1), (10.5, 2.5, 1, 1)}
    places = [each for robot in values['robots'] for each in (robot['pose'][:2], robot['goal'])]
    assert len({tuple(place) for place in places}) == 20
    for x, y in places:
        assert MAP.splitlines()[4:][3 - int(y)][int(x)] in '.G'
    with pytest.raises(InputError, match='scene movingai/small needs a copy of its files'):
        chosen_scenes(families(), ['movingai/small'])


@pytest.mark.parametrize(('text', 'expected'), [
    ('type octile\n', 'expected a map of MovingAI'), ('map\n...\n..\n', 'rows of one length'),
    ('map\n..@.........\n', r'got 9 connected cells, expected 20')])
def test_what_is_no_map_of_movingai_is_one_line(tmp_path, text, expected):
    (tmp_path / 'a.map').write_text(text)
    with pytest.raises(InputError, match=rf'a\.map: .*{expected}'):
        scenario_values('movingai/a', families(movingai=tmp_path)['movingai']['a'], 0)


def test_a_folder_without_maps_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r'--movingai: got .*, expected a folder with files NAME'):
        families(movingai=tmp_path)
