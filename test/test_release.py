"""`make release HOME=...`: every file names the home, and no placeholder is left."""

import subprocess
from pathlib import Path

import pytest
import yaml
from loaded import load

ROOT = Path(__file__).resolve().parents[1]
HOME = 'https://example.org/x'


def of_release():
    return load(ROOT / '.ci' / 'release.py')


def make(*words):
    return subprocess.run(['make', 'release', *words], cwd=ROOT, capture_output=True, text=True,
                          check=False)


@pytest.fixture(scope='module')
def released():
    if not (ROOT / '.git').exists():
        pytest.skip('no clone')
    done = make(f'HOME={HOME}')
    assert done.returncode == 0, done.stderr
    return ROOT / 'build' / 'release'


def text(path):
    return path.read_text('utf-8', errors='replace')


def test_no_placeholder_is_left(released):
    old = of_release().placeholders()
    assert set(old) == {'HOME', 'DOCS', 'MAIL'}
    files = [path for path in released.rglob('*') if path.is_file()]
    assert len(files) > 1000
    for path in files:
        found = [place for place in old.values() if place in text(path)]
        assert not found, path.relative_to(released)


@pytest.mark.parametrize(('name', 'said'), [
    ('setup.py', f"HOME = '{HOME}'\nDOCS = '{HOME}/docs'\nMAIL = 'maintainers@example.org'\n"),
    ('package.xml', f'<url type="repository">{HOME}</url>'),
    ('CITATION.cff', f'\nrepository-code: {HOME}\n'),
    ('mkdocs.yml', f'\nsite_url: {HOME}/docs/\n'),
    ('README.md', f'{HOME}/actions/workflows/ci.yml/badge.svg'),
    ('README.md', '\npip install potential_field_bot '),
    ('README.md', "\npip install 'potential_field_bot[evolve]' "),
    ('SECURITY.md', f'{HOME}/security/advisories/new'),
    ('.github/ISSUE_TEMPLATE/config.yml', f'{HOME}/docs'),
    ('conda/recipe.yaml', f'\n  homepage: {HOME}\n'),
    ('docs/install.md', f'`git clone {HOME}`'),
    ('docs/learning.md', "\npip install 'potential_field_bot[train]' "),
    ('docs/tutorials/sweep.md', "`pip install 'potential_field_bot[sweep]'`."),
    ('sbot_common/errors.py', "pip install 'potential_field_bot[{extra}]'\""),
    ('.github/workflows/platforms.yml', 'python -m pip install .\n')])
def test_files_name_the_home(released, name, said):
    assert said in text(released / name)


def test_settings_can_still_be_read(released):
    for name in ('CITATION.cff', 'mkdocs.yml', 'conda/recipe.yaml'):
        assert isinstance(yaml.safe_load(text(released / name)), dict)


@pytest.mark.parametrize(('home', 'docs'), [
    ('https://github.com/Owner/name', 'https://owner.github.io/name'),
    ('https://example.org/x', 'https://example.org/x/docs')])
def test_pages_of_a_home_on_github_are_at_its_pages(home, docs):
    assert of_release().docs_of(home) == docs


@pytest.mark.parametrize('words', [[], ['HOME=ftp://x/y'], ['HOME=https://example.org']])
def test_a_home_that_is_no_address_is_refused(words):
    done = make(*words)
    assert done.returncode != 0
    assert 'https://' in done.stdout + done.stderr
