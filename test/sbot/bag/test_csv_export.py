"""CSV of a recording: every number reads back to the bit."""

import csv
import io

import pytest
from bag_maker import command, make_bag, pose

from sbot.bag.csv_export import COMMAND_COLUMNS, POSE_COLUMNS, write_csv
from sbot.bag.reader import Bag
from sbot_common.angles import decoded_yaw


def table(path):
    out = io.StringIO()
    count = write_csv(Bag(path), out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert len(rows) == count
    return rows


def test_numbers_read_back_to_the_bit(tmp_path):
    rows = table(make_bag(tmp_path / 'bag', 2, 15))
    assert len(rows) == 30
    assert list(rows[0]) == [*POSE_COLUMNS, *COMMAND_COLUMNS[:2]]
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
