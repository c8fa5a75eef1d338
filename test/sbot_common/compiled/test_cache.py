"""The cache of machine code: what its directory and files depend on, and who shares them."""

import os
import platform
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest
from numba.core.registry import cpu_target

from sbot_common.compiled import cache
from sbot_common.compiled.cache import _own_key, shipped_key, usable_levels

ROOT = Path(__file__).resolve().parents[3]
USE_A_CELL = (  # a function that is compiled in a quarter of a second
    'from sbot_common.spatial import cell_index as f\n'
    'from sbot_common.compiled.cache import CACHE_DIRECTORY\n'
    'f(7.0, 0.0, 1.0, 9)\n'
    'print(CACHE_DIRECTORY.name, len(f.stats.cache_hits))')


@pytest.mark.parametrize(('setting', 'value'), [
    ('OPT', 0), ('BOUNDSCHECK', 0 if numba.config.BOUNDSCHECK else 1)])
def test_the_key_depends_on_the_compiler(setting, value, monkeypatch):
    before = _own_key()
    monkeypatch.setattr(numba.config, setting, value)
    assert _own_key() != before


def test_the_key_depends_on_the_processor(tmp_path):
    code = 'from sbot_common.compiled.cache import _own_key; print(_own_key())'
    keys = {run_child(ROOT, tmp_path, code, NUMBA_CPU_NAME=name)
            for name in ('generic', 'nehalem')}
    assert len(keys) == 2


def run_child(root: Path, cache_home: Path, code: str = USE_A_CELL, **variables: str) -> str:
    environment = {**os.environ, 'PYTHONPATH': str(root), 'NUMBA_CACHE_DIR': str(cache_home),
                   **variables}
    return subprocess.run([sys.executable, '-c', code], cwd=root, env=environment, text=True,
                          capture_output=True, check=True, timeout=300).stdout


def copied_checkout(root: Path, old: str = '', new: str = '') -> Path:
    folder = root / 'sbot_common'
    for name in ('__init__', 'spatial'):
        (folder / 'compiled').mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / f'sbot_common/{name}.py', folder / f'{name}.py')
    for name in ('compiled', 'elementary'):
        shutil.copytree(ROOT / 'sbot_common' / name, folder / name, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns('__pycache__'))
    edited = folder / 'spatial.py'
    text = edited.read_text('utf-8')
    assert old in text
    edited.write_text(text.replace(old, new, 1) if old else text, 'utf-8')
    return root


def test_checkouts_share_the_machine_code_of_equal_functions(tmp_path):
    """numba alone compiles in each checkout, as it looks machine code up by a file's path."""
    def hits(name: str, *change: str) -> str:
        return run_child(copied_checkout(tmp_path / name, *change), tmp_path / 'cache').split()[1]
    assert hits('one') == '0'
    assert hits('another') == '1'
    assert hits('a_comment', 'def cell_index', '# Edited.\ndef edited(): ...\n\n\n'
                '@njit\ndef cell_index') == '1'
    assert hits('an_edit', '(value - origin) / cell', '(value + origin) / cell') == '0'
    assert hits('one_again', '', '') == '1'  # the edited one has replaced nothing


@pytest.fixture(scope='module')
def package(tmp_path_factory):
    """A checkout with machine code of its own, of a level that this processor has."""
    folder, level = tmp_path_factory.mktemp('shipped'), LEVELS[-1]
    root = copied_checkout(folder / 'package')
    run_child(root, folder / 'made', NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES='')
    code = root / 'sbot_common/compiled/machine_code' / shipped_key(level)
    code.mkdir(parents=True)
    for path in (folder / 'made').glob('*/*.code'):
        shutil.copyfile(path, code / path.name)
    return root


@pytest.fixture
def shipped(package, tmp_path):
    """A copy of that checkout, for one test."""
    return shutil.copytree(package, tmp_path / 'package')


@pytest.fixture(scope='module')
def compiled(tmp_path_factory):
    """A cache that has been filled."""
    folder = tmp_path_factory.mktemp('compiled')
    assert run_child(ROOT, folder).split()[1] == '0'
    return folder


@pytest.fixture
def filled(compiled, tmp_path):
    """A copy of that cache, for one test."""
    return shutil.copytree(compiled, tmp_path / 'filled')


LEVELS = usable_levels()
of_a_level = pytest.mark.skipif(not LEVELS, reason='no level of processors is known here')


@of_a_level
def test_machine_code_of_the_package_is_used_before_the_users(shipped, tmp_path):
    root, cache_home = shipped, tmp_path / 'cache'
    assert run_child(root, cache_home).split()[1] == '1'
    assert not [*cache_home.rglob('*.code')]
    assert run_child(root, cache_home, NUMBA_CPU_NAME=LEVELS[-1]).split()[1] == '1'
    assert not [*cache_home.rglob('*.code')]


@of_a_level
@pytest.mark.parametrize('variables', [{'NUMBA_CPU_NAME': 'nehalem'}, {'NUMBA_OPT': '1'}])
def test_another_processor_or_setting_compiles(shipped, tmp_path, variables):
    if platform.machine() != 'x86_64' and 'NUMBA_CPU_NAME' in variables:
        pytest.skip('a processor of x86-64')
    root, cache_home = shipped, tmp_path / 'cache'
    assert run_child(root, cache_home, **variables).split()[1] == '0'
    assert [*cache_home.rglob('*.code')]


@of_a_level
def test_damaged_machine_code_of_the_package_is_compiled_for_the_user(shipped, tmp_path):
    root, cache_home = shipped, tmp_path / 'cache'
    path, = root.rglob('*cell_index-*.code')
    path.write_bytes(path.read_bytes()[:-9])
    damaged = path.read_bytes()
    assert run_child(root, cache_home).split()[1] == '0'
    assert path.read_bytes() == damaged  # a package is read only
    assert run_child(root, cache_home).split()[1] == '1'


@of_a_level
def test_a_function_of_the_users_compiles_against_the_packages(shipped, tmp_path):
    code = ("""
import numpy as np
from sbot_common.spatial import cell_index
from sbot_common.compiled.jit import njit

@njit
def twice(x):
    return cell_index(2.0 * x, 0.0, 1.0, 9)

print(twice(2.2) == cell_index(4.4, 0.0, 1.0, 9) == 4)""")
    (tmp_path / 'own.py').write_text(code)
    root, cache_home = shipped, tmp_path / 'cache'
    assert run_child(root, cache_home, f'import sys; sys.path.append({str(tmp_path)!r}); '
                                       'import own') == 'True\n'
    assert [path.name.partition('-')[0] for path in cache_home.rglob('*.code')] == ['own.twice']


@of_a_level
def test_a_package_that_others_can_write_to_is_trusted_as_its_modules_are(shipped, tmp_path):
    root, cache_home = shipped, tmp_path / 'cache'
    path, = root.rglob('*cell_index-*.code')
    path.chmod(0o666)
    assert run_child(root, cache_home).split()[1] == '1'


def test_old_machine_code_goes(tmp_path):
    folders = [tmp_path / name for name in ('0123456789abcdef', 'fedcba9876543210', 'pictures')]
    for folder in folders:
        folder.mkdir()
        for name in ('new.code', 'old.code'):
            (folder / name).touch()
        os.utime(folder / 'old.code', (time.time() - 40 * 86400,) * 2)
    cache._delete_unused(folders[0])
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob('*.code'))
    assert left == ['0123456789abcdef/new.code', 'fedcba9876543210/new.code', 'pictures/new.code',
                    'pictures/old.code']


def test_a_file_that_is_used_is_kept(filled):
    files = list(filled.rglob('*.code'))
    for file in files:
        os.utime(file, (time.time() - 40 * 86400,) * 2)
    assert run_child(ROOT, filled).split()[1] == '1'
    assert any(time.time() - file.stat().st_mtime < 86400 for file in files)


def test_a_warm_up_is_remembered_for_these_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, 'CACHE_DIRECTORY', tmp_path / ('0' * 16))
    cache.CACHE_DIRECTORY.mkdir()
    assert not cache.is_warm()
    cache.mark_warm()
    assert cache.is_warm()
    monkeypatch.setattr(cache, '_PACKAGES', ('sbot_common',))
    assert not cache.is_warm()


@pytest.mark.parametrize('damaged', [lambda data: data[:len(data) // 2],
                                     lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:]])
def test_damaged_files_are_compiled_again_and_replaced(filled, damaged):
    files = list(filled.rglob('*.code'))
    assert files
    for file in files:
        file.write_bytes(damaged(file.read_bytes()))
    assert run_child(ROOT, filled).split()[1] == '0'
    assert run_child(ROOT, filled).split()[1] == '1'


def test_a_full_disk_costs_the_next_run_a_compilation_only(tmp_path):
    code = ('import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); '
            'import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n' + USE_A_CELL)
    assert run_child(ROOT, tmp_path, code).split()[1] == '0'
    assert run_child(ROOT, tmp_path).split()[1] == '0'
    assert run_child(ROOT, tmp_path).split()[1] == '1'


def test_without_a_home_machine_code_is_kept_for_this_user_alone(tmp_path, monkeypatch):
    (tmp_path / 'file').touch()
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path / 'file' / 'cache'))
    monkeypatch.setattr(cache.tempfile, 'tempdir', str(tmp_path))
    base = tmp_path / f'potential_field_bot_{os.getuid()}'
    kept = cache._writable_directory()
    assert kept.parent == base
    assert base.stat().st_mode & 0o077 == 0
    assert cache._writable_directory() == kept
    base.chmod(0o770)  # others may have put their code there
    assert cache._writable_directory().parent == tmp_path
    base.chmod(0o700)
    base.rename(tmp_path / 'elsewhere')
    base.symlink_to(tmp_path / 'elsewhere')
    assert cache._writable_directory().parent == tmp_path


@pytest.mark.parametrize('place', ['NUMBA_CACHE_DIR', 'HOME'])
@pytest.mark.parametrize('shared', ['above', 'the key'])
def test_a_cache_that_others_can_write_to_is_not_used(tmp_path, monkeypatch, caplog, place,
                                                      shared):
    for name in ('NUMBA_CACHE_DIR', 'XDG_CACHE_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(place, str(tmp_path / 'above'))
    monkeypatch.setattr(cache.tempfile, 'tempdir', str(tmp_path))
    usual = cache._writable_directory()
    assert usual.is_relative_to(tmp_path / 'above')
    assert caplog.messages == []
    opened = {'above': tmp_path / 'above', 'the folder': usual.parent, 'the key': usual}[shared]
    opened.chmod(0o777)
    instead = cache._writable_directory()
    assert instead.parent == tmp_path / f'potential_field_bot_{os.getuid()}'
    assert caplog.messages == [
        f'{opened}: other users can write there, so machine code is kept in {instead} instead '
        '(chmod go-w, or set NUMBA_CACHE_DIR)']


V2 = '+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3'
V3 = f'{V2},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe'


@pytest.fixture
def processor(monkeypatch):
    """A function that lets numba see another processor."""
    def see(triple: str, name: str, features: str) -> None:
        codegen = cpu_target.target_context.codegen()
        monkeypatch.setattr(type(codegen), 'magic_tuple', lambda _: (triple, name, features))
    monkeypatch.setattr(cache.numba.config, 'CPU_NAME', None)
    return see


@pytest.mark.parametrize(('triple', 'features', 'levels'), [
    ('x86_64-unknown-linux-gnu', f'{V3},-avx512f', ['x86-64-v3', 'x86-64-v2']),
    ('x86_64-unknown-linux-gnu', V3.replace('+fma', '-fma'), ['x86-64-v2']),
    ('x86_64-unknown-linux-gnu', V2.replace('+popcnt,', ''), []),
    ('aarch64-unknown-linux-gnu', '-sve', ['generic']), ('riscv64-unknown-linux-gnu', '+m', [])])
def test_levels_that_a_processor_has(processor, triple, features, levels):
    processor(triple, 'any', features)
    assert cache.usable_levels() == levels


def test_a_level_is_for_all_builds_of_a_version_but_not_for_others(monkeypatch):
    before, own = cache.shipped_key('x86-64-v3'), cache._own_key()
    monkeypatch.setattr(cache.sys, 'version', '3.99.1 (of another distribution)')
    assert cache.shipped_key('x86-64-v3') == before
    assert cache._own_key() != own
    assert cache.shipped_key('x86-64-v2') != before
    real = cache.version
    for package in ('numba', 'llvmlite', 'numpy'):
        monkeypatch.setattr(cache, 'version', lambda name, package=package: (
            '99.1' if name == package else real(name)))
        assert cache.shipped_key('x86-64-v3') != before


def status(mode, owner=None):
    return SimpleNamespace(st_mode=stat.S_IFREG | mode, st_gid=4711,
                           st_uid=os.getuid() if owner is None else owner)


@pytest.mark.parametrize(('name', 'members', 'private'), [
    ('ada', [], True), ('ada', ['ada'], True), ('ada', ['bob'], False), ('staff', [], False)])
def test_the_group_of_a_user_is_the_user(monkeypatch, name, members, private):
    """As where the umask is 002."""
    monkeypatch.setattr('pwd.getpwuid', lambda _: SimpleNamespace(pw_name='ada', pw_gid=4711))
    monkeypatch.setattr('grp.getgrgid', lambda _: SimpleNamespace(gr_name=name, gr_mem=members))
    assert cache._is_private(status(0o775)) is private
