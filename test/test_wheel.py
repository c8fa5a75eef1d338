"""The wheel has everything in it, and works outside the repository."""

import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import sbot
from sbot_common.compiled.cache import CACHE_DIRECTORY

ROOT = Path(__file__).parent.parent
SHARE = 'share/potential_field_bot'
# Code that was compiled for this processor stands for that of a level.
OF_THIS_PROCESSOR = f"""
from pathlib import Path
from sbot_common.compiled import cache
name_of = cache.CodeCache._name
def take(*given):
    name = name_of(*given)
    if data := cache._read(Path({str(CACHE_DIRECTORY)!r}) / name):
        cache._write(cache.CACHE_DIRECTORY / name, data)
    return name
cache.CodeCache._name = take
"""


@pytest.fixture(scope='module')
def wheel(tmp_path_factory):
    return built(tmp_path_factory.mktemp('wheel'))


def built(folder: Path, **variables: str) -> Path:
    """A wheel, built from a copy of the tree: setuptools writes beside what it builds."""
    shutil.copytree(ROOT, folder / 'tree', ignore=shutil.ignore_patterns(
        '.*', '__pycache__', '*.egg-info', 'build', 'dist', 'demo', 'docs', 'test', 'benchmark'))
    pip(folder, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', str(folder),
        str(folder / 'tree'), **variables)
    path, = folder.glob('*.whl')
    return path


def pip(folder, *arguments, **variables):
    command = [sys.executable, '-m', 'pip', '--disable-pip-version-check', *arguments, '--quiet']
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, **variables})
    assert done.returncode == 0, done.stderr


def installed(wheel: Path, folder: Path) -> Path:
    """Return the Python of a new environment that has the wheel."""
    venv = folder / 'venv'
    subprocess.run([sys.executable, '-m', 'venv', '--without-pip', str(venv)], check=True)
    python = venv / 'bin' / 'python'
    pip(folder, '--python', str(python), 'install', '--no-deps', '--no-index', '--no-compile',
        '--ignore-installed', str(wheel))
    # What it depends on comes from here; .pth files there, e.g. an editable package's, do not act.
    packages, = venv.glob('lib/python*/site-packages')
    (packages / 'dependencies.pth').write_text(f'{Path(pytest.__file__).parents[1]}\n')
    return python


def test_it_has_all_modules_and_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition('.data/data/')[2] or name for name in archive.namelist()}
    packages = [path.parent.name for path in ROOT.glob('*/__init__.py')]
    assert len(packages) >= 5
    for package in packages:
        for path in (ROOT / package).rglob('*'):
            if path.suffix in ('.py', '.pyi', '.html', '.js', '.h', '.typed'):
                assert path.relative_to(ROOT).as_posix() in names
    for folder in ('config', 'examples', 'launch'):
        for path in (ROOT / folder).rglob('*'):
            if path.is_file() and '__pycache__' not in path.parts:
                assert f'{SHARE}/{path.relative_to(ROOT).as_posix()}' in names
    assert not {name.partition('/')[0] for name in names} & {'test', 'docs', 'benchmark'}


@pytest.mark.slow
def test_it_works_where_only_it_is_installed(wheel, tmp_path):
    python = installed(wheel, tmp_path)
    done = subprocess.run([str(python), '-I', str(ROOT / '.ci' / 'smoke.py')], cwd=tmp_path,
                          capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith('sbot 0.2.0, Python ')


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != 'x86_64', reason='levels of x86-64')
def test_a_wheel_with_machine_code_compiles_nothing(tmp_path):
    """Of one level and one scenario; `make packages` makes all and tries more."""
    here = sbot.run('single_robot', duration=0.3).summary
    code, cache = tmp_path / 'code', tmp_path / 'cache'
    (tmp_path / 'sitecustomize.py').write_text(OF_THIS_PROCESSOR)
    subprocess.run([sys.executable, str(ROOT / '.ci/machine_code.py'), '--runs-only', str(code),
                    'single_robot'], check=True, timeout=900, capture_output=True,
                   env={**os.environ, 'NUMBA_CPU_NAME': 'x86-64-v2',
                        'PYTHONPATH': os.pathsep.join([str(tmp_path), str(ROOT)])})
    wheel = built(tmp_path, SBOT_MACHINE_CODE=str(code))
    assert wheel.name.endswith('_x86_64.whl')
    python = installed(wheel, tmp_path)
    command = [str(python.with_name('sbot')), 'run', 'single_robot', '--duration', '0.3', '--json']
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600,
                          cwd=tmp_path, env={**os.environ, 'NUMBA_CACHE_DIR': str(cache)})
    assert 'ompil' not in done.stderr
    assert [*cache.rglob('*.complete')]
    assert not [*cache.rglob('*.code')]
    assert json.loads(done.stdout)['trajectory_sha256'] == here['trajectory_sha256']
