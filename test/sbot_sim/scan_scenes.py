"""Scenes for lasers, and scans of them that equal the slow ray caster."""

import numpy as np
from ray_oracle import cast_scans_slowly
from worlds import make_parameters

from sbot_sim.engine.many import Simulation, Winds
from sbot_sim.world.bodies import ROBOT


def outline(size, segments=(), circles=()):
    return {'bounds': (0, 0, size, size), 'segments': segments, 'circles': circles}


def parameters_of(world, radius, given):
    return make_parameters([ROBOT._replace(radius=each) for each in radius.tolist()], **world,
                           scan={'scan_beams': 180, **given})


def cast(parameters, pose, threads=1):
    found = Simulation([parameters], Winds.none(1), ['scan'], lambda k, seed: None, threads)
    found.state.pose[:] = pose
    found.run(found.program(found.tick.sensing(found.setting)))
    return found.state.ranges


def assert_equals_oracle(world, pose, radius, given):
    parameters = parameters_of(world, radius, given)
    fast = cast(parameters, pose)
    slow = cast_scans_slowly(parameters.world, pose, radius, parameters.sensors.lasers.all[0])
    assert fast.dtype == np.float32
    np.testing.assert_array_equal(fast, slow)
    return fast
