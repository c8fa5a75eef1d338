"""Write the tables of docs/scenario.md: keys, defaults and texts of models and parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from sbot.controllers.registry import shipped
from sbot.files.yaml_text import Origins
from sbot.scenario.fields import NEEDED, Model, declared
from sbot.scenario.groups import SensorSettings, WindSettings, check_bodies, group_specs
from sbot.scenario.knowledge import Knowledge
from sbot.scenario.model import (
    Circle,
    MovingObstacle,
    Polygon,
    PushableBox,
    Rectangle,
    RobotEntry,
    ScenarioFile,
    World,
    Zone,
)
from sbot.scenario.shipped import sold_names, sold_robot
from sbot_common.clock import Rate
from sbot_common.params import Spec, specs_of
from sbot_sim.world.bodies import BODIES, body_specs

PAGE = Path(__file__).resolve().parent / 'scenario.md'
_HEAD = '| key | default | value | meaning |\n| --- | --- | --- | --- |\n'

_SHORTER = {'a finite number': 'a number', 'three finite': 'three', ', from -1e6 to 1e6': '',
            '; numbers from -1e6 to 1e6': '', ': two numbers from -1e6 to 1e6': '',
            ': three numbers from -1e6 to 1e6': '', ', numbers from -1e6 to 1e6': '',
            ' from -1e6 to 1e6': '',
            'one line of at most 100 characters, without control characters': 'one line',
            'a mapping of names to mappings': 'mapping', 'a mapping of names to values': 'mapping',
            'a mapping': 'mapping', 'a list of mappings': 'list', 'a list of text': 'list',
            'a string': 'text', 'one of ': '', 'true or false': '',
            ' with xmin < xmax and ymin < ymax': '', ' with low < high': '',
            ': two different points': '', 'e+0': 'e',
            ', each different from the next, and the last from the first': '',
            'a name that `sbot list controllers` shows, such as navigate or none, or your own '
            "class as 'module:Class'": "of `sbot list controllers`, or 'module:Class'"}
# The words of numbers as signs: the top of the page says what is left out.
_SIGNS = ((r'a whole number', 'whole,'), (r'\ba number (?=>|<|\()|\ba number (?=from)', ''),
          (r'\ba number$', 'number'), (r'from (\S+) to', r'\1 to'),
          (r'>= (\S+) and <= (\S+)', r'\1 to \2'), (r'> (\S+) and <= (\S+)', r'> \1, ≤ \2'),
          (r'>= ', '≥ '), (r'(?<!\])\s\(([^() ,]+)\)$', r' \1'))


def _cell(text: str) -> str:
    return text.replace('|', '\\|')


def _values(text: str) -> str:
    """Return what a value must be, without what the top of the page says of all."""
    for words, shorter in _SHORTER.items():
        text = text.replace(words, shorter)
    for words, sign in _SIGNS:
        text = re.sub(words, sign, text)
    return _cell(text)


def _shown(value: object) -> str:
    """Return a default as it would stand in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Rate):
        return str(value)
    if isinstance(value, float) and value and (value / math.pi * 2).is_integer():
        return {0.5: 'π/2', -0.5: '-π/2', 1.0: 'π', -1.0: '-π'}.get(value / math.pi, repr(value))
    if isinstance(value, tuple):
        return '[' + ', '.join(_shown(item) for item in value) + ']'
    return repr(value) if value == '' else str(value)


def model_table(model: type[Model]) -> str:
    """Return the table of a model's keys."""
    rows = []
    for name, field in declared(model).items():
        default = 'needed' if field.default is NEEDED else _shown(field.default)
        if field.default is None:
            default = ''
        if name == 'name' and model is ScenarioFile:
            default = 'file name'
        rows.append(f'| `{name}` | {default} | {_values(field.expected)} | '
                    f'{_cell(field.description)} |\n')
    return _HEAD + ''.join(rows)


def spec_table(specs: Iterable[Spec]) -> str:
    """Return the table of parameters."""
    rows = []
    for spec in specs:
        rows.append(f'| `{spec.name}` | {_shown(spec.default)} | {_values(spec.expected)} | '
                    f'{_cell(spec.text)} |\n')
    return _HEAD + ''.join(rows)


def body_table() -> str:
    """Return the table of shipped bodies beside the meaning of their keys."""
    names = list(BODIES)
    head = '| key | ' + ', '.join(f'`{n}`' for n in names) + ' | value | meaning |\n'
    rows = [head, '| --- ' * 4 + '|\n']
    for spec in body_specs():
        values = ', '.join(dict.fromkeys(  # one for all, or one for each
            _shown(BODIES[name].in_words()[spec.name]) for name in names))
        rows.append(f'| `{spec.name}` | {values} | {_values(spec.expected)} | {spec.text} |\n')
    return ''.join(rows)


def sold_table() -> str:
    """Return the table of robots as they are sold."""
    rows = ['| body | robot | size | fastest | laser |\n', '| --- ' * 5 + '|\n']
    for name in sold_names():
        sold = sold_robot(name)
        body = check_bodies({}, Origins(name, {}, set()), [name])[name]
        scan, = SensorSettings().lasers_of(body)
        size = (f'{body.length:g} x {body.width:g} m' if body.is_rectangle
                else f'radius {body.radius:g} m')
        first, last = (math.degrees(each) for each in (scan.scan_angle_min, scan.scan_angle_max))
        laser = (f'{scan.scan_beams} beams, {first:.4g}° to {last:.4g}°, {scan.scan_range_max:g} m'
                 if 'sensors' in body.own else 'of the scenario')
        rows.append(f'| `{name}` | [{_cell(sold.text)}](../config/robots/{name}.yaml) | {size} | '
                    f'{body.max_wheel_speed * body.wheel_radius:.3g} m/s | {laser} |\n')
    return ''.join(rows)


TABLES: dict[str, Callable[[], str]] = {
    'scenario': lambda: model_table(ScenarioFile),
    'world': lambda: model_table(World),
    'circles': lambda: model_table(Circle),
    'moving': lambda: model_table(MovingObstacle),
    'boxes': lambda: model_table(PushableBox),
    'rectangles': lambda: model_table(Rectangle),
    'polygons': lambda: model_table(Polygon),
    'zones': lambda: model_table(Zone),
    'robots': lambda: model_table(RobotEntry),
    'bodies': body_table,
    'sold': sold_table,
    **{entry.name: partial(spec_table, entry.specs) for entry in shipped() if entry.specs},
    'knowledge': lambda: spec_table(specs_of(Knowledge)),
    'sensors': lambda: spec_table(group_specs(SensorSettings())),
    'wind': lambda: spec_table(group_specs(WindSettings())),
}


def with_tables(page: str) -> str:
    """Return the page with the tables between the table marks made again."""
    def table(match: re.Match[str]) -> str:
        return f'{match[1]}\n{TABLES[match[2]]()}{match[3]}'
    return re.sub(r'(<!-- table (\w+) -->)\n.*?(<!-- end -->)', table, page, flags=re.DOTALL)


if __name__ == '__main__':
    PAGE.write_text(with_tables(PAGE.read_text('utf-8')), 'utf-8')
