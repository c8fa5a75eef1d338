"""Reset of worlds: at rest at tick 0, with the noise of their seeds, and no other world."""

import numpy as np
from batches import make_batch

from sbot_sim.worlds.reset import begin

# Poses are given, readings are read after it; the rest is room, or what a batch is made of.
_KEPT = {'pose', 'seed', 'row', 'scratch', 'momentum', 'x', 'y'}
_WRITTEN_LATER = {'ranges', 'infrared', 'heard_starts', 'heard_robot', 'heard_range', 'boxes',
                  'heard_bearing', 'laser_pose', 'previous', 'sent_pose', 'reduction', 'moved',
                  'observed_wind', 'observed_free_wind', 'updraft', 'next_impulse_velocity'}


def filled(batch, value):
    for name, array in batch.state._asdict().items():
        if name not in _KEPT:
            array[...] = value
    return batch


def test_a_world_that_is_reset_is_a_new_one_and_no_other_changes():
    given = {'odometry': {'odometry_noise_radius': 0.1}, 'rab': True, 'count': 3}
    new, used = make_batch(**given), filled(make_batch(**given), 1)
    for batch in (new, used):
        batch.state.seed[:] = [5, 6, 7]
    new.program([begin]).run(0, 3)
    before = {name: np.array(array) for name, array in used.state._asdict().items()
              if name not in _KEPT}
    used.program([begin]).run(1, 2)
    checked = 0
    for name in sorted(set(before) - _WRITTEN_LATER):
        array, expected = getattr(used.state, name), getattr(new.state, name)
        size = len(array) // 3
        np.testing.assert_array_equal(array[size:2 * size], expected[size:2 * size], name)
        np.testing.assert_array_equal(array[:size], before[name][:size], name)
        np.testing.assert_array_equal(array[2 * size:], before[name][2 * size:], name)
        checked += 1
    assert checked >= 10


def test_wheels_err_by_the_seed_of_their_world():
    batch = make_batch(count=3, odometry={'odometry_noise_radius': 0.1})
    batch.state.seed[:] = [5, 5, 6]
    batch.program([begin]).run(0, 3)
    first, again, other = batch.state.wheel_scale.reshape(3, -1)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert (np.abs(first[first != 1.0] - 1.0) < 1.0).all()
