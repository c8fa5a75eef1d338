"""Fast2D: the example of document 004 section 7.4.5, life cycle and misuse, pushing."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim import fast2d
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import separate
from sbot_sim.fast2d import Fast2D
from sbot_sim.world.bodies import ROBOT, BodyArrays
from sbot_sim.world.geometry import make_world

SQUARE = ([-0.1, 0.1, 0.1, -0.1], [-0.1, -0.1, 0.1, 0.1])


@pytest.fixture
def world():
    with Fast2D() as engine:
        yield engine


def add(engine, kind, x=0.0, y=0.0, angle=0.0, mass=None, robot=True):
    """Add a disc (a radius) or a centred box (width, height); return its reference."""
    ref = engine.create_robot() if robot else engine.create_solid()
    if isinstance(kind, tuple):
        u, v = kind[0] / 2, kind[1] / 2
        engine.object_set_bounding_rectangle(ref, [-u, u, u, -u], [-v, -v, v, v])
    else:
        engine.object_set_bounding_radius(ref, kind)
    engine.object_set_position(ref, x, y)
    engine.object_set_angle(ref, angle)
    if mass is not None:
        engine.object_set_mass(ref, mass)
    engine.add_object(ref)
    return ref


def box(engine, *given, **named):
    return add(engine, *given, robot=False, **named)


def test_the_documents_example_call_for_call():
    fast2d.webots_fast2d_init()
    try:
        solid = fast2d.webots_fast2d_create_solid()
        fast2d.webots_fast2d_object_set_bounding_polygon(solid, *SQUARE)
        fast2d.webots_fast2d_object_set_position(solid, xpos=0.177532, ypos=0.209856)
        fast2d.webots_fast2d_object_set_angle(solid, angle=-0.785398)
        fast2d.webots_fast2d_add_object(solid)
        robot = fast2d.webots_fast2d_create_robot()
        fast2d.webots_fast2d_object_set_bounding_radius(robot, radius=0.0285)
        fast2d.webots_fast2d_object_set_position(robot, xpos=-0.150197, ypos=0.01018)
        fast2d.webots_fast2d_object_set_angle(robot, angle=4.85101)
        fast2d.webots_fast2d_add_object(robot)
        sensor = fast2d.webots_create_irsensor(robot, xpos=-0.0245, ypos=-0.012, angle=-3.0543,
                                               range=0.05, aperture=0.5, numRays=1,
                                               rayWeights=[1.0])
        assert fast2d.webots_fast2d_object_get_transform(solid) == (0.177532, 0.209856, -0.785398)
        assert fast2d.webots_fast2d_object_get_transform(robot) == (-0.150197, 0.01018, 4.85101)
        assert fast2d.webots_fast2d_sensor_get_activation(sensor) == 0.05  # nothing within range
        fast2d.webots_fast2d_step(0.032)
        assert fast2d.webots_fast2d_object_get_transform(robot) == (-0.150197, 0.01018, 4.85101)
        fast2d.webots_fast2d_robot_set_speed(robot, 0.1, -0.05)
        fast2d.webots_fast2d_robot_set_angular_speed(robot, 1.0)
        fast2d.webots_fast2d_step(0.032)
        assert fast2d.webots_fast2d_object_get_transform(robot) == (
            -0.150197 + 0.1 * 0.032, 0.01018 - 0.05 * 0.032, 4.85101 + 0.032)
    finally:
        fast2d.webots_fast2d_cleanup()


def test_every_function_of_the_document_is_there_and_in_the_header():
    header = Path(fast2d.__file__).with_name('include') / 'plugins/fast2d/fast2d.h'
    prototypes = set(re.findall(r'\b(webots_\w+)\(', header.read_text()))
    functions = {name for name in fast2d.__all__ if name.startswith('webots_')}
    assert len(functions) == 16 + 3  # two aliases, and that of section 7.4.2
    assert prototypes == functions | {'webots_fast2d_last_error'}


def test_a_sensor_reads_the_weighted_mean_of_its_rays(world):
    robot = add(world, 0.05, angle=math.pi / 2)
    sensor = world.create_irsensor(robot, 0.05, 0.0, 0.0, 1.0, math.pi / 2, 3, [0.2, 0.5, 0.3])
    box(world, (4.0, 0.2), 0.0, 0.55)  # its near side is 0.4 m ahead
    # The rays point 45 degrees right, ahead, and 45 degrees left.
    expected = 0.5 * 0.4 + (0.2 + 0.3) * 0.4 * math.sqrt(2)
    assert world.sensor_get_activation(sensor) == pytest.approx(expected, abs=1e-12)


def test_angles_are_not_wrapped(world):
    robot = add(world, (0.4, 0.2), angle=3.0)
    world.robot_set_angular_speed(robot, 10.0)
    world.step(0.5)
    assert world.object_get_transform(robot)[2] == pytest.approx(8.0)


@pytest.mark.parametrize('kinds', [(0.1, 0.1), (0.1, (0.2, 0.2))])
@pytest.mark.parametrize(('pusher', 'pushed', 'share'),
                         [(1.0, 1.0, 0.5), (3.0, 1.0, 0.75), (-1.0, 1.0, 1.0), (1.0, -1.0, 0.0),
                          (-1.0, -1.0, 0.0), (None, None, 0.0), (None, 1.0, 0.5)])
def test_masses_share_displacements(world, kinds, pusher, pushed, share):
    robot = add(world, kinds[0], mass=pusher)
    solid = box(world, kinds[1], 0.2, mass=pushed)
    world.robot_set_speed(robot, 0.1, 0.0)
    world.step(0.1)
    moved = world.object_get_transform(solid)[0] - 0.2
    assert moved == pytest.approx(share * 0.01, abs=1e-6)
    assert world.object_get_transform(robot)[0] == pytest.approx(moved, abs=1e-6)


def test_a_box_that_turns_in_a_narrow_corridor_keeps_its_pose(world):
    robot = add(world, (1.0, 0.4))
    box(world, (10.0, 1.0), 0.0, 0.75)
    box(world, (10.0, 1.0), 0.0, -0.75)
    world.robot_set_angular_speed(robot, 2.0)
    for _ in range(50):
        world.step(0.1)
    x, y, angle = world.object_get_transform(robot)
    # 0.5 m wide: the box fits up to the angle at which 1.0 sin + 0.4 cos = 0.5.
    limit = next(a for a in np.linspace(0, 1, 100001) if math.sin(a) + 0.4 * math.cos(a) > 0.5)
    assert 0.0 < angle <= limit + 1e-5
    assert abs(x) < 0.5
    assert abs(y) < 0.05
    world.robot_set_angular_speed(robot, -1.0)
    world.step(0.1)
    assert world.object_get_transform(robot)[2] == pytest.approx(angle - 0.1)


def test_nothing_passes_through_thin_walls(world):
    robots = [add(world, 0.05, 0.0, 0.0), add(world, (0.1, 0.05), 0.0, 0.5, 0.3)]
    box(world, (0.01, 10.0), 1.0)
    for robot in robots:
        world.robot_set_speed(robot, 50.0, 0.0)
    world.step(0.1)
    assert all(world.object_get_transform(robot)[0] < 1.0 for robot in robots)


def test_equal_discs_move_as_through_the_worlds_own_collisions():
    """To the bit: the same contacts, passes and retreats."""
    rng = np.random.default_rng(4)
    n = 60
    pose = np.zeros((n, 3))
    pose[:, 0], pose[:, 1] = np.divmod(np.arange(n), 8)
    pose[:, :2] *= 0.25
    rectangles = [(0.85, -0.5, 3.0, 0.2, 0.1), (0.85, 2.3, 3.0, 0.2, -0.1)]
    world = make_world((-50, -50, 50, 50), circles=[(2.3, 0.9, 0.3)], rectangles=rectangles)
    bodies = BodyArrays.of([ROBOT._replace(radius=0.1)] * n)
    fixed = FixedObjects.of(world, bodies.safety_radius)
    with Fast2D() as engine:
        for x, y, width, height, yaw in rectangles:
            box(engine, (width, height), x, y, yaw)
        box(engine, 0.3, 2.3, 0.9)
        robots = [add(engine, 0.1, x, y) for x, y, _ in pose.tolist()]
        for _ in range(40):
            speed = rng.uniform(-0.6, 0.6, (n, 2))
            for robot, (dx, dy) in zip(robots, speed.tolist(), strict=True):
                engine.robot_set_speed(robot, dx, dy)
            proposed = pose.copy()
            proposed[:, :2] += speed * 0.1
            pose = separate(fixed, bodies.shape, pose, proposed).pose
            engine.step(0.1)
            found = np.array([engine.object_get_transform(robot) for robot in robots])
            assert np.array_equal(found, pose)


LIFE = {
    'step before init': (lambda e: e.step(0.1), 'webots_fast2d_init first'),
    'init twice': (lambda e: (e.init(), e.init()), 'webots_fast2d_cleanup first'),
    'add without shape': (lambda e: (e.init(), e.add_object(e.create_solid())), 'needs a shape')}


@pytest.mark.parametrize('case', LIFE)
def test_the_order_of_calls_is_checked(case):
    call, expected = LIFE[case]
    with pytest.raises(InputError, match=expected):
        call(Fast2D())


def ir(engine, robot, **changed):
    given = {'xpos': 0.0, 'ypos': 0.0, 'angle': 0.0, 'range': 1.0, 'aperture': 0.1, 'numRays': 2,
             'rayWeights': [0.5, 0.5], **changed}
    return engine.create_irsensor(robot, **given)


MISUSE = {
    'dt zero': (lambda e, r, s: e.step(0.0), 'step: dt: got 0.0'),
    'dt nan': (lambda e, r, s: e.step(math.nan), 'step: dt: got nan'),
    'sensor on a solid': (lambda e, r, s: ir(e, s), 'solids have no sensors'),
    'speed of a solid': (lambda e, r, s: e.robot_set_speed(s, 1, 0), 'expected a robot'),
    'weights': (lambda e, r, s: ir(e, r, rayWeights=[0.5, 0.5 + 2e-9]), 'with the sum 1'),
    'too few weights': (lambda e, r, s: ir(e, r, rayWeights=[1.0]), '2 numbers'),
    'a billion rays': (lambda e, r, s: ir(e, r, numRays=10**9), 'num_rays: got 1000000000, '
                       'expected a whole number from 1 to 10000'),
    'a number as weights': (lambda e, r, s: ir(e, r, rayWeights=1.0), 'ray_weights: got 1.0'),
    'text as mass': (lambda e, r, s: e.object_set_mass(e.create_solid(), '1'), "mass: got '1'"),
    'endless corners': (lambda e, r, s: e.object_set_bounding_rectangle(
        e.create_solid(), itertools.count(), itertools.count()), 'corners: got'),
    'aperture': (lambda e, r, s: ir(e, r, aperture=7.0), 'aperture: got 7.0'),
    'speed': (lambda e, r, s: e.robot_set_speed(r, math.nan, 0.0), 'dx: got nan'),
    'unknown object': (lambda e, r, s: e.object_get_transform(None), 'got None'),
    'moved after add': (lambda e, r, s: e.object_set_position(r, 0, 0), 'in the world already'),
    'added twice': (lambda e, r, s: e.add_object(s), 'in the world already'),
    'clockwise': (lambda e, r, s: e.object_set_bounding_rectangle(
        e.create_solid(), [0, 0, 1, 1], [0, 1, 1, 0]), 'clockwise'),
    'crossed': (lambda e, r, s: e.object_set_bounding_rectangle(
        e.create_solid(), [0, 1, 0, 1], [0, 0, 1, 1]), 'convex'),
    'a trapezium': (lambda e, r, s: e.object_set_bounding_rectangle(
        e.create_solid(), [0, 1, 0.9, 0.1], [0, 0, 1, 1]), 'rectangle'),
    'three corners': (lambda e, r, s: e.object_set_bounding_rectangle(
        e.create_solid(), [0, 1, 1], [0, 0, 1]), 'four x'),
    'mass zero': (lambda e, r, s: e.object_set_mass(e.create_solid(), 0.0), 'mass: got 0.0'),
    'far away': (lambda e, r, s: e.object_set_position(e.create_solid(), 1e7, 0), 'xpos')}


@pytest.mark.parametrize('case', MISUSE)
def test_misuse_says_what_was_called_and_expected_and_changes_nothing(world, case):
    robot, solid = add(world, 0.1), box(world, 0.1, 1.0)
    sensor = ir(world, robot)
    before = (world.object_get_transform(robot), world.sensor_get_activation(sensor))
    call, expected = MISUSE[case]
    with pytest.raises(InputError, match=expected) as caught:
        call(world, robot, solid)
    assert str(caught.value).startswith('webots_fast2d_')
    assert '\n' not in str(caught.value)
    assert before == (world.object_get_transform(robot), world.sensor_get_activation(sensor))


def test_after_the_first_step_nothing_is_built(world):
    robot = add(world, 0.1)
    world.step(0.1)
    for call in (world.create_robot, world.create_solid, lambda: ir(world, robot)):
        with pytest.raises(InputError, match='before the first step'):
            call()


def test_references_end_with_their_world_and_init_starts_afresh():
    engine = Fast2D()
    engine.init()
    robot = add(engine, 0.1, 1.0)
    sensor = ir(engine, robot)
    engine.step(0.1)
    engine.cleanup()
    with pytest.raises(InputError, match='init first'):
        engine.object_get_transform(robot)
    engine.init()
    for call in (lambda: engine.object_get_transform(robot),
                 lambda: engine.sensor_get_activation(sensor)):
        with pytest.raises(InputError, match='of this world'):
            call()
    again = add(engine, 0.1, 2.0)
    assert repr(again) == '<robot 0>'
    engine.step(0.1)
    assert engine.object_get_transform(again) == (2.0, 0.0, 0.0)
    engine.cleanup()


def test_a_sensor_can_be_put_elsewhere_until_the_first_step():
    def readings(*, move):
        with Fast2D() as world:
            box(world, 0.5, 1.0)
            robots = [add(world, 0.1), add(world, 0.1, 0.0, 3.0)]
            eyes = [world.create_irsensor(robots[0], 0.0, 0.0, angle, 2.0, 0.0, 1, [1.0])
                    for angle in ((1.0, 1.0) if move else (1.0, 0.0))]
            if move:
                world.robot_add_sensor(robots[0], eyes[1], 0.0, 0.0, 0.0)
            first = [world.sensor_get_activation(eye) for eye in eyes]
            world.robot_add_sensor(robots[1], eyes[1], 0.0, 0.0, 0.0)
            second = [world.sensor_get_activation(eye) for eye in eyes]
            world.step(0.1)
            with pytest.raises(InputError, match='before the first step'):
                world.robot_add_sensor(robots[0], eyes[0], 0.0, 0.0, 0.0)
            return first, second

    assert readings(move=True) == readings(move=False)
    first, second = readings(move=True)
    assert first == [2.0, 0.5]
    assert second == [2.0, 2.0]


def test_a_sensor_that_is_none_is_refused():
    with Fast2D() as world:
        robot = add(world, 0.1)
        with pytest.raises(InputError, match='robot_add_sensor: sensor'):
            world.robot_add_sensor(robot, robot, 0.0, 0.0, 0.0)
