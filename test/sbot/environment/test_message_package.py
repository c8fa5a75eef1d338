"""Message packages that are generated: no text of their sources becomes code."""

import importlib.util
import io
import re
import sys
import tokenize

import pytest

from sbot.environment import message_package
from sbot.environment.message_package import Maker
from sbot.environment.message_sources import read_sources
from sbot.ros.live_tf import ros_prefix

can_generate = pytest.mark.skipif(
    importlib.util.find_spec('rclpy') is None or ros_prefix() is None,
    reason='ROS 2 with its generators is missing')

EVIL = 'extern int system(const char*); static void __attribute__((constructor)) evil(void){}'
# Each in a comment, a constant, a default and an array's default.
TEXTS = (f'*/ {EVIL} /*', f'// {EVIL}', '@(1/0) @{import os}', 'a\'"', '"', "'", "x'''y %s ??",
         '"); evil(); ("', "); import os; print('")
STRING = r'"(?:[^"\\\n]|\\.)*"'
C_TEXTS = re.compile(rf"{STRING}|'(?:[^'\\\n]|\\.)*'|/\*.*?\*/|//[^\n]*", re.DOTALL)


def message(texts):
    """Return a message with these texts in all places."""
    lines = ['# \\']
    for i, text in enumerate(texts):
        mark = next((mark for mark in ('"', "'") if mark not in text), '')
        value = f'{mark}{text}{mark}'
        lines += [f'# {text}', f'  # {text}', f'string TEXT_{i}={value} # [{text}]',
                  f'string a{i} {value} # {text}', f'wstring b{i} {value}',
                  f'string[] c{i} [{value if mark else "x"}, x]']
    return '\n'.join([*lines, ''])


def generated(folder, texts):
    """Generate a message with these texts; return all files in C and Python by their names."""
    sources = folder / 'sources'
    (sources / 'msg').mkdir(parents=True)
    (sources / 'package.xml').write_text('<package><name>tiny_interfaces</name></package>')
    (sources / 'msg' / 'Two.msg').write_text(message(texts))
    read_sources(sources).write(folder / 'place' / 'tiny_interfaces')
    Maker(folder / 'place', 'tiny_interfaces', ros_prefix()).generate()
    made = folder / 'place' / 'generated'
    return {path.relative_to(made).as_posix(): path.read_text('utf-8')
            for path in sorted(made.rglob('*')) if path.suffix in ('.c', '.h', '.cpp', '.py')}


def code(name, text):
    """What is left of a file without its strings and comments; numbers as 0."""
    if name.endswith('.py'):
        left = [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type not in (tokenize.STRING, tokenize.COMMENT)]
    else:
        left = C_TEXTS.sub(' ', text).split()
    return re.sub(r'\d+', '0', ' '.join(left))


@can_generate
def test_no_text_of_a_message_becomes_code(tmp_path):
    hostile = generated(tmp_path / 'hostile', TEXTS)
    harmless = generated(tmp_path / 'harmless', ['x'] * len(TEXTS))
    assert list(hostile) == list(harmless)
    assert any(EVIL in text for text in hostile.values()), 'no text came through: a vain test'
    for name, text in hostile.items():
        assert code(name, text) == code(name, harmless[name]), name


def test_what_is_code_is_told_from_texts():
    assert code('a.c', f'int a; /* x */ {EVIL} /* y */ char *b = "*/";') != code(
        'a.c', 'int a; /* x */ char *b = "z";')
    assert code('a.c', 'char *b = "\\""; // 1') == code('a.c', 'char *b = "x";')


def test_a_compiler_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(message_package, '_COMPILER_TIMEOUT', 0.1)
    with pytest.raises(ValueError, match=r'^two\.c: .* took more than 0\.1 s$'):
        message_package._call([sys.executable, '-c', 'import time; time.sleep(60)'], 'two.c')
