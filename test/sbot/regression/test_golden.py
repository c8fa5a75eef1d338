"""Every shipped scenario against its bag in test/golden.

To record the bags anew after a change that is meant to change results:
SBOT_REFRESH=1 python -m pytest test/sbot/regression/test_golden.py
"""

from pathlib import Path

import numpy as np
import pytest
import yaml
from bag_maker import RATE, SCENARIO_TEXT, command, make_bag, pose, tick_messages

from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import Tick
from sbot.regression.golden import read_recording, recorded_inputs, sensor_topics
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import scenario_names
from sbot_common.angles import decoded_yaw, quaternion_from_yaw
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, BASE_SCAN, CMD_VEL, ODOM, frame
from sbot_common.wire.messages import write_twist
from sbot_common.wire.templates import OdometryTemplate
from sbot_sim.sensors.registry import sensors

STAMP = 50_000_000


def odometry(x, y, yaw, name='map'):
    template = OdometryTemplate(name, frame('base_link', 0, 2))
    return template.fill(STAMP, x, y, *quaternion_from_yaw(yaw), 0.1, 0.0, 0.2)


def tick(**more):
    poses = [odometry(1.0, 2.0, 0.5), odometry(3.0, 4.0, -1.0)]
    inputs = {BASE_POSE_GROUND_TRUTH.name: poses, **more}
    fields = {'number': 1, 'stamp_ns': STAMP, 'inputs': inputs, 'commands': [None, None]}
    return Tick(**{name: fields.get(name) for name in Tick._fields})


def test_poses_are_those_of_the_messages_and_cannot_be_written_to():
    inputs = recorded_inputs(tick())
    found = inputs(1, [])
    np.testing.assert_array_equal(found.poses, [[1, 2, decoded_yaw(0.5)],
                                                [3, 4, decoded_yaw(-1.0)]])
    assert not found.poses.flags.writeable
    assert found.stamp_ns == STAMP
    assert found.sensed == {}


def test_a_field_that_was_recorded_is_read_and_another_is_left_out():
    inputs = recorded_inputs(tick(**{ODOM.name: [odometry(5, 6, 0.0, 'odom'), None],
                                     BASE_SCAN.name: [None, None]}))
    assert inputs(0, ['odometry', 'scan']).sensed['odometry'].x == 5.0
    assert list(inputs(0, ['odometry', 'scan']).sensed) == ['odometry']
    assert inputs(1, ['odometry']).sensed == {}


def test_every_sensor_has_a_topic_and_none_is_named_twice():
    topics = sensor_topics()
    assert {sensor.topic for sensor in sensors().values()} == set(topics)
    assert len(set(topics)) == len(topics)


def test_poses_and_commands_are_those_of_the_messages(tmp_path):
    found = read_recording(Bag(make_bag(tmp_path / 'bag', 2, 12, shuffle=4)))
    assert found.scenario_text == SCENARIO_TEXT
    assert found.stamps_ns.tolist() == [RATE.stamp_ns(tick) for tick in range(12)]
    assert found.poses.shape == found.commands.shape == (12, 2, 3)
    for tick in range(12):
        for robot in range(2):
            x, y, yaw = pose(tick, robot)
            assert found.poses[tick, robot].tolist() == [x, y, decoded_yaw(yaw)]
            assert tuple(found.commands[tick, robot]) == command(tick, robot)


def test_a_tick_that_was_cut_short_is_left_out(tmp_path):
    full = make_bag(tmp_path / 'full', 2, 5)
    cut = make_bag(tmp_path / 'cut', 2, 5, change=lambda tick, name, payload: (
        None if (tick, name) == (4, '/robot_1/base_pose_ground_truth') else payload))
    assert len(read_recording(Bag(full)).stamps_ns) == 5
    assert len(read_recording(Bag(cut)).stamps_ns) == 4


@pytest.mark.parametrize(('parameters', 'held'), [
    ({}, [[0.25, 0.0, -0.5]] * 4),
    ({'command_timeout': 0.09}, [[0.25, 0.0, -0.5]] * 3 + [[0.0] * 3])])
def test_a_command_of_a_node_holds_from_its_tick_on_or_for_the_robots_time_out(
        tmp_path, parameters, held):
    """It came at tick 2 of 6, and a tick takes 0.03 s."""
    scenario = {'name': 'driven', 'rate': '100/3', 'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
        {'pose': [1, 1, 0], 'controller': 'none'},
        {'pose': [3, 3, 0], 'controller': 'external', 'parameters': parameters}]}
    with Recorder(tmp_path / 'bag', metadata={'scenario': yaml.safe_dump(scenario)}) as recorder:
        for tick in range(6):
            for name, topic, payload in tick_messages(tick, 2, with_scans=False):
                if name != '/robot_1/cmd_vel':
                    recorder.write(name, topic, RATE.stamp_ns(tick), payload)
            if tick == 2:
                recorder.write('/robot_1/cmd_vel', CMD_VEL, RATE.stamp_ns(tick),
                               write_twist(0.25, 0.0, -0.5))
    commands = read_recording(Bag(tmp_path / 'bag')).commands
    assert np.isnan(commands[:2, 1]).all()
    assert commands[2:, 1].tolist() == held
    assert not np.isnan(commands[:, 0]).any()


@pytest.mark.parametrize('robots', [1, 3])
def test_a_recording_of_any_number_of_robots(tmp_path, robots):
    found = read_recording(Bag(make_bag(tmp_path / 'bag', robots, 2)))
    assert found.poses.shape == (2, robots, 3)


GOLDEN = Path(__file__).parents[2] / 'golden'

pytest_plugins = ['sbot.regression.testing']


def duration(name):
    """Return how much of a scenario is kept (s): two seconds of four robots, less of more."""
    return min(2.0, 8.0 / len(load_scenario(name).robots))


@pytest.mark.parametrize('name', scenario_names())
def test_run_equals_golden_bag(sbot, name):
    sbot.assert_golden(name, GOLDEN / name, {'duration': duration(name)})


@pytest.mark.parametrize('name', scenario_names())
def test_golden_bag_replays(sbot, name):
    sbot.assert_replays(GOLDEN / name)


def test_golden_bags_are_small_and_all_in_use():
    assert sorted(path.name for path in GOLDEN.iterdir()) == scenario_names()
    for name in scenario_names():
        size = sum(file.stat().st_size for file in (GOLDEN / name).iterdir())
        assert size < 400_000  # fifty robots have 300 topics, each with a page of metadata
        assert Bag(GOLDEN / name).complete
