# SPDX-License-Identifier: Apache-2.0
"""Record a rosbag2 directory (MCAP, metadata.yaml) that stays readable after a crash.

What was written is in the file within a second of wall time, whether or not more is written: a
thread closes a chunk twice a second, compresses and appends it. `write` itself only copies bytes.

The `mcap` library's Writer puts the footer at the end only, so that a killed recording has none
and most readers refuse it. Here every append ends in a footer, which the next append overwrites in
the same system call: at any moment the file opens everywhere, if without an index.

The layout of metadata.yaml is that of rosbag2's version 9, as ROS 2 Jazzy writes it, so that
``ros2 bag play`` offers each topic with the quality of service with which it was recorded.
"""

from __future__ import annotations

import os
import shutil
import struct
import threading
import time
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import yaml
import zstandard
from mcap import records
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode

from sbot_common.errors import InputError, real_path
from sbot_common.topics import Topic
from sbot_common.wire.cdr import typestore

METADATA_NAME = 'potential_field_bot'  # of the MCAP metadata record
END_NAME = 'potential_field_bot end'  # of another, only in bags of runs that were cut short
CUT_SHORT = 'cut_short'  # its key, also in metadata.yaml
_FLUSH_PERIOD = 0.5  # s of wall time: nothing waits for longer than twice this
_SYNC_PERIOD = 5.0  # s of wall time between fsyncs, and between counts in metadata.yaml
_CHUNK_SIZE = 1 << 20  # bytes before compression
_QUEUE_LENGTH = 4  # chunks that may wait for the disk before `write` waits
MAGIC = b'\x89MCAP0\r\n'
_LIBRARY = 'potential_field_bot'
_FOOTER = struct.Struct('<BQQQ')
_MESSAGE = struct.Struct('<BQHIQQ')
_INDEX = struct.Struct('<BQHI')


def _packed(*items: records.McapRecord) -> bytes:
    """Return the bytes of records."""
    builder = RecordBuilder()
    for record in items:
        record.write(builder)
    return bytes(builder.end())


class _McapFile:
    """MCAP file that is valid after every append; ``end`` is the offset of the next one.

    Raises
    ------
    OSError
        from every method; what was appended before stays readable.

    """

    _TAIL = _packed(records.DataEnd(0), records.Footer(0, 0, 0)) + MAGIC

    def __init__(self, path: Path, metadata: records.Metadata) -> None:
        binary = getattr(os, 'O_BINARY', 0)  # Windows would change ends of lines
        self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | binary, 0o644)
        self.end = 0
        self.append(MAGIC + _packed(records.Header('ros2', _LIBRARY)))
        self.metadata_index = self.add_metadata(metadata)
        self.sync()

    def append(self, data: bytes) -> None:
        """Write ``data`` and a footer over the previous footer."""
        self._replace_footer(data + self._TAIL)
        self.end += len(data)

    def add_metadata(self, metadata: records.Metadata) -> records.MetadataIndex:
        """Append a metadata record; return its entry in the summary."""
        data = _packed(metadata)
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
        data_end = _packed(records.DataEnd(0))
        start = self.end + len(data_end)
        summary, offsets = b'', []
        for opcode, group in groups:
            if group:
                offsets.append(records.SummaryOffset(opcode, start + len(summary), len(group)))
                summary += group
        offset_start = start + len(summary)
        summary += _packed(*offsets)
        crc = zlib.crc32(_FOOTER.pack(Opcode.FOOTER, 20, start, offset_start), zlib.crc32(summary))
        footer = _packed(records.Footer(start, offset_start, crc))
        self._replace_footer(data_end + summary + footer + MAGIC)
        self.sync()

    def sync(self) -> None:
        """Flush the file to the disk (fsync)."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def write(self, chunk: _Chunk, compressor: zstandard.ZstdCompressor) -> bytes:
        """Append a chunk and its message indexes; return its packed entry in the summary."""
        data = compressor.compress(bytes(chunk.records))
        size, crc = len(chunk.records), zlib.crc32(chunk.records)
        record = _packed(records.Chunk(
            compression='zstd', data=data, message_start_time=chunk.start_ns,
            message_end_time=chunk.end_ns, uncompressed_crc=crc, uncompressed_size=size))
        offsets: dict[int, int] = {}
        parts, length = [record], len(record)
        for channel, entries in chunk.entries.items():
            offsets[channel] = self.end + length
            table = np.array(entries, '<u8').tobytes()
            parts.append(_INDEX.pack(Opcode.MESSAGE_INDEX, 6 + len(table), channel, len(table))
                         + table)
            length += len(parts[-1])
        start = self.end
        self.append(b''.join(parts))
        return _packed(records.ChunkIndex(
            chunk_length=len(record), chunk_start_offset=start, compression='zstd',
            compressed_size=len(data), message_end_time=chunk.end_ns,
            message_index_length=length - len(record), message_index_offsets=offsets,
            message_start_time=chunk.start_ns, uncompressed_size=size))


class _Chunk:
    """Records for one chunk: new schemas and channels, and messages."""

    def __init__(self) -> None:
        self.records = bytearray()
        self.entries: dict[int, list[int]] = {}  # channel: stamp, offset, stamp, offset ...
        self.start_ns = 2**63
        self.end_ns = 0

    def add_record(self, record: records.Schema | records.Channel) -> None:
        """Add a record that messages need before them."""
        self.records += _packed(record)

    def add_message(self, channel: int, sequence: int, stamp_ns: int, payload: bytes) -> None:
        """Add one message whose log and publish time is ``stamp_ns``."""
        entry = self.entries.get(channel)
        if entry is None:
            entry = self.entries[channel] = []
        entry.append(stamp_ns)
        entry.append(len(self.records))
        self.records += _MESSAGE.pack(
            Opcode.MESSAGE, 22 + len(payload), channel, sequence & 0xFFFFFFFF, stamp_ns, stamp_ns)
        self.records += payload
        if stamp_ns < self.start_ns:
            self.start_ns = stamp_ns
        if stamp_ns > self.end_ns:
            self.end_ns = stamp_ns


_VERSION = 9
FILE_NAME = 'metadata.yaml'
DISTRIBUTION = 'jazzy'  # whose layout it is: of runs without ROS
_DEPTH = 100  # that of the lockstep topics; a latched topic keeps only its last message
_FOREVER = {'sec': 9223372036, 'nsec': 854775807}
_DUMPER: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)


@cache
def _definition(type_name: str) -> str:
    """Return a type's message definition with those that it uses, in the 'ros2msg' encoding."""
    return str(typestore().generate_msgdef(type_name, ros_version=2)[0])


@cache
def _type_hash(type_name: str) -> str:
    """Return the REP 2016 hash of a type, 'RIHS01_...'."""
    return str(typestore().hash_rihs01(type_name))


@cache
def _qos_profiles(latched: bool) -> list[dict[str, Any]]:
    """Return the one QoS profile with which a topic is offered."""
    return [{
        'history': 'keep_last',
        'depth': 1 if latched else _DEPTH,
        'reliability': 'reliable',
        'durability': 'transient_local' if latched else 'volatile',
        'deadline': dict(_FOREVER),
        'lifespan': dict(_FOREVER),
        'liveliness': 'automatic',
        'liveliness_lease_duration': dict(_FOREVER),
        'avoid_ros_namespace_conventions': False,
    }]


def _yaml(value: object) -> str:
    """Return YAML; a list that occurs often (a QoS profile) is written once and referred to."""
    text: str = yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True,
                          default_flow_style=None, width=1000)
    return text


@cache
def _offered_qos(latched: bool) -> str:
    """Return the YAML list of the one QoS profile with which a topic is offered."""
    return _yaml(_qos_profiles(latched))


def _render(file_name: str, topics: Sequence[_Entry], start_ns: int, end_ns: int,
            custom: Mapping[str, str], ros_distro: str) -> str:
    """Return the text of metadata.yaml for a bag of one MCAP file.

    ``custom`` becomes ``custom_data``, where rosbag2 keeps short strings: long texts are left out.
    """
    short = {key: value for key, value in custom.items() if len(value) < 200 and '\n' not in value}
    messages = sum(entry.written for entry in topics)
    return _yaml({'rosbag2_bagfile_information': {
        'version': _VERSION,
        'storage_identifier': 'mcap',
        'duration': {'nanoseconds': end_ns - start_ns},
        'starting_time': {'nanoseconds_since_epoch': start_ns},
        'message_count': messages,
        'topics_with_message_count': [{
            'topic_metadata': {
                'name': entry.channel.topic,
                'type': entry.topic.type,
                'serialization_format': 'cdr',
                'offered_qos_profiles': _qos_profiles(entry.topic.latched),
                'type_description_hash': _type_hash(entry.topic.type),
            },
            'message_count': entry.written,
        } for entry in topics],
        'compression_format': '',
        'compression_mode': '',
        'relative_file_paths': [file_name],
        'files': [{
            'path': file_name,
            'starting_time': {'nanoseconds_since_epoch': start_ns},
            'duration': {'nanoseconds': end_ns - start_ns},
            'message_count': messages,
        }],
        'custom_data': short or None,
        'ros_distro': ros_distro,
    }})


# Topics of a bag that is being written: channels, schemas, counts of messages, and the index.

@dataclass
class _Entry:
    """One topic of the bag."""

    channel: records.Channel
    topic: Topic
    messages: int = 0
    written: int = 0  # of them, in the file


class _Catalogue:
    """What a bag holds; one thread adds topics while another counts what is in the file."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._schemas: dict[str, records.Schema] = {}
        self._start_ns, self._end_ns = 2**63, 0

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self._entries)

    def entry(self, name: str, topic: Topic, chunk: _Chunk) -> _Entry:
        """Return the entry of a topic; a new one is declared in the chunk."""
        if name in self._entries:
            return self._entries[name]
        schema = self._schemas.get(topic.type)
        if schema is None:
            schema = records.Schema(id=len(self._schemas) + 1, name=topic.type, encoding='ros2msg',
                            data=_definition(topic.type).encode())
            self._schemas[topic.type] = schema
            chunk.add_record(schema)
        channel = records.Channel(
            id=len(self._entries) + 1, topic=name, message_encoding='cdr', schema_id=schema.id,
            metadata={'offered_qos_profiles': _offered_qos(topic.latched),
                      'topic_type_hash': _type_hash(topic.type)})
        chunk.add_record(channel)
        entry = self._entries[name] = _Entry(channel, topic)
        return entry

    def count(self, chunk: _Chunk) -> None:
        """Count the messages of a chunk as written."""
        entries = list(self._entries.values())
        for number, places in chunk.entries.items():
            entries[number - 1].written += len(places) // 2
        self._start_ns = min(self._start_ns, chunk.start_ns)
        self._end_ns = max(self._end_ns, chunk.end_ns)

    @property
    def _span(self) -> tuple[int, int]:
        """The times (ns) of the first and the last message that are written."""
        return min(self._start_ns, self._end_ns), self._end_ns

    def describe(self, bag: Path, custom: Mapping[str, str], ros_distro: str) -> int:
        """Write metadata.yaml of the messages that are written; return how many topics it has.

        That is atomic: a reader finds either the old text or the new one.

        Parameters
        ----------
        bag : its MCAP file
        custom : strings for ``custom_data``
        ros_distro : ROS 2 distribution of the nodes that run

        """
        topics = [entry for entry in list(self._entries.values()) if entry.written]
        new = bag.with_name(FILE_NAME + '.new')
        new.write_text(_render(bag.name, topics, *self._span, custom, ros_distro),
                       encoding='utf-8')
        new.replace(bag.with_name(FILE_NAME))
        return len(topics)

    def index(self, chunks: Sequence[bytes],
              metadata: Sequence[records.MetadataIndex]) -> list[tuple[Opcode, bytes]]:
        """Return the sections at the end of the file, from the indexes of its other records."""
        start_ns, end_ns = self._span
        channels = [entry.channel for entry in self._entries.values()]
        counts = {entry.channel.id: entry.written for entry in self._entries.values()}
        statistics = records.Statistics(
            attachment_count=0, channel_count=len(counts), channel_message_counts=counts,
            chunk_count=len(chunks), message_count=sum(counts.values()),
            message_end_time=end_ns, message_start_time=start_ns,
            metadata_count=len(metadata), schema_count=len(self._schemas))
        return [(Opcode.SCHEMA, _packed(*self._schemas.values())),
                (Opcode.CHANNEL, _packed(*channels)),
                (Opcode.STATISTICS, _packed(statistics)),
                (Opcode.CHUNK_INDEX, b''.join(chunks)),
                (Opcode.METADATA_INDEX, _packed(*metadata))]


class RecorderError(RuntimeError):
    """The recording cannot continue; the bag contains everything written before. One line."""


class Recorder(AbstractContextManager['Recorder']):
    """Records messages given as bytes into a new directory; a context manager.

    Parameters
    ----------
    directory : the bag to make, e.g. 'runs/first'; its file is 'runs/first/first_0.mcap'
    metadata : strings kept in the bag before any message, e.g. scenario, seed, version
    ros_distro : ROS 2 distribution of the nodes that run
    keep_empty : keep the bag if it has no message

    Raises
    ------
    InputError
        if the directory exists or cannot be made.

    """

    def __init__(self, directory: str | Path, *, metadata: Mapping[str, str],
                 ros_distro: str = DISTRIBUTION, keep_empty: bool = False) -> None:
        self.directory = Path(directory)
        self._metadata = dict(metadata)
        self._ros_distro = ros_distro
        self._keep_empty = keep_empty
        self._end: dict[str, str] = {}
        self._catalogue = _Catalogue()
        self._chunk_indexes: list[bytes] = []
        self._synced = time.monotonic()
        self._described = 0  # topics in metadata.yaml
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._begin()
        self._changed = threading.Condition()
        self._open = _Chunk()
        self._queue: deque[_Chunk] = deque()
        self._closing = False
        self._error: RecorderError | None = None
        self._reported = False
        self._thread = threading.Thread(target=self._work, name='recorder', daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        """Make the folder with an empty bag."""
        try:
            self.path = self.directory / f'{real_path(self.directory).name}_0.mcap'
            self.directory.mkdir(parents=True)
        except FileExistsError:
            raise InputError(f'{self.directory}: exists already, and a recording is never '
                             'overwritten; give another name, or remove it first') from None
        except (OSError, ValueError) as error:  # ValueError: a zero byte
            reason = getattr(error, 'strerror', error)
            raise InputError(f'{self.directory}: cannot make the bag: {reason}') from None
        try:
            self._file = _McapFile(self.path, records.Metadata(METADATA_NAME, self._metadata))
            self._write_metadata()
        except OSError as error:
            shutil.rmtree(self.directory, ignore_errors=True)
            raise InputError(f'{self.path}: cannot write the bag: {error.strerror}') from None

    def write(self, name: str, topic: Topic, stamp_ns: int, payload: bytes) -> None:
        """Record one message; may be called from several threads.

        Parameters
        ----------
        name : absolute topic name, e.g. '/robot_0/cmd_vel'
        topic : its type and whether it is latched
        stamp_ns : log time and publish time (ns)
        payload : the message in CDR

        Raises
        ------
        RecorderError
            if an earlier message could not be written (the disk is full, ...).

        """
        with self._changed:
            if self._error is not None:
                self._reported = True
                raise self._error
            if self._closing:
                raise RecorderError(f'{self.directory}: the bag is closed')
            entry = self._catalogue.entry(name, topic, self._open)
            self._open.add_message(entry.channel.id, entry.messages, stamp_ns, payload)
            entry.messages += 1
            if len(self._open.records) >= _CHUNK_SIZE:
                self._seal()
                while len(self._queue) >= _QUEUE_LENGTH and self._error is None:
                    self._changed.wait()

    def close(self) -> None:
        """Write the remaining messages and the index; a second call does nothing.

        A bag without a message is removed, so that its name is free again, unless ``keep_empty``.

        Raises
        ------
        RecorderError
            if that fails, or an earlier failure was not reported yet; the bag is readable.

        """
        if self._closing:
            return
        with self._changed:
            self._seal()
            self._closing = True
            self._changed.notify_all()
        self._thread.join()
        try:
            if self._error is None:
                self._finish()
        except OSError as error:
            self._fail(error)
        finally:
            self._file.close()
        if not len(self._catalogue) and not self._keep_empty:
            shutil.rmtree(self.directory, ignore_errors=True)
        if self._error is not None and not self._reported:
            self._reported = True
            raise self._error

    def cut_short(self, where: str) -> None:
        """Note that the run did not come to its end, e.g. 'at tick 50 of 450'; then ``close``."""
        self._end[CUT_SHORT] = ' '.join(where.split())[:150]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            self.close()
        except RecorderError:
            if error is None:  # else the first error is raised
                raise

    def _seal(self) -> None:
        """Hand the open chunk to the thread; the lock is held."""
        if self._open.records:
            self._queue.append(self._open)
            self._open = _Chunk()
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closing, _FLUSH_PERIOD)
                if not self._queue:
                    self._seal()
                if not self._queue and self._closing:
                    return
                chunk = self._queue[0] if self._queue else None
            if chunk is not None:
                try:
                    if self._error is None:
                        self._store(chunk)
                except OSError as error:
                    self._fail(error)
                with self._changed:
                    self._queue.popleft()
                    self._changed.notify_all()

    def _store(self, chunk: _Chunk) -> None:
        self._catalogue.count(chunk)
        now = time.monotonic()
        is_due = now - self._synced >= _SYNC_PERIOD
        # Readers find only topics that metadata.yaml names: so it comes first, and one that is
        # killed in between, or finds no space, has named a few messages that are not there.
        if is_due or len(self._catalogue) > self._described:
            self._write_metadata()
        self._chunk_indexes.append(self._file.write(chunk, self._compressor))
        if is_due:
            self._file.sync()
            self._synced = now

    def _fail(self, error: OSError) -> None:
        with self._changed:
            self._error = RecorderError(
                f'{self.directory}: recording stopped: {error.strerror or error}; the bag is '
                'readable and holds what was written before the last second')
            self._changed.notify_all()

    def _write_metadata(self) -> None:
        self._described = self._catalogue.describe(
            self.path, {**self._metadata, **self._end}, self._ros_distro)

    def _finish(self) -> None:
        indexes = [self._file.metadata_index]
        if self._end:
            indexes.append(self._file.add_metadata(records.Metadata(END_NAME, self._end)))
        self._file.finish(self._catalogue.index(self._chunk_indexes, indexes))
        self._write_metadata()
