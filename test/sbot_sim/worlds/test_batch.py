"""Programs of phases: the order of compiled and Python ones, and threads that share a world."""

import numpy as np
from batches import make_batch

from sbot_sim.worlds import motion
from sbot_sim.worlds.tick import _begin


def test_python_phases_stand_between_compiled_ones_in_every_tick():
    batch, seen = make_batch(), []

    def look(first, end):
        seen.append((first, end, batch.state.tick[first:end].tolist()))

    batch.program([motion.end_tick, look, motion.end_tick]).run(0, 2, ticks=2)
    assert seen == [(0, 2, [1, 1]), (0, 2, [3, 3])]
    assert batch.state.tick.tolist() == [4, 4]


def test_a_program_without_python_runs_its_ticks_in_one_call():
    batch = make_batch(count=3)
    batch.program([motion.end_tick]).run(1, 3, ticks=5)
    assert batch.state.tick.tolist() == [0, 5, 5]


def test_another_setting_holds_from_the_next_run_on():
    batch = make_batch()
    program = batch.program([motion.propose])
    batch.state.command[:, 0] = 1.0
    program.replace(batch.setting._replace(dt=0.2))
    before = batch.state.pose.copy()
    program.run(0, 2)
    np.testing.assert_allclose(batch.state.pose[:, 0] - before[:, 0], 0.2)


# Poses are given, readings are read after it; the rest is room, or what a batch is made of.
_KEPT = {'pose', 'seed', 'row', 'scratch', 'momentum', 'x', 'y', 'laser_discs',
         'infrared_discs', 'crowd'}
_WRITTEN_LATER = {'ranges', 'infrared', 'heard_starts', 'heard_robot', 'heard_range', 'boxes',
                  'heard_bearing', 'previous', 'sent_pose', 'reduction', 'moved',
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
    new.program([_begin]).run(0, 3)
    before = {name: np.array(array) for name, array in used.state._asdict().items()
              if name not in _KEPT}
    used.program([_begin]).run(1, 2)
    checked = 0
    for name in sorted(set(before) - _WRITTEN_LATER):
        array, expected = getattr(used.state, name), getattr(new.state, name)
        size = len(array) // 3
        np.testing.assert_array_equal(array[size:2 * size], expected[size:2 * size], name)
        np.testing.assert_array_equal(array[:size], before[name][:size], name)
        np.testing.assert_array_equal(array[2 * size:], before[name][2 * size:], name)
        checked += 1
    assert checked >= 10
