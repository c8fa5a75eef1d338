"""Pushable boxes in runs: what pushes them, what sees them, what the hash and a reset hold."""

import hashlib
import math

import numpy as np
import pytest

import sbot
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot_common.errors import InputError
from sbot_sim.engine.simulation import Engine
from wind_model.gust import Wind

NONE = {'controller': 'none'}


class Forward:
    def step(self, observation, rng):
        return 1.0, 0.0


class Wild:
    def step(self, observation, rng):
        return rng.uniform(-2, 3), rng.uniform(-4, 4)


def scenario(boxes, robots, world=None, **others):
    return {'rate': 20, 'duration': 4.0, 'robots': robots, 'world': {
        'bounds': [0, 0, 10, 6], 'boxes': boxes, **(world or {})}, **others}


def run(boxes, robots, world=None, sense=(), **others):
    return sbot.run(scenario(boxes, robots, world, **others), sense=sense)


def box(x, y, **others):
    return {'center': [x, y], **({} if 'radius' in others else {'size': [0.5, 0.5]}), **others}


def test_a_robot_pushes_a_box_at_its_share_of_the_speed_until_a_wall():
    done = run([box(2, 3, size=[0.5, 0.4], mass=10.0)], [{'pose': [1, 3, 0],
                                                          'controller': Forward}], duration=30)
    assert done.summary['overlaps'] == 0
    speed = np.diff(done.boxes[:, 0, 0]) * 20
    assert speed[40:60] == pytest.approx(np.full(20, 0.5))  # the robot weighs 10 kg, too
    assert done.boxes[-1, 0, 0] == pytest.approx(9.75, abs=0.01)
    assert done.poses[-1, 0, 0] == pytest.approx(9.2, abs=0.01)
    assert done.summary['robots'][0]['reverts'] == 0


def test_a_round_robot_between_a_box_and_a_wall_can_turn_away():
    class Turns:
        def step(self, observation, rng):
            return 1.0, 1.0

    done = run([box(9.6, 3, size=[0.8, 2.0], mass=1e6)], [{'pose': [8.8, 3, 0],
                                                          'controller': Turns}])
    assert done.poses[-1, 0, 0] < 8.5


def test_wind_does_not_move_a_box():
    done = run([box(5, 3)], [{'pose': [1, 1, 0], **NONE}],
               wind={'wind_speed_mean': 2.0, 'wind_force_mean': 5.0})
    assert (done.boxes == done.boxes[0]).all()
    assert done.poses[-1, 0, 0] > 3


@pytest.mark.parametrize('seed', range(4))
def test_nobody_overlaps_anything_in_a_crowd(seed):
    rng = np.random.default_rng(seed)
    shapes = [{'size': [0.6, 0.2], 'yaw': 0.4}, {'radius': 0.2}, {'size': [0.3, 0.3], 'mass': 30}]
    boxes = [box(1 + 2 * (k % 4) + rng.uniform(-0.3, 0.3), 1 + 2 * (k // 4), **shapes[k % 3])
             for k in range(12)]
    moving = [{'radius': 0.3, 'path': [[2, 2], [8, 2], [8, 4]], 'speed': 1.0}]
    world = {'moving': moving, 'segments': [[0, 4.1, 3, 4.1]],
             'polygons': [{'corners': [[8.5, 0.1], [9.5, 0.1], [9.5, 1.5]]}]}
    bodies = {'cart': {'length': 0.7, 'width': 0.3, 'offset': 0.2}}
    done = run(boxes, [{'count': 12, 'controller': Wild},
                       {'count': 2, 'body': 'cart', 'controller': Wild}],
               world, seed=seed, wind={'wind_speed_mean': 0.5}, bodies=bodies, duration=6)
    assert done.summary['overlaps'] == 0
    assert (done.boxes[-1] != done.boxes[0]).any(axis=1).sum() > 1


def test_an_obstacle_on_a_path_pushes_a_box_and_waits_where_that_cannot_go():
    moving = [{'radius': 0.4, 'path': [[2, 3], [9.9, 3]], 'speed': 1.0}]
    done = run([box(5, 3, size=[0.5, 0.6])], [{'pose': [1, 1, 0], **NONE}], {'moving': moving},
               duration=9)
    assert done.summary['overlaps'] == 0
    assert done.boxes[100, 0, 0] == pytest.approx(7.65, abs=0.01)
    assert done.boxes[-1, 0, 0] == pytest.approx(9.75, abs=0.01)
    assert done.obstacles[-1, 0, 0] == pytest.approx(9.1, abs=0.06)


def test_lasers_and_infrared_see_it_where_it_is():
    done = run([box(3, 3, mass=10.0)], [{'pose': [2, 3, 0], 'controller': Forward},
                                        {'pose': [3, 1, math.pi / 2], **NONE}],
               duration=2.0, sense=['scan'],
               sensors={'scan_beams': 1, 'scan_angle_min': 0.0})
    np.testing.assert_allclose(done.scan[1:, 0, 0], done.boxes[1:, 0, 0] - 0.25
                               - done.poses[1:, 0, 0], atol=1e-6)
    seen = np.isclose(done.scan[:, 1, 0], 1.75)  # from below, until it has gone
    assert seen[0]
    assert not seen[-1]
    near = run([box(3.75, 3, size=[0.6, 0.4])],
               [{'pose': [3.34, 3, 0.0], 'body': 's-bot', **NONE},
                {'pose': [3.75, 2.45, math.pi / 2], 'controller': Forward}],
               sense=['infrared'], sensors={'infrared': True, 'infrared_noise': 0.0})
    assert near.infrared[0, 0].max() > 0.0
    assert near.infrared[-1, 0].max() == 0.0


def test_it_blocks_broadcasts():
    heard = []

    class Listens:
        def step(self, observation, rng):
            heard.append(bool(np.isclose(observation.neighbours.range, 2.0).any()))
            return 0.0, 0.0

    run([box(3, 2)], [{'pose': [2, 3, 0], 'controller': Listens}, {'pose': [4, 3, 0], **NONE},
                      {'pose': [3, 1.4, math.pi / 2], 'controller': Forward}], duration=2,
        sensors={'range_and_bearing': True})
    assert heard[0]
    assert not all(heard)  # while it is between robots 0 and 1
    assert heard[-1]


def test_the_hash_is_of_robots_and_boxes():
    done = run([box(2, 3.1)], [{'pose': [1, 3, 0], 'controller': Forward}])
    assert done.boxes[-1, 0, 0] > 2.5
    expected = hashlib.sha256()
    for robots, boxes in zip(done.poses, done.boxes, strict=True):
        expected.update(robots.tobytes() + boxes.tobytes())
    assert done.summary['trajectory_sha256'] == expected.hexdigest()


def test_a_reset_puts_them_back_and_nobody_is_teleported_into_one():
    loaded = sbot.load(scenario([box(2, 3, size=[0.4, 0.4], yaw=0.2)],
                                [{'pose': [1, 3, 0], **NONE}]))
    engine = Engine(simulation_parameters(loaded), initial_poses(loaded), 1)
    states = []
    for _ in range(2):
        for _ in range(30):
            engine.advance(np.array([[1.0, 0.0, 0.0]]), Wind.still(), np.zeros((1, 10), np.uint8))
        states.append((engine.snapshot.boxes.tobytes(), engine.snapshot.ranges.tobytes()))
        x, y, _ = engine.snapshot.boxes[0]
        with pytest.raises(InputError, match=r'teleport of robot 0 .* too near to boxes\[0\]'):
            engine.teleport({0: (x, y, 0.0)})
        engine.teleport({0: (2.0, 4.5, 0.0)})
        engine.reset()
        np.testing.assert_array_equal(engine.snapshot.boxes, [[2, 3, 0.2]])
        assert engine.parameters.world.rectangles[-1].tolist() == [2, 3, 0.4, 0.4, 0.2]
    assert states[0] == states[1]


@pytest.mark.parametrize(('boxes', 'world', 'words'), [
    ([{'center': [3, 3]}], {}, r"world\.boxes\.0: got neither of 'size'"),
    ([box(3, 3, radius=1, size=[1, 1])], {}, 'got both'),
    ([box(3, 3, size=[1, 1], mas=2)], {}, r"unknown name 'mas'; did you mean 'mass'"),
    ([box(3, 3, size=[1, 1], mass=0)], {}, r'boxes\.0\.mass: got 0, expected a number from'),
    ([box(3, 3, size=[1, 1e-4])], {}, r'boxes\.0\.size: got .* expected a box of at least 0\.001'),
    ([box(3, 3), box(3.4, 3)], {}, r'boxes\.1\.center: got \[3\.4, 3\.0\], expected a free place: '
                                   r'box 1 is 0\.1 m too near to world\.boxes\.0'),
    ([box(0.2, 3)], {}, r'boxes\.0\.center: .* 0\.05 m too near to xmin of world\.bounds'),
    ([box(3, 3)], {'circles': [{'center': [8, 3], 'radius': 0.1}],
                   'moving': [{'radius': 0.3, 'path': [[3.4, 3], [9, 3]], 'speed': 0.1}]},
     r'too near to world\.moving\.0'),
    ([box(5, 3), box(8, 3, radius=0.2), box(1.3, 1, radius=0.2)], {},
     r'robots\.0\.pose: .* robot 0 .* is 0\.2 m too near to world\.boxes\.2'),
    ([box(3, 3, size=[0.4, 0.02])], {'moving': [{'radius': 0.3, 'path': [[6, 5], [9, 5]],
                                                 'speed': 1.0}]},
     r'moving\.0\.speed: got 1\.0, .* half the smallest radius of a robot or a box, here '
     r'0\.01 m \(of a rectangle')])
def test_bad_boxes_are_named(boxes, world, words):
    with pytest.raises(InputError, match=words):
        sbot.load(scenario(boxes, [{'pose': [1, 1, 0], **NONE}], world))


def test_a_yaw_of_a_round_one_warns(caplog):
    sbot.load(scenario([box(3, 3, radius=0.2, yaw=1.0)], [{'pose': [1, 1, 0], **NONE}]))
    assert 'world.boxes.0.yaw: has no effect on a round box' in caplog.text


def test_those_of_argos_are_movable(tmp_path):
    path = tmp_path / 'push.argos'
    path.write_text("""<argos-configuration>
      <framework><experiment length="2" ticks_per_second="10" random_seed="3"/></framework>
      <controllers><c id="base"/></controllers>
      <arena size="4,4,1" center="0,0,0">
        <box id="b" size="0.4,0.2,0.1" movable="true" mass="2.5">
          <body position="1,0,0" orientation="90,0,0"/></box>
        <cylinder id="c" radius="0.1" height="0.1" movable="true" mass="0.1">
          <body position="-1,0,0"/></cylinder>
        <cylinder id="d" radius="0.1" height="0.1" movable="false">
          <body position="-1,1,0"/></cylinder>
        <foot-bot id="f"><body position="0,0,0"/><controller config="base"/></foot-bot>
      </arena></argos-configuration>""")
    world = sbot.load(str(path)).world
    flat, disc = world.boxes
    assert (flat.center, flat.size, flat.mass) == ((1, 0), (0.4, 0.2), 2.5)
    assert flat.yaw == pytest.approx(math.pi / 2)
    assert (disc.radius, disc.mass) == (0.1, 0.1)
    assert len(world.circles) == 1
