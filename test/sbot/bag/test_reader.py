import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot_common.errors import InputError
from sbot_common.topics import CMD_VEL, SCENARIO
from sbot_common.wire import cdr


def string(text):
    return cdr.encode(cdr.message_class('std_msgs/msg/String')(data=text))


def foreign_bag(path, storage):
    """Write a bag as other tools do: log times of reception, other order of topics."""
    with Writer(path, version=9, storage_plugin=storage) as writer:
        twist = writer.add_connection('/cmd_vel', CMD_VEL.type, typestore=cdr.typestore())
        scenario = writer.add_connection(SCENARIO.name, SCENARIO.type, typestore=cdr.typestore())
        writer.write(twist, 5, bytes(52))
        writer.write(scenario, 6, string('name: foreign'))
        writer.write(twist, 7, bytes(52))


@pytest.mark.parametrize('storage', list(StoragePlugin))
def test_foreign_bags(tmp_path, storage):
    foreign_bag(tmp_path / 'bag', storage)
    bag = Bag(tmp_path / 'bag')
    assert bag.scenario_text == 'name: foreign'
    assert bag.seed is None
    assert bag.metadata == {}
    assert [(m.name, m.stamp_ns) for m in bag.messages()] == [
        ('/cmd_vel', 5), ('/scenario', 6), ('/cmd_vel', 7)]
    assert [m.stamp_ns for m in bag.messages(['/cmd_vel'])] == [5, 7]
    assert bag.topics()['/cmd_vel'].messages == 2
    assert bag.topics()['/cmd_vel'].type == CMD_VEL.type


def test_compressed_foreign_bag(tmp_path):
    writer = Writer(tmp_path / 'other', version=9, storage_plugin=StoragePlugin.SQLITE3)
    writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
    with writer:
        scenario = writer.add_connection(SCENARIO.name, SCENARIO.type, typestore=cdr.typestore())
        writer.write(scenario, 6, string('name: packed'))
    assert Bag(tmp_path / 'other').scenario_text == 'name: packed'


def test_a_single_file_is_a_bag(tmp_path):
    with Recorder(tmp_path / 'bag', metadata={'scenario': 'name: x'}) as recorder:
        recorder.write('/cmd_vel', CMD_VEL, 1, bytes(52))
    assert len(list(Bag(recorder.path).messages())) == 1
    (tmp_path / 'bag' / 'metadata.yaml').unlink()
    assert len(list(Bag(tmp_path / 'bag').messages())) == 1


def test_unusable_bags_are_named(tmp_path):
    with pytest.raises(InputError, match=r'no such directory or \.mcap file'):
        Bag(tmp_path / 'nothing')
    with pytest.raises(InputError, match=r'no \.mcap file in this directory'):
        Bag(tmp_path)
    (tmp_path / 'text.mcap').write_text('hello world')
    with pytest.raises(InputError, match='not an MCAP file'):
        Bag(tmp_path / 'text.mcap')
    (tmp_path / 'empty.mcap').write_text('')
    with pytest.raises(InputError, match='not an MCAP file: it is empty'):
        Bag(tmp_path / 'empty.mcap')
    (tmp_path / 'metadata.yaml').write_text('{ ]')
    with pytest.raises(InputError, match=r'metadata.yaml: not the metadata of a rosbag2 bag'):
        Bag(tmp_path)
    (tmp_path / 'metadata.yaml').write_text(
        'rosbag2_bagfile_information: {relative_file_paths: [gone.mcap]}')
    with pytest.raises(InputError, match=r'gone.mcap: a file of the bag is missing'):
        Bag(tmp_path)
    (tmp_path / 'not.db3').write_text('hello world')
    with pytest.raises(InputError, match='cannot read the bag'):
        list(Bag(tmp_path / 'not.db3').messages())


def test_missing_scenario_is_named(tmp_path):
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        recorder.write('/cmd_vel', CMD_VEL, 1, bytes(52))
    with pytest.raises(InputError, match='needs the topic'):
        _ = Bag(tmp_path / 'bag').scenario_text


def test_a_relative_path_that_is_not_there_is_named_with_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        Bag('first')
    assert str(caught.value) == f'first: no such directory or .mcap file in {tmp_path}'
    with pytest.raises(InputError, match=r'file$'):
        Bag(tmp_path / 'first')
