"""MCAP files are read whole, cut off anywhere, and up to a damage."""

import pytest
import zstandard
from mcap import records
from mcap.opcode import Opcode

from sbot.bag.mcap_reader import McapStream
from sbot.bag.mcap_writer import McapFile, OpenChunk, packed, write_chunk
from sbot_common.errors import InputError


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
