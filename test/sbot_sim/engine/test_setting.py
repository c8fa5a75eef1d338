"""Setting of a batch: tables of worlds put together, layouts shared, winds of each."""

import numpy as np
import pytest
from worlds import make_parameters

from sbot_sim.engine.setting import NO_FIELD, make_setting, no_winds, replace_scenes, scenes_of
from sbot_sim.world.bodies import ROBOT, S_BOT
from wind_model.parameters import Height


def test_worlds_of_one_object_share_a_layout():
    one, other = make_parameters(), make_parameters(circles=[(5, 5, 1.0)])
    setting = make_setting([one, other, one, other], no_winds(4), ['scan'])
    assert setting.layout.tolist() == [0, 1, 0, 1]
    assert len(setting.scan_scenes.reach) == 2


def test_noise_is_of_each_world_and_of_each_robot():
    given = [make_parameters([ROBOT] * 2, scan={'scan_noise_std': noise},
                             odometry={'odometry_noise_slip': 2 * noise}) for noise in (0.1, 0.2)]
    setting = make_setting(given, no_winds(2), ['scan'])
    assert setting.scan_noise.tolist() == [0.1, 0.2]
    assert setting.noise_slip.tolist() == [0.2, 0.2, 0.4, 0.4]
    assert setting.infrared_noise.tolist() == [0.0, 0.0]


def test_bodies_are_rows_of_all_worlds():
    setting = make_setting([make_parameters([ROBOT, S_BOT])] * 3, no_winds(3), [])
    assert setting.robots == 2
    assert setting.bodies.radius.tolist() == [ROBOT.radius, S_BOT.radius] * 3


@pytest.mark.parametrize(('senses', 'beams', 'infrared'), [
    ([], 0, 0), (['scan'], 31, 0), (['scan', 'infrared'], 31, 15)])
def test_what_nobody_asked_for_has_no_beams(senses, beams, infrared):
    given = make_parameters(infrared={'infrared': True})
    sensing = make_setting([given], no_winds(1), senses).sensing
    assert (sensing.fan.beams, sensing.infrared_fan.beams) == (beams, infrared)


@pytest.mark.parametrize(('height', 'value', 'above'), [
    (0.7, 0.7, False), (Height(0.3, True), 0.3, True)])
def test_the_height_of_the_wind(height, value, above):
    given = make_parameters()._replace(wind_height=height)
    setting = make_setting([given], no_winds(1), [])
    assert (setting.wind_height, setting.above_terrain) == (value, above)
    assert not setting.gridded
    assert setting.field is NO_FIELD


def test_winds_are_views_that_may_be_written_to():
    winds = no_winds(2)
    setting = make_setting([make_parameters()] * 2, winds, [])
    winds.wind_velocity[1] = [1.0, 2.0, 3.0]
    assert setting.wind_velocity[1].tolist() == [1.0, 2.0, 3.0]
    assert len({id(array) for array in winds if array is not None}) == 5


def test_a_scene_is_replaced_where_there_is_room():
    few, many = make_parameters(), make_parameters(circles=[(x, 5, 0.2) for x in range(2, 18)])
    setting = make_setting([few], no_winds(1), ['scan'])
    assert not replace_scenes(setting, 0, many, circles_alone=False)
    setting = setting._replace(**scenes_of([many]))
    assert replace_scenes(setting, 0, few, circles_alone=False)
    assert (setting.scan_scenes.circles.ends - setting.scan_scenes.circles.starts).tolist() == [0]
    np.testing.assert_array_equal(setting.scan_scenes.reach, [few.sensors.scene.reach])
