"""External robots in lockstep without ROS: the order of a tick, timers, time-outs, errors."""

import pytest
from recorded_actions import RATE, Simulator

from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_sim.ros.external import External, Turns

SECOND = 10**9


def started(external, **options):
    simulator = Simulator((False,) * len(external), external=dict(enumerate(external)), **options)
    simulator.control.watch()
    assert simulator.log.pop(0) == ('start',)
    return simulator


def test_the_trigger_is_sent_when_the_node_has_read_the_rest():
    simulator = started([External()])
    assert simulator.taken() == [('clock', 0), ('snapshot', 0)]
    for part in simulator.winds:
        simulator.blow(part)
    assert simulator.felt == [0]  # the wind is an input, too
    assert simulator.taken() == [('ask', [0])]
    simulator.have_read()
    assert simulator.taken() == [('triggers', [0])]
    assert simulator.seen == []
    simulator.command(0)
    assert simulator.seen == [(0, {0: 0})]
    assert simulator.taken() == [('clock', 1), ('snapshot', 1)]


def test_timers_fire_on_the_clock_when_the_node_has_read_the_rest():
    simulator = started([External(period_ns=RATE.stamp_ns(0))])
    assert simulator.taken() == [('snapshot', 0), ('ask', [0])]
    simulator.have_read()
    assert simulator.taken() == [('clock', 0)]
    for part in simulator.winds:
        simulator.blow(part)
    assert simulator.felt == []  # it would come before or after the timer, as chance has it
    simulator.command(0)
    assert simulator.felt == [0]
    assert simulator.seen == [(0, {0: 0})]


@pytest.mark.parametrize(('hertz', 'period', 'expected'), [
    (30, 0.1, [2, 5, 8, 11]), (30, 1 / 30, list(range(12))), (10, 0.25, [2, 4, 7, 9]),
    (30, 0.001, list(range(12)))])
def test_timers_are_due_at_the_first_stamp_from_each_multiple_of_their_period(
        hertz, period, expected):
    rate = Rate(hertz, 1)
    turns = Turns({0: External(period_ns=round(period * SECOND))})
    due = []
    for tick in range(12):
        turns.begin(rate.stamp_ns(tick))
        due += [tick] * bool(turns.silent())
    assert due == expected


def test_after_a_reset_a_timer_that_has_fired_counts_from_there():
    """As rcl does when time goes back: `next call` is one period after the new now."""
    turns = Turns({0: External(period_ns=3 * RATE.stamp_ns(0))})

    def due(ticks):
        found = []
        for tick in range(ticks):
            turns.begin(RATE.stamp_ns(tick))
            found += [tick] * bool(turns.silent())
        return found
    assert due(2) == []
    assert due(7) == [2, 5]  # it had not fired
    assert due(7) == [3, 6]


def test_a_command_that_nothing_asked_for_ends_the_run():
    simulator = started([External()])
    with pytest.raises(InputError, match='robot 0: got an unexpected command, expected '
                                         'one after each base_scan'):
        simulator.command(0)
    simulator = started([External(period_ns=3 * RATE.stamp_ns(0))])
    simulator.have_read()
    with pytest.raises(InputError, match=r'one every 0\.3 s of simulated time'):
        simulator.command(0)


def test_commands_before_tick_0_are_ignored():
    simulator = Simulator((False,), external={0: External()})
    simulator.absent = ['wind_model']
    simulator.control.watch()
    simulator.command(0)  # a node that stands still at its start
    assert simulator.commands == {}


def one_tick(simulator, *commands):
    for part in simulator.winds:
        simulator.blow(part)
    simulator.have_read()  # then the trigger is sent, and the node asked again
    for robot in commands:
        simulator.command(robot)
    simulator.have_read()


def test_with_a_time_out_a_node_may_be_silent_or_say_more_and_its_last_word_holds():
    simulator = started([External(timeout_ns=2 * RATE.stamp_ns(0))])
    one_tick(simulator)
    assert simulator.tick == 1
    one_tick(simulator, 0, 0, 0)
    assert ('stop', 0) not in simulator.taken()
    one_tick(simulator)
    assert ('stop', 0) not in simulator.taken()
    one_tick(simulator)  # 0.2 s after its last command
    assert ('stop', 0) in simulator.taken()
    assert [tick for tick, _ in simulator.seen] == [0, 1, 2, 3]


def test_who_is_silent_is_named_with_its_node():
    simulator = started([External()], lockstep_timeout=7.0)
    for part in simulator.winds:
        simulator.blow(part)
    with pytest.raises(InputError, match=r'robot 0 \(/node_0\) silent for 7 s .* at tick 0'):
        simulator.after(11.0)


def test_who_does_not_act_is_named_with_its_node():
    simulator = started([External()], lockstep_timeout=7.0)
    for part in simulator.winds:
        simulator.blow(part)
    simulator.have_read()
    with pytest.raises(InputError, match=r'robot 0 \(/node_0\) silent for 7 s .* at tick 0: it '
                                         'sent no command after base_scan; if it has a timer, '
                                         r'give its robot parameters: {command_period: SECONDS}'):
        simulator.after(11.0)
    assert simulator.log.count(('triggers', [0])) == 1  # it would count twice


def test_who_has_read_its_trigger_and_does_not_act_gets_a_hint_long_before_the_time_out():
    simulator = started([External()], lockstep_timeout=100.0)
    for part in simulator.winds:
        simulator.blow(part)
    simulator.after(5.0)
    assert simulator.told == []  # it has not read its inputs yet
    simulator.have_read()
    simulator.taken()
    simulator.after(3.0)
    assert simulator.taken() == [('ask', [0])]
    assert simulator.told == []  # it is busy, maybe with its command
    simulator.have_read()
    simulator.after(5.0)
    assert simulator.told == [
        'waiting for robot 0 (/node_0): it sent no command after base_scan; if it has a timer, '
        'give its robot parameters: {command_period: SECONDS} in the scenario; if it is sometimes '
        'silent, {command_timeout: SECONDS}; if it acts on another topic, {trigger: TOPIC}']
    simulator.command(0)
    assert simulator.tick == 1


def test_a_node_that_acts_gets_no_hint_and_is_asked_nothing_more():
    simulator = started([External(), External()], lockstep_timeout=100.0)
    for part in simulator.winds:
        simulator.blow(part)
    simulator.have_read()
    simulator.after(0.9)
    simulator.command(0)
    simulator.taken()
    simulator.after(0.5)
    assert simulator.taken() == [('ask', [1])]
    simulator.command(1)
    simulator.have_read()
    assert simulator.told == []
    assert simulator.seen == [(0, {0: 0, 1: 0})]


def test_a_timer_that_does_not_fire_is_named_with_its_period():
    simulator = started([External(period_ns=RATE.stamp_ns(0))], lockstep_timeout=7.0)
    simulator.have_read()
    with pytest.raises(InputError, match=r'command_period is 0.1 s: does the node have'):
        simulator.after(11.0)


def test_a_command_too_many_names_the_publishers_or_asks_for_simulated_time():
    simulator = started([External()])
    with pytest.raises(InputError, match=r'unexpected command.*timer, set use_sim_time: true'):
        simulator.command(0)
    simulator.many = '/cmd_vel: /a and /b both publish it'
    with pytest.raises(InputError, match=r'^/cmd_vel: /a and /b both publish it$'):
        simulator.command(0)


def test_who_has_left_is_named_at_once():
    simulator = started([External()])
    simulator.gone = [0]
    with pytest.raises(InputError, match=r'robot 0 \(/node_0\) has left: no node publishes'):
        simulator.after(0.1)
