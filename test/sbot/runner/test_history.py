"""History of a run: a row a tick, of what was asked for, within limits."""

import numpy as np
import pytest

import sbot
from sbot.runner.history import History, Run
from sbot_common.errors import InputError

SCENARIO = {'name': 'kept', 'seed': 4, 'rate': 10, 'duration': 0.4,
            'world': {'bounds': [0, 0, 9, 9],
                      'boxes': [{'center': [7, 7], 'radius': 0.3}]},
            'sensors': {'range_and_bearing': True, 'scan_beams': 3},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'},
                       {'pose': [2, 1, 0], 'controller': 'none'}]}


@pytest.fixture(scope='module')
def run():
    return sbot.run(SCENARIO, sense=['scan', 'neighbours', 'odometry', 'wind'])


def test_a_row_a_tick(run):
    assert run.poses.shape == run.commands.shape == (5, 2, 3)
    assert run.boxes.shape == (5, 1, 3)
    assert run.obstacles is None
    np.testing.assert_allclose(run.seconds, [0, 0.1, 0.2, 0.3, 0.4], atol=1e-9)


def test_sensors_are_fields_and_tuples_are_kept_as_such(run):
    assert run.scan.shape == (5, 2, 3)
    assert run.scan is run.sensed['scan']
    assert run.neighbours.number.tolist() == [[1, 1]] * 5
    assert run.imu is None, 'not asked for'
    assert 'wind' not in run.sensed, 'it is kept anyway'
    with pytest.raises(AttributeError, match='scna'):
        run.scna
    with pytest.raises(AttributeError):
        run._private


def test_it_names_itself(run):
    assert repr(run) == '<Run kept, seed 4: 2 robots, 4 ticks, 0.4 s>'


def test_a_run_that_ended_early_has_no_rows_left_over():
    history = History(sbot.load(SCENARIO), 4)
    found = history.run({'ticks': 2, 'sim_time_s': 0.2})
    assert isinstance(found, Run)
    assert len(found.stamps_ns) == len(found.poses) == 3


def test_a_sensor_that_robots_have_not_is_refused():
    with pytest.raises(InputError, match=r'sensors.imu: true'):
        History(sbot.load(SCENARIO), 4, ['imu'])


def test_more_than_memory_may_hold_is_refused(monkeypatch):
    monkeypatch.setenv('SBOT_LIMITS', 'run_bytes=700')
    with pytest.raises(InputError, match=r'kept: history of .* 2 robots: too large: 810 bytes'):
        History(sbot.load(SCENARIO), 4)
    History(sbot.load(SCENARIO), -1)  # keeps nothing
