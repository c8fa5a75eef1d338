"""Rectangular bodies in scenarios: keys and errors, runs, pictures, and what refuses them."""

import math

import numpy as np
import pytest

import sbot
from sbot.figures.arena import outline
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot_common.errors import InputError
from sbot_sim.messages.markers import robot_description
from sbot_sim.sensors.laser import ScanSettings, make_scan_parameters
from sbot_sim.world.bodies import Body

TEXT = """
world: {bounds: [0, 0, 6, 6]}
sensors: {infrared: true, infrared_table: table.txt}
robots: [{pose: [1, 1, 0], body: s-bot,
          controller: 'neural_controller.controller:Neural', parameters: {network: brain.json}}]
"""


def parsed(folder):
    return parse_scenario(TEXT, 'x.yaml', folder, import_controllers=False)


def test_a_file_that_is_not_there_is_named_by_its_key(tmp_path):
    with pytest.raises(InputError, match=r'sensors.infrared_table: got .table.txt., expected'):
        parsed(tmp_path)


def test_paths_become_absolute_and_without_controllers_their_files_are_not_looked_for(tmp_path):
    (tmp_path / 'table.txt').write_text('1 ' * 151)
    scenario = parsed(tmp_path)
    assert scenario.sensors.infrared.infrared_table == str(tmp_path / 'table.txt')
    assert scenario.robots[0].parameters['network'] == 'brain.json'
    with pytest.raises(InputError, match=r'robots.0.parameters.network: got .brain.json.'):
        parse_scenario(TEXT, 'x.yaml', tmp_path)


WORLD = {'bounds': [0, 0, 10, 10]}
ROBOT = {'pose': [5, 5, 0], 'controller': 'none'}


def load(**given):
    return scenario_from_mapping({'world': WORLD, 'robots': [ROBOT], **given})


class Still:
    def step(self, observation, rng):
        return 0.0, 0.0


@pytest.mark.parametrize(('given', 'message'), [
    ({'controllers': {'navigat': {}}}, "did you mean 'navigate'"),
    ({'controllers': {'navigate': {'no_such': 1}}}, r'controllers\.navigate.*no_such'),
    ({'robots': [{**ROBOT, 'controller': 'navigate', 'parameters': {'no_such': 1}}]},
     r'robots\.0\.parameters.*no_such'),
    ({'robots': [{**ROBOT, 'controller': 'potential_field'}]}, r'robots\.0'),
    ({'robots': [{**ROBOT, 'controller': object()}]}, 'step')])
def test_a_bad_controller_is_named(given, message):
    with pytest.raises(InputError, match=message):
        load(**given)


def test_what_drives_has_its_parameters_and_what_stands_still_has_none():
    scenario = load(robots=[ROBOT, {**ROBOT, 'pose': [2, 2, 0], 'controller': Still}])
    assert list(scenario.controllers) == [scenario.robots[1].controller]


def test_a_node_of_the_users_takes_true_poses():
    with pytest.raises(InputError, match='external cannot be combined with knowledge'):
        load(robots=[{**ROBOT, 'controller': 'external'}],
             knowledge={'pose_noise_std': 0.1})


ROOM = {'bounds': [0, 0, 10, 10]}
ROUND = {'pose': [5, 5, 0], 'controller': 'none'}


def load_room(**given):
    return scenario_from_mapping({'world': ROOM, 'robots': [ROUND], **given})


BOX = {'center': [2, 2], 'size': [0.4, 0.4]}


@pytest.mark.parametrize(('world', 'message'), [
    ({'polygons': [{'corners': [[1, 1], [2, 2], [2, 1], [1, 2]]}]},
     r'polygons\.0\.corners.*does not touch itself'),
    ({'moving': [{'radius': 0.3, 'path': [[1, 1], [9, 1]], 'speed': 50}]},
     r'moving\.0\.speed: got 50.*at most 4\.5 m/s at 30 Hz'),
    ({'boxes': [{'center': [2, 2]}]}, 'neither'),
    ({'boxes': [{**BOX, 'radius': 0.1}]}, 'both'),
    ({'boxes': [{**BOX, 'size': [0.4, 1e-4]}]}, r'size: got .*at least 0\.001 m'),
    ({'boxes': [BOX], 'circles': [{'center': [2, 2], 'radius': 0.1}]},
     r'boxes\.0\.center.*too near to world\.circles\.0'),
    ({'boxes': [BOX, BOX]}, r'boxes\.1\.center.*too near to world\.boxes\.0')])
def test_a_bad_obstacle_is_named(world, message):
    with pytest.raises(InputError, match=message):
        load_room(world={**ROOM, **world})


def test_good_ones_are_kept():
    scenario = load_room(world={**ROOM, 'boxes': [BOX], 'moving': [
        {'radius': 0.3, 'path': [[1, 8], [9, 8]], 'speed': 0.5}]})
    assert (len(scenario.world.boxes), len(scenario.world.moving)) == (1, 1)


AREA = {'bounds': [0, 0, 10, 10]}
STANDING = {'pose': [5, 5, 0], 'controller': 'none'}


def load_with(**given):
    return scenario_from_mapping({'world': AREA, 'robots': [STANDING], **given})


@pytest.mark.parametrize(('given', 'message'), [
    ({'wind': {'effective_wind_function': 'no colon'}}, "expected 'module:function'"),
    ({'wind': {'effective_wind_function': 'no_such_module:f'}}, 'no_such_module'),
    ({'wind': {'blocking_function': 'math:hypot'}}, 'needs wakes; add wake: true'),
    ({'until': 'goal_reached'}, 'needs a robot with a goal'),
    ({'until': 'no_such_module:f'}, 'until.*no_such_module')])
def test_a_bad_function_is_named(given, message):
    with pytest.raises(InputError, match=message):
        load_with(**given)


def test_who_has_functions_keeps_the_folders_of_their_modules():
    assert load_with().python_path == ()
    assert load_with(until='math:isnan').python_path != ()
    assert load_with(wind={'effective_wind_function': 'math:hypot'}).python_path != ()
    assert load_with(until='collision').python_path == ()


CART = {'length': 0.8, 'width': 0.4, 'offset': 0.2}
NONE = {'controller': 'none'}


class Forward:
    """Drives straight on."""

    def step(self, observation, rng):
        return 1.0, 0.0


class Wild:
    def step(self, observation, rng):
        return rng.uniform(-2, 2), rng.uniform(-4, 4)


def scenario(robots, body=CART, world=None, **more):
    return {'rate': 20, 'duration': 3, 'world': {'bounds': [0, 0, 8, 6], **(world or {})},
            'bodies': {'cart': body}, 'robots': robots, **more}


def cart(x, y, yaw=0.0, **more):
    return {'pose': [x, y, yaw], 'body': 'cart', **NONE, **more}


def test_it_stops_at_a_wall_with_its_front_and_turns_there_only_where_there_is_room():
    done = sbot.run(scenario([cart(5, 3, controller=Forward)]))
    assert done.poses[-1, 0, 0] == pytest.approx(8 - 0.6, abs=1e-2)
    assert done.poses[-1, 0, 0] <= 8 - 0.6 + 1e-9
    assert done.summary['overlaps'] == 0
    assert done.collided[-1, 0]


def test_lasers_of_others_see_its_sides():
    done = sbot.run(scenario([cart(4, 3, 0.0), {'pose': [4.2, 1, math.pi / 2], **NONE},
                              {'pose': [1, 3, 0], **NONE}],
                             sensors={'scan_sees_robots': True, 'scan_beams': 3}),
                    sense=['scan'])
    assert done.scan[0, 1, 1] == pytest.approx(1.8, abs=1e-6)
    assert done.scan[0, 2, 1] == pytest.approx(2.8, abs=1e-6)


@pytest.mark.parametrize('seed', range(3))
def test_nobody_overlaps_in_a_crowd_among_obstacles_of_all_kinds(seed):
    world = {'polygons': [{'corners': [[4, 1], [6, 1], [6, 5], [5, 2], [4, 5]]}],
             'circles': [{'center': [7, 3], 'radius': 0.2}],
             'rectangles': [{'center': [2, 3], 'size': [0.5, 1], 'yaw': 0.4}],
             'moving': [{'radius': 0.3, 'path': [[1, 1], [7, 5]], 'speed': 1}]}
    done = sbot.run(scenario(
        [{'count': 4, 'body': 'cart', 'controller': Wild},
         {'count': 2, 'body': 'car', 'controller': Wild}, {'count': 4, 'controller': Wild}],
        world=world, seed=seed, wind={'wind_speed_mean': 0.5}) | {'bodies': {
            'cart': {**CART, 'collision_distance': 0.02},
            'car': {'length': 1.2, 'width': 0.4, 'offset': 0.4, 'drive': 'ackermann'}}})
    assert done.summary['overlaps'] == 0
    assert done.collided.any()


def test_a_moving_obstacle_pushes_it_and_waits_where_it_cannot_go():
    moving = [{'radius': 0.4, 'path': [[1, 3], [7.9, 3]], 'speed': 1.0}]
    done = sbot.run(scenario([cart(4, 3)], world={'moving': moving}, duration=6))
    assert done.summary['overlaps'] == 0
    assert done.poses[-1, 0, 0] > 6.9
    assert done.poses[-1, 0, 0] <= 8 - 0.6 + 1e-9


def test_the_same_seed_gives_the_same_run_and_the_complete_scenario_too():
    data = scenario([{'count': 5, 'body': 'cart', **NONE}], wind={'wind_speed_mean': 1.0})
    one, again = sbot.run(data), sbot.run(data)
    assert one.summary['trajectory_sha256'] == again.summary['trajectory_sha256']
    complete = sbot.load(data)
    read = parse_scenario(complete.to_yaml(), 'again', '.')
    assert read.bodies == complete.bodies
    assert read.bodies['cart'].radius == pytest.approx(math.hypot(0.6, 0.2))
    assert read.to_yaml() == complete.to_yaml()


@pytest.mark.parametrize(('body', 'words'), [
    ({'length': 0.8}, r'bodies\.cart\.width: got 0\.0, .* > 0 \(m\), since length is given'),
    ({'width': 0.8}, r'bodies\.cart\.length: got 0\.0, .* > 0 \(m\), since width is given'),
    ({**CART, 'offset': 0.4}, r'bodies\.cart\.offset: got 0\.4, expected less than half'),
    ({**CART, 'radius': 0.3}, r'bodies\.cart\.radius cannot be combined with length and width'),
    ({'length': -1, 'width': 1}, r'bodies\.cart\.length: got -1'),
])
def test_sizes_that_do_not_go_together_are_named(body, words):
    with pytest.raises(InputError, match=words):
        sbot.load(scenario([cart(4, 3)], body))


def test_an_offset_of_a_disc_warns(caplog):
    sbot.load(scenario([cart(4, 3)], {'offset': 0.1}))
    assert 'bodies.cart.offset: has no effect without length and width' in caplog.text


@pytest.mark.parametrize(('world', 'other', 'words'), [
    ({}, cart(4.7, 3), r'robot 1 \(0\.8 m x 0\.4 m\) is 0\.1 m too near to robot 0'),
    ({}, {'pose': [4.8, 3, 0], **NONE}, 'robot 1 .* is 0.1 m too near to robot 0'),
    ({}, cart(7.5, 1), 'robot 1 .* is 0.1 m too near to xmax of world.bounds'),
    ({'segments': [[1, 0, 1, 6]]}, cart(0.5, 1), 'robot 1 .*world.segments.0'),
    ({'circles': [{'center': [1.7, 1], 'radius': 0.2}]}, cart(1, 1), 'world.circles.0'),
    ({'rectangles': [{'center': [1.7, 1], 'size': [0.5, 0.5]}]}, cart(1, 1), 'rectangles.0'),
    ({'polygons': [{'corners': [[0, 0], [3, 0], [3, 2.5], [0, 2.5]]}]}, cart(1, 1), 'polygons.0'),
])
def test_who_starts_in_something_is_named(world, other, words):
    with pytest.raises(InputError, match=words):
        sbot.load(scenario([cart(4, 3), other], world=world))


def test_near_beside_one_there_is_room_where_the_circle_around_it_is():
    sbot.load(scenario([cart(4, 3), cart(4, 3.41), {'pose': [3.49, 3, 0], **NONE}]))


def test_an_obstacle_may_not_jump_over_a_narrow_one():
    moving = [{'radius': 0.3, 'path': [[1, 1], [7, 1]], 'speed': 2.5}]
    with pytest.raises(InputError, match=r'speed: got 2\.5, expected at most 2 m/s'):
        sbot.load(scenario([cart(4, 3)], world={'moving': moving}))


def test_pictures_have_its_outline(tmp_path):
    shape = Body('cart', length=0.8, width=0.4, offset=0.2).outline
    corners = outline(np.array([1.0, 2.0, math.pi / 2]), shape)
    np.testing.assert_allclose(corners, [[1.2, 1.8], [1.2, 2.6], [0.8, 2.6], [0.8, 1.8]])
    done = sbot.run(scenario([cart(4, 3), {'pose': [1, 1, 0], **NONE}], duration=0.2))
    sbot.plot(done, tmp_path / 'carts.svg')
    assert (tmp_path / 'carts.svg').stat().st_size > 1000


def test_its_urdf_is_a_box():
    scan = make_scan_parameters(ScanSettings())
    text = robot_description('cart', 0.6, [scan], (0.8, 0.4, 0.2))
    assert '<box size="0.8 0.4 0.2"/>' in text
    assert '<origin xyz="0.2 0 0.1"/>' in text
    assert 'cylinder' not in text
