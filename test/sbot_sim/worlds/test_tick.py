"""Phases of a tick: which there are, in which order, by what worlds have."""


import numpy as np
import pytest
from batches import ALL, make_batch

from sbot_sim.dynamics.hooks import Hooks
from sbot_sim.sensors import odometry
from sbot_sim.sensors.range_and_bearing import hear
from sbot_sim.worlds import air, motion
from sbot_sim.worlds.tick import begin


def test_robots_hear_those_of_their_own_world():
    batch = make_batch(count=3, robots=3, rab=True)
    batch.state.pose[3:6, 0] = [1.0, 2.5, 18.0]  # of world 1: the last out of reach (8 m)
    batch.program([hear]).run(0, 2)
    state = batch.state
    assert state.heard_starts.tolist() == [[0, 2, 4, 6], [0, 1, 2, 2], [0, 0, 0, 0]]
    assert state.heard_robot[0].tolist() == [1, 2, 0, 2, 0, 1]
    assert state.heard_robot[1, :2].tolist() == [1, 0]
    np.testing.assert_allclose(state.heard_range[1, :2], 1.5)
    assert not state.heard_range[2].any(), 'world 2 was not asked for'


def called(phases):
    return [getattr(phase, '__name__', None) or phase.function.__name__ for phase in phases]


def advancing(batch):
    return called(batch.tick.advancing(batch.setting))


def test_a_tick_moves_before_it_collides_and_senses_last():
    batch = make_batch()
    assert advancing(batch) == ['sum_impulses', 'measure_odometry', 'propose', 'resolve_overlaps',
                                'end_tick', 'update_twists']
    assert called(batch.tick.sensing(batch.setting)) == ['decode_yaws', 'scan', 'add_noise']
    assert batch.tick.beginning(batch.setting)[0] is begin
    assert odometry.measure_odometry not in make_batch(senses=['scan']).tick.advancing(
        batch.setting)


@pytest.mark.parametrize(('given', 'names'), [
    ({}, ['set_uniform_wind', 'add_forces']),
    ({'wake': {'wake': True}}, ['set_free_wind', 'reduce_by_wakes', 'set_effective_wind',
                                'add_forces']),
    ({'wake': {'wake': True}, 'rab': True}, ['set_free_wind', 'reduce_by_heard',
                                             'set_effective_wind', 'add_forces']),
    ({'senses': ['scan']}, ['set_uniform_wind'])])
def test_the_wind_is_found_with_as_many_phases_as_it_needs(given, names):
    batch = make_batch(**{'senses': ALL, **given})
    assert called(batch.tick.sensing_wind(batch.setting)) == names


def test_who_hears_whom_is_found_in_a_phase_or_world_by_world():
    small, large = make_batch(rab=True), make_batch(rab=True, hears=False)
    assert small.tick.hearing(small.setting) == [hear]
    assert called(large.tick.hearing(large.setting)) == ['hear']
    assert large.tick.hearing(large.setting) != [hear]
    assert make_batch().tick.hearing(make_batch().setting) == []
    assert motion.broadcast in small.tick.advancing(small.setting)
    assert motion.broadcast not in make_batch().tick.advancing(make_batch().setting)


def test_hooks_take_the_places_of_phases_and_of_threads():
    def hook(*_):
        raise AssertionError('nobody calls it here')
    hooked = make_batch(wake={'wake': True}, hooks=Hooks(hook, hook, hook))
    phases = [*hooked.tick.sensing_wind(hooked.setting), *hooked.tick.advancing(hooked.setting)]
    assert not {air.set_effective_wind, air.reduce_by_wakes, motion.sum_impulses} & set(phases)
    assert [name for name in called(phases) if name in ('reduce', 'set_effective_wind')] == [
        'reduce', 'set_effective_wind']
    assert hooked.tick.in_one_thread
    assert not make_batch().tick.in_one_thread
