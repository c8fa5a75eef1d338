"""Loading of Fast2D's compiled functions, with a notice if they must be compiled first."""

from __future__ import annotations

from sbot_common.compilation_notice import Expected, compilation_announced
from sbot_sim.fast2d.world import Fast2D

_COMPILING = Expected(40, 20.0)


def load_compiled() -> None:
    """Play a tiny scene; show progress where functions of it must be compiled."""
    with compilation_announced(_COMPILING), Fast2D() as world:
        box, disc = world.create_solid(), world.create_robot()
        world.object_set_bounding_rectangle(box, [1.0, 2.0, 2.0, 1.0], [0.0, 0.0, 1.0, 1.0])
        world.object_set_bounding_radius(disc, 0.1)
        world.add_object(box)
        world.add_object(disc)
        world.create_irsensor(disc, 0.1, 0.0, 0.0, 0.5, 0.5, 3, [0.25, 0.5, 0.25])
        world.robot_set_speed(disc, 0.1, 0.0)
        world.step(0.1)
        world.activations()
