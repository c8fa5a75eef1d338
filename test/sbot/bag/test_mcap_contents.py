"""Records of an MCAP file that are not what they say."""

import pytest
from mcap.opcode import Opcode

from sbot.bag.mcap_contents import HEAD, Contents
from sbot_common.errors import InputError


@pytest.mark.parametrize(('records', 'words'), [
    (b'123', 'a record is longer than its chunk'),
    (HEAD.pack(Opcode.MESSAGE, 100) + b'123', 'a record is longer than its chunk'),
    (HEAD.pack(Opcode.MESSAGE, 3) + b'123', 'a message of 3 bytes'),
    (HEAD.pack(Opcode.MESSAGE, 22) + b'\7' + bytes(21), 'the unknown channel 7'),
    (HEAD.pack(Opcode.CHANNEL, 1) + b'1', 'channel')])
def test_a_damaged_record_is_named(records, words):
    with pytest.raises(InputError, match=words):
        list(Contents(lambda _: True).messages(records))


def test_records_of_other_kinds_are_passed_over():
    assert list(Contents(lambda _: True).messages(HEAD.pack(Opcode.STATISTICS, 2) + b'12')) == []
