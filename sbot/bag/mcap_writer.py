"""Write an MCAP file by appending: it is valid after every write.

The `mcap` library's Writer puts the footer at the end only, so that a killed recording has none
and most readers refuse it. Here every append ends in a footer, which the next append overwrites in
the same system call: at any moment the file opens everywhere, if without an index.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import zstandard
from mcap import records
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode

MAGIC = b'\x89MCAP0\r\n'
_LIBRARY = 'potential_field_bot'
_FOOTER = struct.Struct('<BQQQ')
_MESSAGE = struct.Struct('<BQHIQQ')
_INDEX = struct.Struct('<BQHI')


def packed(*items: records.McapRecord) -> bytes:
    """Return the bytes of records."""
    builder = RecordBuilder()
    for record in items:
        record.write(builder)
    return bytes(builder.end())


class McapFile:
    """MCAP file that is valid after every append; ``end`` is the offset of the next one.

    Raises
    ------
    OSError
        from every method; what was appended before stays readable.

    """

    _TAIL = packed(records.DataEnd(0), records.Footer(0, 0, 0)) + MAGIC

    def __init__(self, path: Path, metadata: records.Metadata) -> None:
        binary = getattr(os, 'O_BINARY', 0)  # Windows would change ends of lines
        self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | binary, 0o644)
        self.end = 0
        self.append(MAGIC + packed(records.Header('ros2', _LIBRARY)))
        self.metadata_index = self.add_metadata(metadata)
        self.sync()

    def append(self, data: bytes) -> None:
        """Write ``data`` and a footer over the previous footer."""
        self._replace_footer(data + self._TAIL)
        self.end += len(data)

    def add_metadata(self, metadata: records.Metadata) -> records.MetadataIndex:
        """Append a metadata record; return its entry in the summary."""
        data = packed(metadata)
        index = records.MetadataIndex(self.end, len(data), metadata.name)
        self.append(data)
        return index

    def _replace_footer(self, data: bytes) -> None:
        try:
            self._put(data)
        except OSError:
            # The blocks of the previous footer exist, so putting it back needs no space.
            with suppress(OSError):
                os.ftruncate(self._file, self.end)
                self._put(self._TAIL)
            raise

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        os.lseek(self._file, self.end, os.SEEK_SET)  # Windows has no pwrite
        while view:
            view = view[os.write(self._file, view):]

    def finish(self, groups: Sequence[tuple[Opcode, bytes]]) -> None:
        """Replace the footer by a summary (groups of packed records) and its footer."""
        data_end = packed(records.DataEnd(0))
        start = self.end + len(data_end)
        summary, offsets = b'', []
        for opcode, group in groups:
            if group:
                offsets.append(records.SummaryOffset(opcode, start + len(summary), len(group)))
                summary += group
        offset_start = start + len(summary)
        summary += packed(*offsets)
        crc = zlib.crc32(_FOOTER.pack(Opcode.FOOTER, 20, start, offset_start), zlib.crc32(summary))
        footer = packed(records.Footer(start, offset_start, crc))
        self._replace_footer(data_end + summary + footer + MAGIC)
        self.sync()

    def sync(self) -> None:
        """Flush the file to the disk (fsync)."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class Sealed(NamedTuple):
    """A chunk ready to be written."""

    records: bytes  # new schemas and channels first, then messages
    entries: Mapping[int, list[int]]  # channel: stamp, offset, stamp, offset ...
    start_ns: int
    end_ns: int


class OpenChunk:
    """Collects records for one chunk."""

    def __init__(self) -> None:
        self._records = bytearray()
        self._index: dict[int, list[int]] = {}
        self._start_ns = 2**63
        self._end_ns = 0

    def __len__(self) -> int:
        return len(self._records)

    def add_record(self, record: records.Schema | records.Channel) -> None:
        """Add a record that messages need before them."""
        self._records += packed(record)

    def add_message(self, channel: int, sequence: int, stamp_ns: int, payload: bytes) -> None:
        """Add one message whose log and publish time is ``stamp_ns``."""
        entry = self._index.get(channel)
        if entry is None:
            entry = self._index[channel] = []
        entry.append(stamp_ns)
        entry.append(len(self._records))
        self._records += _MESSAGE.pack(
            Opcode.MESSAGE, 22 + len(payload), channel, sequence & 0xFFFFFFFF, stamp_ns, stamp_ns)
        self._records += payload
        if stamp_ns < self._start_ns:
            self._start_ns = stamp_ns
        if stamp_ns > self._end_ns:
            self._end_ns = stamp_ns

    def seal(self) -> Sealed:
        """Return the collected records."""
        start_ns = self._start_ns if self._index else 0
        return Sealed(bytes(self._records), self._index, start_ns, self._end_ns)


def write_chunk(file: McapFile, sealed: Sealed, compressor: zstandard.ZstdCompressor) -> bytes:
    """Append a chunk and its message indexes; return its packed entry in the summary."""
    data = compressor.compress(sealed.records)
    chunk = packed(records.Chunk(
        compression='zstd', data=data, message_start_time=sealed.start_ns,
        message_end_time=sealed.end_ns, uncompressed_crc=zlib.crc32(sealed.records),
        uncompressed_size=len(sealed.records)))
    start = file.end
    offsets: dict[int, int] = {}
    parts = [chunk]
    length = len(chunk)
    for channel, entries in sealed.entries.items():
        offsets[channel] = start + length
        table = np.array(entries, '<u8').tobytes()
        part = _INDEX.pack(Opcode.MESSAGE_INDEX, 6 + len(table), channel, len(table)) + table
        parts.append(part)
        length += len(part)
    file.append(b''.join(parts))
    return packed(records.ChunkIndex(
        chunk_length=len(chunk), chunk_start_offset=start, compression='zstd',
        compressed_size=len(data), message_end_time=sealed.end_ns,
        message_index_length=length - len(chunk), message_index_offsets=offsets,
        message_start_time=sealed.start_ns, uncompressed_size=len(sealed.records)))
