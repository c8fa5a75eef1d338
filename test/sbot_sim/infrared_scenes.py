"""Scenes for tests of infrared: sensors without noise, outlines, measured distances."""

import math
from types import SimpleNamespace

import numpy as np
from infrared_reference import infrared_distances
from ray_oracle import cast_oracle

from sbot_common.params import updated
from sbot_sim.sensors.infrared import InfraredSettings, ring
from sbot_sim.world.bodies import S_BOT_RADIUS

QUIET = {'infrared': True, 'infrared_noise': 0.0}


def parameters(**given):
    return updated(InfraredSettings(), {**QUIET, **given}).parameters()


def outline(size, segments=(), circles=()):
    return SimpleNamespace(bounds=np.array([0.0, 0.0, size, size]),
                           segments=np.array(segments, float).reshape(-1, 4),
                           circles=np.array(circles, float).reshape(-1, 3))


def measure(world, pose, radius=None, **given):
    pose = np.array(pose, float).reshape(-1, 3)
    radius = np.full(len(pose), S_BOT_RADIUS) if radius is None else radius
    p = parameters(**given)
    return infrared_distances(world, pose, radius, p)


def assert_equals_every_beam(size, lines, pose, radius):
    """Return distances (N, 15), equal bit for bit to every beam against every object."""
    found = measure(outline(size, lines), pose, radius)
    ways = cast_oracle(lines, np.column_stack([pose[:, :2], radius]), np.arange(len(pose)),
                       pose, ring().directions[:, :15].copy())
    expected = np.maximum(ways - radius[:, None], 0.0)
    np.testing.assert_array_equal(found, np.where(expected <= 0.15, expected, math.inf))
    return found
