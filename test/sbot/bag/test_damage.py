"""Damaged bags: what can be read is given, and where the rest begins is said."""

import json

import pytest
from bag_maker import flush

from sbot.bag.mcap_reader import McapStream
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.cli.main import main
from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError
from sbot_common.topics import CMD_VEL, SCENARIO

SCENARIO_TEXT = scenario_from_mapping({
    'name': 'd', 'world': {'bounds': [0, 0, 9, 9]},
    'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}).to_yaml()


def three_chunks(path, name='/cmd_vel'):
    with Recorder(path, metadata={'scenario': SCENARIO_TEXT, 'seed': '3'}) as recorder:
        for k in range(3):
            recorder.write(name, CMD_VEL, k, bytes([0, 1, 0, 0]) + bytes(48))
            flush(recorder)
    return recorder.path


def offsets_of_chunks(path):
    stream, found = McapStream(path), []
    for opcode, _ in stream._records(8):
        if opcode == 6:
            found.append(stream._record)
    return found


def flipped(path, offset):
    data = bytearray(path.read_bytes())
    data[offset] ^= 4
    path.write_bytes(data)


def test_what_comes_before_the_damage_is_given(tmp_path, capsys):
    path = three_chunks(tmp_path / 'bag')
    second = offsets_of_chunks(path)[1]
    flipped(path, second + 60)
    bag = Bag(tmp_path / 'bag', partly=True)
    assert [message.stamp_ns for message in bag.messages()] == [0]
    assert f'bag_0.mcap is damaged at byte {second} of ' in bag.damage
    assert bag.corrupt
    with pytest.raises(InputError, match=f'damaged at byte {second}'):  # not by mistake
        list(Bag(tmp_path / 'bag').messages())
    assert main(['bag', 'info', str(tmp_path / 'bag'), '--json']) == 2
    found = json.loads(capsys.readouterr().out)
    assert found['messages'] == 1
    assert not found['complete']
    assert main(['bag', 'info', str(tmp_path / 'bag')]) == 2
    assert 'damaged; readable up to there' in capsys.readouterr().out
    assert main(['bag', 'diff', str(tmp_path / 'bag'), str(tmp_path / 'bag')]) == 2
    assert f'damaged at byte {second}' in capsys.readouterr().err


def test_a_damaged_index_is_not_complete_and_not_needed(tmp_path, capsys):
    path = three_chunks(tmp_path / 'bag')
    size = path.stat().st_size
    assert Bag(tmp_path / 'bag').complete
    for offset in (size - 200, size - 20, size - 4):  # the summary, its checksum, the magic
        flipped(path, offset)
        bag = Bag(tmp_path / 'bag')
        assert not bag.complete
        assert len(list(bag.messages())) == 3
        assert bag.names() == {'/cmd_vel': CMD_VEL.type}
        assert main(['bag', 'info', str(tmp_path / 'bag')]) == 0
        assert 'without a complete index' in capsys.readouterr().out
        flipped(path, offset)
    assert Bag(tmp_path / 'bag').complete


def test_a_message_that_cannot_be_decoded_is_named_with_bag_topic_and_place(tmp_path):
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        recorder.write('/scenario', SCENARIO, 1, b'\0\1\0\0\xff\xff\xff\xff')
    with pytest.raises(InputError, match=r'bag: /scenario in the record at byte \d+: std_msg'):
        _ = Bag(tmp_path / 'bag').scenario_text


def test_escape_sequences_of_a_recording_do_not_reach_the_terminal(tmp_path, capsys):
    three_chunks(tmp_path / 'bag', '/\x1b]0;title\x07\x1b[31m')
    assert main(['bag', 'info', str(tmp_path / 'bag')]) == 0
    out = capsys.readouterr().out
    assert '\x1b' not in out
    assert '\x07' not in out
    assert '\\x1b[31m' in out
