"""Texts that fit into a width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.figures.arena.lettering import shortened, width_of, wrapped, wrapped_parts

WORDS = st.text('abW i,', min_size=1, max_size=40).map(str.strip).filter(bool)


@given(text=WORDS, width=st.floats(20.0, 300.0))
def test_a_shortened_text_is_the_longest_beginning_that_fits(text, width):
    found = shortened(text, width)
    if found == text:
        assert width_of(text) <= width
        return
    assert found.endswith('…')
    assert text.startswith(found[:-1])
    assert width_of(found) <= width
    longer = text[:len(found)].rstrip()
    assert len(longer) < len(found) or width_of(f'{longer}…') > width


@given(text=WORDS, width=st.floats(60.0, 300.0))
def test_wrapped_lines_have_all_words_and_fit(text, width):
    lines = wrapped(text, width).split('\n')
    assert all(width_of(line) <= width for line in lines)
    if not any(line.endswith('…') for line in lines):
        assert ' '.join(lines) == text


def test_a_no_break_space_holds_words_together():
    narrow = width_of('seven words')
    assert wrapped('for seven\xa0words here', narrow) == 'for\nseven words\nhere'


def test_a_label_of_the_wind_breaks_between_its_parts_only():
    label = 'wind ↑ 0.25 + gust ↓ 0.8 m/s, turbulence 0.15 m/s'
    width = 1.01 * width_of('turbulence 0.15 m/s')
    assert wrapped_parts(label, width) == (
        'wind ↑ 0.25\n+ gust ↓ 0.8 m/s,\nturbulence 0.15 m/s')
    assert wrapped_parts(label, 1000.0) == label


@pytest.mark.parametrize(('size', 'factor'), [(20.0, 2.0), (5.0, 0.5)])
def test_width_grows_with_the_letters(size, factor):
    assert width_of('robot', size) == pytest.approx(factor * width_of('robot', 10.0), rel=0.02)
    assert width_of('robot\nr') == width_of('robot')
