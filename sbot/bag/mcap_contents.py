"""Messages in the records of an MCAP file: schemas, channels and chunks, with checks of each."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import NamedTuple

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, Schema

from sbot.bag.decompress import inflated
from sbot.files.limits import limits, too_large
from sbot_common.errors import InputError, decoding

HEAD = struct.Struct('<BQ')  # opcode and length of a record
_MESSAGE = struct.Struct('<HIQQ')


class Message(NamedTuple):
    """One message of a bag."""

    name: str  # absolute topic name
    type: str  # e.g. 'geometry_msgs/msg/Twist'
    stamp_ns: int  # log time
    payload: bytes  # CDR


class Contents:
    """Schemas and channels seen so far, and the messages of the wanted ones."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, tuple[str, str] | None] = {}
        self.types: dict[str, str] = {}  # of the wanted topics
        self.topic = ''  # of the last message

    def define(self, opcode: int, record: bytes) -> None:
        """Note a schema or a channel."""
        with decoding('schema' if opcode == Opcode.SCHEMA else 'channel'):
            if opcode == Opcode.SCHEMA:
                schema = Schema.read(ReadDataStream(BytesIO(record)))
                self._schemas[schema.id] = schema.name
                return
            new = Channel.read(ReadDataStream(BytesIO(record)))
        kept = new.topic, self._schemas.get(new.schema_id, '')
        self._channels[new.id] = kept if self._wanted(new.topic) else None
        if self._channels[new.id]:
            self.types[new.topic] = kept[1]
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
            if size - offset < HEAD.size:
                raise InputError('a record is longer than its chunk')
            opcode, length = HEAD.unpack_from(records, offset)
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


def uncompressed(record: bytes) -> bytes:
    """Return the records inside a chunk, checked.

    Raises
    ------
    InputError
        if they are damaged, too large or compressed in an unknown way.

    """
    with decoding('chunk'):
        chunk = Chunk.read(ReadDataStream(BytesIO(record)))
    data = inflated(chunk.data, chunk.compression, 'chunk')
    if len(data) != chunk.uncompressed_size:
        raise InputError(f'a chunk has {len(data)} bytes, not {chunk.uncompressed_size}')
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise InputError('the checksum of a chunk is wrong')
    return data
