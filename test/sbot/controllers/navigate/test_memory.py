"""Turns of slow robots: they begin and end by hysteresis and change sides seldom."""

import math

import numpy as np
import pytest

from sbot.controllers.navigate.damping import ALONG
from sbot.controllers.navigate.memory import (
    NO_TURN,
    same_side,
    turn_with_hysteresis,
    turned,
    wanting,
)
from sbot.controllers.navigate.parameters import (
    SETTLE,
    SMOOTH,
    TURN_BEGIN,
    TURN_END,
    Parameters,
    resolved,
)

P = resolved(Parameters())


def test_a_turn_begins_above_one_angle_and_ends_below_a_smaller_one():
    rest = NO_TURN
    assert turn_with_hysteresis(P, rest, 0.9 * TURN_BEGIN, 0.0) == 0.0
    omega = turn_with_hysteresis(P, rest, 1.1 * TURN_BEGIN, 0.0)
    assert omega > 0.0
    turns = turned.py_func(rest, omega, 0.0)
    assert turn_with_hysteresis(P, turns, 1.1 * TURN_END, 0.1) > 0.0
    assert turn_with_hysteresis(P, turns, 0.9 * TURN_END, 0.1) == 0.0


def test_a_robot_that_obstacles_stop_turns_by_small_angles_too():
    stopped = wanting.py_func(NO_TURN, 0.0, 0.0, -0.01, 1 / 30)
    assert turn_with_hysteresis(P, stopped, 0.5 * TURN_BEGIN, 0.0) > 0.0
    # The damper lets it drive as soon as its heading is so nearly along the obstacle.
    assert turn_with_hysteresis(P, stopped, 1.1 * ALONG, 0.0) > 0.0
    assert turn_with_hysteresis(P, stopped, 0.9 * ALONG, 0.0) == 0.0
    slow = wanting.py_func(NO_TURN, 0.0, 0.0, 0.1, 1 / 30)
    assert turn_with_hysteresis(P, slow, 0.5 * TURN_BEGIN, 0.0) == 0.0


@pytest.mark.parametrize('rate', [10, 30, 100])
@pytest.mark.parametrize(('period', 'least', 'most'), [(0.2, 0, 0), (6.0, 19, 20)])
def test_a_robot_that_queues_changes_the_side_seldom(rate, period, least, most):
    # What it wants swings from side to side: too fast to follow, or slowly.
    turning, told = NO_TURN, []
    for k in range(60 * rate):
        left = ((k + 0.5) / rate) % period < period / 2
        omega = turn_with_hysteresis(P, turning, 1.0 if left else -1.0, k / rate)
        turning = turned.py_func(turning, omega, k / rate)
        told.append(omega)
    signs = np.sign([omega for omega in told if omega != 0.0])
    assert least <= int((signs[1:] != signs[:-1]).sum()) <= most
    assert most < 60 / SETTLE


@pytest.mark.parametrize('rate', [10, 100])
def test_the_mean_of_what_a_robot_wants_changes_little(rate):
    turning, rng, means = NO_TURN, np.random.default_rng(1), []
    for _ in range(4 * rate):
        turning = wanting.py_func(turning, 0.05, rng.normal(0.0, 0.05), math.inf, 1 / rate)
        means.append((turning.x, turning.y))
    x, y = np.array(means[rate:]).T
    assert x == pytest.approx(0.05, abs=0.001)
    assert y.std() < 0.05 / math.sqrt(rate * SMOOTH)


def test_half_a_turn_keeps_its_side():
    # In wind the wanted heading swings about the opposite of the robot's own: it must not shake.
    left, right = (turned.py_func(NO_TURN, omega, 0.0) for omega in (1.0, -1.0))
    assert same_side.py_func(NO_TURN, -3.1) == -3.1
    assert same_side.py_func(left, 3.1) == 3.1
    assert same_side.py_func(left, -3.1) > 0.0
    assert same_side.py_func(right, 3.1) < 0.0
    assert same_side.py_func(left, -1.1 * TURN_END) < 0.0
