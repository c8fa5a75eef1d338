import math

import numpy as np
import pytest
from infrared_reference import infrared_distances, infrared_readings
from infrared_scenes import measure, outline, parameters
from worlds import make_parameters

from sbot_common.errors import InputError
from sbot_common.params import updated
from sbot_sim.engine.simulation import Engine
from sbot_sim.sensors.infrared import SENSOR_DEGREES, InfraredSettings, _infrared_points
from sbot_sim.world.bodies import S_BOT, S_BOT_RADIUS


def test_sensors_are_at_figure_5s_angles():
    assert SENSOR_DEGREES == (34, 56, 79, 101, 120, 140, 160, 180, 200, 220, 240, 259, 281, 304,
                              326)
    # A wall behind the robot: sensor 7, at 180 degrees, looks straight at it.
    distances = measure(outline(1, [[0.4, 0, 0.4, 1]]), [0.5, 0.5, 0])
    assert distances[0, 7] == pytest.approx(0.1 - S_BOT_RADIUS, abs=1e-15)
    assert distances[0, 6] == pytest.approx(0.1 / math.cos(math.radians(20)) - S_BOT_RADIUS)
    assert np.isinf(distances[0, [0, 1, 13, 14]]).all()


def test_shorter_ranges_hide():
    world = outline(1, [[0.4, 0, 0.4, 1]])
    assert np.isinf(measure(world, [0.5, 0.5, 0], infrared_range=0.04)).all()
    assert np.isfinite(measure(world, [0.5, 0.5, 0], infrared_range=0.045)).sum() == 1


def test_bodies_are_seen_and_not_collision_circles():
    pose = [[0.5, 0.5, math.pi], [0.7, 0.5, 0]]
    assert measure(outline(1), pose)[0, 7] == pytest.approx(0.2 - 2 * S_BOT_RADIUS, abs=1e-15)
    assert np.isinf(measure(outline(1), pose, infrared_sees_robots=False)).all()


def test_what_reaches_into_the_body_is_at_distance_zero():
    assert measure(outline(1, [[0.46, 0, 0.46, 1]]), [0.5, 0.5, 0])[0, 7] == 0.0
    assert (measure(outline(1, circles=[[0.5, 0.51, 0.03]]), [0.5, 0.5, 0]) == 0.0).all()


def test_the_noise_of_a_sensor_depends_on_nothing_that_is_seen():
    p, seen = parameters(infrared_noise=0.1), np.full((3, 15), 0.1)
    seen[:, ::4] = math.inf
    some = infrared_readings(seen, p, (1, 6)) / infrared_readings(seen, p, None)
    everything = infrared_readings(np.full((3, 15), 0.05), p, (1, 6))
    everything /= infrared_readings(np.full((3, 15), 0.05), p, None)
    np.testing.assert_allclose(some, everything, rtol=1e-14)
    assert (infrared_readings(seen, p, (1, 7)) != infrared_readings(seen, p, (1, 6))).all()
    assert (infrared_readings(seen, p, (2, 6)) != infrared_readings(seen, p, (1, 6))).all()


def test_sensing_is_distances_and_readings_with_noise():
    rng = np.random.default_rng(2)
    n = 60
    pose = rng.uniform((0, 0, -4), (1, 1, 4), (n, 3))
    p = make_parameters([S_BOT] * n, bounds=(0, 0, 1, 1), infrared={'infrared': True})
    infrared = p.sensors.infrared
    distances = infrared_distances(p.world, pose, p.bodies.radius, infrared)
    for seed in (4, 2**63 - 1):
        expected = np.stack([distances, infrared_readings(distances, infrared, (seed, 0))], axis=2)
        np.testing.assert_array_equal(Engine(p, pose, seed).snapshot.infrared,
                                      expected.astype(np.float32))


def test_points_lie_on_the_rim_in_base_link():
    points = _infrared_points(np.arange(30, dtype=np.float32).reshape(15, 2), S_BOT_RADIUS)
    assert points.dtype == np.float32
    np.testing.assert_allclose(points[7], [-S_BOT_RADIUS, 0, 0, 14, 15], atol=1e-8)
    np.testing.assert_allclose(np.hypot(points[:, 0], points[:, 1]), S_BOT_RADIUS, rtol=1e-6)
    assert points[0, 1] > 0  # to the left


def test_no_infrared_no_parameters():
    assert InfraredSettings().parameters() is None
    with pytest.raises(InputError, match=r'infrared_range: got 0\.2'):
        updated(InfraredSettings(), {'infrared_range': 0.2})
    with pytest.raises(InputError, match="infrared_table: got 'cubic', expected one of"):
        InfraredSettings(infrared_table='cubic').parameters()
