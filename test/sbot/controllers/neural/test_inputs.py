"""Inputs of networks beside plain geometry."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot.controllers.neural import inputs
from sbot_sim.sensors.infrared import SENSORS, InfraredSettings
from sbot_sim.sensors.infrared_table import named_table

metres = st.floats(-50, 50)
angles = st.floats(-3.14, 3.14)


def test_names_and_columns():
    table = inputs.input_table(('goal', 'scan:5', 'infrared', 'pose'))
    assert table.tolist() == [[inputs.GOAL, 0, 3], [inputs.SCAN, 3, 5], [inputs.INFRARED, 8, 15],
                              [inputs.POSE, 23, 4]]
    assert len(inputs.NAMES) == len(inputs.SIZES) == inputs.POSE + 1
    assert inputs.SIZES[inputs.INFRARED] == SENSORS


def test_infrared_is_one_at_contact():
    out = np.zeros(2)
    inputs._infrared_inputs(np.array([0.0, inputs.CONTACT_READING], np.float32), out)
    assert out == pytest.approx([0.0, 1.0], abs=1e-7)
    table = named_table(InfraredSettings().infrared_table)
    assert pytest.approx(table.max(), rel=1e-6) == inputs.CONTACT_READING


def test_sectors_share_the_beams():
    ranges = np.full(10, np.inf, np.float32)
    ranges[[0, 3, 4, 9]] = 4.0, 1.0, 3.0, 0.5
    out = np.zeros(3)
    inputs._scan_inputs(ranges, 5.0, out)
    assert out == pytest.approx([0.2, 0.8, 0.9])
    inputs._scan_inputs(np.array([np.inf, 7.0], np.float32), 5.0, out)
    assert out.tolist() == [0.0, 0.0, 0.0]  # no echo, too far; sectors without a beam are free


@given(metres, metres, angles, metres, metres)
def test_place(x, y, yaw, to_x, to_y):
    out = np.zeros(3)
    inputs.place_inputs(np.array([x, y, yaw]), to_x, to_y, out)
    distance = math.hypot(to_x - x, to_y - y)
    assert out[2] == pytest.approx(distance / (1 + distance), abs=1e-14)
    if distance > 1e-6:
        ahead = np.array([math.cos(yaw), math.sin(yaw)])
        to = np.array([to_x - x, to_y - y]) / distance
        assert out[0] == pytest.approx(ahead @ to, abs=1e-9)
        assert out[1] == pytest.approx(ahead[0] * to[1] - ahead[1] * to[0], abs=1e-9)


@pytest.mark.parametrize('yaw', [0.0, 1.0, -2.5])
def test_a_place_where_the_robot_is_says_nothing_of_the_map(yaw):
    out = np.full(3, np.nan)
    inputs.place_inputs(np.array([1.5, 2.5, yaw]), 1.5, 2.5, out)
    assert out.tolist() == [1.0, 0.0, 0.0]


def test_goals_of_many_robots_have_the_bits_of_one():
    rng = np.random.default_rng(4)
    pose, goal = rng.normal(0.0, 5.0, (50, 3)), rng.normal(0.0, 5.0, (50, 2))
    goal[7] = pose[7, :2]
    for unknown in (False, True):
        goal[9] = np.nan if unknown else 1.0
        out, one = np.zeros((50, 6)), np.zeros(3)
        inputs._goal_inputs(pose, goal, out[:, 1:4])
        for i in range(50):
            inputs.place_inputs(pose[i], goal[i, 0], goal[i, 1], one)
            assert out[i].tolist() == [0.0, *one.tolist(), 0.0, 0.0]


@given(st.lists(st.tuples(st.floats(0.01, 20), angles), max_size=5))
def test_neighbours(heard):
    ranges = np.array([r for r, _ in heard], np.float32)
    bearings = np.array([b for _, b in heard], np.float32)
    out = np.zeros(3)
    inputs._neighbour_inputs(ranges, bearings, 6, out)
    assert out[2] == len(heard) / 5
    if heard:
        weights = 1 / (1 + ranges.astype(np.float64))
        mean = weights @ np.exp(1j * bearings.astype(np.float64)) / weights.sum()
        assert out[:2] == pytest.approx([mean.real, mean.imag], abs=1e-12)
    else:
        assert out[:2].tolist() == [0.0, 0.0]


def test_a_single_robot_has_no_neighbours():
    out = np.ones(3)
    inputs._neighbour_inputs(np.zeros(0, np.float32), np.zeros(0, np.float32), 1, out)
    assert out.tolist() == [0.0, 0.0, 0.0]


@given(angles, metres, metres)
def test_wind_is_turned_into_the_robots_frame(yaw, x, y):
    out = np.zeros(2)
    inputs.wind_inputs(yaw, x, y, out)
    turned = complex(x, y) * np.exp(-1j * yaw)
    assert out == pytest.approx([turned.real, turned.imag], abs=1e-12)


@given(metres, metres, angles)
def test_pose(x, y, yaw):
    out = np.zeros(4)
    inputs.pose_inputs(np.array([x, y, yaw]), out)
    assert out == pytest.approx([x, y, math.cos(yaw), math.sin(yaw)], abs=1e-15)
