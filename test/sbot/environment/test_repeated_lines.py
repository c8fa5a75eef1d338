"""What several processes complain of alike is passed on once, with a count."""

from sbot.environment.repeated_lines import RepeatedLines

TRACEBACK = ['Traceback (most recent call last):', '  File "mine.py", line 3, in <module>',
             '    raise ValueError("no map")', 'ValueError: no map']


def said_of(lines, ended=()):
    """What is passed on of (label, line), before and at the end."""
    said = []
    repeated = RepeatedLines(said.append)
    for label, line in lines:
        repeated.line(label, line)
    for label in ended:
        repeated.end(label)
    before = said.copy()
    repeated.report()
    return before, said[len(before):]


def test_a_traceback_of_several_processes_is_said_once_even_where_their_lines_mix():
    lines = [(f'mine.py {i}', line) for line in TRACEBACK for i in (1, 2, 3)]
    before, after = said_of(lines)
    assert before == [f'[mine.py 1] {line}' for line in TRACEBACK]
    assert after == ['[mine.py 1] 3 times in all: ValueError: no map']


def test_tracebacks_of_different_errors_are_all_said():
    other = [*TRACEBACK[:-1], 'ValueError: no laser']
    before, after = said_of([('one', line) for line in (*TRACEBACK, *other)])
    assert before == [f'[one] {line}' for line in (*TRACEBACK, *other)]
    assert after == []


def test_an_unfinished_traceback_is_said_when_its_process_ends():
    before, _ = said_of([('one', line) for line in TRACEBACK[:2]], ['one'])
    assert before == [f'[one] {line}' for line in TRACEBACK[:2]]


def test_an_unfinished_traceback_of_a_process_that_does_not_end_is_said_last():
    assert said_of([('one', line) for line in TRACEBACK[:2]]) == (
        [], [f'[one] {line}' for line in TRACEBACK[:2]])


def test_very_long_complaints_are_not_kept():
    line = '[ERROR] [1.0] [mine]: ' + 20_000 * 'x'
    assert said_of([('n', line)] * 3) == ([f'[n] {line}'] * 3, [])


def test_log_lines_of_a_level_are_one_whatever_their_time_and_node():
    before, after = said_of([
        (f'n {i}', f'[ERROR] [17000.{i}] [robot_{i}.mine]: no goal') for i in range(50)])
    assert before == ['[n 0] [ERROR] [17000.0] [robot_0.mine]: no goal']
    assert after == ['[n 0] 50 times in all: [ERROR] [17000.0] [robot_0.mine]: no goal']
    lines = [('n', '[WARN] [1.0] [mine]: no goal'), ('n', '[ERROR] [1.0] [mine]: no goal'),
             ('n', '[ERROR] [1.0] [mine]: no map')]
    assert said_of(lines) == ([f'[n] {line}' for _, line in lines], [])


def test_what_is_no_complaint_is_said_as_often_as_it_comes():
    lines = [('n', '[INFO] [1.0] [mine]: 3 m'), ('n', 'turning')] * 3
    assert said_of(lines) == ([f'[n] {line}' for _, line in lines], [])


def test_lines_of_the_middleware_differ_in_ports_and_times_only():
    before, after = said_of([
        ('sbot_sim', f'2026-11-23 10:00:0{i} [RTPS_TRANSPORT_SHM Error] Failed init_port '
         f'fastrtps_port742{i}: open_and_lock_file failed -> Function open_port_internal')
        for i in range(3)])
    assert len(before) == 1
    assert after == [before[0].replace('] ', '] 3 times in all: ', 1)]
