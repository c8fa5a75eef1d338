"""Topics of a bag that is being written."""

import pytest

from sbot.bag.catalogue import Catalogue
from sbot.bag.mcap_writer import OpenChunk
from sbot_common.topics import CLOCK, CMD_VEL


def test_a_topic_is_declared_once_and_counted_when_it_is_written():
    catalogue, chunk = Catalogue(), OpenChunk()
    clock = catalogue.entry('/clock', CLOCK, chunk)
    for stamp_ns in (5, 9):
        entry = catalogue.entry('/clock', CLOCK, chunk)
        assert entry is clock
        chunk.add_message(entry.number, entry.messages, stamp_ns, b'\0' * 12)
        entry.messages += 1
    catalogue.entry('/cmd_vel', CMD_VEL, chunk)
    assert len(catalogue) == 2
    assert catalogue.summary().messages == 0
    sealed = chunk.seal()
    catalogue.count(sealed)
    summary = catalogue.summary()
    assert (summary.messages, summary.start_ns, summary.end_ns) == (2, 5, 9)
    assert [counted.name for counted in summary.topics] == ['/clock']
    catalogue.count(sealed, -1)
    assert catalogue.summary().messages == 0


def test_a_relative_name_is_refused():
    with pytest.raises(ValueError, match="topic name 'clock' is not absolute"):
        Catalogue().entry('clock', CLOCK, OpenChunk())
