import csv
import io
import json
import sys

import numpy as np
import pytest
from bag_maker import command, make_bag, pose
from rosbags.rosbag2 import StoragePlugin, Writer

import sbot
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.tables import _COMMAND_COLUMNS, _POSE_COLUMNS, Series, held, write_csv, write_tables
from sbot.cli.main import main
from sbot_common.angles import decoded_yaw
from sbot_common.errors import InputError
from sbot_common.topics import CLOCK, CMD_VEL, WIND
from sbot_common.wire import cdr
from sbot_common.wire import messages as geometry
from sbot_common.wire.messages import write_clock, write_twist


def wind(stamp_ns, *vector):
    return cdr.encode(cdr.message(WIND.type, header=cdr.header(stamp_ns, 'map'),
                                  vector=geometry.vector3(*vector)))


def test_rows_are_in_the_order_of_their_stamps():
    series = Series('/wind', WIND.type)
    assert series.add(wind(30, 0.5, 2.0, 3.0)) == 30
    assert series.add(wind(10, 1.5, 2.0, 3.0)) == 10
    stamps, rows = series.arrays()
    assert stamps.tolist() == [10, 30]
    assert rows.tolist() == [[1.5, 2.0, 3.0], [0.5, 2.0, 3.0]]
    assert held(np.array([5, 10, 29, 30]), stamps, rows)[:, 0].tolist() == [1.5, 1.5, 1.5, 0.5]
    series.clear()
    assert len(series) == 0


def test_a_message_that_is_cut_off_is_refused():
    with pytest.raises(InputError, match='/wind: a message ends after'):
        Series('/wind', WIND.type).add(wind(1, 1.0)[:-4])


def table(path):
    out = io.StringIO()
    count = write_csv(Bag(path), out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert len(rows) == count
    return rows


def test_numbers_read_back_to_the_bit(tmp_path):
    rows = table(make_bag(tmp_path / 'bag', 2, 15))
    assert len(rows) == 30
    assert list(rows[0]) == [*_POSE_COLUMNS, *_COMMAND_COLUMNS[:2]]
    for k, row in enumerate(rows):
        tick, robot = divmod(k, 2)
        x, y, yaw = pose(tick, robot)
        assert (int(row['tick']), int(row['robot'])) == (tick, robot)
        assert (float(row['x_m']), float(row['y_m'])) == (x, y)
        assert float(row['yaw_rad']) == decoded_yaw(yaw)
        assert (float(row['v_mps']), 0.0, float(row['omega_radps'])) == command(tick, robot)
        assert float(row['time_s']) == pytest.approx(tick * 0.03)


def test_a_robot_that_has_sent_no_command_has_empty_columns(tmp_path):
    rows = table(make_bag(tmp_path / 'bag', 2, 3, change=lambda tick, name, payload: (
        None if name == '/robot_1/cmd_vel' and tick < 2 else payload)))
    assert [row['v_mps'] == '' for row in rows if row['robot'] == '1'] == [True, True, False]
    assert [row['omega_radps'] == '' for row in rows if row['robot'] == '0'] == [False] * 3


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    path = tmp_path_factory.mktemp('tables') / 'bag'
    sbot.run('wind_gust', duration=0.5, record=path)
    return sbot.Bag(path)


def messages(bag, name):
    return [(m.stamp_ns, cdr.decode(m.payload, m.type)) for m in bag.messages({name})]


def test_csv_has_every_message_of_every_topic_to_the_bit(bag, tmp_path):
    counts = write_tables(bag, tmp_path / 'out')
    assert sorted(counts.values()) == sorted(t.messages for t in bag.topics().values())
    with open(tmp_path / 'out' / 'robot_1.odom.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    for row, (stamp_ns, message) in zip(rows, messages(bag, '/robot_1/odom'), strict=True):
        assert int(row['stamp_ns']) == stamp_ns
        assert row['header.frame_id'] == message.header.frame_id
        assert float(row['pose.pose.position.x']) == message.pose.pose.position.x
        assert json.loads(row['pose.covariance']) == message.pose.covariance.tolist()
    with open(tmp_path / 'out' / 'tf.csv', encoding='utf-8') as file:
        first = json.loads(next(csv.DictReader(file))['transforms'])
    assert first[0]['transform']['translation']['x'] == (
        messages(bag, '/tf')[0][1].transforms[0].transform.translation.x)


def test_parquet_keeps_arrays(bag, tmp_path):
    parquet = pytest.importorskip('pyarrow.parquet')
    assert main(['bag', 'tables', str(bag.path), '-o', str(tmp_path), '--format', 'parquet',
                 '--topic', '/robot_0/base_scan']) == 0
    table = parquet.read_table(tmp_path / 'robot_0.base_scan.parquet')
    assert len(list(tmp_path.iterdir())) == 1
    for row, (stamp_ns, message) in zip(table.to_pylist(), messages(bag, '/robot_0/base_scan'),
                                        strict=True):
        assert row['stamp_ns'] == stamp_ns
        assert np.array_equal(np.array(row['ranges'], np.float32), message.ranges)


def test_nothing_is_overwritten_and_an_unknown_topic_is_named(bag, tmp_path):
    with pytest.raises(InputError, match="did you mean '/robot_0/odom'"):
        write_tables(bag, tmp_path, topics=['/robot_0/odon'])
    assert not list(tmp_path.iterdir())
    write_tables(bag, tmp_path, topics=['/robot_0/odom'])
    with pytest.raises(InputError, match='exists already'):
        write_tables(bag, tmp_path, topics=['/robot_0/odom'])


def record(path, messages):
    with Recorder(path, metadata={}) as recorder:
        for message in messages:
            recorder.write(*message)
    return sbot.Bag(path)


FAR = 2**63 + 5


def test_a_stamp_beyond_the_sign_is_written_as_csv_and_refused_as_parquet(tmp_path):
    bag = record(tmp_path / 'bag', [('/a', CMD_VEL, stamp, write_twist(0.5, 0.0, 0.0))
                                    for stamp in (1, FAR)])
    assert main(['bag', 'tables', str(bag.path), '-o', str(tmp_path)]) == 0
    with open(tmp_path / 'a.csv', encoding='utf-8') as file:
        assert [int(row['stamp_ns']) for row in csv.DictReader(file)] == [1, FAR]
    pytest.importorskip('pyarrow.parquet')
    with pytest.raises(InputError, match=r'a\.parquet: stamp_ns has numbers that Parquet'):
        write_tables(bag, tmp_path, 'parquet')


def test_long_names_of_topics_become_names_of_files(tmp_path):
    names = ['/' + 'x' * 6000, '/' + 'x' * 6000 + 'y', '/' + 'é' * 150, '/short']
    bag = record(tmp_path / 'bag', [(name, CMD_VEL, 1, write_twist(0.5, 0.0, 0.0))
                                    for name in names])
    for target in ('out', 'again'):
        assert main(['bag', 'tables', str(bag.path), '-o', str(tmp_path / target)]) == 0
    found = sorted(path.name for path in (tmp_path / 'out').iterdir())
    assert len(found) == 4
    assert 'short.csv' in found
    assert found == sorted(path.name for path in (tmp_path / 'again').iterdir())


def test_a_topic_of_two_types_is_named(tmp_path, capsys):
    with Writer(tmp_path / 'bag', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        for topic, payload in ((CMD_VEL, write_twist(0.5, 0.0, 0.0)), (CLOCK, write_clock(4))):
            writer.write(writer.add_connection('/a', topic.type, typestore=cdr.typestore()), 1,
                         payload)
    bag = sbot.Bag(tmp_path / 'bag')
    assert len({message.type for message in bag.messages()}) == 2
    for format in ('csv', 'parquet'):
        assert main(['bag', 'tables', str(bag.path), '-o', str(tmp_path / format), '--format',
                     format]) == 2
        assert capsys.readouterr().err.endswith(
            "/a has messages of types 'geometry_msgs/msg/Twist' and 'rosgraph_msgs/msg/Clock', "
            'expected one type\n')


def test_without_pyarrow_parquet_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    bag = record(tmp_path / 'bag', [('/a', CMD_VEL, 1, write_twist(0.5, 0.0, 0.0))])
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    command = ['bag', 'tables', str(bag.path), '-o', str(tmp_path / 'out'), '--format']
    assert main([*command, 'parquet']) == 2
    told, = capsys.readouterr().err.splitlines()
    assert "--format parquet needs pyarrow: pip install '.[sweep]'" in told
    assert not (tmp_path / 'out').exists()
    assert main([*command, 'csv']) == 0
