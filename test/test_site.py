"""The documentation site: `make docs`."""

import argparse
import importlib
import json
import re
import sys
import tempfile
from pathlib import Path

import pytest

import sbot
from sbot.cli.main import COMMANDS, make_parser

ROOT = Path(__file__).parent.parent
SITE = ROOT / 'build' / 'site'


@pytest.fixture(autouse=True)
def docs_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / 'docs')


def module(name):
    return importlib.import_module(name)


def test_links_out_of_docs_lead_to_pages_made_of_those_files(tmp_path):
    module('make_site').gather(tmp_path)
    assert '](repository/examples/go_to_goal.py.md)' in (tmp_path / 'controllers.md').read_text()
    assert 'class GoToGoal' in (tmp_path / 'repository/examples/go_to_goal.py.md').read_text()
    assert '](scenario.md)' in (tmp_path / 'index.md').read_text()
    assert '](../docs/' not in (tmp_path / 'repository/CONTRIBUTING.md').read_text()
    assert (tmp_path / 'gallery/rooms.png').read_bytes().startswith(b'\x89PNG')


def test_every_page_is_in_the_navigation():
    text = json.dumps(module('make_site').navigation([{'Start': ['index.md', 'wind.md']}]))
    assert text.count('"wind.md"') == 1
    for page in (ROOT / 'docs').rglob('*.md'):
        assert f'"{page.relative_to(ROOT / "docs").as_posix()}"' in text


def options(parser):
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from options(inner)


def test_every_command_and_option_is_on_the_page_of_commands():
    page = module('reference_pages').commands_page()
    for name, _, _ in COMMANDS:
        assert f'\n## sbot {name}\n' in page
        for option in options(make_parser(name)):
            assert option in page
    assert '\n### sbot wind make\n' in page


def test_every_public_name_and_module_has_its_place():
    pages = module('reference_pages')
    api = pages.api_page()
    for name in sbot.__all__:
        assert f'## sbot.{name}\n' in api
    text = dict(pages.module_pages())
    assert '::: sbot_sim.sensors.infrared.fit\n' in text['sbot_sim.sensors.infrared']


PAGE = '<html><body id="top">{}</body></html>'


@pytest.mark.parametrize(('body', 'problem'), [
    ('<a href="other.html#here">x</a><a href="https://example.org">x</a>', ''),
    ('<a href="none.html">x</a>', 'no file none.html'),
    ('<img src="none.png">', 'no file none.png'),
    ('<a href="other.html#there">x</a>', 'no place other.html#there'),
    ('<a href="#bottom">x</a>', 'no place #bottom'),
    ('<script src="https://example.org/a.js"></script>', 'loads https://example.org/a.js'),
    ('<link rel="stylesheet" href="//example.org/a.css">', 'loads //example.org/a.css'),
])
def test_what_is_missing_from_a_site_is_found(tmp_path, body, problem):
    (tmp_path / 'index.html').write_text(PAGE.format(body))
    (tmp_path / 'other.html').write_text(PAGE.format('<h2 id="here">x</h2>'))
    found = list(module('check_site').problems(tmp_path))
    assert len(found) == bool(problem)
    assert problem in ''.join(found)


def test_the_text_after_a_parameters_name_is_its_description(tmp_path):
    griffe = pytest.importorskip('griffe')
    (tmp_path / 'taught.py').write_text(
        'def f(x: int) -> None:\n    """Do.\n\n    Parameters\n    ----------\n'
        '    x : how many\n        of them\n\n    """\n')
    loaded = griffe.load('taught', search_paths=[tmp_path], docstring_parser='numpy',
                         extensions=griffe.load_extensions(str(ROOT / 'docs/griffe_prose.py')))
    parameter, = next(section.value for section in loaded['f'].docstring.parsed
                      if section.kind.value == 'parameters')
    assert str(parameter.annotation) == 'int'
    assert parameter.description == 'how many of them'


# A command, an option, a scenario key, a topic, a parameter, a function.
WORDS = {'sbot wind wake': 'commands', 'lateral_reach_radii': 'scenario',
         'rab_data': 'ros2', 'lockstep_timeout': 'ros2', 'cast_scans': 'modules/sbot_sim'}


@pytest.mark.skipif(not (SITE / 'index.html').exists(), reason='`make docs` builds the site')
def test_the_search_works_in_a_page_opened_from_a_folder():
    sys.path.insert(0, str(ROOT / 'test' / 'sbot'))
    from browser import CHROMIUM, Browser
    if CHROMIUM is None:
        pytest.skip('no Chromium')
    with tempfile.TemporaryDirectory() as profile, Browser(profile, 1200, 900) as browser:
        for words, page in WORDS.items():
            browser.call('Page.navigate', url='about:blank')
            browser.call('Page.navigate', url=(SITE / 'index.html').as_uri())
            browser.wait_for('document.readyState === "complete" && '
                             '!!document.querySelector(".md-search__button")')
            found = ('[...document.querySelectorAll("*")].flatMap(e => e.shadowRoot ? '
                     '[...e.shadowRoot.querySelectorAll("a")] : []).map(a => a.href)')
            # The button does nothing until the search has started.
            browser.wait_for('document.querySelector(".md-search__button").click() || '
                             '[...document.querySelectorAll("*")].some(e => '
                             'e.shadowRoot?.querySelector("input"))')
            browser.call('Input.insertText', text=words)
            browser.wait_for(f'{found}.some(a => a.includes({json.dumps("/" + page)}))')
        assert not browser.errors
    assert not re.findall(r'https?://[^"]+', (SITE / 'offline_search.js').read_text())
