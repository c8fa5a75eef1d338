import csv
import io
import json
import sys

import numpy as np
import pytest
from bag_maker import command, make_bag, pose

import sbot
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.tables import _COMMAND_COLUMNS, _POSE_COLUMNS, Series, held, write_csv, write_tables
from sbot.cli.main import main
from sbot_common.angles import decoded_yaw
from sbot_common.errors import InputError
from sbot_common.topics import CMD_VEL, WIND
from sbot_common.wire import cdr
from sbot_common.wire import messages as geometry
from sbot_common.wire.messages import write_twist


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


def test_without_pyarrow_parquet_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    bag = record(tmp_path / 'bag', [('/a', CMD_VEL, 1, write_twist(0.5, 0.0, 0.0))])
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    command = ['bag', 'tables', str(bag.path), '-o', str(tmp_path / 'out'), '--format']
    assert main([*command, 'parquet']) == 2
    told, = capsys.readouterr().err.splitlines()
    assert "--format parquet needs pyarrow: pip install '.[sweep]'" in told
    assert not (tmp_path / 'out').exists()
    assert main([*command, 'csv']) == 0
