"""Services of simulation_interfaces, called with stand-ins for its messages."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from worlds import make_parameters

from sbot_sim.engine.simulation import Engine
from sbot_sim.ros.run_control import Inbox
from sbot_sim.ros.standard_services import StandardServices
from sbot_sim.world.bodies import NOWHERE, ROBOT

pytestmark = pytest.mark.forked

OK, UNSUPPORTED, NOT_FOUND, FAILED = 1, 0, 2, 4
CAR = ROBOT._replace(length=0.5, width=0.2, offset=0.25)


def space(**values):
    return SimpleNamespace(**values)


def vector(**values):
    return space(**{'x': 0.0, 'y': 0.0, 'z': 0.0, **values})


def state(x=0.0, y=0.0, yaw=0.0, frame='map'):
    return space(header=space(frame_id=frame, stamp=space(sec=0, nanosec=0)),
                 twist=space(linear=vector(), angular=vector()),
                 pose=space(position=vector(x=x, y=y), orientation=vector(
                     z=math.sin(yaw / 2), w=math.cos(yaw / 2))))


FEATURES = {name: k for k, name in enumerate((
    'SPAWNING', 'SPAWNING_RESOURCE_STRING', 'SPAWNABLES', 'DELETING',
    'ENTITY_STATE_GETTING', 'ENTITY_STATE_SETTING', 'ENTITY_INFO_GETTING', 'ENTITY_BOUNDS',
    'SIMULATION_RESET',
    'SIMULATION_STATE_GETTING', 'SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE',
    'STEP_SIMULATION_SINGLE', 'STEP_SIMULATION_MULTIPLE'))}
CODES = {name: 101 + k for k, name in enumerate((
    'NAME_NOT_UNIQUE', 'NAME_INVALID', 'UNSUPPORTED_FORMAT', 'NO_RESOURCE', 'NAMESPACE_INVALID',
    'RESOURCE_PARSE_ERROR', 'MISSING_ASSETS', 'UNSUPPORTED_ASSETS', 'INVALID_POSE'))}


class SpawnResult(SimpleNamespace):
    def __init__(self):
        super().__init__(result=space())


for code, number in CODES.items():
    setattr(SpawnResult, code, number)
MESSAGES = space(
    Bounds=space(TYPE_BOX=1), SpawnResult=SpawnResult,
    EntityCategory=space(CATEGORY_ROBOT=1, CATEGORY_STATIC_OBJECT=5),
    Spawnable=lambda: space(entity_resource=space(), spawn_bounds=space()),
    Result=space(RESULT_OK=OK, RESULT_FEATURE_UNSUPPORTED=UNSUPPORTED, RESULT_NOT_FOUND=NOT_FOUND,
                 RESULT_OPERATION_FAILED=FAILED), EntityState=state,
    SimulatorFeatures=space(**FEATURES),
    SimulationState=space(STATE_STOPPED=0, STATE_PLAYING=1, STATE_PAUSED=2, STATE_QUITTING=3,
                          STATE_NO_WORLD=4, STATE_LOADING_WORLD=5))
KINDS = space(
    SpawnEntities=space(Response=space(ENTITIES_SPAWN_FAILED=150)),
    SpawnEntity=space(Response=space(**CODES)),
    SetEntityState=space(Response=space(INVALID_POSE=101)),
    SetSimulationState=space(Response=space(ALREADY_IN_TARGET_STATE=101)),
    ResetSimulation=space(Request=space(SCOPE_DEFAULT=0, SCOPE_TIME=1, SCOPE_STATE=2,
                                        SCOPE_SPAWNED=4, SCOPE_ALL=255)))


class Control:
    """Counts what a run control is asked for."""

    def __init__(self):
        self.paused, self.is_over, self.steps, self.resets = False, False, 0, 0

    def pause(self, on):
        self.paused = on

    def reset(self):
        self.resets += 1

    def step(self, count):
        self.steps += count


class Run:
    def __init__(self):
        self.engine = Engine(make_parameters([ROBOT, ROBOT, ROBOT, CAR]), np.array(
            [[2.0, 2.0, 0.5], [5.0, 2.0, 0.0], NOWHERE, NOWHERE]), 1)
        self.control, self.inbox, self.recording, self.ended = Control(), Inbox(4), False, 0
        self.services = StandardServices(self.engine, self.control, self.inbox,
                                         lambda: 2_100_000_003, lambda: self.recording,
                                         self.end, MESSAGES, KINDS,
                                         ['robot', 'robot', 'robot', 'car'])

    def end(self):
        self.ended += 1

    def call(self, service, **request):
        response = space(result=space(), features=space(), state=space(), entities=[],
                         bounds=space(), info=space(category=space()))
        return getattr(self.services, service)(space(**request), response)


@pytest.fixture
def run():
    return Run()


def filters(text=''):
    return space(filter=text, categories=[], tags=space(tags=[]), bounds=space(points=[]))


def entities(run, text=''):
    return run.call('get_entities', filters=filters(text)).entities


def put(run, entity, *place, set_twist=False, **others):
    """Return the result of putting an entity at a place x, y, yaw."""
    given = {'state': state(*place), 'set_acceleration': False, **others}
    return run.call('set_entity_state', entity=entity, set_pose=True, set_twist=set_twist,
                    **given).result


def test_robots_by_name(run):
    assert entities(run) == ['robot_0', 'robot_1']
    assert entities(run, '1$') == ['robot_1']
    wrong = run.call('get_entities', filters=filters('('))
    assert (wrong.entities, wrong.result.result) == ([], FAILED)
    tagged = filters()
    tagged.tags.tags = ['blue']
    assert run.call('get_entities', filters=tagged).result.result == UNSUPPORTED
    found = run.call('get_entities_states', filters=filters('robot_0'))
    assert [each.pose.position.x for each in found.states] == [2.0]


def test_the_state_of_a_robot_is_its_ground_truth(run):
    found = run.call('get_entity_state', entity='robot_0')
    assert found.result.result == OK
    assert (found.state.pose.position.x, found.state.header.frame_id) == (2.0, 'map')
    assert 2 * math.asin(found.state.pose.orientation.z) == pytest.approx(0.5)
    assert vars(found.state.header.stamp) == {'sec': 2, 'nanosec': 100_000_003}
    for name in ('robot_2', 'robot_9', 'robot_', 'robot_00000000000', 'box'):
        missing = run.call('get_entity_state', entity=name)
        assert missing.result.result == NOT_FOUND
        assert name in missing.result.error_message


def advance(run, command=None):
    run.engine.advance(run.inbox.commands if command is None else command, run.inbox.wind,
                       run.inbox.rab_data)


def test_a_twist_is_in_the_frame_of_the_pose(run):
    advance(run, np.array([[1.0, 0.0, 0.0]] * 4))
    twist = run.call('get_entity_state', entity='robot_0').state.twist
    assert (twist.linear.x, twist.linear.y) == pytest.approx((math.cos(0.5), math.sin(0.5)))


def test_a_robot_is_put_elsewhere_or_the_answer_says_why_not(run):
    assert put(run, 'robot_1', 7.0, 6.0, 1.0).result == OK
    assert run.inbox.teleports == {1: pytest.approx((7.0, 6.0, 1.0))}
    run.inbox.teleports.clear()
    taken = put(run, 'robot_1', 2.1, 2.0)
    assert (taken.result, 'teleport of robot 1' in taken.error_message) == (101, True)
    assert put(run, 'robot_1', math.nan).result == 101
    odd = put(run, 'robot_1', state=state(7.0, 6.0, frame='odom'))
    assert (odd.result, "'odom'" in odd.error_message) == (FAILED, True)
    fast = state(7.0, 6.0)
    fast.twist.linear.x = 1.0
    assert put(run, 'robot_1', state=fast, set_twist=True).result == UNSUPPORTED
    assert run.inbox.teleports == {}


SDF = '<sdf version="1.9"><model name="crate"><link name="a">{}</link></model></sdf>'
BOX = '<collision name="b"><geometry><box><size>2 0.5 1</size></box></geometry></collision>'
URDF = ('<robot name="post"><link name="a"><collision><origin xyz="0 0 0.5"/><geometry>'
        '<cylinder radius="0.25" length="1"/></geometry></collision></link></robot>')


def spawn(run, text, place=(7.0, 6.0, 0.0), name='', **others):
    request = robot(name, place, '', **others)
    request['entity_resource'].resource_string = text
    return run.call('spawn_entity', **request)


def test_an_obstacle_is_spawned_seen_moved_and_deleted(run):
    answer = spawn(run, SDF.format(BOX))
    assert (answer.result.result, answer.entity_name) == (OK, 'crate')
    assert run.engine.parameters.world.rectangles.tolist() == [[7.0, 6.0, 2.0, 0.5, 0.0]]
    assert entities(run) == ['robot_0', 'robot_1', 'crate']
    advance(run)
    assert put(run, 'crate', 3.0, 6.0, 1.0).result == OK
    found = run.call('get_entity_state', entity='crate').state
    assert (found.pose.position.x, found.twist.linear.x) == (3.0, 0.0)
    into = put(run, 'crate', 5.0, 2.0)
    assert (into.result, 'robot 1' in into.error_message) == (101, True)
    assert spawn(run, URDF, (8.0, 8.0)).entity_name == 'post'
    assert run.engine.parameters.world.circles.tolist() == [[8.0, 8.0, 0.25]]
    assert run.call('delete_entity', entity='crate').result.result == OK
    assert len(run.engine.parameters.world.rectangles) == 0
    assert run.call('delete_entity', entity='crate').result.result == NOT_FOUND
    assert run.call('reset_simulation', scope=3).result.result == UNSUPPORTED  # spawned stays
    assert run.call('reset_simulation', scope=7).result.result == OK


def test_a_slash_before_a_name_changes_nothing(run):
    """`/crate_1` is the crate and not robot 1."""
    assert spawn(run, SDF.format(BOX), (8.0, 5.0), name='crate_1').result.result == OK
    assert run.call('get_entity_state', entity='/crate_1').state.pose.position.x == 8.0
    assert put(run, '/crate_1', 8.0, 4.0).result == OK
    assert run.inbox.teleports == {}
    assert run.call('get_entity_state', entity='crate_1').state.pose.position.y == 4.0
    assert run.call('delete_entity', entity='/crate_1').result.result == OK
    assert run.call('get_entity_state', entity='/robot_1').state.pose.position.x == 5.0


def test_nothing_is_spawned_where_a_robot_will_be(run):
    """It has been told that it will be there in the next tick."""
    assert put(run, 'robot_1', 8.0, 5.0).result == OK
    for place in ((8.0, 5.0), (5.0, 2.0)):  # where it will be, and where it is
        assert spawn(run, SDF.format(BOX), place).result.result == CODES['INVALID_POSE']
    assert spawn(run, SDF.format(BOX)).result.result == OK


def test_names_of_obstacles(run):
    assert spawn(run, SDF.format(BOX), name='a').entity_name == 'a'
    taken = {'name': 'a', 'place': (3.0, 6.0)}
    assert spawn(run, URDF, **taken).result.result == CODES['NAME_NOT_UNIQUE']
    assert spawn(run, URDF, **taken, allow_renaming=True).entity_name == 'a_copy_1'
    robot = {'name': 'robot_7', 'place': (8.0, 8.0)}
    assert spawn(run, URDF, **robot).result.result == CODES['NAME_NOT_UNIQUE']
    assert spawn(run, URDF, name='a b').result.result == CODES['NAME_INVALID']
    unnamed = URDF.replace(' name="post"', '')
    assert spawn(run, unnamed).result.result == CODES['NAME_INVALID']
    assert spawn(run, unnamed, (8.0, 8.0), allow_renaming=True).entity_name == 'obstacle'


@pytest.mark.parametrize(('namespace', 'good'), [
    ('', True), ('/', True), ('a/b_1', True), ('/a', True), ('a b', False), ('1', False),
    ('a//b', False), ('a/', False), ('a__b', False), ('ä', False), ('a\n', False)])
def test_a_namespace_is_one_of_ros(run, namespace, good):
    answer = spawn(run, URDF, entity_namespace=namespace)
    assert answer.result.result == (OK if good else CODES['NAMESPACE_INVALID'])


@pytest.mark.parametrize(('text', 'code'), [('', 'NO_RESOURCE'), ('<sdf', 'RESOURCE_PARSE_ERROR'),
    ('<world/>', 'UNSUPPORTED_FORMAT'),
    ('<!DOCTYPE a [<!ENTITY b "c">]><sdf>&b;</sdf>', 'RESOURCE_PARSE_ERROR'),
    (SDF.format(''), 'UNSUPPORTED_ASSETS'), (SDF.format(BOX + BOX), 'UNSUPPORTED_ASSETS'),
    (SDF.format(f'<pose>1 0 0 0 0 0</pose>{BOX}'), 'UNSUPPORTED_ASSETS'),
    (SDF.format(BOX + '<joint name="j"/>'), 'UNSUPPORTED_ASSETS'),
    (SDF.format(BOX.replace('2 0.5 1', '2 -1 1')), 'RESOURCE_PARSE_ERROR')])
def test_what_is_no_obstacle_is_refused(run, text, code):
    answer = spawn(run, text)
    assert answer.result.result == CODES[code]
    assert 'resource_string: ' in answer.result.error_message
    assert run.engine.parameters.world.circles.size == 0


def robot(name='', place=(7.0, 6.0, 0.0), uri='robot', **others):
    """Return a message SpawnEntity of a robot."""
    pose = state(*place)
    return {'name': name, 'allow_renaming': False, 'entity_namespace': '',
            'entity_resource': space(uri=uri, resource_string=''),
            'initial_pose': space(header=pose.header, pose=pose.pose), **others}


def tick(run):
    """Do as the node does between two ticks."""
    run.engine.teleport(run.inbox.teleports)
    run.inbox.teleports = {}
    advance(run)


def test_a_robot_is_spawned_from_the_next_tick_on_and_deleted(run):
    answer = run.call('spawn_entity', **robot('robot_2'))
    assert (answer.result.result, answer.entity_name) == (OK, 'robot_2')
    assert entities(run) == ['robot_0', 'robot_1', 'robot_2']
    for _ in range(2):  # as it will be, and as it is
        found = run.call('get_entity_state', entity='robot_2').state
        assert (found.pose.position.x, found.twist.linear.x) == (7.0, 0.0)
        assert spawn(run, SDF.format(BOX)).result.result == CODES['INVALID_POSE']
        tick(run)
    assert put(run, 'robot_2', 8.0, 6.0).result == OK
    assert run.call('delete_entity', entity='robot_2').result.result == OK
    assert entities(run) == ['robot_0', 'robot_1']
    assert run.call('delete_entity', entity='robot_2').result.result == NOT_FOUND
    tick(run)
    assert np.isnan(run.engine.snapshot.pose[2, 0])
    assert run.call('spawn_entity', **robot('robot_2')).result.result == OK


def test_there_are_no_more_robots_than_the_reserve_has(run):
    assert run.call('spawn_entity', **robot('robot_2')).result.result == OK
    none_left = run.call('spawn_entity', **robot('robot_2', (3.0, 6.0, 0.0), allow_renaming=True))
    assert none_left.result.result == FAILED
    assert 'all robots with this body are in the world' in none_left.result.error_message
    assert run.call('delete_entity', entity='robot_0').result.result == OK
    again = run.call('spawn_entity', **robot('', (2.0, 2.0, 0.0), allow_renaming=True))
    assert (again.result.result, again.entity_name) == (OK, 'robot_0')  # in place of the one


@pytest.mark.parametrize(('given', 'code'), [
    ({'name': 'robot_1'}, 'NAME_NOT_UNIQUE'), ({'name': 'bob'}, 'NAME_INVALID'),
    ({'name': ''}, 'NAME_INVALID'), ({'name': 'robot_3'}, 'NAME_INVALID'),  # it is a car
    ({'name': 'robot_2', 'uri': 'file:///a.sdf'}, 'UNSUPPORTED_FORMAT'),
    ({'name': 'robot_2', 'entity_namespace': '/a'}, 'NAMESPACE_INVALID'),
    ({'name': 'robot_2', 'place': (2.1, 2.0, 0.0)}, 'INVALID_POSE'),  # in a robot
    ({'name': 'robot_2', 'place': (-3.0, 2.0, 0.0)}, 'INVALID_POSE'),
    ({'name': 'robot_2', 'place': (math.nan, 2.0, 0.0)}, 'INVALID_POSE'),
    ({'name': 'robot_2', 'place': (7.0, 6.0, 0.0, 'odom')}, 'INVALID_POSE')])
def test_a_robot_that_cannot_be_spawned_is_refused_with_a_line(run, given, code):
    answer = run.call('spawn_entity', **robot(**given))
    assert answer.result.result == CODES[code]
    assert len(answer.result.error_message.splitlines()) == 1
    assert run.inbox.teleports == {}


def test_a_name_that_a_robot_cannot_have_may_become_another(run):
    for name in ('bob', 'robot_1'):
        answer = run.call('spawn_entity', **robot(name, allow_renaming=True))
        assert (answer.result.result, answer.entity_name) == (OK, 'robot_2')
        run.call('delete_entity', entity='robot_2')
    assert run.call('spawn_entity', **robot('/robot_2', entity_namespace='/robot_2')
                    ).entity_name == 'robot_2'


def test_several_are_spawned_and_each_is_told_how_it_went(run):
    box = {**robot('box', (8.0, 9.0, 0.0), '')}
    box['entity_resource'].resource_string = SDF.format(BOX)
    some = [robot('robot_2'), robot('robot_3', (7.1, 6.0, 0.0), 'car'),
            robot('robot_3', (3.0, 6.0, 0.0), 'car'), box]
    answer = run.call('spawn_entities', spawn_requests=[space(**each) for each in some])
    assert answer.result.result == 150
    assert [each.result.result for each in answer.results] == [OK, CODES['INVALID_POSE'], OK, OK]
    assert [answer.results[k].entity_name for k in (0, 2, 3)] == ['robot_2', 'robot_3', 'box']
    assert run.call('spawn_entities', spawn_requests=[]).result.result == OK


def test_what_may_be_spawned_with_its_box(run):
    answer = run.call('get_spawnables', sources=['cloud'])
    assert (answer.result.result, 'cloud' in answer.result.error_message) == (OK, True)
    assert [(each.entity_resource.uri, each.description) for each in answer.spawnables] == [
        ('robot', 'robots in reserve: robot_2'), ('car', 'robots in reserve: robot_3')]
    corners = [[(point.x, point.y) for point in each.spawn_bounds.points]
               for each in answer.spawnables]
    assert corners == [[(0.3, 0.3), (-0.3, -0.3)], [(0.5, 0.1), (0.0, -0.1)]]
    run.call('spawn_entity', **robot('robot_2'))
    assert [each.entity_resource.uri for each in run.call('get_spawnables', sources=[]).spawnables
            ] == ['car']


def test_kind_and_box_of_an_entity(run):
    spawn(run, SDF.format(BOX))
    spawn(run, URDF, (8.0, 8.0))
    found = [run.call('get_entity_info', entity=name).info for name in ('robot_1', 'crate')]
    assert [(each.category.category, each.description) for each in found] == [
        (1, 'body: robot'), (5, 'obstacle')]
    boxes = [run.call('get_entity_bounds', entity=name).bounds
             for name in ('robot_1', 'crate', 'post')]
    assert [(each.type, each.points[0].x, each.points[1].y) for each in boxes] == [
        (1, 0.3, -0.3), (1, 1.0, -0.25), (1, 0.25, -0.25)]
    for service in ('get_entity_info', 'get_entity_bounds'):
        assert run.call(service, entity='robot_2').result.result == NOT_FOUND


def test_robots_but_no_obstacles_are_spawned_into_a_recording(run):
    run.recording = True
    assert spawn(run, URDF).result.result == FAILED
    assert run.call('spawn_entity', **robot('robot_2')).result.result == OK


@pytest.mark.parametrize(('scope', 'result'), [(0, OK), (255, OK), (3, OK), (7, OK),
                                               (1, UNSUPPORTED), (2, UNSUPPORTED)])
def test_reset(run, scope, result):
    assert run.call('reset_simulation', scope=scope).result.result == result
    assert run.control.resets == (result == OK)
    run.recording = True
    if result == OK:
        assert run.call('reset_simulation', scope=scope).result.result == FAILED
        assert run.control.resets == 1


def test_states(run):
    def to(wanted):
        result = run.call('set_simulation_state', state=space(state=wanted)).result.result
        return result, run.call('get_simulation_state').state.state

    stopped, playing, paused, quitting = range(4)
    assert to(playing) == (101, playing)
    assert to(paused) == (OK, paused)
    assert to(paused) == (101, paused)
    assert to(stopped) == (OK, stopped)
    assert (run.control.paused, run.control.resets) == (True, 1)
    assert to(playing) == (OK, playing)
    assert to(5) == (UNSUPPORTED, playing)
    assert to(77) == (FAILED, playing)
    run.recording = True
    assert to(stopped) == (FAILED, playing)
    assert to(quitting)[0] == OK
    assert run.ended == 1


def test_steps_are_answered_when_they_are_over(run):
    def begin(**request):
        return run.call('step_simulation', **request)

    with pytest.raises(StopIteration) as refused:
        begin(steps=2).send(None)
    assert refused.value.value.result.result == FAILED
    run.control.pause(True)
    stepping = begin(steps=2)
    for _ in range(2):
        stepping.send(None)
        assert run.control.steps == 2
        advance(run)
    with pytest.raises(StopIteration) as done:
        stepping.send(None)
    assert done.value.value.result.result == OK
