"""`sbot docs` shows the pages that messages name, from every kind of installation."""

import re
from pathlib import Path

from sbot.cli.library import _pages
from sbot.cli.main import main

ROOT = Path(__file__).parents[3]


def test_every_page_is_listed_with_its_title(capsys):
    assert main(['docs']) == 0
    out = capsys.readouterr().out
    assert re.search(r'^install +Install$', out, re.MULTILINE)
    listed = set(re.findall(r'^(\S+)  +\S', out, re.MULTILINE)) - {'read'}
    folder = ROOT / 'docs'
    assert listed == {path.relative_to(folder).with_suffix('').as_posix()
                      for path in folder.rglob('*.md')}


def test_a_page_is_printed_by_any_of_its_names(capsys):
    for name in ('ros2', 'docs/ros2.md', 'ros2.md'):
        assert main(['docs', name]) == 0
        assert capsys.readouterr().out == (ROOT / 'docs' / 'ros2.md').read_text('utf-8')


def test_an_unknown_page_is_one_line_with_the_nearest(capsys):
    assert main(['docs', '../README']) == 2
    assert main(['docs', 'scenarios']) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("sbot: PAGE: unknown name '../README'; ")
    assert second == "sbot: PAGE: unknown name 'scenarios'; did you mean 'scenario'?"


def test_a_word_that_is_no_page_lists_the_sections_that_have_it(capsys):
    assert main(['docs', 'zones']) == 0
    assert re.search(r'^  scenario#world$', capsys.readouterr().out, re.MULTILINE)
    assert main(['docs', 'Wind_Gust']) == 0  # the beginning of a key, in any case
    found = re.findall(r'^  (\S+)#(\S+)$', capsys.readouterr().out, re.MULTILINE)
    assert found
    for page, anchor in found:
        text = (ROOT / 'docs' / f'{page}.md').read_text('utf-8')
        assert anchor in [re.sub(r'[^\w -]', '', line.lower()).strip().replace(' ', '-')
                          for line in text.splitlines() if line.startswith('#')]
    assert main(['docs', 'own', 'node']) == 0
    assert 'tutorials/external_node#' in capsys.readouterr().out
    assert main(['docs', 'breakpoint']) == 0  # a word of the site's search
    assert 'tutorials/find_a_bug#' in capsys.readouterr().out
    assert main(['docs', 'nowherefound']) == 2
    assert capsys.readouterr().err.startswith("sbot: PAGE: unknown name 'nowherefound'")


def test_pages_that_modules_name_exist():
    known = _pages()
    named = {found for package in ('sbot', 'sbot_common', 'sbot_sim', 'wind_model',
                                   'potential_field_bot')
             for path in (ROOT / package).rglob('*.py')
             for found in re.findall(r'docs/([a-z_0-9/]+)\.md', path.read_text('utf-8'))}
    assert len(named) > 10
    assert named <= known.keys()
