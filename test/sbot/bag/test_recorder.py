import json
import random
import resource
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from bag_maker import flush
from mcap.exceptions import EndOfFile
from mcap.reader import make_reader
from mcap.records import Message as McapMessage
from mcap.stream_reader import StreamReader
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability, QosReliability

from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder, RecorderError, _McapFile
from sbot_common.errors import InputError
from sbot_common.topics import CMD_VEL, RAB_DATA, SCENARIO
from sbot_common.wire import cdr

METADATA = {'scenario': 'name: test\nrate: 30\n', 'seed': '7', 'version': '0.1.0'}


def string(text):
    return cdr.encode(cdr.message_class('std_msgs/msg/String')(data=text))


def twist(v, omega):
    vector = cdr.message_class('geometry_msgs/msg/Vector3')
    return cdr.encode(cdr.message_class('geometry_msgs/msg/Twist')(
        linear=vector(x=v, y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=omega)))


def record(directory, ticks=50):
    expected = [('/scenario', SCENARIO, 1, string(METADATA['scenario']))]
    for tick in range(ticks):
        for robot in range(3):
            expected.append((f'/robot_{robot}/cmd_vel', CMD_VEL, (tick + 1) * 33_333_333,
                             twist(tick / 7, robot - 0.1 * tick)))
    with Recorder(directory, metadata=METADATA) as recorder:
        for message in expected:
            recorder.write(*message)
    return [(name, topic.type, stamp, payload) for name, topic, stamp, payload in expected]


def complete_messages(path):
    """Return how many messages the mcap library finds in a file that may be cut off."""
    count = 0
    with path.open('rb') as file:
        try:
            for found in StreamReader(file, validate_crcs=True).records:
                count += isinstance(found, McapMessage)
        except (EndOfFile, struct.error):  # before a record or within one
            pass
    return count


def test_what_was_written_is_read(tmp_path):
    expected = record(tmp_path / 'bag')
    bag = Bag(tmp_path / 'bag')
    assert [tuple(message) for message in bag.messages()] == expected
    assert bag.complete
    assert bag.metadata == METADATA
    assert bag.scenario_text == METADATA['scenario']
    assert bag.seed == 7
    assert bag.damage == ''


def test_converted_to_version_8_qos_is_as_humble_reads_it(tmp_path):
    """Humble takes a text, YAML of a list, with policies as numbers of rmw (docs/ros2.md)."""
    record(tmp_path / 'bag')
    converted = tmp_path / 'for_humble'
    subprocess.run([sys.executable, '-m', 'rosbags.convert', '--src', str(tmp_path / 'bag'),
                    '--dst', str(converted), '--dst-version', '8'], check=True, timeout=300)
    described = yaml.safe_load((converted / 'metadata.yaml').read_text())
    topics = described['rosbag2_bagfile_information']['topics_with_message_count']
    for each in topics:
        profile, = yaml.safe_load(each['topic_metadata']['offered_qos_profiles'])
        latched = each['topic_metadata']['name'] == SCENARIO.name
        assert profile['reliability'] == 1
        assert profile['durability'] == (1 if latched else 2)
        assert isinstance(profile['history'], int)
        assert isinstance(profile['liveliness'], int)
    with AnyReader([tmp_path / 'bag']) as before, AnyReader([converted]) as after:
        assert ([(message[0].topic, *message[1:]) for message in before.messages()]
                == [(message[0].topic, *message[1:]) for message in after.messages()])


def test_mcap_library_reads_messages_schemas_and_metadata(tmp_path):
    expected = record(tmp_path / 'bag')
    with (tmp_path / 'bag' / 'bag_0.mcap').open('rb') as file:
        reader = make_reader(file, validate_crcs=True)
        assert reader.get_header().profile == 'ros2'
        found = [(channel.topic, schema.name, message.log_time, message.data)
                 for schema, channel, message in reader.iter_messages(log_time_order=False)]
        assert found == expected
        summary = reader.get_summary()
        assert summary.statistics.message_count == len(expected)
        assert {s.encoding for s in summary.schemas.values()} == {'ros2msg'}
        definition = next(s.data for s in summary.schemas.values() if s.name.endswith('Twist'))
        assert b'MSG: geometry_msgs/Vector3\nfloat64 x' in definition
        assert [(m.name, m.metadata) for m in reader.iter_metadata()] == [
            ('potential_field_bot', METADATA)]


def test_rosbags_reads_directory_qos_and_definitions(tmp_path):
    with Recorder(tmp_path / 'bag', metadata=METADATA) as recorder:
        recorder.write('/scenario', SCENARIO, 1, string('x'))
        recorder.write('/cmd_vel', CMD_VEL, 33, twist(1.0, 2.0))
    with AnyReader([tmp_path / 'bag']) as reader:
        assert reader.start_time == 1
        assert reader.duration == 33
        by_topic = {connection.topic: connection for connection in reader.connections}
        latched, = by_topic['/scenario'].ext.offered_qos_profiles
        volatile, = by_topic['/cmd_vel'].ext.offered_qos_profiles
        assert latched.durability == QosDurability.TRANSIENT_LOCAL
        assert latched.depth == 1
        assert volatile.durability == QosDurability.VOLATILE
        assert volatile.reliability == latched.reliability == QosReliability.RELIABLE
        (connection, stamp, raw), = reader.messages([by_topic['/cmd_vel']])
        assert stamp == 33
        assert reader.deserialize(raw, connection.msgtype).angular.z == 2.0
        assert connection.msgcount == 1


def test_metadata_describes_every_topic(tmp_path):
    expected = record(tmp_path / 'bag', ticks=4)
    text = (tmp_path / 'bag' / 'metadata.yaml').read_text()
    information = yaml.safe_load(text)['rosbag2_bagfile_information']
    assert information['version'] == 9
    assert information['message_count'] == len(expected)
    assert information['starting_time'] == {'nanoseconds_since_epoch': 1}
    assert information['duration'] == {'nanoseconds': 4 * 33_333_333 - 1}
    assert information['relative_file_paths'] == ['bag_0.mcap']
    assert information['custom_data'] == {'seed': '7', 'version': '0.1.0'}  # no long texts
    counts = {each['topic_metadata']['name']: each['message_count']
              for each in information['topics_with_message_count']}
    assert counts == {'/scenario': 1, **{f'/robot_{i}/cmd_vel': 4 for i in range(3)}}
    with AnyReader([tmp_path / 'bag']) as reader:
        commands = [c for c in reader.connections if c.topic != '/scenario']
        assert len(commands) == 3
        for connection in commands:  # though the profile is written once
            profile, = connection.ext.offered_qos_profiles
            assert (profile.durability, profile.depth) == (QosDurability.VOLATILE, 100)


def test_bag_on_disk_opens_everywhere_while_recording(tmp_path):
    recorder = Recorder(tmp_path / 'bag', metadata=METADATA)
    for k in range(5):
        recorder.write('/cmd_vel', CMD_VEL, k, twist(k, 0.0))
        flush(recorder)
        with recorder.path.open('rb') as file:
            assert sum(1 for _ in make_reader(file).iter_messages()) == k + 1
        bag = Bag(tmp_path / 'bag')
        assert not bag.complete
        assert len(list(bag.messages())) == k + 1
        assert bag.damage == ''
    with AnyReader([tmp_path / 'bag']) as reader:
        assert [c.topic for c in reader.connections] in (['/cmd_vel'], [])
    recorder.close()
    assert Bag(tmp_path / 'bag').complete


def test_more_than_one_chunk_and_queue(tmp_path):
    payloads = [bytes([k]) * 700_000 for k in range(12)]
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        for k, payload in enumerate(payloads):
            recorder.write('/rab_data', RAB_DATA, k, payload)
    assert [m.payload for m in Bag(tmp_path / 'bag').messages()] == payloads


def test_unwritable_place_is_refused(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(InputError, match='cannot make the bag'):
        Recorder(tmp_path / 'file' / 'bag', metadata={})


@pytest.fixture
def small_disk():
    """Files end at 200 kB, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    yield 200_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_full_disk_is_one_error_and_a_readable_bag(tmp_path, small_disk):
    noise = random.Random(1)
    recorder = Recorder(tmp_path / 'bag', metadata=METADATA)
    written = []

    def fill():
        for k in range(100):
            payload = noise.randbytes(20_000)
            recorder.write('/rab_data', RAB_DATA, k, payload)
            flush(recorder)
            if recorder._error is None:
                written.append(payload)

    with pytest.raises(RecorderError, match='recording stopped: File too large'):
        fill()
    recorder.close()  # was reported: quiet
    bag = Bag(tmp_path / 'bag')
    assert [m.payload for m in bag.messages()] == written
    assert len(written) >= 8
    assert bag.damage == ''
    assert bag.metadata == METADATA
    assert complete_messages(recorder.path) == len(written)
    with recorder.path.open('rb') as file:
        assert sum(1 for _ in make_reader(file).iter_messages()) == len(written)


def test_failing_index_leaves_messages(tmp_path, monkeypatch):
    recorder = Recorder(tmp_path / 'bag', metadata={})
    recorder.write('/cmd_vel', CMD_VEL, 1, twist(1.0, 0.0))
    flush(recorder)
    put, calls = _McapFile._put, []

    def full_once(self, data):
        calls.append(data)
        if len(calls) == 1:
            put(self, data[:10])
            raise OSError(28, 'No space left on device')
        put(self, data)

    monkeypatch.setattr(_McapFile, '_put', full_once)
    with pytest.raises(RecorderError, match='No space left'):
        recorder.close()
    with recorder.path.open('rb') as file:
        assert sum(1 for _ in make_reader(file).iter_messages()) == 1


def test_killed_at_random_moments(tmp_path):
    program = Path(__file__).with_name('kill_recorder.py')
    out = subprocess.run([sys.executable, program, tmp_path, '50', '5'], check=True, timeout=900,
                         stdout=subprocess.PIPE, text=True).stdout
    answer = json.loads(out)
    assert len(answer['results']) == 50
    payloads = [bytes.fromhex(text) for text in answer['payloads']]
    recovered = kept = 0
    for result in answer['results']:
        assert result['killed'], 'it ended by itself, or stood still'
        path = Path(result['bag'])
        files = list(path.glob('*.mcap'))
        if not files or files[0].stat().st_size == 0:  # killed before the constructor returned
            assert result['written'] == 0
            continue
        bag = Bag(path)
        assert not bag.complete
        messages = list(bag.messages(['/robot_0/rab_data']))
        assert len(messages) >= result['kept']
        assert [m.payload for m in messages] == [payloads[k % 17] for k in range(len(messages))]
        assert bag.scenario_text == 'name: x'
        recovered += len(messages) > 0
        kept += result['kept'] > 0
        assert complete_messages(files[0]) >= len(messages)
        if not bag.damage:
            with files[0].open('rb') as file:
                assert sum(1 for _ in make_reader(file).iter_messages()) >= len(messages)
    assert recovered > 20
    assert kept > 10


def test_a_folder_that_is_no_bag_yet_is_said_in_one_line(tmp_path):
    with pytest.raises(InputError, match=r'no .mcap file in this directory.*killed at its start'):
        Bag(tmp_path)
    (tmp_path / 'plan.json').touch()
    with pytest.raises(InputError, match=r'holds the results of a sweep: sbot sweep show') as told:
        Bag(tmp_path)
    assert 'killed' not in str(told.value)
    (tmp_path / 'x_0.mcap').touch()
    with pytest.raises(InputError, match='not an MCAP file: it is empty'):
        Bag(tmp_path)


def test_a_bag_that_cannot_be_made_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr('sbot.bag.recorder._render', full)
    with pytest.raises(InputError, match='cannot write the bag: No space left on device'):
        Recorder(tmp_path / 'bag', metadata={})
    assert not list(tmp_path.iterdir())
