import csv
import json

import numpy as np
import pytest

import sbot
from sbot.bag.tables import write_tables
from sbot.cli.main import main
from sbot_common.errors import InputError
from sbot_common.wire import cdr


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
