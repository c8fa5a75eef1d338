"""Names with a dot in docstrings are those of modules, classes and variables that exist."""

import ast
import re
from functools import cache
from pathlib import Path

from test_imports import ROOT, module_files

NAME = re.compile(r'``?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(\))?``?')
FILES = ('csv', 'json', 'md', 'py', 'so', 'txt', 'yaml')
FOREIGN = ('concurrent', 'math', 'np', 'numpy', 'os', 'pathlib', 'rclpy', 'scipy',
           'simulation_interfaces', 'sys', 'yaml')
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def attributes(node: ast.ClassDef) -> set[str]:
    """Names below a class: methods, fields, and what its methods assign to ``self``."""
    found = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
             and isinstance(each.value, ast.Name) and each.value.id == 'self'}
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            found.add(each.name)
        targets = (each.targets if isinstance(each, ast.Assign) else
                   [each.target] if isinstance(each, ast.AnnAssign) else [])
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


@cache
def index() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Names in each module, by its dotted name, and attributes of classes, by theirs."""
    modules: dict[str, set[str]] = {}
    classes: dict[str, set[str]] = {}
    for path in module_files():
        name = '.'.join(path.relative_to(ROOT).with_suffix('').parts).removesuffix('.__init__')
        names = modules.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text('utf-8'))):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, set()).update(attributes(node))
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.ImportFrom | ast.Import):
                names |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    for name in [*modules]:  # a folder has its modules as names
        parent, _, last = name.rpartition('.')
        modules.setdefault(parent, set()).add(last)
    return modules, classes


@cache
def variables(path: Path) -> set[str]:
    """Arguments and variables of a module's functions."""
    return {node.arg if isinstance(node, ast.arg) else node.id
            for node in ast.walk(ast.parse(path.read_text('utf-8')))
            if isinstance(node, ast.arg | ast.Name)}


def exists(name: str, path: Path) -> bool:
    """Whether a name in a docstring of a module means something."""
    first, *rest = name.split('.')
    modules, classes = index()
    if first in FOREIGN or rest[-1] in FILES:
        return True
    if first in classes and rest[0] in classes[first]:
        return True
    if first in variables(path) and any(rest[0] in known for known in classes.values()):
        return True
    words = name.split('.')
    for end in range(len(words), 0, -1):
        prefix, below = '.'.join(words[:end]), words[end:]
        found = [module for module in modules if module == prefix or module.endswith(f'.{prefix}')]
        if found and (not below or any(
                below[0] in modules[module] and (len(below) == 1 or below[1] in classes.get(
                    below[0], ())) for module in found)):
            return True
    return False


def test_names_in_docstrings_exist():
    stale = [f'{path.relative_to(ROOT)}: {getattr(node, "name", "the module")}: {name}'
             for path in module_files() for node in ast.walk(ast.parse(path.read_text('utf-8')))
             if isinstance(node, DOCUMENTED)
             for name in NAME.findall(ast.get_docstring(node) or '') if not exists(name, path)]
    assert stale == []
