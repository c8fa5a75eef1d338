import math

import numpy as np

from sbot_sim.dynamics.impulses import effective_wind, impulse_velocity, sum_impulses


def test_the_documents_numbers():
    # Document 000 section 4.1: m = 0.08 kg, v = 10 cm/s at 60 degrees, w = 20 cm/s, r = 0.4.
    wind = effective_wind(np.array([[0.20, 0.0]]), np.array([0.4]))
    assert np.allclose(wind, [[0.12, 0.0]], rtol=1e-15)
    impulse = sum_impulses(np.array([0.08]), wind, np.zeros((1, 2)), np.array([0.10]),
                           np.array([math.radians(60)]), 0.1)
    assert np.round(impulse, 5).tolist() == [[0.0136, 0.00693]]


def test_a_reduction_beyond_one_leaves_no_wind_rather_than_the_opposite():
    wind = effective_wind(np.array([[1.0, -2.0]] * 3), np.array([0.0, 1.0, 1.5]))
    assert wind.tolist() == [[1, -2], [0, 0], [0, 0]]


def test_arguments_are_left_alone_and_forces_act_on_everybody():
    rng = np.random.default_rng(0)
    mass, yaw, drive = rng.uniform(0.1, 2, 5), rng.uniform(-3, 3, 5), rng.uniform(0, 1, 5)
    wind, force, dt = rng.normal(size=(5, 2)), np.array([[0.3, -0.7]] * 5), 0.04
    kept = [a.copy() for a in (mass, wind, force, drive, yaw)]
    impulse = sum_impulses(mass, wind, force, drive, yaw, dt)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (mass, wind, force, drive, yaw),
                                                     strict=True))
    heading = np.column_stack([np.cos(yaw), np.sin(yaw)])
    expected = mass[:, None] * (wind + drive[:, None] * heading) + force * dt
    assert np.allclose(impulse, expected, rtol=1e-13, atol=1e-15)
    assert np.allclose(impulse_velocity(impulse, mass), expected / mass[:, None], rtol=1e-13)


def test_against_the_wind_a_robot_of_the_same_speed_stays_and_across_it_drifts():
    # Two robots at 5 cm/s in 5 cm/s southwards, one facing north, one facing east.
    dt, mass = 0.1, np.array([0.13, 0.13])
    yaw = np.array([math.pi / 2, 0.0])
    place = np.zeros((2, 2))
    for _ in range(100):
        impulse = sum_impulses(mass, np.array([[0.0, -0.05]] * 2), np.zeros((2, 2)),
                               np.full(2, 0.05), yaw, dt)
        place = place + impulse_velocity(impulse, mass) * dt
    assert np.abs(place - [[0, 0], [0.5, -0.5]]).max() < 1e-9
