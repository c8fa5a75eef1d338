"""SQLite bags are plain tables: a view would be a program."""

import sqlite3

import pytest

from sbot.bag.sqlite_reader import SqliteStream
from sbot_common.errors import InputError

TOPICS = 'CREATE TABLE topics(id INTEGER, name TEXT)'


def database(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def test_plain_tables_are_accepted(tmp_path):
    stream = SqliteStream(database(tmp_path / 'a.db3', TOPICS, 'CREATE TABLE messages(data BLOB)'))
    assert (stream.complete, stream.damage) == (True, '')


@pytest.mark.parametrize(('statements', 'message'), [
    ((TOPICS,), 'the tables topics and messages'),
    ((TOPICS, 'CREATE VIEW messages AS SELECT 1 AS data'), 'got a view')])
def test_other_databases_are_refused(tmp_path, statements, message):
    with pytest.raises(InputError, match=message):
        SqliteStream(database(tmp_path / 'a.db3', *statements))
    (tmp_path / 'b.db3').write_bytes(b'no database at all, but long enough')
    with pytest.raises(InputError, match='cannot read the bag'):
        SqliteStream(tmp_path / 'b.db3')
