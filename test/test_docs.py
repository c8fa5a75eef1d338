"""What the docs promise about files is true."""

import re
from pathlib import Path

import pytest
from loaded import load

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'docs').glob('*.md'))]


@pytest.mark.parametrize('page', [*PAGES, *sorted((ROOT / 'docs/tutorials').glob('*.md'))],
                         ids=lambda page: page.name)
def test_no_page_has_marks_of_a_merge(page):
    assert not re.findall(r'^(?:<{7}|={7}|>{7})(?: .*)?$', page.read_text('utf-8'), re.MULTILINE)


TABLES = [  # page, script, function
    ('scenario.md', 'make_scenario_tables', 'with_tables'),
    ('potential_field.md', 'make_potential_field_table', 'with_table'),
    ('tasks.md', 'make_learning_tables', 'with_tables'),
    ('learned_results.md', 'make_learning_tables', 'with_tables'),
    ('reliability.md', 'make_limits_table', 'with_table'),
    ('results.md', 'make_results_table', 'with_table'),
    ('navigation_benchmark.md', 'make_results_table', 'with_benchmark'),
    ('your_node.md', 'make_public_nodes_table', 'with_table'),
    *((page, 'make_performance_tables', 'with_tables')
      for page in ('performance.md', 'elementary.md', 'sweeps.md'))]


@pytest.mark.parametrize(('page', 'script', 'update'), TABLES, ids=lambda each: each)
def test_the_tables_of_a_page_are_those_that_its_script_makes(page, script, update):
    text = (ROOT / 'docs' / page).read_text('utf-8')
    given = (page, text) if script == 'make_performance_tables' else (text,)
    made = getattr(load(ROOT / 'docs' / f'{script}.py'), update)(*given)
    assert made == text, f'run python docs/{script}.py'


def test_the_types_of_overrides_are_those_of_the_declarations():
    text = (ROOT / 'sbot' / 'api' / 'overrides.pyi').read_text('utf-8')
    assert load(ROOT / 'docs' / 'make_overrides.py').stub() == text, (
        'run python docs/make_overrides.py')


def anchors(page):
    """Names of a page's headings in links, as GitHub makes them."""
    headings = re.findall(r'^#+ (.+)$', page.read_text('utf-8'), re.MULTILINE)
    return {re.sub(r'[^\w -]', '', heading).lower().replace(' ', '-') for heading in headings}


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_links_and_pictures_exist(page):
    for target, heading in re.findall(r'\]\(([^)#]*)#?([^)]*)\)', page.read_text('utf-8')):
        if not target.startswith(('http://', 'https://')):
            path = page.parent / target if target else page
            assert path.exists(), target
            assert not heading or heading in anchors(path), f'{target}#{heading}'


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_paths_of_modules_exist(page):
    found = re.findall(r'(?<![\w/.])((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)\b', page.read_text('utf-8'))
    for path in found:
        assert (ROOT / path).exists(), path


def test_every_erratum_is_on_the_way_from_its_document_to_a_command():
    errata, way = ((ROOT / 'docs' / name).read_text('utf-8')
                   for name in ('errata.md', 'from_documents.md'))
    named = re.sub(r'([A-Z])(\d+) to [A-Z](\d+)', lambda m: ', '.join(
        f'{m[1]}{i}' for i in range(int(m[2]), int(m[3]) + 1)), way)
    rows = [line for line in named.splitlines() if line.startswith('| ')]
    found = set(re.findall(r'\b[PWSRF]\d+\b', ' '.join(rows)))
    assert found == set(re.findall(r'^\| ([A-Z]\d+) \|', errata, re.MULTILINE))
    sections = [row.split(' | ')[0].removeprefix('| ') for row in rows]
    first = sections.index('1')
    assert sections[first:first + 19] == [str(i) for i in range(1, 20)]  # of document 001


def test_every_package_and_folder_is_in_the_architecture():
    text = (ROOT / 'docs' / 'architecture.md').read_text('utf-8')
    rows = dict(re.findall(r'^\| `(\w+)` \| (.+) \|$', text, re.MULTILINE))
    setup = (ROOT / 'setup.py').read_text('utf-8')
    packages = {'potential_field_bot', *re.findall(r"'(\w+)'", re.search(r'^TOP = (.+)$', setup,
                                                                         re.MULTILINE)[1])}
    assert packages <= rows.keys()
    for package in packages:
        for path in (ROOT / package).rglob('__init__.py'):
            folder = path.parent
            if folder != ROOT / package and 'scenario' not in folder.parent.name:
                assert f'`{folder.name}`' in rows[package], folder.relative_to(ROOT)


def test_no_page_or_message_installs_from_an_index():
    """No index has the package: extras are those of a checkout, until `make release`."""
    if '.invalid' not in (ROOT / 'setup.py').read_text('utf-8'):
        pytest.skip('released')
    pages = [path for folder in ('docs', 'examples', 'sbot', 'sbot_common', 'sbot_sim')
             for path in (ROOT / folder).rglob('*') if path.suffix in ('.md', '.py', '.ipynb')]
    assert len(pages) > 300
    for path in (*pages, *ROOT.glob('*.md')):
        assert 'potential_field_bot[' not in path.read_text('utf-8'), path


def test_every_dependency_has_its_reason():
    setup = (ROOT / 'setup.py').read_text('utf-8')
    table = (ROOT / 'docs' / 'dependencies.md').read_text('utf-8')
    required = re.findall(r"'([A-Za-z][\w-]*)>=", setup)
    assert len(required) > 10
    for name in required:
        assert name in table, name
