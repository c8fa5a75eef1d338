import os

import pytest

from sbot.scenario.stage.tokens import MAX_INCLUDED, read_tokens
from sbot_common.errors import InputError


def texts(tokens):
    return [token.text for token in tokens]


def read(tmp_path, text, name='a.world'):
    path = tmp_path / name
    raw = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(raw)
    return read_tokens(raw, path)


def test_words_numbers_texts_and_signs(tmp_path):
    tokens = read(tmp_path, 'block( point[0] [-0.2 .5] # a note (\r\n name "r 0" )')
    assert texts(tokens) == ['block', '(', 'point[0]', '[', '-0.2', '.5', ']', 'name', 'r 0', ')']
    assert [token.kind for token in tokens[2:5]] == ['word', 'sign', 'number']
    assert [token.place.line for token in tokens[-3:]] == [2, 2, 2]


@pytest.mark.parametrize(('text', 'line', 'expected'), [
    ('a 1\nb {', 2, 'expected a name, a number'),
    ('a 1\n\nb "x\n"', 3, 'has no end on this line'),
    ('a 1\ninclude pioneer', 2, 'expected the name of a file in quotes'),
    ('include "none.inc"', 1, "got 'none.inc', expected a file"),
    ('include "a.world"', 1, 'includes itself'),
    ('include "."', 1, "got '.', expected a file"),
])
def test_errors_name_file_and_line(tmp_path, text, line, expected):
    with pytest.raises(InputError, match=r'expected|itself|no end') as error:
        read(tmp_path, text)
    assert str(error.value).startswith(f'{tmp_path}/a.world:{line}: ')
    assert expected in str(error.value)


def test_included_tokens_know_their_file_and_the_line_that_includes_them(tmp_path):
    folder = tmp_path / 'inc'
    folder.mkdir()
    (folder / 'b.inc').write_text('\ninclude "c.inc"\nlater 2')
    (folder / 'c.inc').write_text('deep 3')  # beside b.inc, not beside the world
    tokens = read(tmp_path, 'first 1\n\ninclude "inc/b.inc" anything\nlast 4')
    assert texts(tokens) == ['first', '1', 'deep', '3', 'later', '2', 'last', '4']
    places = {token.text: token.place for token in tokens}
    assert str(places['deep']) == f'{folder}/c.inc:1'
    assert places['deep'].main_line == places['later'].main_line == 3
    assert places['last'].main_line == places['last'].line == 4


def test_an_include_is_looked_for_beside_the_world_first_then_in_stagepath(tmp_path, monkeypatch):
    shared = tmp_path / 'shared'
    shared.mkdir()
    (shared / 'map.inc').write_text('shared 1')
    monkeypatch.setenv('STAGEPATH', f'/nowhere{os.pathsep}{shared}')
    assert texts(read(tmp_path, 'include "some/where/map.inc"')) == ['shared', '1']
    (tmp_path / 'map.inc').write_text('own 1')
    assert texts(read(tmp_path, 'include "map.inc"')) == ['own', '1']


def test_a_pipe_is_not_included(tmp_path):
    os.mkfifo(tmp_path / 'pipe.inc')
    with pytest.raises(InputError, match=r'a\.world:1: include: .*got a pipe'):
        read(tmp_path, 'include "pipe.inc"')


def test_too_much_is_refused(tmp_path, monkeypatch):
    (tmp_path / 'one.inc').write_text('a 1')
    with pytest.raises(InputError, match=f':{MAX_INCLUDED + 1}: include: too many'):
        read(tmp_path, 'include "one.inc"\n' * 300)
    for k in range(40):
        (tmp_path / f'{k}.inc').write_text(f'include "{k + 1}.inc"')
    with pytest.raises(InputError, match='20 within each other'):
        read(tmp_path, 'include "0.inc"')
    monkeypatch.setenv('SBOT_LIMITS', 'text_values=10')
    with pytest.raises(InputError, match=r'a\.world:1: too large: 11 words'):
        read(tmp_path, 'a 1 ' * 8)
    monkeypatch.setenv('SBOT_LIMITS', 'file_bytes=33')
    with pytest.raises(InputError, match=r'one\.inc: too large: 34 bytes or more, with what'):
        read(tmp_path, 'include "one.inc"\n# 45678901234')


def test_other_encodings_in_comments_are_fine(tmp_path):
    assert texts(read(tmp_path, b'# Universit\xe9\na 1')) == ['a', '1']
