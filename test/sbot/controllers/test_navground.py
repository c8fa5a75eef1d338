"""navground's behaviours as controllers: checked by name, driving, the same in replay."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from sbot.controllers.navground import NavgroundController
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario
from sbot_common.errors import InputError
from sbot_common.observation import Observation, Scan
from sbot_sim.world.bodies import BODIES

TEXT = """
duration: 12
world: {bounds: [0, 0, 20, 12]}
robots:
  - {pose: [3, 6, 0], goal: [15, 6], controller: 'navground:ORCA'}
  - {pose: [15, 6.1, 3.14], goal: [3, 6], controller: 'navground:ORCA'}
  - {pose: [1, 4, 0], controller: 'navground:ORCA'}
"""


def load(text=TEXT, **overrides):
    pytest.importorskip('navground')
    return parse_scenario(text, 'text', Path.cwd(), overrides=overrides)


@pytest.mark.parametrize('behavior', ['ORCA', 'HL', 'SocialForce'])
def test_a_robot_with_a_goal_arrives_and_one_without_follows(behavior):
    scenario = load(**{'robots.*.controller': f'navground:{behavior}',
                       'robots.1.controller': 'none', 'robots.1.pose': [18, 10, 0]})
    leader, _, follower = run_scenario(scenario, keep=False).summary['robots']
    assert leader['goal_reached_s'] is not None
    assert follower['final_leader_distance_m'] < 2.5


def test_robots_make_way_for_each_other():
    run = run_scenario(load(**{'robots.*.controller': 'navground:HL'}))
    robots = run.summary['robots']
    assert all(robots[i]['goal_reached_s'] is not None for i in (0, 1))
    assert sum(robot['collisions'] for robot in robots[:2]) == 0
    assert np.abs(run.poses[:, :2, 1] - 6).max() > 0.2


@pytest.mark.parametrize(('overrides', 'words'), [
    ({'robots.0.controller': 'navground:ORKA'}, "did you mean 'navground:ORCA'"),
    ({'robots.0.controller': 'navground:Dummy'}, "unknown name 'navground:Dummy'"),
    ({'robots.0.parameters': {'time_horizn': 2}}, "did you mean 'time_horizon'"),
    ({'robots.0.parameters': {'time_horizon': 'long'}}, "got 'long'"),
    ({'robots.0.parameters': {'optimal_speed': -1}}, 'expected a number >= 0')])
def test_mistakes_are_named_before_anything_runs(overrides, words):
    with pytest.raises(InputError, match=words):
        load(**overrides)


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    pytest.importorskip('navground')
    monkeypatch.setitem(sys.modules, 'navground', None)
    with pytest.raises(InputError, match=r"'\.\[navground\]'"):
        parse_scenario(TEXT, 'text', Path.cwd())


def test_parameters_reach_the_behaviour():
    pytest.importorskip('navground')
    slow = NavgroundController('navground:HL', BODIES['robot'], {'optimal_speed': 0.4, 'tau': 0.0})
    scan = Scan(np.full(4, math.inf, np.float32), -1.0, 0.5, 0.0, 10.0)
    seen = Observation(0, 1, 0, 0, 1 / 30, np.zeros((1, 3)), scan, (9.0, 0.0))
    v, omega = slow.step(seen, np.random.default_rng(0))
    assert v == pytest.approx(0.4, abs=1e-3)
    assert omega == pytest.approx(0.0, abs=1e-3)


def test_obstacles_are_where_the_laser_hits():
    pytest.importorskip('navground')
    controller = NavgroundController('navground:HL', BODIES['robot'], {})
    ranges = np.array([2.0, math.inf, 2.0, math.nan, 2.0], np.float32)
    scan = Scan(ranges, -math.pi / 2, math.pi / 4, 0.0, 10.0)
    discs = controller._obstacles(scan, 1.0, 2.0, math.pi / 2)
    assert np.array([disc.position for disc in discs]) == pytest.approx(
        np.array([[3.0, 2.0], [1.0, 4.0], [-1.0, 2.0]]), abs=1e-6)


def test_a_laser_may_be_mounted_anywhere():
    pytest.importorskip('navground')
    controller = NavgroundController('navground:HL', BODIES['robot'], {},
                                     (0.25, -0.1, math.pi / 2))
    scan = Scan(np.array([1.0], np.float32), 0.0, 0.1, 0.0, 10.0)
    disc, = controller._obstacles(scan, 1.0, 2.0, math.pi / 2)
    assert disc.position == pytest.approx(np.array([0.1, 2.25]), abs=1e-6)


def test_neighbours_have_the_velocity_of_their_last_two_poses():
    pytest.importorskip('navground')
    controller = NavgroundController('navground:HL', BODIES['robot'], {})
    for tick in range(2):
        poses = np.array([[0.0, 0, 0], [5.0 - 0.1 * tick, 1.0, 3.0], [math.nan, 0, 0]])
        seen = Observation(0, 3, tick, tick * 100_000_000, 0.1, poses)
        neighbors = controller._neighbors(seen, poses[:, :2])
    assert [neighbor.id for neighbor in neighbors] == [1]
    assert neighbors[0].velocity == pytest.approx((-1.0, 0.0), abs=1e-5)


@pytest.mark.parametrize('behavior', ['ORCA', 'HRVO', 'HL', 'SocialForce'])
def test_the_own_velocity_is_handed_over_in_the_frame_of_the_start(behavior):
    core = pytest.importorskip('navground.core')
    controller = NavgroundController(f'navground:{behavior}', BODIES['robot'], {})
    for yaw in (1.0, 1.0 + math.pi / 2):
        seen = Observation(0, 1, 0, 0, 1 / 30, np.array([[300.0, -50.0, yaw]]), None,
                           (310.0, -50.0), twist=(0.8, 0.1, 0.0))
        controller.step(seen, np.random.default_rng(0))
    twist = controller._behavior.twist
    assert twist.frame == core.Frame.absolute
    assert twist.velocity == pytest.approx((-0.1, 0.8), abs=1e-6)
    assert controller._behavior.get_twist(core.Frame.relative).velocity == pytest.approx(
        (0.8, 0.1), abs=1e-6)
