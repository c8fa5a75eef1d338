"""Running nodes as `ros2 param dump` and `ros2 doctor` see them."""

import json
from pathlib import Path

import pytest
from children import python

pytestmark = [pytest.mark.forked, pytest.mark.ros]

DRIVER = Path(__file__).with_name('introspection_driver.py')


@pytest.mark.parametrize('lockstep', ['true', 'false'])
def test_all_parameters_have_values_and_all_qos_fit(tmp_path, lockstep):
    done = python(DRIVER, lockstep, tmp_path)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])  # Fast DDS may print before it
    for node, parameters in seen['parameters'].items():
        assert 'use_sim_time' in parameters, node
        assert [name for name, value in parameters.items() if value is None] == [], node
    assert 'target_real_time_factor' in seen['parameters']['/sbot_sim']
    assert seen['parameters']['/wind_model']['wind_direction'] == [1.0, 0.0, 0.0]
    assert seen['parameters']['/robot_0/potfieldbot_0']['goal_x'] == 15.0
    assert seen['parameters']['/robot_1/controller_1']['robot_id'] == 1
    assert {'/clock', '/wind/field', '/robot_0/cmd_vel', '/robot_1/base_scan',
            '/poses'} <= set(seen['pairs'])
    assert {topic: bad for topic, (_, bad) in seen['pairs'].items() if bad} == {}
