import math

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_sim.sensors.infrared.curves import (
    CONSECUTIVE_POWERS,
    PRINTED_POWERS,
    equation_3,
    exponential,
    table_distances_cm,
)
from sbot_sim.sensors.infrared.fit import fit_exponential
from sbot_sim.sensors.infrared.table import TABLES, load_table, named_table, read_table


@pytest.mark.parametrize('name', TABLES)
def test_tables_have_151_readings_between_0_and_the_first(name):
    table = named_table(name)
    assert table.shape == (151,)
    assert table.min() >= 0.0
    assert table.max() == table[0]


def test_distances_are_whole_millimetres():
    assert table_distances_cm()[[0, 1, 3, 150]].tolist() == [0.0, 0.1, 0.3, 15.0]


def test_the_committed_numbers_are_the_fit_to_the_polynomial():
    cm = np.arange(71) / 10
    a, b = fit_exponential(cm / 100, equation_3(cm))
    assert a == pytest.approx(30.18, abs=0.005)
    assert b == pytest.approx(0.1212, abs=0.00005)
    np.testing.assert_allclose(named_table('exponential'),
                               exponential(table_distances_cm(), a, b), atol=2e-6)


def test_the_polynomials_are_those_of_the_errata():
    smooth = equation_3(np.array([0.0, 7.3]), CONSECUTIVE_POWERS)
    assert smooth == pytest.approx([35.76, 11.2], abs=0.01)
    falling = equation_3(np.arange(74) / 10, CONSECUTIVE_POWERS)
    assert (np.diff(falling) < 0).all()
    d = 2.0
    by_hand = (35.76 - 16.01 * d**2 + 6.15 * d**3 - 0.8072 * d**4 - 0.0632 * d**5
               + 0.0261 * d**6 - 0.0026 * d**7 + 0.0001 * d**8)
    assert equation_3(np.array([d]), PRINTED_POWERS)[0] == pytest.approx(by_hand, abs=1e-12)


def test_a_file_of_readings(tmp_path):
    path = tmp_path / 'table.txt'
    numbers = [30 * math.exp(-i / 80) for i in range(151)]
    path.write_text('# mine\n' + '\n'.join(f'{v!r} # at {i} mm' for i, v in enumerate(numbers)))
    np.testing.assert_array_equal(read_table(path), numbers)
    np.testing.assert_array_equal(load_table(str(tmp_path / 'table.txt')), numbers)


@pytest.mark.parametrize(('text', 'words'), [
    ('1 2 3', r'table.txt: got 3, expected 151 readings'),
    ('1\n2\nx', r"table.txt:3: got 'x', expected a finite number >= 0"),
    ('1\n-2', r"table.txt:2: got '-2'"),
    ('nan', r"table.txt:1: got 'nan'"),
    ('1 ' * 152, r'got 152'),
])
def test_bad_files_are_named(tmp_path, text, words):
    path = tmp_path / 'table.txt'
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_table(path)


def test_files_that_are_not_there_or_not_text(tmp_path):
    with pytest.raises(InputError, match=r'infrared_table: got .*, expected one of exponential'):
        load_table(str(tmp_path / 'none.txt'))
    (tmp_path / 'bytes').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(InputError, match='cannot be read'):
        load_table(str(tmp_path / 'bytes'))
