"""One tick of the world, as a list of named phases (docs/architecture.md "A tick").

Parameters (frozen), state (arrays, a row a robot) and inputs are separate arguments; a step
returns a new state and changes none of its arguments. Time is the integer ``State.tick``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.jit import njit
from sbot_common.threads import beside
from sbot_sim.collision.separation import separate
from sbot_sim.dynamics.impulses import effective_wind, impulse_velocity, sum_impulses
from sbot_sim.dynamics.motion import body_twists, move, wheel_commands, wrap_yaw
from sbot_sim.dynamics.wake_kernel import shelters
from sbot_sim.engine.state import Generators, Inputs, Parameters, State, Wind
from sbot_sim.sensors.odometry import draw_slip, measure
from sbot_sim.sensors.range_and_bearing import Heard, neighbours
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.line_of_sight import sight_scene
from wind_model.interpolate import sample
from wind_model.wake import advertised_millimetres, clamped_radius, reductions

Array = NDArray[np.float64]


def step(parameters: Parameters, state: State, inputs: Inputs, heard: Heard,
         generators: Generators) -> State:
    """Return the state one tick later: blow, move, separate.

    Parameters
    ----------
    parameters, state : the world
    inputs : commands, wind and broadcasts of this tick
    heard : who heard whom in this tick, as ``sensing.observe`` found it
    generators : of the odometry's noise

    """
    wheel_speed = wheel_commands(parameters.bodies, inputs.command)
    odometry = beside(parameters.sensors.threads, state.pose.shape[0], measure,
                      parameters.bodies, state.odometry, state.wheel_scale, wheel_speed,
                      draw_slip(parameters.odometry, generators.odometry),
                      parameters.odometry.odometry_noise_slip, parameters.dt)
    wind, free_wind, velocity, blocker = blow(parameters, state, inputs, wheel_speed, heard)
    moved = move(parameters.bodies, state.pose, wheel_speed, state.impulse_velocity, parameters.dt)
    separation = separate(parameters.world, parameters.bodies, state.pose, moved)
    data = inputs.rab_data.copy()
    data[:, 0] = advertised_millimetres(parameters.bodies.radius)
    return State(state.tick + 1, separation.pose,
                 achieved_twists(state.pose, separation.pose, parameters.dt), velocity, wind,
                 free_wind, *odometry(), state.wheel_scale, data, blocker,
                 separation.collided, separation.reverted)


def blow(parameters: Parameters, state: State, inputs: Inputs, wheel_speed: Array,
         heard: Heard) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    """Return effective wind, free wind and the velocity from this tick's impulses, (N, 2) each.

    And each robot's blocker (N,), see ``shelters``.

    Document 000 section 4.1; the velocity moves the robots in the next tick. ``wheel_speed`` is
    (N, 2) rad/s, saturated.
    """
    free_wind = wind_at_robots(parameters, state.pose, inputs.wind)
    reduction, blocker = wake_reductions(parameters, state, free_wind, heard)
    wind, velocity = driven_and_blown(parameters.bodies, state.pose, wheel_speed, free_wind,
                                      reduction, inputs.wind.force, parameters.dt)
    return wind, free_wind, velocity, blocker


def wind_at_robots(parameters: Parameters, pose: Array, wind: Wind) -> Array:
    """Return the wind (N, 2) m/s at each robot before others take their share."""
    n = pose.shape[0]
    if wind.field is None:
        out = np.empty((n, 2))
        out[:] = wind.velocity[:2]
        return out
    points = np.column_stack([pose[:, :2], np.full(n, parameters.wind_height)])
    return np.ascontiguousarray(sample(wind.field, points, wind.velocity)[:, :2])


def wake_reductions(parameters: Parameters, state: State, free_wind: Array,
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
    scene = sight_scene(parameters.world)
    return shelters(wake, sensors.rab_range, scene, sensors.rab_blocked_by_walls, state.pose,
                    free_wind, advertised, own_radius, state.blocker, sensors.threads)


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


def hear(parameters: Parameters, pose: Array) -> Heard:
    """Return who hears whom at these poses; nobody when range and bearing is off.

    Wakes then look for themselves (``shelter``).
    """
    sensors = parameters.sensors
    if not sensors.range_and_bearing:
        n = pose.shape[0]
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    return neighbours(pose, sensors.rab_range,
                      parameters.world if sensors.rab_blocked_by_walls else None)


@njit
def achieved_twists(before: Array, after: Array, dt: float) -> Array:
    """Return what moved the robots (N, 3), in their new frames: m/s, m/s, rad/s."""
    out = np.empty_like(before)
    for i in range(before.shape[0]):
        vx = (after[i, 0] - before[i, 0]) / dt
        vy = (after[i, 1] - before[i, 1]) / dt
        c, s = math.cos(after[i, 2]), math.sin(after[i, 2])
        out[i, 0] = c * vx + s * vy
        out[i, 1] = c * vy - s * vx
        out[i, 2] = wrap_yaw(after[i, 2] - before[i, 2]) / dt
    return out
