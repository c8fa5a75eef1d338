"""Texts that fit into a width: how wide a line is, lines of a long text, a shortened text."""

from __future__ import annotations

import re

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

GAP = 12.0  # pt between two texts on one line
LINE = 0.17  # inches from a line to the next


def width_of(text: str, size: float | str = 'medium', weight: str = 'normal') -> float:
    """Return the width (pt) of the widest line of a text."""
    font = FontProperties(family=rcParams['font.family'], size=size, weight=weight)
    return max(float(text_to_path.get_text_width_height_descent(line, font, False)[0])
               for line in text.split('\n'))


def shortened(text: str, width: float, size: float | str = 'medium') -> str:
    """Return a text of one line, with '…' at its end where it is wider than ``width`` (pt)."""
    if width_of(text, size) <= width:
        return text
    least, most = 0, len(text)  # letters that fit, and that do not
    while least + 1 < most:
        middle = (least + most) // 2
        fits = width_of(f'{text[:middle].rstrip()}…', size) <= width
        least, most = (middle, most) if fits else (least, middle)
    return f'{text[:least].rstrip()}…'


def wrapped(text: str, width: float, size: float | str = 'medium') -> str:
    """Return a text in lines of at most ``width`` (pt), broken at blanks; long words end in '…'.

    A no-break space becomes a blank.
    """
    return _lines(text.split(' '), width, size).replace('\xa0', ' ')


def wrapped_parts(label: str, width: float) -> str:
    """Return a label of the wind in lines, broken only between its parts."""
    return _lines(re.split(r'(?<=,) | (?=\+ )', label), width, 'medium')


def _lines(parts: list[str], width: float, size: float | str) -> str:
    lines: list[str] = []
    for part in parts:
        if lines and width_of(longer := f'{lines[-1]} {part}', size) <= width:
            lines[-1] = longer
        else:
            lines.append(shortened(part, width, size))
    return '\n'.join(lines)
