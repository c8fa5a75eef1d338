"""External robots in lockstep without ROS: the order of a tick, timers, time-outs, errors."""

from types import SimpleNamespace

import pytest
from recorded_actions import RATE, Simulator

from sbot_common.clock import Rate
from sbot_common.errors import InputError
from sbot_sim.ros.external import External, Turns, in_turns
from sbot_sim.ros.lockstep import _AnswerCounter

SECOND = 10**9


def started(external, **options):
    simulator = Simulator((False,) * len(external), external=dict(enumerate(external)), **options)
    simulator.control.watch()
    assert simulator.log.pop(0) == ('start',)
    return simulator


def test_a_node_handles_the_clock_then_the_sensors_then_the_scan_and_may_command_at_any_time():
    simulator = started([External()])
    assert simulator.taken() == [('clock', 0), ('ask for time',)]
    simulator.command(0)  # of a timer
    simulator.command(0)
    simulator.have_read()
    assert simulator.taken() == [('snapshot', 0), ('ask', [0])]
    for part in simulator.winds:
        simulator.blow(part)
    simulator.have_read()
    assert simulator.felt == [0]  # the wind is an input, too
    assert simulator.taken() == [('triggers', 0), ('ask', [0])]
    assert simulator.seen == []
    simulator.have_read()
    assert simulator.seen == [(0, {0: 0})]
    assert simulator.taken() == [('clock', 1), ('ask for time',)]


def test_a_node_that_commands_while_it_has_nothing_to_handle_is_named_once():
    simulator = started([External(), External('odom')])
    simulator.have_read()
    simulator.have_read()
    assert simulator.told == []
    for _ in range(2):  # the wind is missing, and nobody is asked
        simulator.command(0)
    assert simulator.told == [
        'robot 0 (/node_0) sent a command while it had nothing to handle, so this run cannot be '
        'repeated: the node has threads, or a timer on the wall clock (docs/lockstep.md)']


def test_where_a_trigger_is_given_one_command_is_waited_for():
    simulator = started([External('base_scan')])
    for part in simulator.winds:
        simulator.blow(part)
    for _ in range(3):
        simulator.have_read()
    assert simulator.seen == []  # a node with threads may act later
    simulator.command(0)
    assert simulator.seen == [(0, {0: 0})]


def test_with_a_period_sensors_come_before_the_clock_and_one_command_is_waited_for():
    simulator = started([External(period_ns=RATE.stamp_ns(0))])
    assert simulator.taken() == [('snapshot', 0), ('ask', [0])]
    simulator.have_read()
    assert simulator.taken() == [('clock', 0), ('ask for time',)]
    for part in simulator.winds:
        simulator.blow(part)
    simulator.have_read()
    assert simulator.felt == []  # it would come before or after the timer, as chance has it
    simulator.command(0)
    assert simulator.felt == [0]
    simulator.have_read()
    assert simulator.seen == [(0, {0: 0})]


def messages(*names):
    return [SimpleNamespace(name=name) for name in names]


@pytest.mark.parametrize(('names', 'hearers', 'expected'), [
    ('abc', {}, [('abc', [])]),  # nobody waits
    ('abc', {'a': [0], 'c': [0]}, [('ab', [0]), ('c', [0])]),
    ('abcd', {'a': [0], 'b': [2], 'c': [0], 'd': [2]}, [('ab', [0, 2]), ('cd', [0, 2])]),
    ('abc', {'a': [0], 'b': [0, 2], 'c': [2]}, [('a', [0]), ('b', [0, 2]), ('c', [2])]),
    ('aab', {'a': [0], 'b': [0]}, [('a', [0]), ('a', [0]), ('b', [0])])])
def test_messages_go_in_turns_in_which_no_team_gets_two(names, hearers, expected):
    found = in_turns(messages(*names), hearers)
    assert [(''.join(each.name for each in sent), teams) for sent, teams in found] == expected


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


def test_a_command_that_nothing_asked_for_ends_the_run_where_one_is_waited_for():
    simulator = started([External('odom')])
    with pytest.raises(InputError, match=r'robot 0: got an unexpected command, expected '
                                         'one after each odom; .* leave out trigger'):
        simulator.command(0)
    simulator = started([External(period_ns=3 * RATE.stamp_ns(0))])
    simulator.have_read()
    with pytest.raises(InputError, match=r'one every 0\.3 s of simulated time'):
        simulator.command(0)


def one_tick(simulator, *commands):
    for part in simulator.winds:
        simulator.blow(part)
    for _ in range(3):  # the clock, the sensors, the scan
        for robot in commands:
            simulator.command(robot)
        simulator.have_read()


def test_a_command_holds_until_the_next_or_for_its_time_out_and_the_last_of_a_tick_counts():
    simulator = started([External(timeout_ns=2 * RATE.stamp_ns(0)), External()])
    one_tick(simulator)
    assert simulator.tick == 1
    one_tick(simulator, 0, 0, 1)
    one_tick(simulator)
    assert not [entry for entry in simulator.taken() if entry[0] == 'stop']
    one_tick(simulator)  # 0.2 s after the last commands
    assert [entry for entry in simulator.taken() if entry[0] == 'stop'] == [('stop', 0)]
    assert [tick for tick, _ in simulator.seen] == [0, 1, 2, 3]


def test_a_time_out_does_not_survive_a_reset():
    turns = Turns({0: External(timeout_ns=2 * RATE.stamp_ns(0))})
    turns.begin(RATE.stamp_ns(0))
    turns.answer(0)
    turns.begin(RATE.stamp_ns(5))
    assert turns.overdue() == [0]
    turns.begin(RATE.stamp_ns(0))  # time goes back
    assert turns.overdue() == []
    turns.begin(RATE.stamp_ns(5))
    assert turns.overdue() == []  # it has not commanded since


def test_who_does_not_act_where_a_command_is_waited_for_is_named_with_its_node():
    simulator = started([External('base_scan')], lockstep_timeout=7.0)
    for part in simulator.winds:
        simulator.blow(part)
    for _ in range(3):
        simulator.have_read()
    with pytest.raises(InputError, match=r'robot 0 \(/node_0\) silent for 7 s .* at tick 0: it '
                                         'sent no command after base_scan; without the param'):
        simulator.after(11.0)
    assert simulator.log.count(('triggers', 0)) == 1  # it would count twice


def test_a_timer_that_does_not_fire_is_named_with_its_period():
    simulator = started([External(period_ns=RATE.stamp_ns(0))], lockstep_timeout=7.0)
    for _ in range(2):
        simulator.have_read()
    with pytest.raises(InputError, match=r'command_period is 0.1 s: does the node have'):
        simulator.after(11.0)


def test_a_command_too_many_names_the_publishers_or_asks_for_simulated_time():
    simulator = started([External('base_scan')])
    with pytest.raises(InputError, match=r'unexpected command.*timer, set use_sim_time: true'):
        simulator.command(0)
    simulator.many = '/cmd_vel: /a and /b both publish it'
    with pytest.raises(InputError, match=r'^/cmd_vel: /a and /b both publish it$'):
        simulator.command(0)


def test_who_has_left_is_named_at_once():
    simulator = started([External()])
    simulator.gone = ['robot 0 (/node_0) has left: no node publishes its cmd_vel']
    with pytest.raises(InputError, match=r'robot 0 \(/node_0\) has left: no node publishes'):
        simulator.after(0.1)


def test_the_node_of_a_topic_takes_part_as_that_of_a_robot():
    simulator = Simulator((), record_topics=['/ekf/odom'])
    accept = simulator.control.accept_message
    assert [accept('/slam/map', latched) for latched in (True, False)] == [True, False]
    simulator.control.watch()
    assert simulator.taken()[:3] == [('start',), ('clock', 0), ('ask for time',)]
    simulator.asking = ['/ekf']
    assert accept('/ekf/odom', False)
    assert simulator.told == []
    simulator.asking = []
    assert accept('/ekf/odom', False)
    assert simulator.told[0].startswith('the node of /ekf/odom sent a message while it had no')
    simulator.gone = ['/ekf/odom (/ekf) has left: no node publishes it']
    with pytest.raises(InputError, match=r'^/ekf/odom \(/ekf\) has left: .* it \(at tick 0\)$'):
        simulator.after(0.1)


def test_a_topic_without_a_message_is_named_at_the_end():
    simulator = Simulator((), record_topics=['/slam/map', '/ekf/odom'], ticks=1)
    simulator.control.accept_message('/slam/map', True)
    simulator.control.watch()
    for _ in range(2):
        assert simulator.told == []
        for part in simulator.winds:
            simulator.blow(part)
    assert simulator.told == ['/ekf/odom: no message in this run']


def test_equal_answers_after_a_lost_one_do_not_go_on_being_doubted():
    """A robot that stands still answers the same each time; a question of the first is lost."""
    counter = _AnswerCounter([True], lost_after=0.3, late_after=0.35)
    counter.begin()
    counter.ask_again(0)
    assert counter.answer(0, 1.0, b'still')
    counter.end()
    counter.begin()
    assert not counter.answer(0, 2.0, b'still')  # it may be the lost one
    counter.ask_again(0)
    assert counter.answer(0, 2.5, b'still')
    assert not counter.complete(2.6)
    assert counter.complete(2.9)
    counter.end()
    counter.begin()
    assert counter.answer(0, 3.0, b'still')
    assert counter.complete(3.0)
