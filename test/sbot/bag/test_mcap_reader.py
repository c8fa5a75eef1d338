"""Chunks and files are decompressed within limits."""

import lz4.frame
import numpy as np
import pytest
import zstandard

from sbot.bag import mcap_reader
from sbot.bag.mcap_reader import Unpacked, inflated
from sbot_common.errors import InputError

DATA = b'abc' * 1000


def streamed(data):
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return compressor.compress(data) + compressor.flush()


PACKED = [('', DATA), ('zstd', zstandard.ZstdCompressor().compress(DATA)),
          ('zstd', streamed(DATA)), ('lz4', lz4.frame.compress(DATA))]


@pytest.mark.parametrize(('compression', 'data'), PACKED)
def test_data_come_back_or_the_limit_is_named(compression, data, monkeypatch):
    assert inflated(data, compression, 'here') == DATA
    if compression:
        monkeypatch.setattr(mcap_reader, 'limits', lambda: decompress_limits(file_bytes=2999))
        with pytest.raises(InputError, match=r'here.*when decompressed'):
            inflated(data, compression, 'here')


def decompress_limits(**values):
    from sbot.files.limits import limits
    return limits()._replace(**values)


def test_other_compressions_and_damage_are_refused():
    for compression, data in (('bz2', DATA), ('zstd', DATA), ('lz4', DATA)):
        with pytest.raises(InputError, match='here'):
            inflated(data, compression, 'here')


def test_a_damaged_file_is_read_up_to_the_damage(tmp_path):
    path, data = tmp_path / 'bag.mcap.zstd', np.random.default_rng(1).bytes(3 << 20)
    whole = zstandard.ZstdCompressor().compress(data)
    path.write_bytes(whole)
    unpacked = Unpacked(path)
    assert unpacked.path.name == 'bag.mcap'
    assert unpacked.damage == ''
    assert unpacked.path.read_bytes() == data
    path.write_bytes(whole[:2 << 20] + b'garbage!' * 100_000)
    unpacked = Unpacked(path)
    assert unpacked.damage.startswith('damaged after ')
    found = unpacked.path.read_bytes()
    assert 0 < len(found) < len(data)
    assert data.startswith(found)
