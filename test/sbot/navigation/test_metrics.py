import math

import numpy as np
import pytest

import sbot
from sbot.navigation.metrics import (
    GRAVITY,
    ROLLING,
    _barn_score,
    _deviation,
    _energy,
    _jerk,
    _min_clearance,
    _sign_changes,
    _smooth_jerk,
    _standing,
    _Way,
    navigation,
)
from sbot_sim.world.bodies import ROBOT


class Straight:
    def __init__(self, until=1e9):
        self.until = until

    def step(self, observation, rng):
        return (1.0 if observation.stamp_ns < self.until * 1e9 else 0.0), 0.0


def run(robots, duration=6.0, world=None, **more):
    return sbot.run({'duration': duration, 'rate': 20, 'world': {'bounds': [0, 0, 12, 6],
                                                                 **(world or {})},
                     'robots': [{'controller': Straight(), **robot} for robot in robots], **more})


def test_a_straight_run_to_the_goal_has_the_best_numbers():
    found = navigation(run([{'pose': [1, 3, 0], 'goal': [6, 3], 'goal_tolerance': 0.5}],
                           description='x [gap 2]'))
    assert found['success'] == 1
    assert found['spl'] == pytest.approx(4.5 / 4.55, rel=1e-3)  # arrival is seen a tick later
    # The body makes 3 m/s, and nothing limits its acceleration.
    assert found['sct'] == pytest.approx(1.5 / 4.55, rel=1e-3)
    assert found['time_s'] == found['makespan_s'] == pytest.approx(4.55)
    assert found['collisions'] == found['contact_s'] == found['sign_changes_hz'] == 0
    assert found['deadlock_s'] == found['waiting_s'] == found['speed_change_mps'] == 0
    assert found['turns'] == 92
    assert found['min_clearance_m'] == pytest.approx(0.7)
    assert found['flow_rate'] == pytest.approx(1 / (2 * 4.55), rel=1e-3)
    # Rolling resistance on 4.55 m, and 10 kg at 1 m/s once.
    work = ROLLING * 10 * GRAVITY * 4.55 + 5.0
    assert found['energy_j_per_m'] == pytest.approx(work / 4.5, rel=1e-3)


def test_one_of_two_stands_and_the_other_runs_into_a_wall():
    found = navigation(run([{'pose': [1, 1, 0], 'goal': [6, 1], 'controller': Straight(2.0)},
                            {'pose': [9, 4, 0], 'goal': [2, 4]}], duration=10.0))
    assert found['success'] == found['arrived'] == found['spl'] == 0
    assert found['collisions'] == 1  # it meets the wall once, and stays there
    assert found['contact_s'] == pytest.approx(7.3, abs=0.1)  # from x = 11.7 on
    assert found['time_s'] is found['makespan_s'] is found['energy_j_per_m'] is None
    # From 2 s and from 2.7 s on, but for the last two seconds of each.
    assert found['deadlock_s'] == found['standing_s'] == pytest.approx((6.0 + 5.3) / 2, abs=0.2)
    assert found['min_clearance_m'] == pytest.approx(0.0, abs=1e-6)


def test_flow_counts_those_who_never_arrive():
    found = navigation(run([{'pose': [1, 1, 0], 'goal': [6, 1], 'goal_tolerance': 0.5},
                            {'pose': [1, 4, 0], 'goal': [1, 5], 'controller': Straight(0.0)}],
                           duration=10.0, description='x [gap 2]'))
    assert found['flow_rate'] == pytest.approx(1 / (2 * 10.0))


def way(x, goal=(9.0, 0.0)):
    return _Way(np.column_stack([x, 0.0 * x, 0.0 * x]), ROBOT, goal, None, False, None)


def test_who_waits_for_its_turn_is_in_no_deadlock():
    t = np.arange(0, 20, 0.1)
    first = way(np.where(t < 12, t, 12.0))  # goes on for 12 s, and stands then
    waits = way(np.where(t < 8, 0.0, t - 8.0))  # stands for 8 s, and goes on
    stuck = way(0.0 * t)
    # Less the window of 2 s, in which it must come 3 cm far.
    assert _standing([first, waits], 0.1) == pytest.approx((3.0, 3.0), abs=0.1)
    assert _standing([first, stuck], 0.1) == pytest.approx((0.0, 12.0), abs=0.1)
    assert _standing([way(t[:15])], 0.1) == (0.0, 0.0)


def test_deviation_is_from_the_straight_way_at_constant_speed():
    t = np.arange(0, 2.01, 0.05)
    aside = _Way(np.column_stack([t, 0 * t + 0.5, t]), ROBOT, (2.0, 0.5), 2.0, True, 2.0)
    assert _deviation(aside, 0.05) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    bent = aside._replace(goal=(0.0, 2.5))
    # At 10 Hz: 21 places t ahead, where the nominal one is t to the left.
    assert _deviation(bent, 0.05)[1:] == pytest.approx((math.sqrt(2) * 21.0, 2.0))
    assert _deviation(way(t * t), 0.05)[0] == pytest.approx(0.2)  # 2 m/s^2 for 0.1 s


def test_spl_counts_the_detour():
    class Detour:
        def step(self, observation, rng):
            x, _, yaw = observation.poses[0]
            wanted = math.pi / 3 if x < 3.5 else -math.pi / 3
            turn = math.remainder(wanted - yaw, 2 * math.pi)
            return (0.0, 10.0 * turn) if abs(turn) > 1e-6 else (1.0, 0.0)
    found = navigation(run([{'pose': [1, 1, 0], 'goal': [6, 1], 'goal_tolerance': 0.2,
                             'controller': Detour()}], duration=20.0, until='goal_reached'))
    assert found['success'] == 1
    assert found['spl'] == pytest.approx(4.8 / 9.8, abs=1e-3)  # sides of an equilateral triangle


def test_clearance_from_obstacles_that_move_and_from_each_other():
    one = run([{'pose': [1, 1, 0], 'goal': [11, 1]}, {'pose': [1, 2, 0]}], duration=2.0,
              world={'moving': [{'radius': 0.5, 'path': [[8, 4], [2, 4]], 'speed': 1.0}]})
    assert _min_clearance(one) == pytest.approx(0.4)  # abreast, 1 m apart
    two = run([{'pose': [1, 3, 0], 'goal': [11, 3]}], duration=2.0,
              world={'moving': [{'radius': 0.5, 'path': [[5, 4.2], [2, 4.2]], 'speed': 1.0}]})
    assert _min_clearance(two) == pytest.approx(0.4, abs=1e-6)  # they pass at x = 3


def test_jerk_is_the_third_derivative():
    t = np.arange(0, 2, 0.05)
    assert _jerk(np.column_stack([0.5 * t**3, 2 * t, 0 * t]), 0.05) == pytest.approx(3.0)
    assert _jerk(np.column_stack([t**2, t, 0 * t]), 0.05) == pytest.approx(0.0, abs=1e-9)


def test_smooth_jerk_is_that_of_fitted_cubics():
    t = np.arange(0, 4, 0.05)
    poses = np.column_stack([7 + 0.5 * t**3 - t**2, 2 * t, 0 * t])
    assert _smooth_jerk(poses, 0.05) == pytest.approx(3.0)
    noisy = poses + np.random.default_rng(1).normal(0.0, 1e-4, poses.shape)
    assert _jerk(noisy, 0.05) > 4.0
    assert _smooth_jerk(noisy, 0.05) == pytest.approx(3.0, abs=0.05)
    assert _smooth_jerk(poses[:20], 0.05) == 0.0


def test_turning_over_counts_and_creeping_does_not():
    t = np.arange(0, 4.001, 0.01)
    assert _sign_changes(0.5 * np.sin(2 * np.pi * 3 * t), 0.01) == pytest.approx(6.0, abs=0.3)
    assert _sign_changes(0.005 * np.sin(2 * np.pi * 3 * t), 0.01) == 0.0
    assert _sign_changes(np.mod(3 * t, 2 * np.pi), 0.01) == 0.0  # across the seam


def test_energy_of_turning_on_the_spot_is_that_of_the_rims():
    yaw = np.arange(0, 1.001, 0.05)
    poses = np.column_stack([0 * yaw, 0 * yaw, yaw])
    assert _energy(poses, ROBOT, 0.05) == pytest.approx(
        ROLLING * ROBOT.mass * GRAVITY * 0.5 * ROBOT.wheel_distance * 1.0)


def test_scores_of_barn_are_clipped():
    assert _barn_score(True, 5.0, 8.0, 2.0) == 0.5
    assert _barn_score(True, 5.0, 8.0, 4.0) == 0.25
    assert _barn_score(True, 5.0, 20.0, 2.0) == 0.25
    assert _barn_score(True, 5.0, 80.0, 4.0) == 0.125
    assert _barn_score(False, 5.0, 8.0, 2.0) == 0.0


def test_dynabarn_has_our_score_and_that_of_its_file():
    one = run([{'pose': [1, 3, 0], 'goal': [6, 3], 'goal_tolerance': 0.5}],
              name='dynabarn/0', description='x [optimal 20]')
    # run.py takes -31 m for the length, so that every success has an eighth.
    assert navigation(one)['dynabarn_file_score'] == 0.125
    assert navigation(one)['barn_score'] == 0.5
