# SPDX-License-Identifier: Apache-2.0
"""Read recordings: our own, finished or not, and bags of ``ros2 bag record``, also SQLite files.

They are read from front to end in constant memory. Whatever they hold, an error is an InputError,
and no more than ``sbot.files.limits`` is read at once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rosbags.rosbag2 import Reader

from sbot.bag.mcap_reader import McapStream, Message, Unpacked, inflated
from sbot.bag.recorder import CUT_SHORT, END_NAME, FILE_NAME, METADATA_NAME
from sbot.files.limits import read_within
from sbot.files.yaml_text import decode_text, load_mapping
from sbot.version import Maker
from sbot_common.errors import InputError, bad_value, check_regular, decoding, shown
from sbot_common.topics import SCENARIO
from sbot_common.wire.cdr import decode

# Read rosbag2's SQLite files (.db3) with rosbags.

class _SqliteStream:
    """One .db3 file.

    Attributes
    ----------
    complete : always true: SQLite has no unfinished files
    damage : after `messages` has come to its end: why the rest could not be read, else ''
    corrupt : whether there is such a damage
    metadata : empty; this package's recorder writes none
    place : the topic read last

    """

    complete = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ''
        self.corrupt = False
        self.metadata: dict[str, dict[str, str]] = {}
        self.place = ''
        with decoding(f'{path}: cannot read the bag'), Reader(path) as reader:
            self._names = {each.topic: each.msgtype for each in reader.connections}

    def names(self) -> dict[str, str]:
        """Return the type of each topic by name."""
        return self._names

    def messages(self, wanted: Callable[[str], bool]) -> Iterator[Message]:
        """Yield the messages of the wanted topics in the order of time, up to a damage."""
        self.damage, self.corrupt = '', False
        count = 0
        try:
            with Reader(self.path) as reader:
                connections = [c for c in reader.connections if wanted(c.topic)]
                for connection, stamp_ns, payload in reader.messages(connections) if (
                        connections) else ():
                    self.place = f'{connection.topic}, message {count}'
                    yield Message(connection.topic, connection.msgtype, int(stamp_ns),
                                  bytes(payload))
                    count += 1
        except Exception as error:  # rosbags passes on whatever SQLite says
            self.damage = f'damaged after {count} messages: {error}'
            self.corrupt = True


__all__ = ['Bag', 'Message']


@dataclass
class _TopicCount:
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
    partly : True: the messages of a damaged bag end at the damage, and ``damage`` describes it.
        False: an InputError is raised there. If the recorder was killed, the bag is not damaged,
        and its messages end without an error.

    Raises
    ------
    InputError
        from every method, if the bag cannot be used.

    """

    def __init__(self, path: str | Path, *, partly: bool = False) -> None:
        self.path = Path(path)
        self._partly = partly
        self._current: McapStream | _SqliteStream | None = None  # is being read
        with self._system_errors():
            if not self.path.exists():
                where = '' if self.path.is_absolute() else f' in {Path.cwd()}'
                raise InputError(f'{self.path}: no such directory or .mcap file{where}')
            if not self.path.is_dir():
                check_regular(self.path, self.path.stat().st_mode)
            self._information = information = self._read_information()
            mode = str(information.get('compression_mode') or 'none').lower()
            if mode not in ('none', 'file', 'message') or (
                    mode != 'none' and information.get('compression_format') != 'zstd'):
                raise bad_value(f'{self.path}: compression', f'{mode}, '
                                f'{information.get("compression_format")}', 'none or zstd')
            self._packed = mode == 'message'
            files = self._files(information)
            self._copies = [Unpacked(file) for file in files] if mode == 'file' else []
            self._streams = [_SqliteStream(file) if file.suffix == '.db3' else McapStream(file)
                             for file in [copy.path for copy in self._copies] or files]
            if isinstance(self._streams[0], McapStream):
                self._streams[0].read_metadata()

    def _repr_html_(self) -> Any:  # noqa: ANN401 - text or None, of what knows the viewer
        return sys.modules['sbot']._frame(self)

    @contextmanager
    def _system_errors(self) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a zero byte in a name
            reason = getattr(error, 'strerror', error)
            raise InputError(f'{self.path}: cannot read the bag: {reason}') from None

    def _read_information(self) -> dict[str, Any]:
        path = self.path / FILE_NAME
        if not path.exists():
            return {}
        try:
            text = load_mapping(decode_text(read_within(path), str(path)), str(path))
            return dict(text['rosbag2_bagfile_information'])
        except (InputError, KeyError, TypeError, ValueError) as error:
            reason = str(error).removeprefix(f'{path}: ')
            raise InputError(f'{path}: not the metadata of a rosbag2 bag: {reason}') from None

    def _files(self, information: dict[str, Any]) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        where = f'{self.path / FILE_NAME}: relative_file_paths'
        named = information.get('relative_file_paths') or []
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise bad_value(where, named, 'a list of file names')
        files = [self.path / Path(name).name for name in named]
        files = files or sorted(self.path.glob('*.mcap')) or sorted(self.path.glob('*.db3'))
        if not files:
            reason = 'its recorder may have been killed at its start'
            if (self.path / 'plan.json').is_file():
                reason = (f'it holds the results of a sweep: sbot sweep show {self.path}; '
                          'recordings of its runs are in its folder bags, if --record made some')
            raise InputError(f'{self.path}: no .mcap file in this directory; {reason}')
        for file in files:
            if not file.is_file():
                raise InputError(f'{file}: a file of the bag is missing ({FILE_NAME} names it)')
        return files

    @property
    def complete(self) -> bool:
        """Whether the recording was finished; else its writer was killed, or it is damaged."""
        return all(stream.complete for stream in self._streams)

    @property
    def damage(self) -> str:
        """Where a file was cut off or is damaged, once `messages` has come to its end; else ''."""
        return '; '.join(f'{file.path.name} is {file.damage}'
                         for file in (*self._streams, *self._copies) if file.damage)

    @property
    def corrupt(self) -> bool:
        """Whether ``damage`` is more than the end of a recording whose writer was killed."""
        return any(stream.corrupt for stream in self._streams) or any(
            copy.damage for copy in self._copies)

    @contextmanager
    def named_errors(self) -> Iterator[None]:
        """Within it, an InputError about a message names bag, topic and place.

        For loops over ``messages``.
        """
        try:
            yield
        except InputError as error:
            if str(error).startswith(str(self.path)):
                raise
            raise InputError(f'{self.path}: {self._place}: {error}') from None

    @property
    def _place(self) -> str:
        return self._current.place if self._current else 'no message'

    @property
    def cut_short(self) -> str:
        """Where the run ended before its end, e.g. 'at tick 50 of 450'; '' if it did not.

        Of a single file it is known once `messages` has come to its end.
        """
        noted = self._information.get('custom_data')
        if isinstance(noted, dict) and noted.get(CUT_SHORT):
            return str(noted[CUT_SHORT])
        return next((text for stream in self._streams
                     if (text := stream.metadata.get(END_NAME, {}).get(CUT_SHORT))), '')

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of the recorder: scenario, seed, version; empty in bags of other recorders."""
        return self._streams[0].metadata.get(METADATA_NAME, {})

    @property
    def maker(self) -> Maker:
        """What made the run: its version, and the generator of its random numbers."""
        noted = self.metadata
        if 'version' in noted:  # versions that did not note it drew from PCG64
            return Maker(noted['version'], noted.get('random_numbers', 'PCG64'))
        return Maker.of(self.scenario_text)

    @cached_property
    def scenario_text(self) -> str:
        """The scenario as run (YAML)."""
        text = self.metadata.get('scenario')
        if text is not None:
            return text
        with self.named_errors():
            for message in self.messages([SCENARIO.name]):
                if message.type != SCENARIO.type:
                    raise bad_value(f'{self.path}: type of {SCENARIO.name}', message.type,
                                    SCENARIO.type)
                return str(decode(message.payload, message.type).data)
        raise InputError(f'{self.path}: needs the topic {SCENARIO.name}, which holds the scenario')

    @property
    def seed(self) -> int | None:
        """The seed of the run, if it was recorded."""
        seed = self.metadata.get('seed', '')
        return int(seed) if re.fullmatch(r'-?[0-9]{1,30}', seed) else None

    def messages(self, names: Collection[str] | None = None) -> Iterator[Message]:
        """Yield the messages of the named topics, or all, in the order of recording."""
        for stream in self._streams:
            self._current = stream
            with self._system_errors():
                found = stream.messages(lambda name: names is None or name in names)
                yield from (self._inflated(found) if self._packed else found)
            if stream.corrupt and not self._partly:
                raise InputError(f'{stream.path}: {stream.damage}')
        if self.corrupt and not self._partly:
            raise InputError(f'{self.path}: {self.damage}')

    def messages_of(self, types: Mapping[str, Collection[str]]) -> Iterator[Message]:
        """Yield the messages of some topics, each of one of the types given for its name.

        Raises
        ------
        InputError
            as ``messages``, and for a message of another type.

        """
        for message in self.messages(types):
            if message.type not in types[message.name]:
                raise InputError(f'{self.path}: {message.name} has messages of type '
                                 f'{shown(message.type)}, expected '
                                 f'{" or ".join(types[message.name])}')
            yield message

    def _inflated(self, found: Iterator[Message]) -> Iterator[Message]:
        for message in found:
            payload = inflated(message.payload, 'zstd', f'{self.path}: {message.name}')
            yield message._replace(payload=payload)

    def names(self) -> dict[str, str]:
        """Return the type of each topic by name; from the index if there is one."""
        names: dict[str, str] = {}
        with self._system_errors():
            for stream in self._streams:
                names.update(stream.names())
        return names

    def topics(self) -> dict[str, _TopicCount]:
        """Return the content of each topic by name, in the order of first occurrence."""
        counts: dict[str, _TopicCount] = {}
        for message in self.messages():
            stamp_ns = message.stamp_ns
            count = counts.setdefault(message.name, _TopicCount(message.type, stamp_ns, stamp_ns))
            count.messages += 1
            count.first_ns = min(count.first_ns, stamp_ns)
            count.last_ns = max(count.last_ns, stamp_ns)
        return counts
