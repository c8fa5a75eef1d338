"""Rectangular bodies in scenarios: keys and errors, runs, pictures, and what refuses them."""

import pytest

import sbot
from sbot.scenario.load import parse_scenario, scenario_from_mapping
from sbot_common.errors import InputError

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
        load(world={**WORLD, **world})


def test_who_has_functions_keeps_the_folders_of_their_modules():
    assert load().python_path == ()
    assert load(until='math:isnan').python_path != ()
    assert load(wind={'effective_wind_function': 'math:hypot'}).python_path != ()
    assert load(until='collision').python_path == ()


CART = {'length': 0.8, 'width': 0.4, 'offset': 0.2}
NONE = {'controller': 'none'}


class Forward:
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
    ({'polygons': [{'corners': [[0, 0], [3, 0], [3, 2.5], [0, 2.5]]}]}, cart(1, 1), 'polygons.0')])
def test_who_starts_in_something_is_named(world, other, words):
    with pytest.raises(InputError, match=words):
        sbot.load(scenario([cart(4, 3), other], world=world))


def test_near_beside_one_there_is_room_where_the_circle_around_it_is():
    sbot.load(scenario([cart(4, 3), cart(4, 3.41), {'pose': [3.49, 3, 0], **NONE}]))


def test_an_obstacle_may_not_jump_over_a_narrow_one():
    moving = [{'radius': 0.3, 'path': [[1, 1], [7, 1]], 'speed': 2.5}]
    with pytest.raises(InputError, match=r'speed: got 2\.5, expected at most 2 m/s'):
        sbot.load(scenario([cart(4, 3)], world={'moving': moving}))
