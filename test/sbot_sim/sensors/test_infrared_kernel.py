"""Kernels of infrared: distances against shapely and every beam, readings by the table."""

import math

import numpy as np
import pytest
import shapely
from infrared_reference import infrared_readings
from infrared_scenes import assert_equals_every_beam, measure, outline, parameters

from sbot_sim.sensors.infrared import SENSOR_ANGLES


def shapely_distances(pose, radius, segments, circles, range_max):
    """Distances (M, 15) of M scenes, each with its own segments (M, S, 4) and discs (M, C, 3)."""
    angles = pose[:, 2:] + np.array(SENSOR_ANGLES)
    start = np.broadcast_to(pose[:, None, :2], (*angles.shape, 2))
    end = start + 5.0 * np.stack([np.cos(angles), np.sin(angles)], axis=2)
    beams = shapely.linestrings(np.stack([start, end], axis=2))  # (M, 15)
    centres = shapely.points(pose[:, None, :2])
    nearest = np.full(angles.shape, math.inf)
    for k in range(segments.shape[1]):
        walls = shapely.linestrings(segments[:, k].reshape(-1, 2, 2))[:, None]
        ways = shapely.distance(shapely.intersection(beams, walls), centres)
        nearest = np.fmin(nearest, ways)  # NaN: no intersection
    for k in range(circles.shape[1]):
        middles = shapely.points(circles[:, k, :2])[:, None]
        off = shapely.distance(beams, middles)
        r = circles[:, k, 2:]
        chord = np.sqrt(np.maximum(r * r - off * off, 0.0))
        ways = shapely.line_locate_point(beams, middles) - chord
        nearest = np.where(off <= r, np.minimum(nearest, ways), nearest)
    distances = np.maximum(nearest - radius[:, None], 0.0)
    return np.where(distances <= range_max, distances, math.inf)


def test_distances_equal_shapelys_on_10_000_random_scenes():
    rng = np.random.default_rng(11)
    tiles, side = 106, 1.0
    m = tiles * tiles
    # Scenes are tiles too far apart to see each other; two robots in each.
    corner = side * np.stack(np.meshgrid(np.arange(tiles), np.arange(tiles)), -1).reshape(m, 2)
    corner = corner + 0.5
    segments = np.tile(corner, 2)[:, None] + rng.uniform(-0.24, 0.24, (m, 2, 4))
    circles = np.concatenate([corner[:, None] + rng.uniform(-0.2, 0.2, (m, 1, 2)),
                              rng.uniform(0.01, 0.05, (m, 1, 1))], axis=2)
    away = rng.uniform(0, math.tau, m)
    first = corner + rng.uniform(-0.1, 0.1, (m, 2))
    second = first + rng.uniform(0.12, 0.3, (m, 1)) * np.stack([np.cos(away), np.sin(away)], 1)
    radius = rng.uniform(0.03, 0.06, (2, m))
    pose = np.concatenate([np.column_stack([xy, rng.uniform(-4, 4, m)]) for xy in (first, second)])

    world = outline(tiles * side, segments.reshape(-1, 4), circles.reshape(-1, 3))
    found = measure(world, pose, radius.ravel())[:m]
    bodies = np.column_stack([second, radius[1]])[:, None]
    expected = shapely_distances(pose[:m], radius[0], segments,
                                 np.concatenate([circles, bodies], axis=1), 0.15)
    # A centre inside a disc is a convention of its own, tested below.
    free = np.hypot(*(circles[:, 0, :2] - first).T) > circles[:, 0, 2]
    assert free.sum() >= 10_000
    np.testing.assert_allclose(found[free], expected[free], rtol=0, atol=1e-9)
    assert np.isfinite(expected[free]).any(axis=1).mean() > 0.5


def readings(distances, **given):
    return infrared_readings(np.array([distances]), parameters(**given), None)[0]


def test_readings_are_the_nearest_millimetres_entries():
    table = parameters().table
    distances = [0.0, 0.0004, 0.0006, 0.0124, 0.15, 0.1496, 0.0771, *[0.02] * 8]
    np.testing.assert_array_equal(
        readings(distances), table[[0, 0, 1, 12, 150, 150, 77, *[20] * 8]])


def test_a_blind_beam_between_two_that_see_reads_a_share():
    table, blind = parameters().table, math.inf
    found = readings([0.02, blind, 0.04, blind, blind, 0.03, *[blind] * 9])
    assert found[1] == 0.3 * ((table[20] + table[40]) / 2)
    assert found[[3, 4, 6, 14]].tolist() == [0, 0, 0, 0]
    # The ring closes: sensor 14 lies between 13 and 0; a blind neighbour's share does not count.
    closed = readings([0.01, *[blind] * 12, 0.05, blind])
    assert closed[14] == 0.3 * ((table[10] + table[50]) / 2)
    assert closed[12] == 0.0

SIDE = 3.0  # m, of many cells


@pytest.mark.parametrize('robots', [2, 40, 300])
def test_robots_of_all_cells_see_what_is_near(robots):
    rng = np.random.default_rng(robots)
    lines = np.tile(rng.uniform(0.0, SIDE, (robots // 4, 2)), 2)
    lines[:, 2:] += rng.uniform(-0.1, 0.1, (robots // 4, 2))
    pose = rng.uniform((0.4, 0.4, -4.0), (SIDE - 0.4, SIDE - 0.4, 4.0), (robots, 3))
    pose[::5, :2] = np.round(pose[::5, :2], 1)  # also on the edges of cells
    found = assert_equals_every_beam(SIDE, lines, pose, rng.uniform(0.002, 0.06, robots))
    assert robots < 40 or np.isfinite(found).any()
    assert robots > 40 or np.isinf(found).all(axis=1).any()  # not near anything


@pytest.mark.parametrize(('robots', 'segments'), [(3, 0), (0, 2), (3, 4), (80, 4), (3, 80)])
def test_distances_equal_those_of_every_beam_against_every_object(robots, segments):
    rng = np.random.default_rng(robots + segments)
    for _ in range(20):
        lines = 0.5 + rng.uniform(-0.25, 0.25, (segments, 4))
        pose = np.column_stack([0.5 + rng.uniform(-0.2, 0.2, (robots + 1, 2)),
                                rng.uniform(-4.0, 4.0, robots + 1)])
        assert_equals_every_beam(1.0, lines, pose, rng.uniform(0.002, 0.03, robots + 1))


def test_beams_along_a_wall():
    rng = np.random.default_rng(3)
    for _ in range(40):
        angle = rng.uniform(0.0, math.pi, 60)
        along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        middle = 2.0 * np.stack(np.divmod(np.arange(60), 8), axis=1) + 1.0
        lines = np.concatenate([middle - 0.4 * along, middle + 0.4 * along], axis=1)
        beam = np.array(SENSOR_ANGLES)[rng.integers(15, size=60)]
        pose = np.column_stack([lines[:, 2:] + rng.uniform(0.07, 0.2, (60, 1)) * along,
                                angle + math.pi - beam + rng.choice([0, 0, 1e-16, 1e-9], 60)])
        assert_equals_every_beam(17.0, lines, pose, np.full(60, 0.06))
