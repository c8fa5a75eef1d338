"""The directory of machine code: what its name depends on, and who shares it."""

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from sbot_common import code_cache

ROOT = Path(__file__).resolve().parents[2]
USE_AN_ANGLE = (
    'from sbot_common.angles import quaternion_from_yaw as f\n'
    'from sbot_common.code_cache import CACHE_DIRECTORY\n'
    'f(7.0)\n'
    'print(CACHE_DIRECTORY.name, len(f.stats.cache_hits))')


def imports_of(text: bytes) -> set[str]:
    """Modules that a module may import, read from its syntax tree."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *(f'{node.module}.{alias.name}' for alias in node.names)}
    return names


def test_sources_hold_compiled_functions_and_all_that_they_import():
    sources = code_cache.compiled_sources()
    assert {'potential_field_bot.controller', 'sbot_sim.world.scene', 'wind_model.wake',
            'sbot_common.jit'} <= sources.keys()
    for name, text in sources.items():
        for other in imports_of(text):
            path = ROOT.joinpath(*other.split('.')).with_suffix('.py')
            if other.split('.')[0] in code_cache._PACKAGES and path.is_file():
                assert other in sources, f'{name} imports {other}'
    assert 'sbot_sim.ros.node' not in sources  # else an edit of a node would compile everything


def test_every_module_with_compiled_functions_is_in_the_key():
    # Else an edit of what it calls would leave its old machine code in use.
    sources = code_cache.compiled_sources()
    makes = re.compile(r'^@(njit\w*|Phase)$|(?<!class )\bPhase\(', re.MULTILINE)
    compiled = [path.relative_to(ROOT).with_suffix('') for folder in ROOT.iterdir()
                if (folder / '__init__.py').exists() for path in folder.rglob('*.py')
                if makes.search(path.read_text('utf-8'))]
    assert len(compiled) > 40
    for path in compiled:
        assert '.'.join(path.parts) in sources


def test_the_key_depends_on_what_compiled_functions_import(tmp_path):
    package = tmp_path / 'wind_model'
    package.mkdir()
    (package / 'kernel.py').write_text('from wind_model.limits import SPEED\n@njit\ndef f(): ...')
    (package / 'limits.py').write_text('SPEED = 2.0\n')
    (package / 'node.py').write_text('import rclpy\n')
    first = code_cache._key(tmp_path)
    (package / 'node.py').write_text('import rclpy.node\n')
    assert code_cache._key(tmp_path) == first
    (package / 'limits.py').write_text('SPEED = 3.0\n')
    assert code_cache._key(tmp_path) != first


@pytest.mark.parametrize(('setting', 'value'), [('OPT', 0), ('BOUNDSCHECK', 1),
                                                ('DISABLE_JIT', 1)])
def test_the_key_depends_on_the_compiler(setting, value, monkeypatch):
    before = code_cache._key()
    monkeypatch.setattr(numba.config, setting, value)
    assert code_cache._key() != before


def test_the_key_depends_on_the_processor(tmp_path):
    keys = {run_child(ROOT, tmp_path, 'from sbot_common import code_cache as c; print(c._key())',
                      NUMBA_CPU_NAME=name) for name in ('generic', 'nehalem')}
    assert len(keys) == 2


def run_child(root: Path, cache: Path, code: str = USE_AN_ANGLE, **variables: str) -> str:
    environment = {**os.environ, 'PYTHONPATH': str(root), 'NUMBA_CACHE_DIR': str(cache),
                   **variables}
    return subprocess.run([sys.executable, '-c', code], cwd=root, env=environment, text=True,
                          capture_output=True, check=True, timeout=300).stdout


def test_checkouts_of_equal_sources_share_machine_code_and_others_do_not(tmp_path):
    """numba alone compiles in each checkout, as it looks machine code up by a file's path."""
    roots = tmp_path / 'one', tmp_path / 'another', tmp_path / 'edited'
    for root in roots:
        folder = root / 'sbot_common'
        folder.mkdir(parents=True)
        for name in ('__init__', 'angles', 'jit', 'code_cache'):
            shutil.copyfile(ROOT / f'sbot_common/{name}.py', folder / f'{name}.py')
    with (roots[2] / 'sbot_common/angles.py').open('a') as file:
        file.write('# edited\n')
    (one, hits), (another, hits_there), (edited, hits_edited) = (
        run_child(root, tmp_path / 'cache').split() for root in roots)
    assert one == another != edited
    assert (hits, hits_there, hits_edited) == ('0', '1', '0')


def test_old_machine_code_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(code_cache, 'CACHE_DIRECTORY', tmp_path / 'c0ffee0000000001')
    old, new, other = (tmp_path / name for name in
                       ('0123456789abcdef', 'fedcba9876543210', 'holiday-pictures'))
    for folder in (old, new, other, code_cache.CACHE_DIRECTORY):
        folder.mkdir()
        (folder / 'complete').touch()
    for folder in (old, other):
        os.utime(folder / 'complete', (time.time() - 40 * 86400,) * 2)
    code_cache.mark_compiled()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        'c0ffee0000000001', 'fedcba9876543210', 'holiday-pictures']


@pytest.mark.parametrize('damaged', [lambda data: data[:len(data) // 2],
                                     lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:]])
def test_damaged_files_are_compiled_again_and_replaced(tmp_path, damaged):
    assert run_child(ROOT, tmp_path).split()[1] == '0'
    files = [file for kind in ('nbi', 'nbc') for file in tmp_path.rglob(f'*.{kind}')]
    assert len(files) > 1
    for file in files:
        file.write_bytes(damaged(file.read_bytes()))
    assert run_child(ROOT, tmp_path).split()[1] == '0'
    assert run_child(ROOT, tmp_path).split()[1] == '1'


def test_a_full_disk_costs_the_next_run_a_compilation_only(tmp_path):
    code = ('import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); '
            'import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n' + USE_AN_ANGLE)
    assert run_child(ROOT, tmp_path, code).split()[1] == '0'
    assert run_child(ROOT, tmp_path).split()[1] == '0'
    assert run_child(ROOT, tmp_path).split()[1] == '1'


def test_without_a_home_machine_code_is_kept_for_this_user_alone(tmp_path, monkeypatch):
    (tmp_path / 'file').touch()
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path / 'file' / 'cache'))
    monkeypatch.setattr(code_cache.tempfile, 'tempdir', str(tmp_path))
    base = tmp_path / f'potential_field_bot_{os.getuid()}'
    kept = code_cache._writable_directory()
    assert kept.parent == base
    assert base.stat().st_mode & 0o077 == 0
    assert code_cache._writable_directory() == kept
    base.chmod(0o770)  # others may have put their code there
    assert code_cache._writable_directory().parent == tmp_path
    base.chmod(0o700)
    base.rename(tmp_path / 'elsewhere')
    base.symlink_to(tmp_path / 'elsewhere')
    assert code_cache._writable_directory().parent == tmp_path
