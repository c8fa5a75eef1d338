"""Parquet tables: columns of four kinds come back; damage and other types are refused."""

import pytest

from sbot.sweeps.table import ParquetWriter, read_parquet
from sbot_common.errors import InputError

pyarrow = pytest.importorskip('pyarrow')
KINDS = [('n', 'int'), ('x', 'float'), ('ok', 'bool'), ('why', 'text')]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / 'runs.parquet'
    writer = ParquetWriter(file, KINDS)
    writer.add([[1, 2], [0.5, None], [True, False], ['a', None]])
    writer.add([[3], [1e300], [None], ['b']])
    writer.close()
    return file


def test_columns_come_back(path):
    found = read_parquet(path, None, 3, 'make it anew')
    assert list(found) == [name for name, _ in KINDS]
    assert found['x'] == [0.5, None, 1e300]
    assert read_parquet(path, ['n'], 3, '') == {'n': [1, 2, 3]}


def test_more_rows_damage_and_other_types_are_refused(path):
    with pytest.raises(InputError, match='got 3 rows, expected at most 2'):
        read_parquet(path, None, 2, '')
    raw = path.read_bytes()
    path.write_bytes(raw[:-20])
    with pytest.raises(InputError, match='damaged; make it anew'):
        read_parquet(path, None, 3, 'make it anew')
    from pyarrow import parquet
    parquet.write_table(pyarrow.table({'n': pyarrow.array([1], pyarrow.int8())}), path)
    with pytest.raises(InputError, match=r'column n: got .?int8'):
        read_parquet(path, None, 3, '')
