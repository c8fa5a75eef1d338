"""Limits of functions: how long one is, and how many parameters it has."""

import ast
from collections.abc import Iterator
from pathlib import Path

from test_imports import ROOT, module_files

MOST_LINES = 60  # of a function, its docstring included
MOST_PARAMETERS = 12  # self and cls apart
# Those above, each with what it is allowed; an entry that is not needed any more is an error.
LONGER: dict[str, int] = {}
MORE_PARAMETERS = {
    'sbot/api/functions.py sweep': 18,  # keywords of the public function, each documented
}


def functions_of(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield name, lines and parameters of each function of a module."""
    for node in ast.walk(ast.parse(path.read_text('utf-8'))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args,
                                           *node.args.kwonlyargs)]
            assert node.end_lineno is not None
            yield (f'{path.relative_to(ROOT).as_posix()} {node.name}',
                   node.end_lineno - node.lineno + 1,
                   len([name for name in names if name not in ('self', 'cls')]))


def test_functions_are_short_and_have_few_parameters():
    found = [each for path in module_files() for each in functions_of(path)]
    assert len(found) > 2000
    long = {name: lines for name, lines, _ in found if lines > MOST_LINES}
    wide = {name: count for name, _, count in found if count > MOST_PARAMETERS}
    for measured, allowed in ((long, LONGER), (wide, MORE_PARAMETERS)):
        assert {name: size for name, size in measured.items() if size > allowed.get(name, 0)} == {}
        assert set(allowed) == set(measured), 'an exception that nothing needs'
