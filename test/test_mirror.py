"""Tests mirror modules: `a/b/c.py` is tested by `test/a/b/test_c.py`.

A folder may be tested as a whole: by `test/a/test_b.py`, or by a conformance suite over what is
registered in it. The lists of exceptions may only become shorter.
"""

from pathlib import Path

from test_imports import PACKAGES, ROOT, module_files

TESTS = ROOT / 'test'
# Folders whose modules are registered, and the suite that all of them pass.
CONFORMANCE = {'sbot/controllers': 'sbot/controllers/test_conformance.py',
               'sbot_sim/drives': 'sbot_sim/drives/test_conformance.py',
               'sbot_sim/sensors': 'sbot_sim/sensors/test_conformance.py',
               'sbot/learn': 'sbot/learn/test_environments.py',
               'sbot/learn/tasks': 'sbot/learn/tasks/test_conformance.py'}
# Modules that only tests of other names exercise: write a test of the name, and strike one out.
WITHOUT = (TESTS / 'modules_without_test.txt').read_text('utf-8').split()
# Tests of what no single module does.
OF_MANY = (TESTS / 'tests_of_many_modules.txt').read_text('utf-8').split()


def mirror_of(module: Path, root: Path = ROOT) -> list[Path]:
    """The tests, any of which tests a module."""
    inner = module.relative_to(root)
    folder = inner.parent
    found = [root / 'test' / folder / f'test_{inner.stem}.py',
             root / 'test' / folder.parent / f'test_{folder.name}.py']
    if folder.as_posix() in CONFORMANCE:
        found.append(root / 'test' / CONFORMANCE[folder.as_posix()])
    return found


def modules() -> list[Path]:
    return [path for path in module_files() if path.name not in ('__init__.py', '__main__.py')]


def test_every_module_has_a_test_of_its_name():
    lacking = {path.relative_to(ROOT).as_posix() for path in modules()
               if not any(test.is_file() for test in mirror_of(path))}
    assert lacking - set(WITHOUT) == set(), 'modules without a test'
    assert set(WITHOUT) - lacking == set(), 'exceptions that nothing needs any more'
    assert len(set(WITHOUT)) == len(WITHOUT)


def test_every_test_has_a_module_of_its_name():
    mirrors = {test for path in modules() for test in mirror_of(path)}
    alone = {path.relative_to(TESTS).as_posix() for package in PACKAGES
             for path in (TESTS / package).rglob('test_*.py') if path not in mirrors}
    assert alone - set(OF_MANY) == set(), 'tests without a module'
    assert set(OF_MANY) - alone == set(), 'exceptions that nothing needs any more'


def test_the_names_are_seen(tmp_path):
    names = [path.relative_to(tmp_path).as_posix()
             for path in mirror_of(tmp_path / 'a' / 'b' / 'c.py', tmp_path)]
    assert names == ['test/a/b/test_c.py', 'test/a/test_b.py']
