"""Motion of a block of worlds: commands, impulses, ticks; nobody moves another world's robots."""

import math

import numpy as np
import pytest
from batches import make_batch

import sbot
from sbot_common.errors import InputError
from sbot_sim.world.bodies import ROBOT, BodyArrays
from sbot_sim.worlds import motion


def run(batch, *phases, first=0, end=2):
    batch.program(list(phases)).run(first, end)
    return batch.state


def test_only_the_worlds_of_the_block_move():
    batch = make_batch(count=3)
    start = batch.state.pose.copy()
    batch.state.command[:, 0] = 0.5
    state = run(batch, motion.propose, motion.end_tick, first=1, end=2)
    assert (state.pose[:2] == start[:2]).all()
    assert (state.pose[4:] == start[4:]).all()
    np.testing.assert_allclose(state.pose[2:4, 0] - start[2:4, 0], 0.05)
    assert state.tick.tolist() == [0, 1, 0]


def test_bodies_of_one_world_are_freed_of_each_other_and_no_others():
    batch = make_batch()
    state = batch.state
    state.pose[:, 1] = 3.0  # both worlds: in one place
    state.previous[:] = state.pose
    state.pose[1, 0] = state.pose[0, 0] + 0.5  # of 0.6 m
    still = state.pose[2:].copy()
    run(batch, motion.resolve_overlaps)
    apart = np.hypot(*(state.pose[1] - state.pose[0])[:2])
    assert apart >= 2 * batch.setting.shapes.outer_radius[0] - 1e-9
    assert state.collided.tolist() == [True, True, False, False]
    np.testing.assert_array_equal(state.pose[2:], still)


NONE = {'controller': 'none'}


def obstacles_run(moving, robots, duration=10.0, world=None, sense=(), **others):
    return sbot.run({
        'rate': 20, 'duration': duration, 'robots': robots,
        'world': {'bounds': [0, 0, 10, 6], 'moving': moving, **(world or {})}, **others},
        sense=sense)


def obstacle(path, radius=0.4, speed=0.5, **others):
    return {'radius': radius, 'path': path, 'speed': speed, **others}


def test_a_robot_in_the_way_is_pushed_along():
    done = obstacles_run([obstacle([[2, 3], [8, 3]])], [{'pose': [5, 3, 0], **NONE}])
    assert done.summary['overlaps'] == 0
    # After 10 s the disc is at x = 7, and the robot, of radius 0.3 m, before it.
    np.testing.assert_allclose(done.poses[-1, 0, :2], [7.7, 3.0], atol=1e-6)
    assert done.collided[-1, 0]
    assert (done.poses[:, 0, 0] - (2.0 + 0.025 * np.arange(201))).min() > 0.7 - 1e-9


def test_it_waits_for_a_robot_that_stands_against_a_wall_and_goes_on_when_that_is_gone():
    class Leaves:
        def step(self, observation, rng):
            return (1.0 if observation.tick > 170 else 0.0), 0.0

    done = obstacles_run([obstacle([[2, 3], [9.5, 3]], speed=1.0)],
               [{'pose': [9.0, 3, math.pi / 2], 'controller': Leaves}], 14.0, sense=['scan'],
               sensors={'scan_beams': 1, 'scan_angle_min': math.pi / 2})
    assert done.summary['overlaps'] == 0
    assert done.poses[:, 0, 0].max() <= 9.7 + 1e-9
    # The laser looks back at the disc: until the robot leaves, that stands at its rim.
    assert done.scan[165, 0, 0] == pytest.approx(0.3, abs=0.06)
    assert done.scan[-1, 0, 0] > 1.0


def test_two_obstacles_that_squeeze_a_robot_wait_for_ever():
    done = obstacles_run([obstacle([[2, 3], [8, 3]]), obstacle([[8, 3], [2, 3]])],
               [{'pose': [5, 3, 0], **NONE}])
    assert done.summary['overlaps'] == 0
    assert abs(done.poses[-1, 0, 0] - 5.0) < 0.1


@pytest.mark.parametrize(('moving', 'words'), [
    (obstacle([[1, 1], [2, 2]], speed=9.0), r'world\.moving\.0\.speed: got 9.0, expected at most'),
    (obstacle([[1, 1]]), r'world\.moving\.0\.path: got'),
    (obstacle([[1, 1], [1, 1]]), r'world\.moving\.0\.path: got'),
    (obstacle([[1, 1], [2, 2]], at_end='stop'), 'at_end'),
    (obstacle([[1, 1], [2, 2]], radius=-1), r'world\.moving\.0\.radius'),
    (obstacle([[5, 3], [2, 2]]), 'robot 0')])
def test_bad_obstacles_are_named(moving, words):
    with pytest.raises(InputError, match=words):
        obstacles_run([moving], [{'pose': [5, 3, 0], **NONE}])


@pytest.mark.parametrize('length', [0.0, 0.6])
def test_a_disc_waits_for_what_it_overlaps_deeper_than_the_tolerance(length):
    shapes = BodyArrays.of([ROBOT._replace(length=length, width=length)] * 2).shape
    centre, radius = np.array([[0.0, 0.0], [0.0, 9.0]]), np.full(2, 0.5)
    for gap, met in ((1e-6, False), (-1e-6, True)):
        pose, waits = np.array([[0.0, 0.8 + gap, 0.0], [20.0, 20.0, 0.0]]), np.zeros(2, bool)
        assert bool(motion._blocked.py_func(shapes, pose, centre, radius, waits)) is met
        assert waits.tolist() == [met, False]
        assert not motion._blocked.py_func(shapes, pose, centre, radius, waits)  # not new
