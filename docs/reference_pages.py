"""Pages of the site that are made from the code: commands, `import sbot`, modules."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import sbot
from sbot.cli.main import COMMANDS, make_parser

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted(path.parent.name for path in ROOT.glob('*/__init__.py'))


def commands_page() -> str:
    """Return the reference of the command `sbot`, from its parsers."""
    os.environ['COLUMNS'] = '80'
    lines = ['# Commands', '', 'What `sbot COMMAND --help` prints.', '',
             '```text', make_parser().format_help().rstrip(), '```', '']
    for name, _, _ in COMMANDS:
        parser = dict(subparsers(make_parser(name)))[name]
        lines += command_section(f'sbot {name}', parser, 2)
    return '\n'.join(lines)


def subparsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield name and parser of each subcommand."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def command_section(name: str, parser: argparse.ArgumentParser, level: int) -> list[str]:
    """Return a heading, the help text, and the sections of the subcommands."""
    lines = [f'{"#" * level} {name}', '', '```text', parser.format_help().rstrip(), '```', '']
    for child, inner in subparsers(parser):
        lines += command_section(f'{name} {child}', inner, level + 1)
    return lines


def api_page() -> str:
    """Return the page of the names in `sbot.__all__`."""
    lines = ['# Functions and classes of import sbot', '',
             '[From Python](python.md) has examples.']
    for name in sbot.__all__:
        value = getattr(sbot, name)
        place = (value.__name__ if isinstance(value, ModuleType)
                 else f'{value.__module__}.{value.__qualname__}')
        lines += ['', f'## sbot.{name}', '', f'::: {place}',
                  '    options: {heading_level: 3, skip_local_inventory: true}']
    return '\n'.join(lines) + '\n'


def module_pages() -> Iterator[tuple[str, str]]:
    """Yield name and text of the page of each folder of modules."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob('__init__.py')):
            name = '.'.join(path.parent.relative_to(ROOT).parts)
            modules = [f'{name}.{module.stem}' for module in sorted(path.parent.glob('*.py'))
                       if not module.stem.startswith('__')]
            yield name, f'# {name}\n' + ''.join(
                f'\n::: {module}\n    options: {{heading_level: 2}}\n'
                for module in (name, *modules))
