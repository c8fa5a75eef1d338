"""Topics of a bag that is being written: channels, schemas, counts of messages, and the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcap.opcode import Opcode
from mcap.records import Channel, MetadataIndex, Schema, Statistics

from sbot.bag import metadata as bag_metadata
from sbot.bag.mcap_writer import OpenChunk, Sealed, packed
from sbot_common.topics import Topic


@dataclass
class Entry:
    """One topic of the bag."""

    number: int
    name: str
    topic: Topic
    messages: int = 0
    written: int = 0  # of them, in the file


class Catalogue:
    """What a bag holds; one thread adds topics while another counts what is in the file."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._schemas: dict[str, Schema] = {}
        self._records: list[Channel] = []
        self._start_ns, self._end_ns = 2**63, 0

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self._entries)

    def entry(self, name: str, topic: Topic, chunk: OpenChunk) -> Entry:
        """Return the entry of a topic; a new one is declared in the chunk."""
        return self._entries.get(name) or self._add(name, topic, chunk)

    def _add(self, name: str, topic: Topic, chunk: OpenChunk) -> Entry:
        if not name.startswith('/'):
            raise ValueError(f'topic name {name!r} is not absolute')
        schema = self._schemas.get(topic.type)
        if schema is None:
            schema = Schema(id=len(self._schemas) + 1, name=topic.type, encoding='ros2msg',
                            data=bag_metadata.definition(topic.type).encode())
            self._schemas[topic.type] = schema
            chunk.add_record(schema)
        entry = Entry(len(self._entries) + 1, name, topic)
        record = Channel(
            id=entry.number, topic=name, message_encoding='cdr', schema_id=schema.id,
            metadata={'offered_qos_profiles': bag_metadata.offered_qos(topic.latched),
                      'topic_type_hash': bag_metadata.type_hash(topic.type)})
        chunk.add_record(record)
        self._records.append(record)
        self._entries[name] = entry
        return entry

    def count(self, sealed: Sealed, sign: int = 1) -> None:
        """Count the messages of a chunk as written; with ``sign`` -1 take that back."""
        entries = list(self._entries.values())
        for number, places in sealed.entries.items():
            entries[number - 1].written += sign * (len(places) // 2)
        self._start_ns = min(self._start_ns, sealed.start_ns)
        self._end_ns = max(self._end_ns, sealed.end_ns)

    def summary(self) -> bag_metadata.Summary:
        """Return what metadata.yaml tells of the messages that are written."""
        topics = [bag_metadata.Counted(entry.name, entry.topic, entry.written)
                  for entry in list(self._entries.values()) if entry.written]
        return bag_metadata.Summary(min(self._start_ns, self._end_ns), self._end_ns, topics)

    def index(self, chunks: Sequence[bytes],
              metadata: Sequence[MetadataIndex]) -> list[tuple[Opcode, bytes]]:
        """Return the sections at the end of the file, from the indexes of its other records."""
        summary = self.summary()
        counts = {entry.number: entry.written for entry in self._entries.values()}
        statistics = Statistics(
            attachment_count=0, channel_count=len(counts), channel_message_counts=counts,
            chunk_count=len(chunks), message_count=summary.messages,
            message_end_time=summary.end_ns, message_start_time=summary.start_ns,
            metadata_count=len(metadata), schema_count=len(self._schemas))
        return [(Opcode.SCHEMA, packed(*self._schemas.values())),
                (Opcode.CHANNEL, packed(*self._records)),
                (Opcode.STATISTICS, packed(statistics)),
                (Opcode.CHUNK_INDEX, b''.join(chunks)),
                (Opcode.METADATA_INDEX, packed(*metadata))]
