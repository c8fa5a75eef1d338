"""The documentation site: `make docs`."""

import argparse
import importlib
import json
from pathlib import Path

import pytest

import sbot
from sbot.cli.main import COMMANDS, make_parser

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def docs_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / 'docs')


def module(name):
    return importlib.import_module(name)


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
    assert '::: sbot_sim.sensors.infrared_table\n' in text['sbot_sim.sensors']


PAGE = '<html><body id="top">{}</body></html>'


@pytest.mark.parametrize(('body', 'problem'), [
    ('<a href="other.html#here">x</a><a href="https://example.org">x</a>', ''),
    ('<a href="none.html">x</a>', 'no file none.html'),
    ('<img src="none.png">', 'no file none.png'),
    ('<a href="other.html#there">x</a>', 'no place other.html#there'),
    ('<a href="#bottom">x</a>', 'no place #bottom'),
    ('<script src="https://example.org/a.js"></script>', 'loads https://example.org/a.js'),
    ('<link rel="stylesheet" href="//example.org/a.css">', 'loads //example.org/a.css')])
def test_what_is_missing_from_a_site_is_found(tmp_path, body, problem):
    (tmp_path / 'index.html').write_text(PAGE.format(body))
    (tmp_path / 'other.html').write_text(PAGE.format('<h2 id="here">x</h2>'))
    found = list(module('check_site').problems(tmp_path))
    assert len(found) == bool(problem)
    assert problem in ''.join(found)


def test_pages_for_users_come_before_internal_modules():
    def item(location, title):
        return {'location': location, 'level': 1, 'title': title, 'text': '', 'path': ['P'],
                'tags': []}
    found = module('finish_site').entries(
        [item('modules/a.html#b', 'read_wind'), item('wind.html', 'Wind')],
        {'wind.html': [('speed', 'speed', 'how fast', 'Mean')]})
    assert [each['location'] for each in found] == ['wind.html#speed', 'wind.html',
                                                   'modules/a.html#b']
    assert found[0]['path'] == ['P', 'Wind', 'Mean']
    assert 'read_wind' not in found[2]['title']
    assert found[2]['title'].replace('\u200b', '') == 'read_wind'
    assert 'read_wind' in found[2]['text']


def test_gallery_pictures_have_both_grounds_and_films_where_they_are_made(tmp_path, monkeypatch):
    made = module('make_site')
    monkeypatch.setattr(made, 'GALLERY', tmp_path)
    text = '![Boids](gallery/flocking.png) ![Film](gallery/flocking.gif)'
    assert made.both_grounds(text, 'gallery.md') == text
    for end in ('.dark.png', '.mp4', '.dark.mp4'):
        (tmp_path / f'flocking{end}').write_bytes(b'')
    changed = made.both_grounds(text, 'gallery.md')
    assert '](gallery/flocking.png#only-light)' in changed
    assert '](gallery/flocking.dark.png#only-dark)' in changed
    assert '<video class="only-light" controls muted' in changed
    assert 'src="gallery/flocking.mp4"' in changed
    assert changed.count('class="only-dark"') == 1
    assert 'src="gallery/flocking.dark.mp4"' in changed
    assert 'flocking.gif' not in changed


def test_pictures_of_all_pages_have_both_grounds(tmp_path, monkeypatch):
    made, site = module('make_site'), tmp_path / 'site'
    monkeypatch.setattr(made, 'GALLERY', tmp_path)
    text = '![A run](figures/demo.gif) ![Tracks](sweep/demo.gif)'
    assert made.both_grounds(text, 'index.md') == text
    (tmp_path / 'demo.dark.gif').write_bytes(b'dark')
    (tmp_path / 'rooms.dark.png').write_bytes(b'')
    changed = made.both_grounds(text, 'index.md')
    assert '![A run](figures/demo.gif#only-light)\n' in changed
    assert '![A run](figures/demo.dark.gif#only-dark)\n' in changed
    assert changed.endswith(' ![Tracks](sweep/demo.gif)')
    made.copy_made(site)
    assert (site / 'figures' / 'demo.dark.gif').read_bytes() == b'dark'
    assert (site / 'gallery' / 'rooms.dark.png').is_file()
