"""Lockstep without ROS: what is published when, and what is waited for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_actions import RATE, Simulator

from sbot_common.errors import InputError
from sbot_sim.ros.run_control import Phase


def started(*arguments, **options):
    simulator = Simulator(*arguments, **options)
    simulator.control.watch()
    return simulator


# --- any order of events


@given(st.data(), st.lists(st.booleans(), min_size=1, max_size=4))
def test_any_order_of_answers_gives_the_same_ticks(data, awaited):
    """Each tick has the commands that answer it.

    Whatever is late, lost, repeated, paused, or stopped in the middle of its answers.
    """
    simulator = started(awaited, ticks=4, lockstep_timeout=1e9)
    waits = stalls = 0

    def wait():
        nonlocal waits
        waits += 1
        simulator.after(0.3)

    def answer(robot):
        nonlocal waits
        waits = 0
        simulator.answer(robot)

    def lose():
        """Lose all that is on its way, long enough that nobody waits for it any more."""
        nonlocal waits
        waits = 0
        for left in (*simulator.questions.values(), *simulator.winds.values()):
            left.clear()
        simulator.after(2.5)

    def stall():
        nonlocal stalls
        stalls += 1
        simulator.after(2.5)

    for count in range(1000):
        if simulator.control.phase is Phase.OVER:
            break
        if count == 30:
            simulator.control.pause(False)
        coming = [(simulator.blow, part) for part, left in simulator.winds.items() if left]
        coming += [(answer, robot) for robot, left in simulator.questions.items() if left]
        other = [(lose,), (simulator.control.pause, True), (simulator.control.pause, False)]
        if stalls < 2:
            other.append((stall,))
        if waits < 6:  # what is not lost comes within 2 s
            other.append((wait,))
        choices = coming + other if count < 30 else [*coming, (lose,)]  # in the end all answer
        last = len(choices) - 1 if count < 30 else 0
        event, *arguments = choices[data.draw(st.integers(0, last))]
        event(*arguments)
    driven = [robot for robot, wanted in enumerate(awaited) if wanted]
    assert simulator.seen == [(k, dict.fromkeys(driven, k)) for k in range(5)]
    assert simulator.tick == 4
    assert simulator.log.count(('end',)) == 1
    assert [entry for entry in simulator.log if entry[0] == 'snapshot'] == [
        ('snapshot', k) for k in range(5)]


# --- the start


def test_tick_0_waits_until_all_are_connected():
    simulator = Simulator()
    simulator.absent = ['wind_model']
    simulator.after(59.0)
    assert simulator.log == []
    simulator.absent = []
    simulator.control.watch()
    assert simulator.log == [('start',), ('clock', 0), ('snapshot', 0)]


def test_many_nodes_are_given_more_time_and_those_missing_are_said():
    simulator = Simulator([True] * 50)
    simulator.absent = [f'robot {i}' for i in range(30)]
    simulator.after(250.0)
    assert len(simulator.told) == 24
    assert simulator.told[0].startswith('waiting for robot 0, robot 1, ')
    assert simulator.told[0].endswith('robot 19 and 10 more')
    with pytest.raises(InputError, match='waited 275 s for robot 0, '):
        simulator.after(30.0)


def test_goals_are_waited_for_only_for_a_second():
    simulator = Simulator()
    simulator.announced = False
    simulator.control.watch()
    simulator.after(0.9)
    assert simulator.log == []
    simulator.absent = ['robot 0']  # from here on the second counts again
    simulator.after(0.05)
    simulator.absent = []
    simulator.after(0.9)
    assert simulator.log == []
    simulator.after(0.2)
    assert simulator.log[0] == ('start',)


# --- a tick


def test_the_wind_of_a_tick_is_handed_on_once_before_the_commands():
    """So that controllers know the wind that their command is summed with (document 000)."""
    simulator = started()
    simulator.blow('velocity')
    assert simulator.felt == []
    simulator.blow('force')
    assert simulator.felt == [0]
    simulator.control.proceed()
    simulator.answer(0)
    assert simulator.felt == [0]
    simulator.answer(1)
    assert simulator.felt == [0]
    simulator.answer_all()
    assert simulator.felt == [0, 1]


def test_a_gust_is_waited_for_where_there_is_one():
    simulator = started((False,), wind_parts=('velocity', 'force', 'gust'))
    assert not simulator.control.accept_wind('gust', RATE.stamp_ns(1))
    simulator.blow('velocity')
    simulator.blow('force')
    assert simulator.seen == []
    assert simulator.control.accept_wind('gust', RATE.stamp_ns(0))
    simulator.control.proceed()
    assert len(simulator.seen) == 1
    assert not started((False,)).control.accept_wind('gust', RATE.stamp_ns(0))


def test_commands_that_nobody_asked_for_are_errors():
    simulator = Simulator()
    with pytest.raises(InputError, match='robot 0: got an unexpected command'):
        simulator.control.accept_command(0)
    simulator.control.watch()
    simulator.answer(0)
    with pytest.raises(InputError, match='robot 0: got an unexpected command'):
        simulator.control.accept_command(0)
    simulator.control.pause(True)
    simulator.answer(1)
    simulator.blow('velocity')
    simulator.blow('force')
    assert len(simulator.seen) == 1
    with pytest.raises(InputError, match='robot 1: got an unexpected command'):
        simulator.control.accept_command(1)


def test_the_last_tick_is_answered_but_moves_nobody():
    simulator = started(ticks=1)
    simulator.answer_all()
    simulator.taken()
    simulator.answer_all()
    assert simulator.seen == [(0, {0: 0, 1: 0}), (1, {0: 1, 1: 1})]
    assert simulator.tick == 1
    assert simulator.taken() == [('end',)]
    simulator.control.proceed()
    simulator.control.reset()
    simulator.after(20.0)
    assert simulator.log == []


# --- who is silent


def test_only_silent_ones_are_asked_again_every_half_second():
    simulator = started()
    simulator.taken()
    simulator.answer(0)
    simulator.after(0.4)
    assert simulator.log == []
    simulator.after(0.2)
    assert simulator.taken() == [('clock', 0)]  # without the wind nobody need have all inputs
    simulator.blow('velocity')
    simulator.blow('force')
    simulator.after(0.5)
    assert simulator.taken() == [('inputs', 1)]
    for _ in range(2):  # it answers every question; the first answer counts
        assert simulator.seen == []
        simulator.answer(1)
    assert simulator.seen == [(0, {0: 0, 1: 0})]


@pytest.mark.parametrize(('winds', 'robots', 'named'), [
    (True, [0], 'robot 1 silent'), (False, [0, 1], 'wind_model silent'),
    (False, [], 'robot 0, robot 1, wind_model silent')])
def test_the_time_out_names_who_is_silent(winds, robots, named):
    simulator = started()
    simulator.answer_all()
    for part in simulator.winds if winds else ():
        simulator.blow(part)
    for robot in robots:
        simulator.answer(robot)
    simulator.after(9.9)
    with pytest.raises(InputError, match=named + (
            r' for 10 s \(lockstep_timeout; longer: --set lockstep_timeout=600\) at tick 1')):
        simulator.after(1.0)


def test_a_pause_suspends_the_time_out_which_then_counts_anew():
    simulator = started((True,))
    simulator.after(9.0)
    simulator.control.pause(True)
    simulator.after(30.0)
    simulator.control.pause(False)
    simulator.after(9.9)
    with pytest.raises(InputError, match='robot 0, wind_model silent'):
        simulator.after(1.0)


def stand_still(simulator):
    """The machine stops for a minute; when it continues, the node looks."""
    simulator.now += 60.0
    simulator.control.watch()


def test_a_machine_that_stood_still_makes_nobody_silent():
    simulator = started((True,))
    simulator.answer_all()
    simulator.taken()
    stand_still(simulator)
    assert simulator.log == []  # nobody is asked again
    simulator.after(9.0)
    stand_still(simulator)
    with pytest.raises(InputError, match='silent for 10 s'):
        simulator.after(2.0)


# --- pause, step, reset


def test_a_pause_holds_between_ticks_and_steps_go_one_tick():
    simulator = started()
    assert not simulator.control.step()
    simulator.control.pause(True)
    simulator.taken()
    simulator.answer_all()
    assert (len(simulator.seen), simulator.taken()) == (1, [])
    assert simulator.control.step()
    assert simulator.taken() == [('clock', 1), ('snapshot', 1)]
    assert simulator.control.step()  # counts, although the first is not answered
    assert simulator.log == []
    simulator.answer_all()
    assert simulator.taken() == [('clock', 2), ('snapshot', 2)]
    simulator.answer_all()
    assert simulator.taken() == []
    simulator.control.pause(False)
    assert simulator.taken() == [('clock', 3), ('snapshot', 3)]


def test_a_reset_waits_for_the_end_of_the_tick_even_if_paused():
    simulator = started()
    simulator.control.pause(True)
    simulator.control.reset()
    simulator.taken()
    simulator.answer_all()
    assert simulator.taken() == [('reset', 1)]
    simulator.control.step()
    assert simulator.taken() == [('clock', 0), ('snapshot', 0)]
    simulator.answer(0)
    simulator.answer(1)
    assert len(simulator.seen) == 1  # the wind of the same stamp before the reset does not count
    simulator.blow('velocity')
    simulator.blow('force')
    assert [tick for tick, _ in simulator.seen] == [0, 0]


# --- pace


def test_a_tick_begins_when_it_is_due():
    simulator = started(target_real_time_factor=0.5)  # 0.2 s a tick
    assert simulator.control.period == 0.2
    simulator.answer_all()  # tick 0; tick 1 is due at 0.2, at the earliest a quarter before
    simulator.taken()
    simulator.now += 0.14
    simulator.control.on_timer()
    assert simulator.log == []
    simulator.now += 0.02
    simulator.control.on_timer()
    assert simulator.taken() == [('clock', 1), ('snapshot', 1)]
    simulator.answer_all()
    simulator.now += 0.18  # 0.34: tick 2 is due at 0.4, as an early tick moves no later ones
    simulator.control.on_timer()
    assert simulator.log == []
    simulator.now += 0.02
    simulator.control.on_timer()
    assert simulator.taken() == [('clock', 2), ('snapshot', 2)]


def test_a_late_run_does_not_hurry_after_the_clock():
    simulator = started(target_real_time_factor=1.0)  # 0.1 s a tick
    simulator.now += 5.0
    simulator.taken()
    simulator.answer_all()
    for k in (1, 2, 3):  # 5 s late: two ticks are made up for
        assert simulator.taken() == [('clock', k), ('snapshot', k)]
        simulator.answer_all()
    assert simulator.taken() == []
    simulator.now += 0.1
    simulator.control.on_timer()
    assert simulator.taken() == [('clock', 4), ('snapshot', 4)]


def test_the_pace_may_change():
    simulator = started(target_real_time_factor=1.0)
    simulator.answer_all()
    assert simulator.tick == 1
    simulator.taken()
    simulator.control.change(target_real_time_factor=0.0)
    assert simulator.control.period == 0.0
    simulator.control.proceed()
    assert simulator.taken() == [('clock', 1), ('snapshot', 1)]


def free_running_started(**options):
    simulator = Simulator(lockstep=False, **options)
    simulator.control.watch()
    assert simulator.taken() == [('start',)]
    return simulator


def tick(simulator, seconds=0.1):
    simulator.now += seconds
    simulator.control.on_timer()
    return simulator.taken()


def test_a_tick_a_timer_with_its_time_last():
    simulator = free_running_started(cmd_vel_timeout=0.0)
    assert simulator.control.period == 0.1  # 0: real time
    assert tick(simulator) == [('snapshot', 0), ('clock', 0)]
    assert tick(simulator) == [('snapshot', 1), ('clock', 1)]
    assert [number for number, _ in simulator.seen] == [0, 1]


@pytest.mark.parametrize('factor', [0.5, 100.0])
def test_the_time_out_counts_simulated_time_on_a_machine_that_cannot_keep_up(factor):
    simulator = free_running_started(target_real_time_factor=factor, cmd_vel_timeout=0.3)
    simulator.control.accept_command(0)
    for _ in range(4):  # of 0.1 s each, however long they take
        assert ('stop', 0) not in tick(simulator, 5.0)
    assert ('stop', 0) in tick(simulator, 0.0)


def test_a_command_from_before_a_reset_is_not_younger_than_the_reset():
    simulator = free_running_started(cmd_vel_timeout=0.1)
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


def test_robots_stop_when_their_command_is_too_old():
    simulator = free_running_started(cmd_vel_timeout=0.25)
    assert tick(simulator)[:2] == [('stop', 0), ('stop', 1)]  # none has come yet
    simulator.control.accept_command(1)
    for _ in range(3):
        assert ('stop', 1) not in tick(simulator)
    assert tick(simulator)[:2] == [('stop', 0), ('stop', 1)]


def test_pause_and_steps_hold_for_the_next_timer():
    simulator = free_running_started(cmd_vel_timeout=0.0)
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
    simulator = free_running_started(cmd_vel_timeout=0.0)
    tick(simulator)
    simulator.control.reset()
    assert simulator.log == []
    assert tick(simulator) == [('reset', 1), ('snapshot', 0), ('clock', 0)]
