"""Properties of a turn: finite, bounded, the same when the world is turned or moved."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbot.controllers.navigate.bot import Navigate
from sbot.controllers.navigate.parameters import Parameters, resolved
from sbot_common.observation import Observation, Scan

P = resolved(Parameters())
BEAMS = 60
WILD = st.one_of(st.floats(0.0, 10.0), st.sampled_from([math.inf, -math.inf, math.nan, 0.0]))


def observation(me, poses, ranges, goal, tick, twist=(0.0, 0.0, 0.0)):
    scan = Scan(np.asarray(ranges, np.float32), -math.pi / 2, math.pi / (BEAMS - 1), 0.0, 10.0)
    return Observation(me, len(poses), tick, tick * 33_333_333, 1 / 30, np.array(poses, float),
                       scan, goal, twist=twist)


@settings(max_examples=60, deadline=None)
@given(ranges=st.lists(WILD, min_size=BEAMS, max_size=BEAMS), me=st.integers(0, 2),
       x=st.floats(-1e4, 1e4), y=st.floats(-1e4, 1e4), yaw=st.floats(-10, 10),
       goal=st.one_of(st.none(), st.tuples(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))),
       other=st.sampled_from([0.0, 0.1, 3.0, math.nan, math.inf, 1e300]),
       twist=st.tuples(*[st.floats(-5, 5)] * 3))
def test_commands_are_finite_and_bounded(ranges, me, x, y, yaw, goal, other, twist):
    bot, rng = Navigate(), np.random.default_rng(0)
    for tick in range(4):
        poses = np.full((3, 3), other)
        poses[me] = x + 0.05 * tick, y, yaw
        v, omega = bot.step(observation(me, poses, ranges, goal, tick, twist), rng)
        assert 0.0 <= v <= P.forward_speed_mps
        assert abs(omega) <= P.rotate_speed_radps


def test_without_a_pose_it_stands():
    poses = np.array([[math.nan, 0.0, 0.0]])
    bot = Navigate()
    assert bot.step(observation(0, poses, [5.0] * BEAMS, (3.0, 0.0), 0),
                    np.random.default_rng(0)) == (0.0, 0.0)


class Wall:
    """A small world to drive in: a wall across, scans and motion of its own, wind."""

    def __init__(self, turn=0.0, at=(0.0, 0.0), wind=(0.1, 0.2), seed=1):
        rng = np.random.default_rng(seed)
        self.turn, self.at, self.wind = turn, np.array(at), np.array(wind)
        self.start = np.array([[0, 0, 0.1], [-2, 0.3, 0.2], [-2, -0.4, 0.0]])
        self.start[:, :2] += rng.uniform(-0.2, 0.2, (3, 2))
        self.ends = np.array([[5.0, -3.0], [5.0, 2.0]])
        self.goal = np.array([10.0, 0.5])

    def out(self, xy):
        c, s = math.cos(self.turn), math.sin(self.turn)
        return self.at + np.asarray(xy) @ np.array([[c, s], [-s, c]])

    def ranges(self, pose):
        angles = pose[2] + np.linspace(-math.pi / 2, math.pi / 2, BEAMS)
        with np.errstate(divide='ignore', invalid='ignore'):
            t = (self.ends[0, 0] - pose[0]) / np.cos(angles)
            y = pose[1] + t * np.sin(angles)
        hit = (t > 0) & (t < 10) & (y > self.ends[0, 1]) & (y < self.ends[1, 1])
        return np.where(hit, t, np.inf)

    def drive(self, ticks):
        """Return the commands (ticks, 3, 2), driven in the frame of the wall."""
        bots = [Navigate(followers=(1, 2)) for _ in range(3)]
        pose, twist = self.start.copy(), np.zeros((3, 3))
        rng, told, dt = np.random.default_rng(0), [], 1 / 30
        for tick in range(ticks):
            seen = np.column_stack([self.out(pose[:, :2]), pose[:, 2] + self.turn])
            goal = tuple(self.out(self.goal).tolist())
            commands = np.array([bot.step(observation(
                i, seen, self.ranges(pose[i]), goal if i == 0 else None, tick, tuple(twist[i])),
                rng) for i, bot in enumerate(bots)])
            told.append(commands)
            for i, (v, omega) in enumerate(commands):
                # A tick of motion in a hundred parts: an oracle that knows no chords.
                old = pose[i].copy()
                for _ in range(100):
                    pose[i, 2] += omega * dt / 200
                    pose[i, :2] += (v * np.array([math.cos(pose[i, 2]), math.sin(pose[i, 2])])
                                    + self.wind) * dt / 100
                    pose[i, 2] += omega * dt / 200
                moved = (pose[i, :2] - old[:2]) / dt
                c, s = math.cos(pose[i, 2]), math.sin(pose[i, 2])
                twist[i] = c * moved[0] + s * moved[1], c * moved[1] - s * moved[0], omega
        self.pose, self.bots = pose, bots
        return np.array(told)


@pytest.mark.parametrize(('turn', 'at'), [(0.0, (300.0, -70.0)), (2.0, (0.0, 0.0)),
                                          (-0.7, (25.0, 3.0))])
def test_turning_and_moving_the_world_changes_nothing(turn, at):
    here, there = Wall().drive(60), Wall(turn, at).drive(60)
    assert np.abs(here - there).max() < 1e-6


def test_at_the_goal_it_holds_its_place_against_the_wind():
    world = Wall(wind=(0.0, 0.6))
    world.ends = np.array([[1e9, 0.0], [1e9, 1.0]])
    world.goal = np.array([3.0, 1.0])
    world.drive(400)
    assert math.dist(world.pose[0, :2], world.goal) < 0.1
