"""Run control of both kinds: what lockstep and free-running share."""

import pytest
from recorded_actions import Simulator

from sbot_common.errors import InputError
from sbot_sim.ros.run_control import CONNECTION_TIME_A_NODE, CONNECTION_TIMEOUT, AwakeClock, Phase


def test_times_in_which_nobody_looked_hardly_count():
    now = 100.0
    clock = AwakeClock(lambda: now, longest=0.25)
    assert clock() == 0.0
    now += 0.2
    assert clock() == pytest.approx(0.2)
    now += 3600.0
    assert clock() == pytest.approx(0.45)
    assert clock() == pytest.approx(0.45)
    now += 0.1
    assert clock() == pytest.approx(0.55)


@pytest.fixture(params=[True, False], ids=['lockstep', 'free-running'])
def make(request):
    """Return a simulator with robots that no node controls, so that nobody is waited for."""
    def simulator(**options):
        found = Simulator(awaited=(False,), lockstep=request.param, **options)
        found.control.watch()
        found.timer = found.control.on_timer
        return found
    return simulator


def go(simulator):
    """Let a tick pass in either kind: by the timer, or by the wind that lockstep waits for."""
    simulator.now += 0.1
    simulator.control.on_timer()
    if simulator.control.phase is Phase.WAITING:
        for part in simulator.winds:
            simulator.blow(part)


def test_the_last_tick_is_shown_and_not_executed(make):
    simulator = make(ticks=3)
    for _ in range(10):
        go(simulator)
    assert [tick for tick, _ in simulator.seen] == [0, 1, 2, 3]
    assert simulator.tick == 3
    assert simulator.control.is_over
    assert [entry for entry in simulator.log if entry[0] == 'end'] == [('end',)]


def test_a_pause_holds_between_ticks_and_a_step_is_one(make):
    simulator = make()
    go(simulator)
    assert not simulator.control.step(), 'not paused'
    simulator.control.pause(True)
    go(simulator)
    held = simulator.tick
    for _ in range(3):
        go(simulator)
    assert (simulator.tick, simulator.control.paused) == (held, True)
    assert simulator.control.step(2)
    for _ in range(5):
        go(simulator)
    assert simulator.tick == held + 2
    simulator.control.pause(False)
    go(simulator)
    assert simulator.tick > held + 2


def test_steps_that_were_asked_for_end_with_the_pause(make):
    simulator = make()
    go(simulator)
    simulator.control.pause(True)
    go(simulator)
    simulator.control.step(100)
    simulator.control.pause(True)
    for _ in range(3):
        go(simulator)
    before = simulator.tick
    go(simulator)
    assert simulator.tick == before


def test_a_reset_comes_before_the_next_tick(make):
    simulator = make()
    for _ in range(4):
        go(simulator)
    assert simulator.tick >= 3
    simulator.control.reset()
    for _ in range(2):  # in lockstep the tick under way ends first
        go(simulator)
    resets = [entry for entry in simulator.log if entry[0] == 'reset']
    assert len(resets) == 1
    assert simulator.seen[-1][0] <= 1
    assert simulator.tick <= 2
    assert simulator.control.phase is not Phase.OVER


def test_who_does_not_come_is_named_now_and_then_and_at_last(make):
    simulator = make()
    simulator.__init__(awaited=(True,) * 12, lockstep=simulator.control._options.lockstep)
    simulator.absent = [f'/node_{k}' for k in range(25)]
    if not simulator.control._options.lockstep:  # waits for nobody but other runs
        simulator.others_here = simulator.absent
    simulator.after(25.0)
    expected = ', '.join(f'/node_{k}' for k in range(20)) + ' and 5 more'
    assert simulator.told == [f'waiting for {expected}'] * 2
    with pytest.raises(InputError, match=r'waited 8\d s for /node_0, '):
        simulator.after(CONNECTION_TIMEOUT + 5 * CONNECTION_TIME_A_NODE)


@pytest.mark.parametrize(('factor', 'period'), [(1.0, 0.1), (4.0, 0.025), (0.5, 0.2)])
def test_the_timer_follows_the_real_time_factor(make, factor, period):
    simulator = make(target_real_time_factor=factor)
    assert simulator.control.period == pytest.approx(period)
    simulator.control.change(target_real_time_factor=2.0)
    assert simulator.control.period == pytest.approx(0.05)
