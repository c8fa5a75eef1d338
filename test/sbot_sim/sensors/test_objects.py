"""Rectangular bodies in scans: against shapely, and against the same rectangle standing still."""

import math

import numpy as np
import pytest
import shapely
from fast2d_shapely import ray_distance
from hypothesis import given, settings
from hypothesis import strategies as st
from scan_scenes import cast
from solids import solid_of
from worlds import make_parameters

from sbot_sim.world.bodies import ROBOT

CART = ROBOT._replace(length=0.9, width=0.4, offset=0.2)
BUS = ROBOT._replace(length=2.0, width=0.5)
BODIES = [body._replace(radius=body.circle_around()) if body.length else body
          for body in (CART, ROBOT, BUS, ROBOT, CART)]


def scan(pose, sees_robots=True, **more):
    parameters = make_parameters(BODIES, bounds=(0, 0, 10, 10), circles=[(5, 5, 0.3)], scan={
        'scan_beams': 90, 'scan_angle_min': -3.0, 'scan_angle_max': 3.0, 'scan_range_max': 6.0,
        'scan_sees_robots': sees_robots, **more})
    return parameters.sensors.lasers.all[0], cast(parameters, pose)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_every_beam_ends_where_shapely_says(seed, ahead):
    rng = np.random.default_rng(seed)
    pose = np.column_stack([rng.uniform(1, 9, (5, 2)), rng.uniform(-3, 3, 5)])
    parameters, ranges = scan(pose, laser_x=ahead)
    solids = [solid_of(body._replace(collision_distance=0.0), row)
              for body, row in zip(BODIES, pose, strict=True)]
    wall = shapely.box(0, 0, 10, 10).exterior
    for j, (x, y, yaw) in enumerate(pose):
        x, y = x + ahead * math.cos(yaw), y + ahead * math.sin(yaw)
        others = [*solids[:j], *solids[j + 1:], (5.0, 5.0, 0.3)]
        for i in range(90):
            angle = yaw + parameters.angle_min + i * parameters.angle_increment
            expected, a_little_aside = (
                min(ray_distance(others, x, y, turned, 99.0), ray_distance([wall], x, y, turned,
                                                                          99.0))
                for turned in (angle, angle + 1e-6))
            if abs(expected - a_little_aside) > 1e-3 or abs(expected - 6.0) < 1e-3:
                continue  # the beam grazes something
            assert ranges[j, i] == pytest.approx(expected if expected < 6.0 else math.inf,
                                                 abs=1e-5)


def test_scans_that_see_no_robots_see_no_rectangles():
    pose = np.array([[2, 2, 0.0], [8, 8, 0], [4, 2, 1.57], [8, 2, 0], [2, 8, 0]])
    assert scan(pose)[1][0, 45] < 2.0
    assert scan(pose, sees_robots=False)[1][0, 45] > 5.9


def test_what_is_too_near_and_a_laser_inside_of_another_body():
    pose = np.array([[2, 2, 0.0], [8, 8, 0], [4, 2, math.pi / 2], [8, 2, 0], [2, 8, 0]])
    assert scan(pose, scan_range_min=3.0, scan_beams=91)[1][0, 45] == -math.inf
    assert (scan(pose, laser_x=2.0, scan_beams=91)[1][0] == 0.0).all()
