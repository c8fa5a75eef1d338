"""Simulation of many worlds: blocks and threads, resets of some, and another grid of the wind."""

import numpy as np
import pytest
from batches import make_batch

from sbot_sim.worlds import air, motion
from wind_model.grid import Lattice

PHASES = [motion.propose, motion.end_tick]


@pytest.mark.parametrize(('block', 'threads'), [(1, 1), (5, 1), (512, 1), (3, 2)])
def test_blocks_and_threads_change_no_bit(block, threads, monkeypatch):
    monkeypatch.setattr('sbot_sim.engine.many._BLOCK', block)
    batch = make_batch(count=9, threads=threads)
    batch.state.command[:] = np.linspace(-1.0, 1.0, 54).reshape(18, 3) * [1, 0, 1]
    batch.run(batch.program(PHASES), ticks=3)
    monkeypatch.setattr('sbot_sim.engine.many._BLOCK', 10 ** 6)
    whole = make_batch(count=9)
    whole.state.command[:] = batch.state.command
    whole.run(whole.program(PHASES), ticks=3)
    np.testing.assert_array_equal(batch.state.pose, whole.state.pose)
    assert batch.state.tick.tolist() == [3] * 9


def test_only_the_chosen_worlds_are_put_to_tick_0():
    batch = make_batch(count=3)
    program = batch.program(batch.tick.beginning(batch.setting))
    start = np.arange(18.0).reshape(3, 2, 3)
    seeds = np.array([4, 5, 6])
    batch.reset(np.arange(3), start, seeds, program)
    assert (batch.state.pose.reshape(start.shape) == start).all()
    batch.state.tick[:], batch.state.twist[:] = 7, 1.0
    batch.state.collided[:] = True
    batch.reset(np.array([1]), start + 1.0, seeds + 10, program)
    assert batch.state.tick.tolist() == [7, 0, 7]
    assert batch.state.seed.tolist() == [4, 15, 6]
    assert batch.state.collided.tolist() == [True] * 2 + [False] * 2 + [True] * 2
    np.testing.assert_array_equal(batch.state.pose.reshape(start.shape) - start,
                                  np.broadcast_to([[[0]], [[1]], [[0]]], start.shape))


def test_a_grid_of_the_wind_holds_for_programs_that_there_are():
    batch = make_batch()
    plain = batch.program([air.set_free_wind])
    batch.setting.wind_velocity[:] = [1.0, 0.0, 0.0]
    heights, zeros = np.array([0.0, 5.0])[:, None, None] + np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    batch.set_field(Lattice(np.array([0.0, 9.0]), np.array([0.0, 9.0]), heights, zeros + 0.5,
                            zeros + 0.25, zeros))
    assert batch.setting.gridded
    plain.run(0, 2)
    inside = batch.state.free_wind.copy()
    assert (inside == [0.5, 0.25]).all()
    batch.set_field(None)
    plain.run(0, 2)
    assert (batch.state.free_wind == [1.0, 0.0]).all()


def test_threads_share_the_robots_of_a_large_world_and_not_those_of_small_ones():
    assert make_batch(count=1, robots=400, threads=2).share_rows
    assert not make_batch(count=1, robots=3, threads=2).share_rows
    assert not make_batch(count=4, robots=400, threads=2).share_rows
    assert not make_batch(count=1, robots=400).share_rows
