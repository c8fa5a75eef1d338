# SPDX-License-Identifier: Apache-2.0
"""Read MCAP files sequentially, also truncated ones: chunks, channels, messages, decompression.

A file cut off anywhere (a killed or crashed writer) gives every message that is whole in it, and a
damaged one every message before the damage. Whatever the file says, no more than ``limits()`` is
read or decompressed at once. The `mcap` library reads the same files; this reader takes a tenth of
its time for each message.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import lz4.frame
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, Footer, Metadata, Schema

from sbot.bag.recorder import MAGIC
from sbot.files.limits import TemporaryFolder, limits, too_large
from sbot_common.errors import InputError, decoding, open_regular, refuse

# Decompress chunks, messages and files of bags (zstd, lz4) within limits.
#
# A few kilobytes can decompress to gigabytes. So the size is limited before memory is taken.

_WINDOW = 1 << 27  # bytes; what `zstd --long` uses at most by default
_PIECE = 1 << 20


def inflated(data: bytes, compression: str, where: str) -> bytes:
    """Return decompressed data of at most ``limits().file_bytes``.

    Parameters
    ----------
    data : of a chunk or a message
    compression : 'zstd', 'lz4' or '' for none
    where : what messages call it

    Raises
    ------
    InputError
        for data that are damaged, too large, or compressed in another way.

    """
    most = limits().file_bytes
    if compression == '':
        return data
    with decoding(where):
        if compression == 'zstd':
            size = zstandard.frame_content_size(data)
            if size < 0:  # its writer did not know
                with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
                        data) as stream:
                    found: bytes = stream.read(most + 1)
            elif size <= most:
                found = zstandard.ZstdDecompressor().decompress(data)
            else:
                raise too_large(where, 'bytes when decompressed', size, 'file_bytes')
        elif compression == 'lz4':
            found = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=most + 1)
        else:
            raise ValueError(f'unknown compression {compression[:40]!r}')
    if len(found) > most:
        raise too_large(where, 'bytes or more when decompressed', len(found), 'file_bytes')
    return found


class Unpacked:
    """A temporary copy of a compressed file (zstd), deleted with this object.

    Attributes
    ----------
    path : of the copy
    damage : why the rest of the file could not be decompressed, else ''

    Raises
    ------
    InputError
        if it holds more than ``limits().run_bytes`` or than the disk has space for.

    """

    def __init__(self, path: Path) -> None:
        self._folder = TemporaryFolder('bag')
        self.path = Path(self._folder.name) / path.stem
        self.damage = ''
        try:
            with open_regular(path) as source, self.path.open('wb') as copy:
                stream = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
                    source, read_across_frames=True)
                while piece := stream.read(_PIECE):
                    copy.write(piece)
                    if copy.tell() > limits().run_bytes:
                        raise too_large(str(path), 'bytes or more when decompressed',
                                        copy.tell(), 'run_bytes')
        except zstandard.ZstdError as error:
            size = self.path.stat().st_size
            self.damage = f'damaged after {size} decompressed bytes: {error}'
        except OSError as error:
            raise InputError(f'{path}: cannot be decompressed: {error.strerror}') from None


# Messages in the records of an MCAP file: schemas, channels and chunks, with checks of each.

HEAD = struct.Struct('<BQ')  # opcode and length of a record
_MESSAGE = struct.Struct('<HIQQ')


class Message(NamedTuple):
    """One message of a bag."""

    name: str  # absolute topic name
    type: str  # e.g. 'geometry_msgs/msg/Twist'
    stamp_ns: int  # log time
    payload: bytes  # CDR


def _read(kind: Any, record: bytes) -> Any:  # noqa: ANN401 - a class of mcap
    """Return a record of the mcap library."""
    with decoding(kind.__name__.lower()):
        return kind.read(ReadDataStream(BytesIO(record)))


class _Contents:
    """Schemas and channels seen so far, and the messages of the wanted ones."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, tuple[str, str] | None] = {}
        self.types: dict[str, str] = {}  # of the wanted topics
        self.topic = ''  # of the last message

    def define(self, opcode: int, record: bytes) -> None:
        """Note a schema or a channel."""
        if opcode == Opcode.SCHEMA:
            schema = _read(Schema, record)
            self._schemas[schema.id] = schema.name
            return
        new = _read(Channel, record)
        self._channels[new.id] = None
        if self._wanted(new.topic):
            self.types[new.topic] = self._schemas.get(new.schema_id, '')
            self._channels[new.id] = new.topic, self.types[new.topic]
        if len(self._channels) > limits().text_values:
            raise too_large('channels', 'topics', len(self._channels), 'text_values')

    def messages(self, records: bytes) -> Iterator[Message]:
        """Yield the wanted messages of consecutive records.

        Raises
        ------
        InputError
            if a record is damaged.

        """
        channels = self._channels
        offset, size = 0, len(records)
        while offset < size:
            opcode, length = HEAD.unpack_from(records, offset) if (
                size - offset >= HEAD.size) else (0, size)
            start = offset + HEAD.size
            offset = start + length
            if offset > size:
                raise InputError('a record is longer than its chunk')
            if opcode == Opcode.MESSAGE:
                if length < _MESSAGE.size:
                    raise InputError(f'a message of {length} bytes')
                number, _, stamp_ns, _ = _MESSAGE.unpack_from(records, start)
                if number not in channels:
                    raise InputError(f'a message belongs to the unknown channel {number}')
                channel = channels[number]
                if channel is not None:
                    self.topic = channel[0]
                    yield Message(channel[0], channel[1], stamp_ns,
                                  records[start + _MESSAGE.size:offset])
            elif opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
                self.define(opcode, records[start:offset])


def _uncompressed(record: bytes) -> bytes:
    """Return the records inside a chunk, checked.

    Raises
    ------
    InputError
        if they are damaged, too large or compressed in an unknown way.

    """
    chunk = _read(Chunk, record)
    data = inflated(chunk.data, chunk.compression, 'chunk')
    refuse((len(data) != chunk.uncompressed_size,
            f'a chunk has {len(data)} bytes, not {chunk.uncompressed_size}'),
           (chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc,
            'the checksum of a chunk is wrong'))
    return data


_FOOTER_SIZE = 9 + 20 + len(MAGIC)
# The others are skipped.
_READ = (Opcode.SCHEMA, Opcode.CHANNEL, Opcode.METADATA, Opcode.MESSAGE, Opcode.CHUNK)


class McapStream:
    """One MCAP file.

    Attributes
    ----------
    complete : whether the file has its index, undamaged, so that its writer came to its end
    damage : after `messages` has come to its end: from where on the file is cut off or damaged, as
        far as it could be read; else ''
    corrupt : whether that is more than being cut off
    metadata : name and contents of the metadata records read so far
    place : the topic read last, and where it stands, e.g. '/poses in the record at byte 912'

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ''
        self.corrupt = False
        self.metadata: dict[str, dict[str, str]] = {}
        self._record = 0  # offset of the record being read
        self._contents: _Contents | None = None
        try:
            with open_regular(path) as file:
                magic = file.read(len(MAGIC))
                self.size = file.seek(0, 2)
                self._summary_start = self._find_summary(file) if magic == MAGIC else 0
        except OSError as error:
            raise InputError(f'{path}: cannot read the bag: {error.strerror}') from None
        self.complete = self._summary_start != 0
        if magic != MAGIC:
            found = f'it begins with {magic!r}' if magic else 'it is empty'
            raise InputError(f'{path}: not an MCAP file: {found}')

    @property
    def place(self) -> str:
        """The topic read last, and the record in which it is."""
        topic = self._contents.topic if self._contents else ''
        return f'{topic} in the record at byte {self._record}'

    def _find_summary(self, file: BinaryIO) -> int:
        """Return where the index begins; 0 if there is none or it is damaged."""
        end = self.size - _FOOTER_SIZE
        if end < len(MAGIC):
            return 0
        file.seek(end)
        raw = file.read(_FOOTER_SIZE)
        if HEAD.unpack_from(raw) != (Opcode.FOOTER, 20) or raw[-len(MAGIC):] != MAGIC:
            return 0
        footer = Footer.read(ReadDataStream(BytesIO(raw[HEAD.size:])))
        start = int(footer.summary_start)
        if not len(MAGIC) <= start <= end:
            return 0
        file.seek(start)
        crc, left = 0, end + HEAD.size + 16 - start
        while piece := file.read(min(left, _PIECE)):
            crc = zlib.crc32(piece, crc)
            left -= len(piece)
        return start if footer.summary_crc in (0, crc) else 0

    def read_metadata(self) -> None:
        """Read the metadata records before the first message."""
        for opcode, record in self._records(len(MAGIC)):
            if opcode in (Opcode.CHUNK, Opcode.MESSAGE):
                return
            if opcode == Opcode.METADATA:
                with suppress(InputError):  # `messages` will tell
                    self._keep(record)

    def names(self) -> dict[str, str]:
        """Return the type of each topic by name; damaged parts have no topics."""
        contents = _Contents(lambda _: True)
        with suppress(InputError):
            for opcode, record in self._records(self._summary_start) if self.complete else ():
                if opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
                    contents.define(opcode, record)
            if contents.types:
                return contents.types
        return {message.name: message.type for message in self.messages(lambda _: True)}

    def messages(self, wanted: Callable[[str], bool]) -> Iterator[Message]:
        """Yield the messages of the wanted topics in the order of the file, up to its damage."""
        self._contents = contents = _Contents(wanted)
        end = len(MAGIC)
        self.corrupt = False
        for opcode, record in self._records(end):
            end = self._record + HEAD.size + len(record)
            try:
                if opcode == Opcode.CHUNK:
                    yield from contents.messages(_uncompressed(record))
                elif opcode == Opcode.METADATA:
                    self._keep(record)
                else:
                    yield from contents.messages(HEAD.pack(opcode, len(record)) + record)
            except InputError as error:
                self._fail(end, str(error))
                return

    def _fail(self, end: int, reason: str) -> None:
        """Note a damaged record, which ends at ``end``."""
        if self._is_end(end):
            self.damage = f'cut off at byte {self._record} of {self.size}'
        else:
            self._damaged(reason)

    def _damaged(self, reason: str) -> None:
        self.corrupt = True
        self.damage = f'damaged at byte {self._record} of {self.size}: {reason}'

    def _keep(self, record: bytes) -> None:
        metadata = _read(Metadata, record)
        self.metadata[metadata.name] = metadata.metadata

    def _is_end(self, offset: int) -> bool:
        """Tell whether nothing but zeros follows.

        They are what a file system leaves of a block that it had no time to write.
        """
        with open_regular(self.path) as file:
            file.seek(offset)
            return not any(block.strip(b'\0') for block in iter(partial(file.read, _PIECE), b''))

    def _records(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """Yield the records of a section that messages are made of, as far as they are whole."""
        self.damage = ''
        most = limits().file_bytes
        with open_regular(self.path) as file:
            file.seek(offset)
            while True:
                self._record = offset
                head = file.read(HEAD.size)
                opcode, length = HEAD.unpack(head) if len(head) == HEAD.size else (0, 0)
                if opcode in (Opcode.DATA_END, Opcode.FOOTER):
                    return
                begin = offset + HEAD.size
                offset = begin + length
                if not opcode or offset > self.size:
                    self._fail(begin if not opcode else self.size, 'no record')
                    return
                if opcode not in _READ:
                    file.seek(offset)
                    continue
                if length > most:
                    self._damaged(str(too_large('record', 'bytes', length, 'file_bytes')))
                    return
                yield opcode, file.read(length)
