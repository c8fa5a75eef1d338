"""Validation errors of pydantic as one line with file, line, key and expected value."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from sbot.files.yaml_text import KeyPath, Origins
from sbot_common.errors import InputError, bad_value, unknown_name

M = TypeVar('M', bound=BaseModel)

_LOADER = 'pydantic.plugin._loader'
_EXPECTED = {
    'tuple_type': 'a list',
    'model_type': 'a mapping',
    'model_attributes_type': 'a mapping',
    'too_short': 'at least one entry',
}


def expected_of(model: type[BaseModel], name: str) -> str:
    """Return a description of the values that a field accepts."""
    field = model.model_fields[name]
    many = 'a list of ' if Ellipsis in get_args(field.annotation) else ''
    for item in (*field.metadata, *_annotation_parts(field.annotation)):
        text = getattr(item, 'expected', None)
        if isinstance(text, str):
            return many + text
    inner = inner_model(model, name)
    if inner is not None:
        return 'a mapping' if inner is field.annotation else 'a list of mappings'
    parts = get_args(field.annotation)  # of a Literal its choices, of a union its types
    choices = [choice for part in parts for choice in (part, *get_args(part))
               if isinstance(choice, str)]
    return ' or '.join(choices) if choices else 'a list'


def _annotation_parts(annotation: object) -> list[object]:
    """Return what is inside ``Annotated`` types of a union or a tuple."""
    parts: list[object] = []
    for part in get_args(annotation):
        parts.extend(getattr(part, '__metadata__', ()))
    return parts


def inner_model(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """Return the model of a field that is a model or a list of models."""
    annotation: Any = model.model_fields[name].annotation
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _model_at(model: type[BaseModel], path: KeyPath) -> type[BaseModel]:
    for key in path:
        if isinstance(key, str):
            model = inner_model(model, key) or model
    return model


@contextmanager
def _no_plugins() -> Iterator[None]:
    """Let pydantic find no plugins while the block runs, if it has not looked for them yet.

    It looks into every installed package. Other models have their plugins: pydantic's own list is
    neither made nor changed here.
    """
    stand_in: Any = ModuleType(_LOADER)
    stand_in.get_plugins = tuple
    try:
        sys.modules.setdefault(_LOADER, stand_in)
        yield
    finally:
        if sys.modules.get(_LOADER) is stand_in:  # else of another thread, or pydantic's own
            del sys.modules[_LOADER]


def _complete(model: type[BaseModel]) -> None:
    """Build what checks a model's data, if it is not built yet."""
    if not model.__pydantic_complete__:
        try:
            with _no_plugins():
                model.model_rebuild()
        except (ImportError, AttributeError):  # a pydantic that asks its plugins for more
            model.model_rebuild(force=True)


def validate(model: type[M], data: object, origins: Origins) -> M:
    """Return ``model`` made from ``data``, or raise InputError for the first thing wrong with it.

    An unknown key comes before a missing one: the first is often the second, mistyped.
    """
    _complete(model)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        findings = error.errors(include_url=False)
    unknown = [f for f in findings if f['type'] == 'extra_forbidden']
    finding = (unknown or findings)[0]
    path: KeyPath = tuple(finding['loc'])
    name = str(path[-1]) if path else ''
    if finding['type'] == 'extra_forbidden':
        raise unknown_name(origins.where(path), name, _model_at(model, path[:-1]).model_fields)
    if finding['type'] == 'missing':
        expected = expected_of(_model_at(model, path[:-1]), name)
        where = origins.where(path[:-1])
        raise InputError(f"{where}: key '{name}' is missing; give {expected}")
    context = finding.get('ctx') or {}
    expected = str(context.get('expected') or _EXPECTED.get(finding['type'], finding['msg']))
    raise bad_value(origins.where(path), finding['input'], expected)
