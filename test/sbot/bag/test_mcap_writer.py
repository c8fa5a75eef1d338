"""MCAP files are valid after every append, also where the disk is full."""

import io

import pytest
import zstandard
from mcap import records
from mcap.reader import NonSeekingReader

from sbot.bag import mcap_writer
from sbot.bag.mcap_writer import McapFile, OpenChunk, packed, write_chunk


def new_file(path):
    return McapFile(path, records.Metadata(name='sbot', metadata={'seed': '1'}))


def chunk_of(*payloads):
    chunk = OpenChunk()
    chunk.add_record(records.Schema(1, b'', 'ros2msg', 'std_msgs/msg/String'))
    chunk.add_record(records.Channel(1, '/a', 'cdr', {}, 1))
    for k, payload in enumerate(payloads):
        chunk.add_message(1, k, 10 - k, payload)
    return chunk.seal()


def messages(path):
    return [message.data for _, _, message in
            NonSeekingReader(io.BytesIO(path.read_bytes())).iter_messages()]


def test_every_append_leaves_a_file_that_others_read(tmp_path):
    path = tmp_path / 'a.mcap'
    file = new_file(path)
    assert messages(path) == []
    sealed = chunk_of(b'one', b'two')
    assert (sealed.start_ns, sealed.end_ns) == (9, 10)
    index = write_chunk(file, sealed, zstandard.ZstdCompressor())
    assert sorted(messages(path)) == [b'one', b'two']
    file.finish([(mcap_writer.Opcode.CHUNK_INDEX, index)])
    file.close()
    assert sorted(messages(path)) == [b'one', b'two']


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / 'a.mcap'
    file = new_file(path)
    before, write = path.read_bytes(), mcap_writer.os.pwrite

    def full(descriptor, data, offset):
        if len(data) > 100:
            raise OSError(28, 'No space left on device')
        return write(descriptor, data, offset)
    monkeypatch.setattr(mcap_writer.os, 'pwrite', full)
    with pytest.raises(OSError, match='No space'):
        file.append(packed(records.Schema(1, bytes(200), 'ros2msg', 'x')))
    file.close()
    assert path.read_bytes() == before
