"""Pictures of single pages: `docs/make_page_figures.py`."""

import importlib
import itertools
import re
from pathlib import Path

import pytest
from matplotlib.text import Text

import sbot

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / 'docs' / 'figures'
SMALL = 100_000  # bytes


@pytest.fixture(autouse=True)
def docs_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / 'docs')


def module(name):
    return importlib.import_module(name)


def test_each_is_small_and_on_a_page_in_words():
    text = '\n'.join(page.read_text('utf-8') for page in (ROOT / 'docs').glob('*.md'))
    for name in module('make_page_figures').PICTURES:
        assert (FIGURES / name).stat().st_size < SMALL, name
        words, = re.findall(rf'!\[([^]]*)\]\(figures/{re.escape(name)}\)', text)
        assert len(words) > 30, name


@pytest.mark.parametrize(('name', 'shown'), [
    ('packages', lambda: module('page_figures.packages').shown()),
    ('peers', lambda: module('page_figures.peers').ROWS.read_text('utf-8')),
    ('lockstep', lambda: module('page_figures.lockstep').ROWS.read_text('utf-8'))])
def test_it_shows_what_is_so_today(name, shown):
    digest = module('page_figures.style').digest(shown())
    assert f'<dc:description>{digest}</dc:description>' in (FIGURES / f'{name}.svg').read_text(), (
        f'python docs/make_page_figures.py {name}.svg')


def test_the_packages_import_each_other_as_drawn():
    packages = module('page_figures.packages')
    found = packages.imports()
    assert found['sbot_sim'] == {'sbot_common', 'wind_model'}
    assert found['sbot_common'] == set()
    height = {name: box[1] for name, box in packages.BOXES.items()}
    for name, others in found.items():
        for other in others:
            begin, end = packages.ends(name, other)
            assert begin != end
            assert height[other] < height[name] or {name, other} == {'sbot_sim', 'wind_model'}


@pytest.mark.parametrize('name', ['packages', 'peers', 'lockstep'])
def test_it_is_drawn_on_both_grounds_alike_each_time(name, tmp_path):
    draw = module(f'page_figures.{name}').draw
    for file, dark in (('light', False), ('again', False), ('dark', True)):
        draw(tmp_path / f'{file}.svg', dark)
    light, again, dark = ((tmp_path / f'{file}.svg').read_bytes()
                          for file in ('light', 'again', 'dark'))
    assert light == again
    assert light != dark
    assert module('page_figures.style').DARK.ground.encode() in dark


@pytest.fixture
def written(monkeypatch):
    """The texts that are drawn, and their boxes."""
    boxes, draw = {}, Text.draw

    def noting(text, renderer, *given, **options):
        if text.get_text().strip() and text.get_visible():
            boxes[text] = Text.get_window_extent(text, renderer)  # without an annotation's arrow
        return draw(text, renderer, *given, **options)

    monkeypatch.setattr(Text, 'draw', noting)
    return boxes


def overlapping(boxes):
    return [(one.get_text(), other.get_text())
            for (one, a), (other, b) in itertools.combinations(boxes.items(), 2)
            if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1]


def draw_blocking(path, _):
    sbot.plot(sbot.run('wind_blocking'), path)


@pytest.mark.filterwarnings('ignore:.*wind_blocking')
@pytest.mark.parametrize(('least', 'draw'), [
    (14, lambda *given: module('page_figures.packages').draw(*given)),
    (5, lambda *given: module('page_figures.peers').draw(*given)),
    (10, lambda *given: module('page_figures.lockstep').draw(*given)),
    (5, lambda *given: module('page_figures.replay').draw(*given)),
    (15, lambda *given: module('make_collision_figure').draw(*given)), (10, draw_blocking)],
    ids=['packages', 'peers', 'lockstep', 'replay', 'collisions', 'wind_blocking'])
def test_no_text_is_on_another_text(least, draw, written, tmp_path):
    draw(tmp_path / 'picture.svg', False)
    assert len(written) >= least
    assert overlapping(written) == []


def test_collisions_are_shown_to_the_displacement_that_the_title_tells(written, tmp_path):
    module('make_collision_figure').draw(tmp_path / 'picture.svg')
    words = [text.get_text() for text in written]
    number, = re.findall(r'after (\d+) displacements', '\n'.join(words))
    assert f'displaced {number} times' in words
