"""Read recordings: our own, finished or not, and bags of ``ros2 bag record``.

They are read from front to end in constant memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from rosbags.rosbag2 import Reader

from sbot.bag.mcap_reader import McapStream, Message
from sbot.bag.metadata import FILE_NAME
from sbot.bag.recorder import METADATA_NAME
from sbot_common.errors import InputError, bad_value
from sbot_common.topics import SCENARIO
from sbot_common.wire.cdr import decode

__all__ = ['Bag', 'Message', 'TopicCount']


@dataclass
class TopicCount:
    """Number of messages of a topic, and the times of the first and the last (ns)."""

    type: str
    first_ns: int
    last_ns: int
    messages: int = 0


class Bag:
    """A recording.

    Parameters
    ----------
    path : a rosbag2 directory, or one .mcap or .db3 file

    Raises
    ------
    InputError
        from every method, when the bag cannot be used: what it is, and what was expected.

    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise InputError(f'{self.path}: no such bag, expected a directory or .mcap file')
        self._information = self._read_information()
        files = self._files()
        mcap = self._information.get('storage_identifier', 'mcap') == 'mcap'
        plain = not self._information.get('compression_mode')
        self._streams = [McapStream(file) for file in files] if (
            plain and mcap and all(file.suffix == '.mcap' for file in files)) else []
        for stream in self._streams[:1]:
            stream.read_metadata()

    def _read_information(self) -> dict[str, Any]:
        path = self.path / FILE_NAME
        if not path.is_file():
            return {}
        try:
            loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
            text = yaml.load(path.read_text('utf-8'), loader)
            information = text['rosbag2_bagfile_information']
        except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError) as error:
            line = ' '.join(str(error).split())
            raise InputError(f'{path}: not the metadata of a rosbag2 bag: {line}') from None
        if not isinstance(information, dict):
            raise bad_value(f'{path}: rosbag2_bagfile_information', information, 'a mapping')
        return information

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        named = self._information.get('relative_file_paths') or []
        files = [self.path / Path(name).name for name in named]
        files = files or sorted(self.path.glob('*.mcap')) or sorted(self.path.glob('*.db3'))
        if not files:
            raise InputError(f'{self.path}: no bag in this directory, expected an .mcap file')
        for file in files:
            if not file.is_file():
                raise InputError(f'{file}: a file of the bag is missing ({FILE_NAME} names it)')
        return files

    @property
    def complete(self) -> bool:
        """Whether the recording was finished; else its writer was killed or stopped."""
        return all(stream.complete for stream in self._streams)

    @property
    def damage(self) -> str:
        """Where a file was cut off, once `messages` has come to its end; else ''."""
        return '; '.join(f'{s.path.name} is {s.damage}' for s in self._streams if s.damage)

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of the recorder: scenario, seed, version; empty in bags of other recorders."""
        return self._streams[0].metadata.get(METADATA_NAME, {}) if self._streams else {}

    @cached_property
    def scenario_text(self) -> str:
        """The scenario as run (YAML)."""
        text = self.metadata.get('scenario')
        if text is not None:
            return text
        for message in self.messages([SCENARIO.name]):
            if message.type != SCENARIO.type:
                raise bad_value(f'{self.path}: type of {SCENARIO.name}', message.type,
                                SCENARIO.type)
            return str(decode(message.payload, message.type).data)
        raise InputError(f'{self.path}: no scenario in it, expected the topic {SCENARIO.name}')

    @property
    def seed(self) -> int | None:
        """The seed of the run, if it was recorded."""
        seed = self.metadata.get('seed')
        return int(seed) if seed is not None and seed.lstrip('-').isdigit() else None

    def messages(self, names: Collection[str] | None = None) -> Iterator[Message]:
        """Yield the messages of the named topics, or all, in the order of recording."""
        if self._streams:
            for stream in self._streams:
                yield from stream.messages(lambda name: names is None or name in names)
        else:
            yield from self._foreign_messages(names)

    def _foreign_messages(self, names: Collection[str] | None) -> Iterator[Message]:
        with self._foreign() as reader:
            connections = [c for c in reader.connections if names is None or c.topic in names]
            if connections:
                for connection, stamp_ns, payload in reader.messages(connections):
                    yield Message(connection.topic, connection.msgtype, stamp_ns, payload)

    @contextmanager
    def _foreign(self) -> Iterator[Reader]:
        try:
            with Reader(self.path) as reader:
                yield reader
        except Exception as error:  # rosbags passes on those of sqlite and YAML too
            raise InputError(f'{self.path}: cannot read the bag: {error}') from None

    def names(self) -> dict[str, str]:
        """Return the type of each topic by name; from the index if there is one."""
        names: dict[str, str] = {}
        if not self._streams:
            with self._foreign() as reader:
                return {c.topic: c.msgtype for c in reader.connections}
        for stream in self._streams:
            names.update(stream.names())
        return names

    def topics(self) -> dict[str, TopicCount]:
        """Return what each topic holds, by name, in the order of first occurrence."""
        counts: dict[str, TopicCount] = {}
        for message in self.messages():
            stamp_ns = message.stamp_ns
            count = counts.setdefault(message.name, TopicCount(message.type, stamp_ns, stamp_ns))
            count.messages += 1
            count.first_ns = min(count.first_ns, stamp_ns)
            count.last_ns = max(count.last_ns, stamp_ns)
        return counts
