"""Files of wind grids: what is written comes back, and paths that cannot be read."""

import time

import numpy as np
import pytest

from sbot_common.errors import InputError
from wind_model.grid import WindGrid
from wind_model.rotors_text import read_grid, write_grid

GOOD = {
    'min_x': '-2.5', 'min_y': '1', 'n_x': '2', 'n_y': '3', 'res_x': '0.5', 'res_y': '2',
    'vertical_spacing_factors': '0.0 1.0', 'bottom_z': '0 0 0 0 0 0', 'top_z': '5 5 5 5 5 6.5',
    'u': ' '.join(str(i) for i in range(12)), 'v': ' '.join(['-1e-3'] * 12),
    'w': ' '.join(['.5'] * 12)}


def text_of(fields, colon=':'):
    return ''.join(f'{name}{colon}\n{value}\n' for name, value in fields.items())


def changed(**values):
    """Return the good file with some fields changed, or left out where the value is None."""
    fields = {**GOOD, **values}
    return text_of({name: value for name, value in fields.items() if value is not None})


def read_text(tmp_path, text):
    path = tmp_path / 'field.txt'
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_grid(path)


def test_the_good_file(tmp_path):
    grid = read_text(tmp_path, text_of(GOOD))
    assert grid[:6] == (-2.5, 1.0, 2, 3, 0.5, 2.0)
    assert grid.u.shape == (2, 3, 2)
    assert grid.u.ravel().tolist() == list(range(12))
    assert grid.top_z[2].tolist() == [5, 6.5]


@pytest.mark.parametrize('text', [text_of(GOOD).replace('\n', ' \r\n'),
    text_of(GOOD).replace(' ', '\t\n\n'), text_of(dict(reversed(GOOD.items()))),
    '\ufeff' + text_of(GOOD)],
    ids=['crlf', 'tabs and lines', 'reversed', 'byte order mark'])
def test_any_white_space_and_any_order(tmp_path, text):
    grid = read_text(tmp_path, text)
    expected = read_text(tmp_path, text_of(GOOD))
    assert all(np.array_equal(a, b) for a, b in zip(grid, expected, strict=True))


def test_unknown_names_are_skipped_with_a_warning(tmp_path, caplog):
    text = text_of({'min_x': '-2.5', 'temperature': 'warm 20 C', 'windspeed_u': '1 2 3',
                    **{k: v for k, v in GOOD.items() if k != 'min_x'}})
    assert read_text(tmp_path, text).n_y == 3
    assert len(caplog.messages) == 2
    assert f"{tmp_path / 'field.txt'}:3: unknown name 'temperature'" in caplog.messages[0]


BAD = {
    'empty': ('', 'add min_x, min_y'),
    **{f'no {name}': (changed(**{name: None}), f'add {name}') for name in ('min_x', 'res_y', 'u')},
    **{f'{name} twice': (text_of(GOOD) + f'{name}:\n{GOOD[name]}\n', f"'{name}' is given twice")
       for name in ('n_x', 'u')},
    **{f'{name} without data': (changed(**{name: ''}), f'{name}: got 0 values, expected')
       for name in ('n_y', 'w')},
    'bottom_z long': (changed(bottom_z='0 ' * 7), 'bottom_z: got 7 values, expected 6'),
    'u short': (changed(u='1 2 3'), 'u: got 3 values, expected 12'),
    'u before the counts, long': (text_of({'u': '1 ' * 13, **{k: v for k, v in GOOD.items()
                                                            if k != 'u'}}),
                                  'u: got 13 values, expected 12'),
    'one factor': (changed(vertical_spacing_factors='0'), 'got 1 values, expected at least 2'),
    'factors from 0.5': (changed(vertical_spacing_factors='0.5 1'), 'expected 0 to 1'),
    'factors falling': (changed(vertical_spacing_factors='0 0.7 0.6 1', u='1 ' * 24, v='1 ' * 24,
                                w='1 ' * 24), 'got 0.7 and then 0.6, expected increasing values'),
    'nan': (changed(v='nan ' * 12), 'v: got nan as value 1, expected finite numbers'),
    'too large a number': (changed(w='1e999 ' * 12), 'w: got inf as value 1, expected finite'),
    'words': (changed(u='1 2 three ' + '4 ' * 9),
              "field.txt:20: u: got 'three', expected a number"),
    'no number as corner': (changed(min_x='nan'), 'min_x: got nan, expected'),
    'hexadecimal': (changed(res_x='0x10'), "got '0x10'"),
    'space before the colon': (text_of(GOOD).replace('v:', 'v :'), "got 'v'"),
    'a colon alone at first': (': 1\n', 'expected a name directly followed by a colon'),
    'no space after the colon': (text_of(GOOD).replace('min_y:\n', 'min_y:'), 'white space'),
    'number first': ('\n1.5\n' + text_of(GOOD),
                     "field.txt:2: got '1.5', expected a name directly followed by"),
    'zero points': (changed(n_x='0'), 'n_x: got 0, expected a whole number >= 2'),
    'half a point': (changed(n_x='2.5'), 'n_x: got 2.5, expected a whole number >= 2'),
    'huge count': (changed(n_x='1000000000000'), 'bottom_z: got 6 values, expected 3000000000000'),
    'zero resolution': (changed(res_x='0'), 'expected a number > 0'),
    'resolution lost in rounding': (changed(min_x='1e30'), 'separates neighbouring points'),
    'grid without end': (changed(res_x='1.7e308', min_x='1e308'), 'res_x: '),
    'top below bottom': (changed(top_z='5 5 5 5 5 -1'),
                         'top_z: got -1 at i=1 j=2, expected more than bottom_z, 0'),
    'binary': (bytes(range(256)) * 40, 'got the byte 0x00'),
    'UTF-16': (text_of(GOOD).encode('utf-16'), 'got the byte 0xff'),
    'compressed': (b'\x1f\x8b\x08\x00' + bytes(40), 'got the byte 0x1f'),
    'a long word': (text_of(GOOD) + 'x' * 5000, "w: got 'xxx"),
    'a long number': (changed(min_x='1' * 5000), 'expected a finite number')}


@pytest.mark.parametrize('name', BAD)
def test_a_bad_file_is_one_clear_line(tmp_path, name):
    text, words = BAD[name]
    begin = time.process_time()
    with pytest.raises(InputError) as info:
        read_text(tmp_path, text)
    assert time.process_time() - begin < 1
    message = str(info.value)
    assert words in message
    assert message.startswith(str(tmp_path / 'field.txt'))
    assert '\n' not in message
    assert len(message) < 400


@pytest.mark.parametrize('path', ['.', 'nowhere.txt'])
def test_a_path_that_cannot_be_read(tmp_path, path):
    with pytest.raises(InputError, match=r'cannot read the wind field|got a folder'):
        read_grid(tmp_path / path)
    with pytest.raises(InputError, match='cannot be written'):
        write_grid(tmp_path / path / 'x' / 'y', WindGrid.make(
            0, 0, 2, 2, 1, 1, [0, 1], np.zeros(4), np.ones(4), np.ones((3, 8))))


def test_written_grids_come_back_to_the_last_bit(tmp_path, random_grid):
    for seed in range(5):
        grid = random_grid(seed, n_x=7, n_y=2)
        path = tmp_path / 'written.txt'
        write_grid(path, grid)
        again = read_grid(path)
        assert isinstance(again, WindGrid)
        assert all(np.array_equal(a, b) for a, b in zip(grid, again, strict=True))
