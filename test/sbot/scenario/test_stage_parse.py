"""Notes on a world file: each once, with its line; what changes nothing is not named."""

import os
from pathlib import Path

import pytest

from sbot.scenario.stage_parse import MAX_INCLUDED, Entity, read_tokens
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
    assert [token.kind for token in tokens[2:5]] == ['word', '[', 'number']
    assert [token.place.line for token in tokens[-3:]] == [2, 2, 2]


@pytest.mark.parametrize(('text', 'line', 'expected'), [
    ('a 1\nb {', 2, 'expected a name, a number'),
    ('a 1\n\nb "x\n"', 3, 'has no end on this line'),
    ('a 1\ninclude pioneer', 2, 'expected the name of a file in quotes'),
    ('include "none.inc"', 1, "got 'none.inc', expected a file"),
    ('include "a.world"', 1, 'includes itself'),
    ('include "."', 1, "got '.', expected a file")])
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


def parse(text):
    return Entity.parse(read_tokens(text.encode(), Path('x.world')), 'x.world')


MACROS = """
resolution 0.02
define base position ( size [1 2 3] color "red" ranger ( alwayson 1 ) )
define robot base ( size [4 5 6] )
robot
(
  name "r0" color "blue"
  model ( pose [0 0 0 90] )
)
define base model ( )
base ( )
"""


def test_instances_go_over_macros_and_children_follow_theirs():
    world = parse(MACROS)
    assert world.number('resolution', 0.0) == 0.02
    robot, base = world.children
    assert (robot.kind, robot.name, robot.place.line) == ('position', 'robot', 5)
    assert robot.properties['size'].numbers(2) == [4, 5]
    assert robot.text('color') == 'blue'
    assert [child.kind for child in robot.children] == ['ranger', 'model']
    assert str(robot.place_of('size')) == 'x.world:4'  # in the macro that gives it
    assert base.kind == 'position'  # the first definition of a name holds


@pytest.mark.parametrize(('text', 'expected'), [
    ('a\nb 1', ":2: got 'b', expected a value or ( after 'a'"),
    ('a ( b 1', ":1: 'a' begins here and has no end"), ('a 1\n)', ":2: got ')', expected a name"),
    ('a [ 1 2', 'expected values, or ]'), ('a [ b ]', "'a': got 'b', expected values, or ]"),
    ('a [ ]', "'a': got [ ], expected values"),
    ('pose[ 0 0 0 0 ]', "expected a space before '['"),
    ('define a', 'the file ends here, expected what a is'),
    ('define a b 1', 'define a: b needs a ('),
    ('define a b ( )\ndefine b a ( )\na ( )', "macro 'a' contains itself"),
    ('define a model ( a ( ) )\na ( )', ":1: macro 'a' contains itself"),
    ('m ( ' * 60, 'nested more than 50 levels deep')])
def test_errors_name_file_line_and_what_was_expected(text, expected):
    with pytest.raises(InputError) as error:
        parse(text)
    assert str(error.value).startswith('x.world:')
    assert expected in str(error.value)


def test_deep_chains_of_macros_are_refused():
    chain = [f'define m{k} m{k + 1} ( )' for k in range(200)]
    with pytest.raises(InputError, match='more than 100 models and macros within each other'):
        parse('\n'.join([*chain, 'm0 ( )']))


@pytest.mark.parametrize('value', ['1.2.3', '--1', '"nan"', '"1e3"', '""', '"inf"'])
def test_what_is_no_number(value):
    with pytest.raises(InputError, match=r'x\.world:1: a: got .*, expected a number'):
        parse(f'a {value}').number('a', 0.0)


def test_a_tuple_may_be_longer_than_what_is_read_and_not_shorter():
    world = parse('a [ 1 2 3 4 5 6 ] b [ 1 ]')
    assert world.properties['a'].numbers(3, 4) == [1, 2, 3, 4]
    with pytest.raises(InputError, match=r"b: got '1', expected 2 numbers in \[ \]"):
        world.properties['b'].numbers(2)
