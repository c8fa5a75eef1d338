"""Snapshot of a world: copies, which a later tick leaves alone."""

import numpy as np
from batches import make_batch

from sbot_sim.engine.snapshot import snapshot_of
from sbot_sim.engine.state import Snapshot


def test_a_snapshot_shares_no_memory_with_the_world():
    batch = make_batch(count=1, rab=True, infrared={'infrared': True},
                       senses=['scan', 'infrared', 'odometry'])
    found = snapshot_of(batch, sensed_wind=True)
    arrays = [array for array in batch.state if isinstance(array, np.ndarray)]
    for name in Snapshot._fields:
        mine = getattr(found, name)
        if isinstance(mine, np.ndarray) and mine.size:
            assert not any(np.shares_memory(mine, array) for array in arrays), name
    assert found.heard_sent


def test_values_are_those_of_the_tick():
    batch = make_batch(count=1)
    state = batch.state
    state.tick[0], state.ranges[:], state.twist[:] = 7, 3.0, 0.5
    state.odometry[:], state.odometry_twist[:] = 1.0, 2.0
    found = snapshot_of(batch, sensed_wind=True)
    state.ranges[:] = state.twist[:] = state.odometry[:] = 0.0
    assert found.tick == 7
    assert (found.ranges == 3.0).all()
    assert (found.twist == 0.5).all()
    assert (found.odometry == 1.0).all()
    assert (found.odometry_twist == 2.0).all()
    assert found.moved is found.boxes is found.obstacles is None
    assert not found.heard_sent


def test_a_wind_that_nobody_has_felt_yet_is_still():
    batch = make_batch(count=1)
    for rows in (batch.state.observed_wind, batch.state.observed_free_wind, batch.state.updraft):
        rows[:] = 4.0
    before, after = (snapshot_of(batch, sensed_wind=felt) for felt in (False, True))
    assert not before.wind.any()
    assert not before.free_wind.any()
    assert not before.updraft.any()
    assert (after.wind == 4.0).all()
    assert (after.free_wind == 4.0).all()
    assert (after.updraft == 4.0).all()
