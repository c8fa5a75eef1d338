"""Phases of a tick: which there are, in which order, by what worlds have."""


from batches import make_batch

from sbot_sim.dynamics.hooks import Hooks
from sbot_sim.worlds import air, motion


def called(phases):
    return [getattr(phase, '__name__', None) or phase.function.__name__ for phase in phases]


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
