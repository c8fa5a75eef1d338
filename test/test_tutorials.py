"""Every command of the tutorials runs and gives the output that they show."""

import hashlib
import importlib.util
import json
import re
from pathlib import Path

import pytest
from forked_commands import forked_commands
from tutorials import blocks, run_page

FOLDER = Path(__file__).parent.parent / 'docs' / 'tutorials'
PAGES = sorted(set(FOLDER.glob('*.md')) - {FOLDER / 'index.md'})
NOT_MADE = ('nav2/nav2_hall.png', 'nav2/nav2_door.png')
# Of pages whose outputs show no number that depends on it.
SHORTER = {'learned_on_ros': ('--duration 40', '--duration 8'),
           'evolve_a_policy': ('--generations 15', '--generations 3')}
HAS_ROS = importlib.util.find_spec('rclpy') is not None


@pytest.fixture
def commands(tmp_path_factory):
    """A folder with `sbot` and `python`."""
    folder = tmp_path_factory.mktemp('bin')
    with forked_commands(folder):
        yield folder


@pytest.mark.forked
@pytest.mark.slow
@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_it_runs(page, tmp_path, commands):
    if "'.[train]'" in page.read_text('utf-8'):
        pytest.importorskip('stable_baselines3', reason='extra train is missing')
    whole, short = SHORTER.get(page.stem, ('', ''))
    (commands / page.name).write_text(page.read_text('utf-8').replace(whole, short), 'utf-8')
    run_page(commands / page.name, tmp_path, HAS_ROS, commands)
    for picture in re.findall(r'!\[[^]]+\]\(([^)]+)\)', page.read_text('utf-8')):
        # A picture of commands that are shown and not run, as with Nav2, is in the repository.
        made, = ([FOLDER / picture] if picture in NOT_MADE else tmp_path.rglob(Path(picture).name))
        assert made.stat().st_size > 1000


@pytest.mark.forked
@pytest.mark.slow
def test_the_first_commands_of_the_readme_run(tmp_path, commands):
    first = next(block for block in blocks((FOLDER.parents[1] / 'README.md').read_text('utf-8'))
                 if block.language == 'bash')
    install, *others = first.text.splitlines()
    assert install.startswith('pip install .')
    (tmp_path / 'page.md').write_text('\n'.join(['```bash', *others, '```', '']))
    run_page(tmp_path / 'page.md', tmp_path, HAS_ROS, commands)
    assert (tmp_path / 'tracks.png').exists()
    assert (tmp_path / 'run.html').exists()
    assert (tmp_path / 'film.gif').exists()


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_it_has_a_picture_a_next_step_and_a_place_in_the_index(page):
    text = page.read_text('utf-8')
    assert '![' in text
    assert re.search(r'^Next: \[', text, re.MULTILINE)
    assert f'({page.name})' in (FOLDER / 'index.md').read_text('utf-8')


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_what_it_needs_beside_the_package_stands_at_its_top(page):
    text = page.read_text('utf-8')
    made = [block for block in blocks(text) if block.language in ('bash', 'python')]
    needs = {'pytest': any('-m pytest' in block.text for block in made),
             "'.[pandas]'": any('to_dataframe' in block.text for block in made),
             "'.[sweep]'": any('sbot.sweep(' in block.text for block in made),
             "'.[evolve]'": any('-m sbot.learn.proof' in block.text and '--learner ppo' not in
                                block.text for block in made),
             "'.[train]'": any('stable_baselines3' in block.text or '--learner ppo' in block.text
                               for block in made),
             "'.[ros]'": any(block.needs_ros for block in made)}
    top = text.partition('\n## ')[0]
    assert {what for what in needs if f'`pip install {what}`' in top} == {
        what for what, needed in needs.items() if needed}


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_its_notebook_was_made_from_it(page):
    notebook = json.loads(page.with_suffix('.ipynb').read_text('utf-8'))
    digest = hashlib.sha256(page.read_text('utf-8').encode()).hexdigest()
    assert notebook['metadata']['page_sha256'] == digest, f'make notebooks ARGUMENTS={page.stem}'
    cells = [cell for cell in notebook['cells'] if cell['cell_type'] == 'code']
    assert len(cells) == sum(block.language in ('bash', 'python')
                             for block in blocks(page.read_text('utf-8')))
    assert any(cell['outputs'] for cell in cells)
    assert page.with_suffix('.ipynb').stat().st_size < 200_000
