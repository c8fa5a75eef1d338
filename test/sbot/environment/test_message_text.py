"""Texts of messages: only types, names and values that cannot carry code come through."""

import time

import pytest

from sbot.environment.message_text import MOST_CHARACTERS, MOST_MEMBERS, plain_text
from sbot_common.errors import InputError


def refused(text, kind='msg'):
    with pytest.raises(InputError) as raised:
        plain_text(f'{kind}/Two.{kind}', text)
    message = str(raised.value)
    assert '\n' not in message
    assert message.startswith(f'{kind}/Two.{kind}')
    return message


def test_comments_blank_lines_and_tabs_are_left_out():
    assert plain_text('msg/Two.msg', (
        '# */ extern int system(const char*); /*\n'
        'int32   a\t# [m] */ evil /*\n\n'
        '   # indented \\\n'
        'string<=5[<=3] b\n'
        'std_msgs/Header[] headers\r\n'
        'float64[2] c [1.0, -2e3]\n'
        'uint8 LEFT_1 = 0x01 # one\n'
        'string NAME=  " x "  # spaces\n')) == (
            'int32 a\nstring<=5[<=3] b\nstd_msgs/Header[] headers\nfloat64[2] c [1.0, -2e3]\n'
            'uint8 LEFT_1=0x01\nstring NAME=" x "\n')


def test_a_service_keeps_its_line_between_request_and_response():
    assert plain_text('srv/Two.srv', '# a\nint32 a\n--- # b\n# c\n') == 'int32 a\n---\n'
    assert plain_text('srv/Two.srv', '---') == '---\n'
    assert plain_text('msg/Two.msg', '# only a comment \\') == ''


@pytest.mark.parametrize('text', ['int32 a\n', 'int32 a\n---\n---\n'])
def test_a_service_has_one_such_line(text):
    assert refused(text, 'srv').endswith('expected one line ---, between request and response')


def test_a_message_has_no_such_line():
    assert refused('int32 a\n---\n').startswith("msg/Two.msg:2: got '---', expected a field")


# What C, IDL, Python or a template may take for the end of a string, or for something else.
@pytest.mark.parametrize('value', [
    '"\\"', '"\\x22"', '\\', '"a\\', "'it\\'s'", '"\\u0022"', '"\\n"', '"??/"', '"??\'"',
    '"a" b"', '"abc', '"a # b"', "'a", '"', '"\x07"', '"\u202e"', '"a\u00a0b"'])
@pytest.mark.parametrize('line', ['string A={}', 'string a {}', 'wstring A={}', 'wstring a {}',
                                  'string[] a [{}]'])
def test_a_string_that_may_end_elsewhere_is_refused(line, value):
    assert refused(f'int32 b\n{line.format(value)}\n').startswith('msg/Two.msg:2: ')


@pytest.mark.parametrize('value', ['', 'plain', '"*/ x /*"', '"it\'s"', "'a \"b\"'", '//',
                                   '"%s @(1)"', 'é', '"?? /"', '0'])
def test_other_strings_stay_as_they_are(value):
    assert plain_text('msg/Two.msg', f'string A={value}') == f'string A={value}\n'


@pytest.mark.parametrize('line', [
    'int32', 'a', '*/ a', 'int32 a; evil', 'int32 A', 'int32 a__b', 'int32 a_', 'int32 é',
    'int32[a] b', 'int32[0] b', 'int32[99999999999] b', 'string<=0 b', 'int32<=5 b',
    'int32[2][2] b', '../up/Two a', 'Two/Three a', 'a/b/Two c', 'a__b/Two c', 'Two_Request a',
    'time a', 'duration a',
    'Two A=1', 'int32[] A=1', 'int32 a=1', 'int32 A__B=1', 'int32 A_=1', 'int32 A=',
    'int32 A=1; evil', 'int32 a 1); evil(', 'Two a 5', 'string a "x=y"', 'float64 A=nan',
    'float64 a -inf', 'float64[] a [1e999]', 'float32 A=*/', 'int32 a ٣', 'string[] a ["é"]',
    'int32\x0bb c', 'int32\u2028a', 'int32 a\x1b'])
def test_other_lines_are_refused(line):
    assert refused(f'{line}\n').startswith('msg/Two.msg:1: ')


@pytest.mark.parametrize('name', ['double', 'class', 'int', 'and_eq', 'lambda', 'def', 'linux',
                                  'errno', 'restrict', 'constexpr', 'builtins', 'check_fields'])
def test_names_with_a_meaning_in_the_languages_are_refused(name):
    assert refused(f'int32 {name}') == (
        f"msg/Two.msg:1: field: got '{name}', expected a name that has no meaning in C, C++ or "
        'Python')


@pytest.mark.parametrize(('begin', 'middle', 'end'), [
    ('int32 ', 'A', '_=1'),  # rosidl's own expression takes 2^length steps
    ('string[] a [', 'a  , ', '"]'), ('string[] a [', ' ', '"]'), ('string[] a [', '"a"', '"]')])
def test_a_long_line_is_refused_in_a_short_time(begin, middle, end):
    began = time.process_time()
    assert refused(begin + middle * ((MOST_CHARACTERS - 20) // len(middle)) + end)
    assert time.process_time() - began < 1.0


def test_the_same_name_twice_is_refused():
    assert refused('int32 a\nint8 b\nint32 a') == (
        "msg/Two.msg:3: got 'a', which line 1 has already; expected another name")
    assert plain_text('srv/Two.srv', 'int32 a\n---\nint32 a\n')  # one in each part
    assert refused('int32 A=1\nint8 A=2').startswith('msg/Two.msg:2: ')


def test_members_and_lengths_are_limited():
    lines = [f'string a{i}\n' for i in range(MOST_MEMBERS)]
    assert plain_text('msg/Two.msg', ''.join(lines)).count('\n') == MOST_MEMBERS
    assert refused(''.join(lines) + 'int32 B=1\n') == (
        f'msg/Two.msg:{MOST_MEMBERS + 1}: got more fields and constants, expected at most '
        f'{MOST_MEMBERS} in a file')
    assert refused('string A=' + 'x' * MOST_CHARACTERS) == (
        f'msg/Two.msg:1: has {MOST_CHARACTERS + 9} characters, expected at most {MOST_CHARACTERS}')
