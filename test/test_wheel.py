"""The wheel has everything in it, and works outside the repository."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARE = 'share/potential_field_bot'


@pytest.fixture(scope='module')
def wheel(tmp_path_factory):
    """A wheel, built from a copy of the tree: setuptools writes beside what it builds."""
    folder = tmp_path_factory.mktemp('wheel')
    shutil.copytree(ROOT, folder / 'tree', ignore=shutil.ignore_patterns(
        '.*', '__pycache__', '*.egg-info', 'build', 'dist', 'demo', 'docs', 'test', 'benchmark'))
    pip(folder, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', str(folder),
        str(folder / 'tree'))
    path, = folder.glob('*.whl')
    return path


def pip(folder, *arguments):
    command = [sys.executable, '-m', 'pip', '--disable-pip-version-check', *arguments, '--quiet']
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_it_has_all_modules_and_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition('.data/data/')[2] or name for name in archive.namelist()}
    packages = [path.parent.name for path in ROOT.glob('*/__init__.py')]
    assert len(packages) >= 5
    for package in packages:
        for path in (ROOT / package).rglob('*'):
            if path.suffix in ('.py', '.html', '.js', '.h', '.typed'):
                assert path.relative_to(ROOT).as_posix() in names
    for folder in ('config', 'examples', 'launch'):
        for path in (ROOT / folder).rglob('*'):
            if path.is_file() and '__pycache__' not in path.parts:
                assert f'{SHARE}/{path.relative_to(ROOT).as_posix()}' in names
    assert not {name.partition('/')[0] for name in names} & {'test', 'docs', 'benchmark'}


@pytest.mark.slow
def test_it_works_where_only_it_is_installed(wheel, tmp_path):
    venv = tmp_path / 'venv'
    subprocess.run([sys.executable, '-m', 'venv', '--without-pip', str(venv)], check=True)
    python = venv / 'bin' / 'python'
    pip(tmp_path, '--python', str(python), 'install', '--no-deps', '--no-index',
        '--ignore-installed', str(wheel))
    # What it depends on comes from here; .pth files there, e.g. an editable package's, do not act.
    packages, = venv.glob('lib/python*/site-packages')
    (packages / 'dependencies.pth').write_text(f'{Path(pytest.__file__).parents[1]}\n')
    done = subprocess.run([str(python), '-I', str(ROOT / '.ci' / 'smoke.py')], cwd=tmp_path,
                          capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith('sbot 0.1.0, Python ')
