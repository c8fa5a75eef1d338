"""Phases of a tick: which there are, in which order, by what worlds have."""


import numpy as np
from batches import make_batch

from sbot_sim.dynamics.hooks import Hooks
from sbot_sim.sensors.range_and_bearing import hear
from sbot_sim.worlds import air, motion


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
