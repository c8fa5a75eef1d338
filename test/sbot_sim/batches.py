"""Small batches for tests of phases: K worlds of robots in still air."""

import numpy as np
from worlds import make_parameters

from sbot_sim.engine.many import Simulation, Winds
from sbot_sim.world.bodies import ROBOT

ALL = frozenset(['scan', 'odometry', 'twist', 'wind'])


def make_batch(count=2, robots=2, senses=ALL, threads=1, hears=True, hooks=None, **given):
    """Return a simulation whose robots stand in a row, 1 m apart, world k 0.1 k m higher."""
    parameters = make_parameters([ROBOT] * robots, **given)
    if hooks is not None:
        parameters = parameters._replace(hooks=hooks)
    found = Simulation([parameters] * count, Winds.none(count), senses, lambda k, seed: None,
                       threads, hears=hears)
    pose = found.state.pose.reshape(count, robots, 3)
    pose[..., 0], pose[..., 1] = 2.0 + np.arange(robots), 3.0 + 0.1 * np.arange(count)[:, None]
    return found
