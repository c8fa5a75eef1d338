"""Motion of a block of worlds: commands, impulses, ticks; nobody moves another world's robots."""

import numpy as np
from batches import make_batch

from sbot_sim.worlds import motion


def run(batch, *phases, first=0, end=2):
    batch.program(list(phases)).run(first, end)
    return batch.state


def test_robots_go_where_their_commands_lead():
    batch = make_batch()
    start = batch.state.pose.copy()
    batch.state.command[:] = [[0.5, 0, 0], [0, 0, 1.0], [0, 0, 0], [-0.5, 0, 0]]
    state = run(batch, motion.propose)
    np.testing.assert_array_equal(state.previous, start)
    np.testing.assert_allclose(state.pose - start, [
        [0.05, 0, 0], [0, 0, 0.1], [0, 0, 0], [-0.05, 0, 0]], atol=1e-12)


def test_only_the_worlds_of_the_block_move():
    batch = make_batch(count=3)
    start = batch.state.pose.copy()
    batch.state.command[:, 0] = 0.5
    state = run(batch, motion.propose, motion.end_tick, first=1, end=2)
    assert (state.pose[:2] == start[:2]).all()
    assert (state.pose[4:] == start[4:]).all()
    np.testing.assert_allclose(state.pose[2:4, 0] - start[2:4, 0], 0.05)
    assert state.tick.tolist() == [0, 1, 0]


def test_impulses_move_in_the_tick_after():
    batch = make_batch()
    batch.setting.wind_force[:] = [[100.0, 0, 0], [0, 0, 0]]
    start, mass = batch.state.pose.copy(), batch.setting.bodies.mass[0]
    state = run(batch, motion.sum_impulses, motion.propose, motion.end_tick)
    assert (state.pose == start).all()
    np.testing.assert_allclose(state.impulse_velocity[:, 0], np.repeat([10.0 / mass, 0], 2))
    state = run(batch, motion.propose)
    np.testing.assert_allclose((state.pose - start)[:, 0], np.repeat([1.0 / mass, 0], 2))


def test_the_motion_is_that_of_the_tick_collisions_included():
    batch = make_batch()
    state = batch.state
    state.previous[:] = state.pose
    state.pose[0] += [0.2, 0.0, 0.0]
    state.pose[3, 2] += 0.3
    run(batch, motion.update_twists)
    np.testing.assert_allclose(state.twist, [[2, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 3]],
                               atol=1e-9)


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


def test_broadcasts_are_heard_in_the_next_tick_with_the_radius_first():
    batch = make_batch(rab=True)
    batch.state.rab_next[:] = np.arange(40).reshape(4, 10)
    state = run(batch, motion.broadcast)
    np.testing.assert_array_equal(state.rab_data[:, 1:], state.rab_next[:, 1:])
    assert len(set(state.rab_data[:, 0].tolist())) == 1
