"""Scenes for lasers, and scans of them that equal the slow ray caster."""

from types import SimpleNamespace

import numpy as np
from ray_oracle import cast_scans_slowly

from sbot_common.params import updated
from sbot_sim.sensors.laser import ScanSettings, cast_scans
from sbot_sim.world.scene import Scene


def outline(size, segments=(), circles=()):
    walls = [[0, 0, size, 0], [size, 0, size, size], [size, size, 0, size], [0, size, 0, 0]]
    return SimpleNamespace(bounds=np.array([0.0, 0.0, size, size]),
                           segments=np.array([*walls, *segments], float),
                           circles=np.array(circles, float).reshape(-1, 3))


def cast(scene, pose, radius, parameters, threads=1):
    return cast_scans(scene, parameters.fan(), pose, radius, parameters, threads)


def assert_equals_oracle(world, pose, radius, given):
    parameters = updated(ScanSettings(), given).parameters()
    scene = Scene.of(world, parameters.range_max)
    fast = cast(scene, pose, radius, parameters)
    slow = cast_scans_slowly(scene, pose, radius, parameters)
    assert fast.dtype == np.float32
    np.testing.assert_array_equal(fast, slow)
    return fast
