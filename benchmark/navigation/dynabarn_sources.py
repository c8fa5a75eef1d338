"""Sources of DynaBARN's plug-ins, from their machine code, for `sbot bench navigation --dynabarn`.

    python benchmark/navigation/dynabarn_sources.py PLUGINS OUT    # writes OUT/NAME.cc

The copy of DynaBARN in github.com/Daffan/the-barn-challenge has its plug-ins (x86-64) in compiled
form only. Each one creates key frames with constant times and places; these are followed through
the listing that ``objdump`` (binutils) prints. Nothing of a plug-in is executed.
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_CALL = re.compile(r'call\s+[0-9a-f]+ <(.*)>')
_MOVE = re.compile(r'(movsd|movapd|mov|lea|pxor|xorps|xorpd)\s+([^#]*?),(%\w+|[^,#]*\))\s*'
                   r'(#.*)?$')
_AT = re.compile(r'#\s*([0-9a-f]+)')


class KeyFrame(NamedTuple):
    """A key frame of an obstacle's way."""

    time: float  # s
    x: float  # m
    y: float


def main() -> int:
    """Write the sources."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description="Sources of DynaBARN's plug-ins.")
    parser.add_argument('plugins', type=Path, help='folder with the plug-ins, NAME.so')
    parser.add_argument('out', type=Path, help='folder for the sources, NAME.cc')
    arguments = parser.parse_args()
    files = sorted(arguments.plugins.glob('*.so'))
    if not files:
        parser.error(f'PLUGINS: got {arguments.plugins}, expected a folder with files NAME.so')
    arguments.out.mkdir(parents=True, exist_ok=True)
    for file in files:
        frames = list(key_frames(listing(file), doubles(file.read_bytes())))
        if len(frames) < 2:
            parser.error(f'{file}: got {len(frames)} key frames, expected two or more')
        (arguments.out / f'{file.stem}.cc').write_text(source(frames), 'utf-8')
    print(f'{len(files)} sources in {arguments.out}')
    return 0


def listing(file: Path) -> list[str]:
    """Return the lines of a plug-in's function ``Load`` in objdump's listing."""
    text = subprocess.run(['objdump', '-d', '-C', '--no-show-raw-insn', '-j', '.text', str(file)],
                          capture_output=True, check=True, text=True).stdout
    match = re.search(r'^[0-9a-f]+ <[^\n]*::Load\([^\n]*>:\n(.*?)(?:\n\n|\Z)', text,
                      re.DOTALL | re.MULTILINE)
    return match[1].splitlines() if match else []


def doubles(raw: bytes) -> Callable[[int], float]:
    """Return a function that reads a double at an address of constants.

    Constants of these libraries are at the address that is their place in the file.
    """
    return lambda address: float(struct.unpack_from('<d', raw, address)[0])


def key_frames(lines: Iterable[str], constant: Callable[[int], float]) -> Iterator[KeyFrame]:
    """Yield the key frames that machine code creates.

    Registers and the stack are followed as text: each holds a number, or the place in the stack
    to which it points.
    """
    held: dict[str, float | str] = {}
    time: float | None = None
    place: tuple[float, float] | None = None
    for line in lines:
        if call := _CALL.search(line):
            if 'CreateKeyFrame(double)' in call[1]:
                time = _number(held, '%xmm0')
            elif 'Vector3<double>::Vector3(double const&' in call[1]:
                place = (_number(held, str(held['%rsi'])), _number(held, str(held['%rdx'])))
            elif 'KeyFrame::Translation(' in call[1]:
                if time is None or place is None:
                    raise ValueError('a translation without a time and a place')
                yield KeyFrame(time, *place)
                time = place = None
            continue
        if not (move := _MOVE.search(line)):
            continue
        name, origin, target = move[1], move[2].strip(), move[3].strip()
        if name in ('pxor', 'xorps', 'xorpd'):
            held[target] = 0.0
        elif name == 'lea':
            held[target] = origin
        elif '(%rip)' in origin and (at := _AT.search(line)):
            held[target] = constant(int(at[1], 16))
        elif origin in held:
            held[target] = held[origin]
        else:
            held.pop(target, None)


def _number(held: dict[str, float | str], where: str) -> float:
    value = held.get(where)
    if not isinstance(value, float):
        raise ValueError(f'{where}: got {value}, expected a number')
    return value


def source(frames: Iterable[tuple[float, float, float]]) -> str:
    """Return a source with key frames, in the form of DynaBARN's create_plugin_polynomial.py."""
    return ''.join(f'key = anim->CreateKeyFrame({time!r});\n'
                   f'key->Translation(ignition::math::Vector3d({x!r}, {y!r}, 0));\n'
                   for time, x, y in frames)


if __name__ == '__main__':
    sys.exit(main())
