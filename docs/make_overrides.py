"""Write sbot/api/overrides.pyi: types of the keys of a scenario, by which editors complete them.

The types are made from the same declarations as the tables of docs/scenario.md.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sbot.scenario.fields import Model, declared
from sbot.scenario.groups import SensorSettings, WindSettings, group_specs
from sbot.scenario.knowledge import Knowledge
from sbot.scenario.model import RobotEntry, ScenarioFile, World
from sbot_common.clock import Rate
from sbot_common.params import Spec, specs_of
from sbot_sim.world.bodies import body_specs

STUB = Path(__file__).resolve().parents[1] / 'sbot' / 'api' / 'overrides.pyi'
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Types of the keys of a scenario, for editors; docs/make_overrides.py makes them.

There is no such module at run time. A group may also be any other mapping: a scenario is checked
when it is loaded.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

Numbers = Sequence[float] | NDArray[Any]
Points = Sequence[Sequence[float]] | NDArray[Any]
'''
NAMES = {RobotEntry: 'Robot'}
# Keys whose declared type says less than is known, or which also take classes and words.
KNOWN = {'controller': 'Any', 'wind': 'Wind | Mapping[str, Any]',
         'sensors': 'Sensors | Mapping[str, Any]',
         'knowledge': 'Knowledge | Mapping[str, Any]',
         'bodies': 'Mapping[str, Body | Mapping[str, Any]]',
         'robots': 'Sequence[Robot | Mapping[str, Any]]'}


def name_of(model: type[Model]) -> str:
    """Return the name of a model's TypedDict."""
    return NAMES.get(model, model.__name__)


def type_of(hint: Any) -> str:  # noqa: ANN401
    """Return the type of values that a field of a model takes."""
    if get_origin(hint) in (Union, UnionType):
        return ' | '.join([*(type_of(part) for part in get_args(hint) if part is not NoneType),
                           'None'])
    if get_origin(hint) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(hint)))}]"
    if hint is Rate:
        return 'float | str'
    if get_origin(hint) is dict:
        return 'Mapping[str, Any]'
    if get_origin(hint) is tuple:
        first = get_args(hint)[0]
        if first is float:
            return 'Numbers'
        return 'Points' if get_origin(first) is tuple else f'Sequence[{type_of(first)}]'
    if issubclass(hint, Model):
        return f'{name_of(hint)} | Mapping[str, Any]'
    return str(hint.__name__)


def type_of_spec(spec: Spec) -> str:
    """Return the type of a parameter's values."""
    if spec.choices:
        return f"Literal[{', '.join(map(repr, spec.choices))}]"
    return 'Numbers' if isinstance(spec.default, tuple) else type(spec.default).__name__


def typed_dict(name: str, text: str, keys: Iterable[tuple[str, str, str]],
               base: str = 'TypedDict') -> str:
    """Return a class with (key, type, description) each."""
    lines = [f'class {name}({base}, total=False):', f'    """{text}"""', '']
    for key, kind, description in keys:
        lines.append(f'    {key}: {kind}')
        if description:
            quoted = ' '.join(description.split()).replace('\\', '\\\\')
            lines += textwrap.wrap(f'"""{quoted}"""', 95, initial_indent='    ',
                                   subsequent_indent='    ')
    return '\n'.join(lines) + '\n'


def of_model(model: type[Model]) -> list[tuple[str, str, str]]:
    """Return the keys of a model."""
    hints = get_type_hints(model)
    return [(key, KNOWN.get(key) or type_of(hints[key]), field.description)
            for key, field in declared(model).items()]


def of_specs(specs: Iterable[Spec]) -> list[tuple[str, str, str]]:
    """Return the keys of a group of parameters, with their units."""
    return [(spec.name, type_of_spec(spec), f'{spec.text} [{spec.unit}]' if spec.unit
             else spec.text) for spec in specs]


def models_in(model: type[Model]) -> list[type[Model]]:
    """Return the models of a model's fields."""
    return [field.kind for field in declared(model).values()
            if isinstance(field.kind, type) and issubclass(field.kind, Model)]


def stub() -> str:
    """Return the text of the stub."""
    parts = [HEAD]
    for model in (*models_in(World), World, RobotEntry):
        parts.append(typed_dict(name_of(model), (model.__doc__ or '').splitlines()[0],
                                of_model(model)))
    for name, text, specs in (
            ('Sensors', 'The sensors of the robots.', group_specs(SensorSettings())),
            ('Wind', 'The wind.', group_specs(WindSettings())),
            ('Knowledge', 'What controllers know about poses.', specs_of(Knowledge))):
        parts.append(typed_dict(name, text, of_specs(specs)))
    parts.append(typed_dict('Body', 'A body of your own, or changes to a shipped one.', [
        ('like', 'str', 'The body whose values hold for what is left out.'),
        *of_specs(body_specs()),
        ('sensors', 'Sensors | Mapping[str, Any]', ''),
        ('lasers', 'Sequence[Sensors | Mapping[str, Any]]', '')]))
    keys = of_model(ScenarioFile)
    parts.append(typed_dict('Overrides', 'Keys of a scenario but seed and controllers.', (
        key for key in keys if key[0] not in ('seed', 'controllers'))))
    parts.append(typed_dict('SeededOverrides', 'Keys of a scenario but controllers.', [
        (key, f'{kind} | None', text) for key, kind, text in keys if key == 'seed'], 'Overrides'))
    parts.append(typed_dict('SweepOverrides', 'Keys of a scenario but its seed.', [
        key for key in keys if key[0] == 'controllers'], 'Overrides'))
    return '\n'.join(parts)


if __name__ == '__main__':
    STUB.write_text(stub(), 'utf-8')
