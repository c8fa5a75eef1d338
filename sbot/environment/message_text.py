"""Text of a message or service as plain lines: types, names and values that cannot carry code.

The generators of ROS 2 copy comments and values into C and IDL, some of them unescaped. So a line
is read by a narrow grammar and written anew; comments are left out, what is beyond it is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from sbot.environment.message_names import FIELD, INTERFACE, is_reserved
from sbot_common.errors import InputError, bad_value

MOST_MEMBERS = 500  # of a file: fields and constants; the work of generators grows faster
MOST_CHARACTERS = 10_000  # of a line without its comment
MOST_LENGTH = 2 ** 31 - 1  # of an array or string
SEPARATOR = '---'  # of request and response
# Matches what rosidl's own does, which takes 2^length steps.
_CONSTANT = re.compile(r'[A-Z](?:_?[A-Z0-9])*', re.ASCII)
_TYPE = re.compile(r'(?:(?P<package>[a-z0-9_]+)/)?(?P<name>[A-Za-z0-9]+)'
                   r'(?:<=(?P<longest>\d{1,10}))?'
                   r'(?P<array>\[(?:<=)?(?P<length>\d{0,10})\])?', re.ASCII)
_STRINGS = ('string', 'wstring')
_FLOATS = ('float32', 'float64')
_PRIMITIVES = (*_STRINGS, *_FLOATS, 'bool', 'byte', 'char',
               *(f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)))
_NUMBERS = re.compile(r'[-+\w., ]+|\[[-+\w., ]*\]', re.ASCII)
_WORD = r"""[^"',\[\] ]+"""  # one way only to match, or a long value takes for ever
_ARRAY = re.compile(rf"""\[ *(?:(?:"[^"]*"|'[^']*'|{_WORD}(?: +{_WORD})*) *(?:, *|(?=\])))*\]""")
_TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
_LINE = 'a field such as "float64 x", or a constant such as "int32 MOST=5"'


def plain_text(where: str, text: str) -> str:
    """Return a message's lines without comments, or a service's if ``where`` ends in .srv.

    Parameters
    ----------
    where : path for errors
    text : of the file

    Raises
    ------
    InputError
        with file and line: a line is no field and no constant, a name has a meaning in C, C++ or
        Python, a value has characters that may end a string, or there are too many.

    """
    service = where.endswith('.srv')
    lines: list[str] = []
    names: dict[str, int] = {}
    for number, line in _lines(where, text):
        place = f'{where}:{number}'
        if service and line == SEPARATOR:
            names = {}
            lines.append(line)
            continue
        name, plain = _member(place, line)
        if name in names:
            raise InputError(f'{place}: got {name!r}, which line {names[name]} has already; '
                             'expected another name')
        names[name] = number
        lines.append(plain)
        if len(lines) - lines.count(SEPARATOR) > MOST_MEMBERS:
            raise InputError(f'{place}: got more fields and constants, expected at most '
                             f'{MOST_MEMBERS} in a file')
    if service and lines.count(SEPARATOR) != 1:
        raise InputError(f'{where}: got {lines.count(SEPARATOR)}, expected one line {SEPARATOR}, '
                         'between request and response')
    return ''.join(f'{line}\n' for line in lines)


def _lines(where: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line that is more than a comment, as rosidl cuts them."""
    for number, line in enumerate(text.removeprefix('\ufeff').splitlines(), 1):
        # Also within quotes: to rosidl a comment begins there, and would be copied.
        line = line.partition('#')[0].replace('\t', ' ').strip(' ')
        if len(line) > MOST_CHARACTERS:
            raise InputError(f'{where}:{number}: has {len(line)} characters, expected at most '
                             f'{MOST_CHARACTERS}')
        if not line.isprintable():
            raise bad_value(f'{where}:{number}', line, 'text without control characters')
        if line:
            yield number, line


def _member(place: str, line: str) -> tuple[str, str]:
    """Return a field's or constant's name, and its line written anew."""
    kind, _, rest = line.partition(' ')
    declared, equals, value = (part.strip(' ') for part in rest.partition('='))
    type_ = _type(place, kind)
    if equals:
        if kind not in _PRIMITIVES:
            raise bad_value(f'{place}: constant', kind, 'bool, a number or string')
        if not _CONSTANT.fullmatch(declared):
            raise bad_value(f'{place}: constant', declared, 'capital letters, digits and single '
                            'underscores, a letter first')
        _check_value(place, kind, '', value)
        return declared, f'{kind} {declared}={value}'
    name, _, value = declared.partition(' ')
    value = value.strip(' ')
    if not name:
        raise bad_value(place, line, _LINE)
    if not FIELD.fullmatch(name):
        raise bad_value(f'{place}: field', name, 'small letters, digits and single underscores, '
                        'a letter first')
    if is_reserved(name):
        raise bad_value(f'{place}: field', name, 'a name that has no meaning in C, C++ or Python')
    if not value:
        return name, f'{kind} {name}'
    if type_['package'] or type_['name'] not in _PRIMITIVES:
        raise InputError(f'{place}: default {value!r} cannot be combined with {kind}: only '
                         'numbers, strings and bool have one')
    _check_value(place, type_['name'], type_['array'] or '', value)
    return name, f'{kind} {name} {value}'


def _type(place: str, text: str) -> re.Match[str]:
    """Return the parts of a type; refuse what is neither a primitive one nor a message."""
    found = _TYPE.fullmatch(text)
    if found is None:
        raise bad_value(place, text, _LINE)
    package, name, longest = found['package'], found['name'], found['longest']
    known = (bool(FIELD.fullmatch(package) and INTERFACE.fullmatch(name)) if package is not None
             else name in _PRIMITIVES or bool(INTERFACE.fullmatch(name)))
    sizes = [int(each) for each in (longest, found['length']) if each]
    if (not known or not all(1 <= size <= MOST_LENGTH for size in sizes)
            or (longest and (package or name not in _STRINGS))
            or found['array'] == '[<=]'):
        raise bad_value(f'{place}: type', text,
                        f'a type of ROS 2, lengths from 1 to {MOST_LENGTH}')
    return found


def _check_value(place: str, kind: str, array: str, value: str) -> None:
    """Refuse what may end a string or a number in C, IDL or Python; rosidl checks the rest."""
    if array and value.count(',') >= MOST_MEMBERS:  # a compiler works as long as for fields
        raise InputError(f'{place}: default has {value.count(",") + 1} values, expected at most '
                         f'{MOST_MEMBERS}')
    if kind in _STRINGS:
        _check_string(place, array, value)
    elif not _NUMBERS.fullmatch(value):
        raise bad_value(f'{place}: value', value, f'a value of type {kind}{array}')
    elif kind in _FLOATS:
        for text in value.strip('[]').split(','):
            try:
                finite = not text.strip(' ') or math.isfinite(float(text))
            except ValueError:
                finite = False
            if not finite:
                raise bad_value(f'{place}: value', text.strip(' '), 'a finite number')


def _check_string(place: str, array: str, value: str) -> None:
    if '\\' in value or _TRIGRAPH.search(value):
        raise bad_value(f'{place}: value', value, 'a string without \\ and without ?? before '
                        'punctuation')
    if array:
        if not value.isascii() or not _ARRAY.fullmatch(value):
            raise bad_value(f'{place}: value', value, 'strings in ASCII such as ["one", "two"]')
    elif value[:1] in ('"', "'") and (
            len(value) < 2 or value[0] in value[1:-1] or value[-1] != value[0]):
        raise bad_value(f'{place}: value', value, 'a quoted string that contains neither # '
                        'nor its own quotes')
