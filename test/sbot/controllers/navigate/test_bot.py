import copy
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from sbot.controllers.navigate.bot import Navigate
from sbot.controllers.navigate.map import SIDE, Grid, shifted
from sbot.controllers.navigate.memory import make_memory
from sbot.controllers.navigate.parameters import Inertia, Parameters, Size, resolved
from sbot_common.observation import Observation, Scan

RNG = np.random.default_rng(0)


def see(tick=0, me=0, goal=(5.0, 0.0), beams=8, robots=2, x=0.0):
    poses = np.zeros((robots, 3))
    poses[:, 1] = 3.0 * np.arange(robots)
    poses[me, 0] = x
    scan = Scan(np.full(beams, 4.0, np.float32), -1.0, 2.0 / beams, 0.0, 10.0)
    return Observation(me, robots, tick, tick, 1 / 30, poses, scan, goal)


def test_a_reset_forgets_everything():
    bot = Navigate()

    def run():
        return [bot.step(see(k, x=0.05 * k), RNG) for k in range(20)]

    first = run()
    assert run() != first
    bot.reset()
    assert run() == first


def test_another_scan_while_it_runs():
    bot = Navigate()
    for k, beams in enumerate((8, 8, 30, 8)):
        v, _ = bot.step(see(k, beams=beams), RNG)
        assert math.isfinite(v)


def test_the_laser_does_not_remember_robots():
    bot = Navigate()
    for _ in range(30):  # beams take turns in being remembered
        bot.step(see(robots=1), RNG)
    alone = np.count_nonzero(bot._memory.nearness)
    bot = Navigate()
    there = see()
    there.poses[1, :2] = 4.0 * math.cos(-1.0), 4.0 * math.sin(-1.0)  # where the first beam ends
    for _ in range(30):
        bot.step(there, RNG)
    assert 0 < np.count_nonzero(bot._memory.nearness) < alone


def test_far_ways_move_the_window():
    bot = Navigate()
    p, memory = resolved(Parameters()), make_memory(1, 0)
    half = SIDE / 2 * p.cell_m
    for k in range(200):
        bot.step(see(k, goal=(200.0, 0.0), robots=1, x=float(k)), RNG)
        assert abs(float(k) - bot.state.origin_x - half) <= 0.75 * half + 1
    grid = Grid(memory.nearness, memory.evidence, memory.hits, 0.0, 0.0, p.cell_m)
    assert shifted(grid, half, half) == (0.0, 0.0)


@pytest.mark.parametrize('duplicate', [copy.deepcopy, lambda bot: pickle.loads(pickle.dumps(bot))])
def test_a_copy_goes_on_alone_and_the_same(duplicate):
    bot = Navigate()
    assert duplicate(bot).state is None
    for k in range(5):
        bot.step(see(k), RNG)
    other, expected = duplicate(bot), bot.state
    assert other.state == expected
    with_turns = [bot.step(see(k), RNG) for k in range(5, 10)]
    assert other.state == expected
    assert [other.step(see(k), RNG) for k in range(5, 10)] == with_turns
    assert other.state == bot.state != expected


def test_a_map_that_is_turned_and_moved_with_the_robot_gives_the_same_commands():
    def commands(turn, far):
        cosine, sine = math.cos(turn), math.sin(turn)

        def at(x, y):
            return far + cosine * x - sine * y, far + sine * x + cosine * y

        known = SimpleNamespace(segments=np.array([[*at(2.0, -1.5), *at(2.0, 1.5)]]),
                                circles=np.array([[*at(3.0, 2), 0.4]]))
        bot, found = Navigate(known=known), []
        for k in range(20):
            pose = np.array([[*at(0.02 * k, 0.0), turn]])
            found.append(bot.step(Observation(0, 1, k, k, 1 / 30, pose, None, at(6.0, 0.1)), RNG))
        return np.array(found)

    there = commands(0.0, 0.0)
    assert np.abs(there[:, 1]).max() > 0.1  # round the wall, which no scan has shown
    for turn, far in ((math.pi / 2, 0.0), (2.3, 40.0)):
        assert np.abs(commands(turn, far) - there).max() < 1e-6


def test_a_map_is_there_still_when_the_window_has_moved():
    bot = Navigate(known=SimpleNamespace(segments=np.array([[120.0, -5.0, 120.0, 5.0]]),
                                        circles=np.empty((0, 3))))
    for k in range(110):
        bot.step(see(k, goal=(200.0, 0.0), robots=1, x=float(k))._replace(scan=None), RNG)
    p, state = resolved(Parameters()), bot.state
    column = math.floor((120.0 - state.origin_x) / p.cell_m)
    assert bot._memory.evidence[math.floor((0.0 - state.origin_y) / p.cell_m), column] > 0


def test_lengths_and_speeds_of_0_follow_the_body():
    standard = resolved(Parameters())
    assert (standard.robot_radius_m, standard.forward_speed_mps, standard.cruise_speed_mps,
            standard.goal_tolerance, standard.cell_m) == (0.3, 2.0, 1.5, 0.3, 0.4 * 0.3)
    slow, quick = (resolved(Parameters(), Size(0.1, speed)) for speed in (0.2, 100.0))
    assert (slow.forward_speed_mps, slow.cruise_speed_mps) == pytest.approx((0.4 / 3, 0.1))
    assert quick.forward_speed_mps == pytest.approx(20 / 3 * 0.1)  # the same pace
    assert resolved(Parameters(), Size(0.1, 0.0)).forward_speed_mps > 0.0  # it cannot move
    given = resolved(Parameters(forward_speed_mps=0.3, robot_radius_m=0.2), Size(0.1, 100.0))
    assert (given.forward_speed_mps, given.robot_radius_m, given.margin_m) == (
        0.3, 0.2, pytest.approx(0.08))
    assert given.cruise_speed_mps == quick.cruise_speed_mps


def test_gains_fit_a_body_that_follows_its_commands_late():
    slow = resolved(Parameters(), Size(0.3, 3.0, Inertia(2.0, 1.0, 4.0)))
    assert slow.damper_gain * slow.cruise_speed_mps == pytest.approx(1.0)  # it brakes in time
    assert slow.turn_gain * slow.rotate_speed_radps == pytest.approx(4.0)
    late = resolved(Parameters(), Size(0.3, 3.0, Inertia(delay=0.5)))
    assert (late.damper_gain, late.turn_gain, late.position_gain) == pytest.approx(
        [1 / (math.e * 0.5)] * 3)
    assert resolved(Parameters(turn_gain=0.1), Size(0.3, 3.0, Inertia(delay=0.5))).turn_gain == 0.1


def test_a_laser_that_is_turned_gives_the_commands_of_one_that_looks_ahead():
    """Where it looks back, the robot that stands the other way round drives backwards."""
    ranges = np.linspace(0.6, 5.0, 60).astype(np.float32)
    for yaw, turned, side in ((0.4, 0.0, 1.0), (math.pi, math.pi, -1.0)):
        plain, mounted = Navigate(), Navigate(mount=(0.0, 0.0, yaw))
        for k in range(30):
            there = see(k, x=0.01 * k)._replace(
                scan=Scan(ranges, -1.5, 0.05, 0.0, 10.0), twist=(0.1, 0.02, 0.0))
            other = there._replace(poses=there.poses + np.array([0.0, 0.0, turned]),
                                   twist=(0.1 * side, 0.02 * side, 0.0),
                                   scan=there.scan._replace(angle_min=-1.5 - yaw + turned))
            v, omega = plain.step(there, RNG)
            assert mounted.step(other, RNG) == pytest.approx((side * v, omega), abs=1e-9)
