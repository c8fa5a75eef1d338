"""Free-running without ROS: a tick a timer, whoever is silent."""

import pytest
from recorded_actions import Simulator

from sbot_common.errors import InputError
from sbot_sim.ros.run_control import Phase


def started(**options):
    simulator = Simulator(lockstep=False, **options)
    simulator.control.watch()
    assert simulator.taken() == [('start',)]
    return simulator


def tick(simulator, seconds=0.1):
    simulator.now += seconds
    simulator.control.on_timer()
    return simulator.taken()


def test_a_tick_a_timer_with_its_time_last():
    simulator = started(cmd_vel_timeout=0.0)
    assert simulator.control.period == 0.1  # 0: real time
    assert tick(simulator) == [('snapshot', 0), ('clock', 0)]
    assert tick(simulator) == [('snapshot', 1), ('clock', 1)]
    assert [number for number, _ in simulator.seen] == [0, 1]


def test_a_slow_run_gives_nodes_more_time():
    assert started(target_real_time_factor=0.5).control.period == 0.2


@pytest.mark.parametrize('factor', [0.5, 100.0])
def test_the_time_out_counts_simulated_time_on_a_machine_that_cannot_keep_up(factor):
    simulator = started(target_real_time_factor=factor, cmd_vel_timeout=0.3)
    simulator.control.accept_command(0)
    for _ in range(4):  # of 0.1 s each, however long they take
        assert ('stop', 0) not in tick(simulator, 5.0)
    assert ('stop', 0) in tick(simulator, 0.0)


def test_a_command_from_before_a_reset_is_not_younger_than_the_reset():
    simulator = started(cmd_vel_timeout=0.1)
    for _ in range(9):
        tick(simulator)
    simulator.control.accept_command(0)
    simulator.control.reset()
    assert [('stop', 0) in tick(simulator) for _ in range(3)] == [False, False, True]


def test_another_run_is_waited_for_and_named():
    simulator = Simulator(lockstep=False, awaited=[True] * 10)
    simulator.others_here = ['another run']
    simulator.after(25.0)
    assert simulator.log == []
    assert simulator.told == ['waiting for another run'] * 2
    simulator.others_here = []
    simulator.control.watch()
    assert simulator.taken() == [('start',)]
    simulator = Simulator(lockstep=False)
    simulator.others_here = ['another run']
    with pytest.raises(InputError, match='waited 60 s for another run'):
        simulator.after(61.0)


def test_nothing_happens_before_the_start():
    simulator = Simulator(lockstep=False)
    assert tick(simulator) == []


def test_nobody_is_waited_for_or_asked_again():
    simulator = started()
    simulator.absent, simulator.announced = ['robot 0', 'wind_model'], False
    tick(simulator)
    simulator.after(100.0)
    simulator.control.proceed()
    assert simulator.log == []


def test_all_wind_and_every_command_is_used():
    simulator = started()
    assert simulator.control.accept_wind('force', 5)
    assert simulator.control.accept_command(0)
    assert simulator.control.accept_command(0)
    assert simulator.log == []


def test_robots_stop_when_their_command_is_too_old():
    simulator = started(cmd_vel_timeout=0.25)
    assert tick(simulator)[:2] == [('stop', 0), ('stop', 1)]  # none has come yet
    simulator.control.accept_command(1)
    for _ in range(3):
        assert ('stop', 1) not in tick(simulator)
    assert tick(simulator)[:2] == [('stop', 0), ('stop', 1)]


@pytest.mark.parametrize(('timeout', 'stops'), [(0.0, 0), (1.0, 2)])
def test_a_time_out_of_0_stops_nobody(timeout, stops):
    simulator = started(cmd_vel_timeout=0.25)
    simulator.control.change(cmd_vel_timeout=timeout)
    assert len(tick(simulator)) == 2 + stops


def test_pause_and_steps_hold_for_the_next_timer():
    simulator = started(cmd_vel_timeout=0.0)
    assert not simulator.control.step()
    simulator.control.pause(True)
    assert tick(simulator) == []
    assert simulator.control.step()
    assert simulator.log == []
    assert tick(simulator) == [('snapshot', 0), ('clock', 0)]
    assert tick(simulator) == []
    simulator.control.pause(False)
    assert simulator.log == []
    assert tick(simulator) == [('snapshot', 1), ('clock', 1)]


def test_a_reset_comes_before_the_next_tick():
    simulator = started(cmd_vel_timeout=0.0)
    tick(simulator)
    simulator.control.reset()
    assert simulator.log == []
    assert tick(simulator) == [('reset', 1), ('snapshot', 0), ('clock', 0)]


def test_the_last_tick_moves_nobody():
    simulator = started(ticks=1, cmd_vel_timeout=0.0)
    tick(simulator)
    assert tick(simulator) == [('snapshot', 1), ('clock', 1), ('end',)]
    assert (simulator.tick, len(simulator.seen)) == (1, 2)
    assert simulator.control.phase is Phase.OVER
    assert tick(simulator) == []
