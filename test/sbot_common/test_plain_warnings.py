import logging
import subprocess
import sys

from sbot_common.errors import PlainFormatter, plain_lines

EVIL = 'a\x1b]0;title\x07\x9b31m\u202eb'


def test_line_breaks_stay_and_other_control_characters_are_escaped():
    assert plain_lines(f'1 {EVIL}\n2') == '1 a\\x1b]0;title\\x07\\x9b31m\\u202eb\n2'


def test_log_lines_are_plain():
    record = logging.LogRecord('x', logging.WARNING, 'f', 1, 'name %s', (EVIL,), None)
    assert PlainFormatter().format(record) == 'name a\\x1b]0;title\\x07\\x9b31m\\u202eb'


def test_warnings_of_a_process_are_plain():
    done = subprocess.run(
        [sys.executable, '-c', 'import logging, sys, warnings\n'
         'from sbot_common.errors import keep_warnings_plain\n'
         'keep_warnings_plain()\n'
         'warnings.warn(sys.argv[1])\n'
         'logging.getLogger("x").warning(sys.argv[1])', EVIL],
        capture_output=True, text=True, check=True)
    assert done.stderr.count('a\\x1b]0;title\\x07\\x9b31m\\u202eb') == 2
    assert '\x1b' not in done.stderr
    assert '\x07' not in done.stderr
