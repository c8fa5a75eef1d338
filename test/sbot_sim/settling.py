"""Bodies that overlap, and one step of their separation, for tests of its parts."""

import numpy as np

from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import separate
from sbot_sim.world.bodies import S_BOT, BodyArrays
from sbot_sim.world.geometry import make_world

R = S_BOT.safety_radius
EMPTY = make_world((-10, -10, 10, 10))


def settle(proposed, previous=None, world=EMPTY, bodies=None, **more):
    proposed = np.array(proposed, dtype=float)
    previous = proposed if previous is None else np.array(previous, dtype=float)
    shapes = (bodies or BodyArrays.of([S_BOT] * len(proposed))).shape
    fixed = FixedObjects.of(world, shapes.outer_radius)
    return separate(fixed, shapes, previous, proposed, **more)
