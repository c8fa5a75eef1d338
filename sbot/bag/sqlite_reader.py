"""Read rosbag2's SQLite files (.db3) with rosbags."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from rosbags.rosbag2 import Reader

from sbot.bag.mcap_contents import Message
from sbot_common.errors import InputError, decoding
from sbot_common.files import check_regular


class SqliteStream:
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
        with decoding(f'{path}: cannot read the bag'):
            _check(path)

    def names(self) -> dict[str, str]:
        """Return the type of each topic by name.

        Raises
        ------
        InputError
            if the database has no readable topics.

        """
        with decoding(f'{self.path}: cannot read the bag'), Reader(self.path) as reader:
            return {connection.topic: connection.msgtype for connection in reader.connections}

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
        except InputError:
            raise
        except Exception as error:  # rosbags passes on whatever SQLite says
            self.damage = f'damaged after {count} messages: {error}'
            self.corrupt = True


def _check(path: Path) -> None:
    """Raise InputError unless the database has plain tables only."""
    check_regular(path, path.stat().st_mode)
    address = f'file:{quote(str(path.resolve()))}?mode=ro&immutable=1'
    with closing(sqlite3.connect(address, uri=True)) as connection:
        kinds = dict(connection.execute('SELECT name, type FROM sqlite_master'))
    if 'view' in kinds.values():
        raise InputError(f'{path}: got a view, expected tables')
    if not {'topics', 'messages'} <= kinds.keys():
        raise InputError(f'{path}: not a bag; a bag needs the tables topics and messages')
