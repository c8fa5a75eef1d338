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
from sbot.regression.commands import Recording
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import scenario_names
from sbot_common.angles import decoded_yaw
from sbot_common.topics import CMD_VEL
from sbot_common.wire.messages import write_twist


def test_poses_and_commands_are_those_of_the_messages(tmp_path):
    found = Recording.read(Bag(make_bag(tmp_path / 'bag', 2, 12, shuffle=4)))
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
    assert len(Recording.read(Bag(full)).stamps_ns) == 5
    assert len(Recording.read(Bag(cut)).stamps_ns) == 4


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
    commands = Recording.read(Bag(tmp_path / 'bag')).commands
    assert np.isnan(commands[:2, 1]).all()
    assert commands[2:, 1].tolist() == held
    assert not np.isnan(commands[:, 0]).any()


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
