"""Mutation test of all packages: `python test/mutants.py [--seed 1] [--count 100] [--only NAME]`.

A mutant is the code with one small mistake in a function that the seed draws. The tests that
mirror its module run in a copy of the repository; those that still pass did
not see the mistake: it survived. What survives is either a promise without a test, or no mistake
at all, which a person decides. (DeMillo, Lipton and Sayward, "Hints on test data selection",
Computer 11, 1978; the operators are some of Offutt's sufficient ones, TOSEM 5, 1996.)
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from test_imports import ROOT, module_files

SECONDS = 300.0  # of the tests of one mutant; some loop for ever
LEFT_OUT = ('.venv', '.git', 'build', 'dist', '*.egg-info', '__pycache__', '.*_cache')
COMPARED = {ast.Lt: ast.GtE, ast.LtE: ast.Lt, ast.Gt: ast.LtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
            ast.NotIn: ast.In}
CALCULATED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
              ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult}


class Mutant(NamedTuple):
    """A change of one function."""

    file: str  # within the repository
    function: str
    line: int
    before: str
    after: str
    text: str  # of the whole file


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node: each with one mistake."""
    new = copy.copy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in COMPARED:
        new.ops = [COMPARED[type(new.ops[0])](), *new.ops[1:]]
        yield new
    elif isinstance(new, ast.BinOp) and type(new.op) in CALCULATED and not any(
            isinstance(side, ast.Constant | ast.JoinedStr) and not isinstance(
                getattr(side, 'value', ''), int | float) for side in (new.left, new.right)):
        new.op = CALCULATED[type(new.op)]()
        yield new
    elif isinstance(new, ast.Constant) and type(new.value) in (bool, int, float):
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1
        yield new
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        yield new
    elif isinstance(new, ast.If | ast.IfExp | ast.While):
        yield ast.UnaryOp(ast.Not(), new.test)
    elif isinstance(new, ast.Return) and new.value is not None:
        yield ast.Pass()


def functions(path: Path) -> list[ast.FunctionDef]:
    """Return the functions and methods of a module that hold more than a docstring."""
    tree = ast.parse(path.read_text('utf-8'))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
            and any(True for _ in choices(node))]


def choices(inside: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield nodes in a function, each with what may stand in its place; no wording of messages."""
    parts = inside.body if isinstance(inside, ast.FunctionDef) else ast.iter_child_nodes(inside)
    for node in parts:
        if not isinstance(node, ast.JoinedStr | ast.Raise):
            for new in changed(node):
                old = node.test if isinstance(node, ast.If | ast.IfExp | ast.While) else node
                yield old, new
            yield from choices(node)


def mutant_of(path: Path, function: ast.FunctionDef, rng: random.Random) -> Mutant:
    """Return a module with one mistake in a function."""
    old, new = rng.choice(list(choices(function)))
    lines = path.read_bytes().splitlines(keepends=True)
    begin = sum(map(len, lines[:old.lineno - 1])) + old.col_offset
    end = sum(map(len, lines[:old.end_lineno - 1])) + old.end_col_offset
    whole, put = b''.join(lines), ast.unparse(new)
    if isinstance(old, ast.expr) and not isinstance(new, ast.Constant):
        put = f'({put})'
    text = (whole[:begin] + put.encode() + whole[end:]).decode()
    ast.parse(text)
    return Mutant(path.relative_to(ROOT).as_posix(), function.name, old.lineno,
                  ast.unparse(old), ast.unparse(new), text)


def tests_of(path: Path) -> list[str]:
    """Return the tests that mirror a module."""
    inner = path.relative_to(ROOT)
    folder = ROOT / 'test' / inner.parent
    tests = (folder / f'test_{inner.stem}.py', folder.parent / f'test_{folder.name}.py')
    return [test.relative_to(ROOT).as_posix() for test in tests if test.is_file()]


def drawn(seed: int, count: int, only: str = '') -> list[Mutant]:
    """Return so many mutants, of as many functions of modules with tests of their names."""
    rng = random.Random(seed)
    found = [(path, function) for path in module_files()
             if only in path.relative_to(ROOT).as_posix() and tests_of(path)
             for function in functions(path)]
    return [mutant_of(path, function, rng)
            for path, function in rng.sample(found, min(count, len(found)))]


def run(folder: Path, tests: list[str], seconds: float) -> str:
    """Run tests in a copy of the repository; return 'passed', 'failed' or 'late'."""
    environment = {**os.environ, 'PYTHONPATH': str(folder), 'PYTHONDONTWRITEBYTECODE': '1',
                   'NUMBA_CACHE_DIR': str(folder / 'numba_cache')}
    with subprocess.Popen(
            [sys.executable, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', *tests],
            cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True) as process:
        try:
            return 'failed' if process.wait(seconds) else 'passed'
        except subprocess.TimeoutExpired:
            return 'late'
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


def main() -> None:
    """Print a row a mutant, and how many were killed."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--seed', type=int, default=1, help='of the functions and mistakes')
    parser.add_argument('--count', type=int, default=100, help='of mutants')
    parser.add_argument('--only', default='', metavar='NAME', help='modules whose path has NAME')
    parser.add_argument('--seconds', type=float, default=SECONDS, help='limit for each mutant')
    parser.add_argument('--list', action='store_true', help='run nothing')
    given = parser.parse_args()
    mutants, outcomes, sound = drawn(given.seed, given.count, given.only), [], {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / 'copy'
        if not given.list:
            shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        for mutant in mutants:
            outcome, tests = 'drawn', tests_of(ROOT / mutant.file)
            if not given.list:
                if tuple(tests) not in sound:  # compiles what they call, too
                    sound[tuple(tests)] = run(folder, tests, 3 * given.seconds)
                outcome = f'unmutated: {sound[tuple(tests)]}'
                if sound[tuple(tests)] == 'passed':
                    place = folder / mutant.file
                    place.write_text(mutant.text, 'utf-8')
                    outcome = 'SURVIVED' if run(
                        folder, tests, given.seconds) == 'passed' else 'killed'
                    shutil.copyfile(ROOT / mutant.file, place)
            outcomes.append(outcome)
            print(f'{outcome:9} {mutant.file}:{mutant.line} {mutant.function}: '
                  f'{mutant.before[:60]!r} -> {mutant.after[:60]!r}', flush=True)
    print(', '.join(f'{outcomes.count(each)} {each}' for each in sorted(set(outcomes))))


if __name__ == '__main__':
    main()
