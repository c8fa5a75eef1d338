"""MCAP files are read whole, cut off anywhere, and up to a damage."""

import lz4.frame
import numpy as np
import pytest
import zstandard
from mcap import records
from mcap.opcode import Opcode

from sbot.bag import mcap_reader
from sbot.bag.mcap_reader import HEAD, Contents, McapStream, Unpacked, inflated
from sbot.bag.mcap_writer import McapFile, OpenChunk, packed, write_chunk
from sbot_common.errors import InputError

DATA = b'abc' * 1000


def streamed(data):
    """Compress without telling the size."""
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


@pytest.mark.parametrize(('records', 'words'), [
    (b'123', 'a record is longer than its chunk'),
    (HEAD.pack(Opcode.MESSAGE, 100) + b'123', 'a record is longer than its chunk'),
    (HEAD.pack(Opcode.MESSAGE, 3) + b'123', 'a message of 3 bytes'),
    (HEAD.pack(Opcode.MESSAGE, 22) + b'\7' + bytes(21), 'the unknown channel 7'),
    (HEAD.pack(Opcode.CHANNEL, 1) + b'1', 'channel')])
def test_a_damaged_record_is_named(records, words):
    with pytest.raises(InputError, match=words):
        list(Contents(lambda _: True).messages(records))


def test_records_of_other_kinds_are_passed_over():
    assert list(Contents(lambda _: True).messages(HEAD.pack(Opcode.STATISTICS, 2) + b'12')) == []


@pytest.fixture
def path(tmp_path):
    file = McapFile(tmp_path / 'a.mcap', records.Metadata(name='sbot', metadata={'seed': '1'}))
    schema = records.Schema(1, b'', 'ros2msg', 'std_msgs/msg/String')
    channels = [records.Channel(k, name, 'cdr', {}, 1) for k, name in ((1, '/a'), (2, '/b'))]
    entries = b''
    for first in (0, 10):
        chunk = OpenChunk()
        for record in (schema, *channels):
            chunk.add_record(record)
        for k in range(4):
            chunk.add_message(1 + k % 2, k, first + k, bytes([first + k]))
        entries += write_chunk(file, chunk.seal(), zstandard.ZstdCompressor())
    file.finish([(Opcode.SCHEMA, packed(schema)), (Opcode.CHANNEL, packed(*channels)),
                 (Opcode.CHUNK_INDEX, entries)])
    file.close()
    return tmp_path / 'a.mcap'


def read(path, wanted=lambda _: True):
    stream = McapStream(path)
    return stream, [(message.name, message.stamp_ns) for message in stream.messages(wanted)]


def test_a_whole_file(path):
    stream, found = read(path)
    assert found == [(f"/{'ab'[k % 2]}", k) for k in (0, 1, 2, 3, 10, 11, 12, 13)]
    assert (stream.complete, stream.damage, stream.corrupt) == (True, '', False)
    assert stream.names() == {'/a': 'std_msgs/msg/String', '/b': 'std_msgs/msg/String'}
    assert read(path, '/b'.__eq__)[1] == [('/b', k) for k in (1, 3, 11, 13)]
    stream.read_metadata()
    assert stream.metadata == {'sbot': {'seed': '1'}}


def test_a_file_that_is_cut_off_anywhere_gives_what_is_whole(path):
    raw, whole = path.read_bytes(), read(path)[1]
    counts = set()
    for end in range(9, len(raw) - 1):
        path.write_bytes(raw[:end])
        stream, found = read(path)
        assert found == whole[:len(found)]
        assert not stream.complete
        assert not stream.corrupt
        counts.add(len(found))
    assert counts == {0, 4, 8}


def test_a_damage_ends_the_messages_and_is_named(path):
    raw = bytearray(path.read_bytes())
    place = raw.rfind(b'zstd', 0, len(raw) // 2)
    raw[place] ^= 1
    path.write_bytes(raw)
    stream, found = read(path)
    assert len(found) in (0, 4)
    assert stream.corrupt
    assert stream.damage.startswith('damaged at byte ')


@pytest.mark.parametrize(('raw', 'message'), [(b'', 'it is empty'), (b'x' * 20, 'it begins with')])
def test_what_is_no_mcap_file_is_refused(tmp_path, raw, message):
    (tmp_path / 'b.mcap').write_bytes(raw)
    with pytest.raises(InputError, match=message):
        McapStream(tmp_path / 'b.mcap')
