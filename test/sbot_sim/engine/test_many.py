"""Simulation of many worlds: blocks and threads, resets of some, and another grid of the wind."""

import numpy as np
import pytest
from batches import make_batch
from worlds import make_parameters

from sbot_common.errors import InputError
from sbot_sim.engine.many import Winds, _make_setting, _replace_scenes, _scenes_of
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


def test_a_grid_of_the_wind_holds_for_programs_that_there_are():
    batch = make_batch()
    plain = batch.program([air.set_free_wind])
    batch.setting.wind_velocity[:] = [1.0, 0.0, 0.0]
    heights, zeros = np.array([0.0, 5.0])[:, None, None] + np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    batch.set_field(Lattice(np.array([0.0, 9.0]), np.array([0.0, 9.0]), heights, zeros + 0.5,
                            zeros + 0.25, zeros))
    assert batch.setting.gridded
    plain.run(0, 2)
    assert (batch.state.free_wind.copy() == [0.5, 0.25]).all()
    batch.set_field(None)
    plain.run(0, 2)
    assert (batch.state.free_wind == [1.0, 0.0]).all()


def copied(simulation):
    return {name: array.copy() for name, array in simulation.arrays().items()}


def test_arrays_are_views_with_a_row_a_world():
    batch = make_batch(count=3, rab=True, infrared={'infrared': True})
    found = batch.arrays()
    assert {len(array) for array in found.values()} == {3}
    assert found['pose'].shape == (3, 2, 3)
    found['pose'][1] = 9.0
    assert (batch.state.pose[2:4] == 9.0).all()
    assert 'scan_noise' in found, 'what may be written to between episodes'
    assert 'scratch' not in found


def test_a_state_of_such_worlds_fits_as_it_is():
    batch = make_batch(count=2)
    given = copied(batch)
    found = batch.arrays_for(given)
    assert set(found) == set(batch.arrays())
    assert all(found[name] is given[name] for name in found if name != 'wheel_scale')
    np.testing.assert_array_equal(found['wheel_scale'], given['wheel_scale'])


def test_wheels_that_both_count_are_taken_over():
    batch = make_batch(count=2)
    given = copied(batch)
    given['wheel_scale'] = np.full((2, 2, 4), 1.5)
    found = batch.arrays_for(given)['wheel_scale']
    assert found.shape == (2, 2, 2)
    assert (found == 1.5).all()
    given['wheel_scale'] = np.full((2, 2, 1), 1.5)
    assert batch.arrays_for(given)['wheel_scale'].tolist() == [[[1.5, 1.0]] * 2] * 2


def test_inertia_of_others_is_dropped():
    batch = make_batch(count=2)
    given = copied(batch)
    given['driven'] = np.zeros((2, 2, 3))
    given['momentum.twist'] = np.zeros((2, 2, 3))
    assert set(batch.arrays_for(given)) == set(batch.arrays())


@pytest.mark.parametrize(('change', 'words'), [
    (lambda given: given.pop('pose'), 'pose missing'),
    (lambda given: given.update(pose=np.zeros((2, 5, 3))), r'pose of \(5, 3\)'),
    (lambda given: given.update(spare=np.zeros(2)), 'an array spare')])
def test_what_does_not_fit_is_named(change, words):
    batch = make_batch(count=2)
    given = copied(batch)
    change(given)
    with pytest.raises(InputError, match=f"state: got '{words}"):
        batch.arrays_for(given)


def test_each_large_world_is_restored_with_its_own_hearing():
    batch = make_batch(count=2, rab=True, hears=False)
    batch.state.pose[2:, 0] = [1.0, 19.0]  # too far apart in world 1
    batch.tick._each.hear(0, 2)
    saved = [batch.tick.heard(k) for k in range(2)]
    batch.state.pose[:, 0] = [1.0, 19.0, 2.0, 3.0]
    batch.tick._each.hear(0, 2)
    for k in range(2):
        batch.restore_rest(k, saved[k])
    assert [batch.tick.heard(k)[1].tolist() for k in range(2)] == [[1, 0], []]


def test_a_scene_is_replaced_where_there_is_room():
    few, many = make_parameters(), make_parameters(circles=[(x, 5, 0.2) for x in range(2, 18)])
    setting = _make_setting([few], Winds.none(1), ['scan'])
    assert not _replace_scenes(setting, 0, many, circles_alone=False)
    setting = setting._replace(**_scenes_of([many]))
    assert _replace_scenes(setting, 0, few, circles_alone=False)
    assert (setting.scan_scenes.circles.ends - setting.scan_scenes.circles.starts).tolist() == [0]
    np.testing.assert_array_equal(setting.scan_scenes.reach, [few.sensors.scene.reach])
