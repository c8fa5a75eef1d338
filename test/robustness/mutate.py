"""Mutations of bytes: flipped bits, cut and repeated pieces, extreme numbers, hostile words."""

import re
import struct
from collections.abc import Callable, Sequence
from random import Random

WORDS = [
    b'', b'0', b'-1', b'1e308', b'1e-308', b'1e999', b'-1e999', b'.nan', b'.inf', b'nan', b'inf',
    b'9' * 20, b'9' * 5000, b'0x' + b'f' * 16, b'1/0', b'1e-999999999/3', b'null', b'true', b'~',
    b'[', b']', b'{', b'}', b'[[]]', b'{}', b'- ', b': ', b'&a ', b'*a', b'<<: *a',
    b'!!python/name:os', b'!!timestamp 2001-01-01', b'2001-01-01', b'---\n', b'|', b'>', b'"',
    b"'", b'\\x00', b'\0', b'\xff', b'\xed\xa0\x80', b'\xef\xbb\xbf', b'\x1b[31m', b'\n',
    b'\r', b'\t', b' ', b'%', b'#',
    b'$\\frac{x$', b'@SCRIPT@', b'@RUN@', b'</script>', b'../../', b'/dev/zero', b'/dev/stdin',
    b'os:system', b'object:x', b'<!DOCTYPE a>', b'&lt;', b'<a/>', b'x' * 300, b'robots:',
    b'count: 9', b'controllers:', b'until: os:getpid', b'name: "$"', b'\xf0\x9f\x98\x80',
    b'\xe2\x80\xae', b',']
_NUMBER = re.compile(rb'-?[0-9][0-9.eE+-]*')
_EXTREME = [0, 1, -1, 2, 7, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, -2**31, 2**32 - 1, 2**40,
            2**63 - 1, -2**63]
_FLOATS = [0.0, -0.0, 1e-308, 1e308, float('inf'), float('-inf'), float('nan'), 1.0, -1.0]


def _place(data: bytearray, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _flip(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _byte(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    if data:
        data[random.randrange(len(data))] = random.randrange(256)


def _number(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    size = random.choice([1, 2, 4, 8])
    value = random.choice(_EXTREME) & (1 << 8 * size) - 1
    at = _place(data, random)
    data[at:at + size] = value.to_bytes(size, 'little')


def _float(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    code = random.choice(['<d', '<f'])
    value = random.choice(_FLOATS)
    raw = struct.pack(code, value if code == '<d' or abs(value) < 1e38 else float('inf'))
    at = _place(data, random) & ~(len(raw) - 1)
    data[at:at + len(raw)] = raw


def _cut(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    at = _place(data, random)
    del data[at:at + random.choice([1, 2, 4, 8, 64, 1024])]


def _truncate(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    del data[_place(data, random):]


def _repeat(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    at = _place(data, random)
    data[at:at] = data[at:at + random.choice([1, 4, 16, 256])] * random.choice([1, 2, 50])


def _insert(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    at = _place(data, random)
    data[at:at] = random.randbytes(random.choice([1, 2, 4, 8, 100]))


def _word(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    at = _place(data, random)
    data[at:at + random.choice([0, 0, 1, 5])] = random.choice(WORDS)


def _replace_number(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    found = list(_NUMBER.finditer(data[:100_000]))
    if found:
        match = random.choice(found)
        data[match.start():match.end()] = random.choice(WORDS)


def _small_number(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    found = list(_NUMBER.finditer(data[:100_000]))
    if found:
        match = random.choice(found)
        number = random.choice([0, 1, 2, 3, 10, -1, 0.5, random.uniform(-20, 20),
                                random.lognormvariate(0, 9)])
        data[match.start():match.end()] = repr(number).encode()


def _splice(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    other = random.choice(others)
    begin = random.randrange(len(other) + 1)
    at = _place(data, random)
    data[at:at + random.choice([0, 100, len(data)])] = other[begin:begin + random.choice(
        [10, 100, 1000, len(other)])]


def _line(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    lines = bytes(data).split(b'\n')
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(3)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines.insert(i, lines[j])
    data[:] = b'\n'.join(lines)


_ALL: list[Callable[[bytearray, Sequence[bytes], Random], None]] = [
    _flip, _flip, _byte, _number, _number, _float, _cut, _truncate, _repeat, _insert, _word,
    _replace_number, _splice, _line]


_TEXTUAL = [_replace_number, _small_number, _small_number, _small_number, _line]


def mutated(data: bytes, others: Sequence[bytes], random: Random, text: bool = False) -> bytes:
    """Return the bytes with one to a few mutations; ``others`` are what may be spliced in.

    Half of those of text change numbers and lines only, so that more of them are accepted.
    """
    changed = bytearray(data)
    kinds = _TEXTUAL if text and random.random() < 0.5 else _ALL
    for _ in range(random.choice([1, 1, 1, 2, 3, 8])):
        random.choice(kinds)(changed, others, random)
    return bytes(changed)
