"""What robots are made of: the s-bot of document 002 Table 1, document 001's robot, ARGoS' two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.params import Spec

WHEELS, IMPULSE = 'wheels', 'impulse'

# Document 002, Table 1.
S_BOT_RADIUS = 0.058  # m
S_BOT_COLLISION_DISTANCE = 0.03  # m
S_BOT_WHEEL_DISTANCE = 0.095  # m
S_BOT_WHEEL_RADIUS = 0.02  # m
S_BOT_MAX_WHEEL_SPEED = 4.0  # rad/s, either way
# Not in the table; document 002 takes the mass to be negligible. The mass of the real machine.
S_BOT_MASS = 0.7  # kg


class Body(NamedTuple):
    """A round, differentially driven robot; x is forward, y to the left, the origin its centre."""

    name: str
    radius: float  # m
    collision_distance: float  # m, kept free around the body
    wheel_distance: float  # m, between the two wheels
    wheel_radius: float  # m
    max_wheel_speed: float  # rad/s, either way
    mass: float  # kg
    drive: str = WHEELS  # 'wheels', or 'impulse' (document 000 section 4.1)

    @property
    def safety_radius(self) -> float:
        """Radius of the collision circle (m): nothing may be nearer than this to the centre."""
        return self.radius + self.collision_distance


S_BOT = Body('s-bot', S_BOT_RADIUS, S_BOT_COLLISION_DISTANCE, S_BOT_WHEEL_DISTANCE,
             S_BOT_WHEEL_RADIUS, S_BOT_MAX_WHEEL_SPEED, S_BOT_MASS)
# Document 001 gives the radius only. These wheels reach 30 rad/s * 0.1 m = 3 m/s, so that the
# fastest command of its controller, 2 m/s while turning at pi rad/s (2.79 m/s for the outer
# wheel), never saturates. The mass is a guess: that of a laboratory robot of this size.
ROBOT = Body('robot', radius=0.3, collision_distance=0.0, wheel_distance=0.5, wheel_radius=0.1,
             max_wheel_speed=30.0, mass=10.0)
# The two robots that document 000 runs on, from their data sheets, rounded.
E_PUCK2 = Body('e-puck2', radius=0.035, collision_distance=0.0, wheel_distance=0.053,
               wheel_radius=0.0205, max_wheel_speed=7.5, mass=0.13)
FOOT_BOT = Body('foot-bot', radius=0.085, collision_distance=0.0, wheel_distance=0.14,
                wheel_radius=0.029, max_wheel_speed=10.0, mass=1.8)

BODIES: dict[str, Body] = {body.name: body for body in (S_BOT, ROBOT, E_PUCK2, FOOT_BOT)}

BODY_SPECS: tuple[Spec, ...] = (
    Spec('radius', S_BOT.radius, 'm', 'Radius of the body, as lasers and infrared see it.',
         '002 Table 1', minimum=0.0, open_minimum=True, at_runtime=False),
    Spec('collision_distance', S_BOT.collision_distance, 'm',
         'Distance that is kept free around the body.', '002 Table 1', minimum=0.0,
         at_runtime=False),
    Spec('wheel_distance', S_BOT.wheel_distance, 'm', 'Distance between the two wheels.',
         '002 Table 1', minimum=0.0, open_minimum=True, at_runtime=False),
    Spec('wheel_radius', S_BOT.wheel_radius, 'm', 'Radius of the wheels.', '002 Table 1',
         minimum=0.0, open_minimum=True, at_runtime=False),
    Spec('max_wheel_speed', S_BOT.max_wheel_speed, 'rad/s',
         'Largest speed of a wheel, forwards and backwards.', '002 Table 1', minimum=0.0,
         at_runtime=False),
    Spec('mass', S_BOT.mass, 'kg', 'Mass; only impulses and wind forces depend on it.',
         '000 section 4.1', minimum=0.0, open_minimum=True, at_runtime=False),
    Spec('drive', WHEELS, '', 'Whether the wheels or an impulse along the heading move the robot.',
         '000 section 5.6', choices=(WHEELS, IMPULSE), at_runtime=False),
)


class BodyArrays(NamedTuple):
    """The bodies of N robots as arrays (N,), in the units of ``Body``."""

    radius: NDArray[np.float64]
    safety_radius: NDArray[np.float64]  # radius + collision distance
    wheel_distance: NDArray[np.float64]
    wheel_radius: NDArray[np.float64]
    max_wheel_speed: NDArray[np.float64]
    mass: NDArray[np.float64]
    drive: NDArray[np.int8]  # 0 wheels, 1 impulse

    @property
    def collision_distance(self) -> NDArray[np.float64]:
        """Distance kept free around each body (m); (N,)."""
        return self.safety_radius - self.radius


def select_bodies(bodies: BodyArrays, which: NDArray[np.bool_] | NDArray[np.intp]) -> BodyArrays:
    """Return the arrays of some of the robots: ``which`` is a mask (N,) or row numbers."""
    return BodyArrays(bodies.radius[which], bodies.safety_radius[which],
                      bodies.wheel_distance[which], bodies.wheel_radius[which],
                      bodies.max_wheel_speed[which], bodies.mass[which], bodies.drive[which])


def body_arrays(bodies: Sequence[Body]) -> BodyArrays:
    """Return the arrays of ``bodies``, one a robot."""
    def column(field: str) -> NDArray[np.float64]:
        return np.array([getattr(body, field) for body in bodies], dtype=np.float64)

    return BodyArrays(
        radius=column('radius'), safety_radius=column('safety_radius'),
        wheel_distance=column('wheel_distance'), wheel_radius=column('wheel_radius'),
        max_wheel_speed=column('max_wheel_speed'), mass=column('mass'),
        drive=np.array([body.drive == IMPULSE for body in bodies], dtype=np.int8))
