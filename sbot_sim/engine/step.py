"""One tick of the world, as a list of named phases (docs/architecture.md "A tick").

Parameters (frozen), state (arrays, a row a robot) and inputs are separate arguments; a step
returns a new state. It advances the odometry's generators in place and changes nothing else. Time
is the integer ``SimulationState.tick``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.elementary import sincos_of
from sbot_common.jit import njit
from sbot_common.threads import in_background
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import Separation, separate
from sbot_sim.dynamics.free_wind import free_wind
from sbot_sim.dynamics.impulses import effective_wind, impulse_velocity, sum_impulses
from sbot_sim.dynamics.motion import body_twists, move, wheel_commands, wrap_yaw
from sbot_sim.dynamics.wake_kernel import fast_reductions
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.state import Generators, SimulationState, StepInputs
from sbot_sim.sensors.odometry import draw_slip, measure
from sbot_sim.sensors.range_and_bearing import Heard, neighbours, nobody_heard
from sbot_sim.world.bodies import BodyArrays
from wind_model.wake import advertised_millimetres, clamped_radius, reductions

Array = NDArray[np.float64]


def step(parameters: SimulationParameters, state: SimulationState, inputs: StepInputs,
         heard: Heard, generators: Generators) -> SimulationState:
    """Return the state one tick later: blow, move, separate.

    Parameters
    ----------
    parameters, state : the world
    inputs : commands, wind and broadcasts of this tick
    heard : who heard whom in this tick, as ``hear`` found it
    generators : the odometry's are advanced in place, two draws a robot, if there is slip noise

    """
    bodies, dt = parameters.bodies, parameters.dt
    wheel_speed = wheel_commands(bodies, inputs.command)
    odometry = in_background(parameters.sensors.threads, state.pose.shape[0], measure, bodies,
                             state.odometry, state.wheel_scale, wheel_speed,
                             draw_slip(parameters.odometry, generators.odometry),
                             parameters.odometry.odometry_noise_slip, dt)
    wind, free, velocity, blocker = blow(parameters, state, inputs, wheel_speed, heard)
    after = move_and_separate(parameters.fixed, bodies, state.pose, wheel_speed,
                              state.impulse_velocity, dt)
    data = inputs.rab_data.copy()
    data[:, 0] = advertised_millimetres(bodies.radius)
    measured_pose, measured_twist = odometry()
    return SimulationState(
        tick=state.tick + 1, pose=after.pose, twist=achieved_twists(state.pose, after.pose, dt),
        impulse_velocity=velocity, wind=wind, free_wind=free, odometry=measured_pose,
        odometry_twist=measured_twist, wheel_scale=state.wheel_scale, rab_data=data,
        blocker=blocker, collided=after.collided, reverted=after.reverted)


def move_and_separate(fixed: FixedObjects, bodies: BodyArrays, pose: Array, wheel_speed: Array,
                      velocity: Array, dt: float) -> Separation:
    """Return the outcome of motion and collisions in one tick (document 002 sections 4 and 5).

    Parameters
    ----------
    fixed, bodies : the world and N robots
    pose : (N, 3) x, y (m), yaw (rad), free of overlaps
    wheel_speed : (N, 2) left, right (rad/s)
    velocity : (N, 2) m/s, of the impulses of the tick before
    dt : s

    """
    moved = move(bodies, pose, wheel_speed, velocity, dt)
    return separate(fixed, bodies.safety_radius, pose, moved)


def blow(parameters: SimulationParameters, state: SimulationState, inputs: StepInputs,
         wheel_speed: Array, heard: Heard) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    """Return effective wind, free wind and the velocity from this tick's impulses, (N, 2) each.

    And each robot's blocker (N,), see ``fast_reductions``.

    Document 000 section 4.1; the velocity moves the robots in the next tick. ``wheel_speed`` is
    (N, 2) rad/s, saturated.
    """
    free = free_wind(inputs.wind.field, inputs.wind.velocity, state.pose, parameters.wind_height)
    reduction, blocker = wake_reductions(parameters, state, free, heard)
    wind, velocity = driven_and_blown(parameters.bodies, state.pose, wheel_speed, free,
                                      reduction, inputs.wind.force, parameters.dt)
    return wind, free, velocity, blocker


def wake_reductions(parameters: SimulationParameters, state: SimulationState, free_wind: Array,
                    heard: Heard) -> tuple[Array, NDArray[np.int64]]:
    """Return the share (N,) of the wind that others take from each robot, and blockers (N,)."""
    wake, sensors, n = parameters.wake, parameters.sensors, state.pose.shape[0]
    if not wake.wake:
        return np.zeros(n), state.blocker
    advertised = np.ascontiguousarray(state.rab_data[:, 0])
    own_radius = clamped_radius(parameters.bodies.radius)
    if sensors.range_and_bearing:
        return reductions(wake, *heard, np.ascontiguousarray(state.pose[:, 2]), free_wind,
                          advertised, own_radius), state.blocker
    return fast_reductions(wake, sensors.rab_range, sensors.line_of_sight, state.pose, free_wind,
                           advertised, own_radius, state.blocker, sensors.threads)


@njit
def driven_and_blown(bodies: BodyArrays, pose: Array, wheel_speed: Array, free_wind: Array,
                     reduction: Array, force: Array, dt: float) -> tuple[Array, Array]:
    """Return effective wind and the velocity of the summed impulses, (N, 2) m/s each.

    Parameters
    ----------
    bodies, pose, wheel_speed : of N robots
    free_wind : (N, 2) m/s
    reduction : (N,) in [0, 1]
    force : (3,) N on every robot
    dt : s

    """
    wind = effective_wind(free_wind, reduction)
    driven = body_twists(bodies, wheel_speed)
    drive_speed = np.zeros(pose.shape[0])
    for i in range(pose.shape[0]):
        if bodies.drive[i] != 0:
            drive_speed[i] = driven[i, 0]
    impulse = sum_impulses(bodies.mass, wind, force[:2].copy(), drive_speed, pose[:, 2].copy(),
                           dt)
    return wind, impulse_velocity(impulse, bodies.mass)


def hear(parameters: SimulationParameters, pose: Array) -> Heard:
    """Return who hears whom at these poses; nobody when range and bearing is off.

    The wake kernel then searches for neighbours on its own.
    """
    sensors = parameters.sensors
    if not sensors.range_and_bearing:
        return nobody_heard(pose.shape[0])
    return neighbours(pose, sensors.rab_range, sensors.line_of_sight)


@njit
def achieved_twists(before: Array, after: Array, dt: float) -> Array:
    """Return what moved the robots (N, 3), in their new frames: m/s, m/s, rad/s."""
    out = np.empty_like(before)
    sine, cosine = np.empty(before.shape[0]), np.empty(before.shape[0])
    sincos_of(after[:, 2], sine, cosine)
    for i in range(before.shape[0]):
        vx = (after[i, 0] - before[i, 0]) / dt
        vy = (after[i, 1] - before[i, 1]) / dt
        s, c = sine[i], cosine[i]
        out[i, 0] = c * vx + s * vy
        out[i, 1] = c * vy - s * vx
        out[i, 2] = wrap_yaw(after[i, 2] - before[i, 2]) / dt
    return out
