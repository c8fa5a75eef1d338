"""One tick of the world, as a list of named phases (docs/architecture.md "A tick").

Parameters (frozen), state (arrays, a row a robot) and inputs are separate arguments; a step
returns a new state and changes nothing. Random numbers are a function of seed and tick. Time is
the integer ``SimulationState.tick``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit
from sbot_common.compiled.threads import in_background
from sbot_common.elementary import sincos_of
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.moving_bodies import Movers
from sbot_sim.collision.separation import Separation
from sbot_sim.dynamics.free_wind import wind_around
from sbot_sim.dynamics.hooks import call_hook
from sbot_sim.dynamics.impulses import effective_wind, impulse_velocity, sum_impulses
from sbot_sim.dynamics.inertia import Momentum, follow
from sbot_sim.dynamics.motion import Driven, carried_speeds, drive, move, wrap_yaw
from sbot_sim.dynamics.wake_kernel import fast_reductions
from sbot_sim.engine.obstacles import separate_among, separated
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.state import Felt, SimulationState, StepInputs, Wind
from sbot_sim.sensors.odometry import draw_slip, measure
from sbot_sim.sensors.positioning.imu import accelerations
from sbot_sim.sensors.range_and_bearing import Heard, neighbours, nobody_heard
from sbot_sim.world.bodies import BodyArrays
from wind_model.turbulence import gusts_at
from wind_model.wake import advertised_millimetres, clamped_radius, reductions

Array = NDArray[np.float64]


def step(parameters: SimulationParameters, state: SimulationState, inputs: StepInputs,
         heard: Heard, seed: int, felt: Felt | None = None) -> SimulationState:
    """Return the state one tick later: blow, move, separate.

    Parameters
    ----------
    parameters, state : the world
    inputs : commands, wind and broadcasts of this tick
    heard : who heard whom in this tick, as ``hear`` found it
    seed : of the wheels' slip
    felt : ``feel`` of this tick, if that is known already

    """
    bodies, dt = parameters.bodies, parameters.dt
    command, momentum = driven_commands(parameters, state, inputs.command)
    driven, n = drive(bodies, command), state.pose.shape[0]
    noise_slip = np.full(n, parameters.odometry.odometry_noise_slip)
    slip = draw_slip(noise_slip, seed, state.tick, state.wheel_scale.shape[1])
    odometry = in_background(parameters.sensors.threads, n, measure, bodies, state.odometry,
                             state.wheel_scale, driven, slip, noise_slip, dt)
    if felt is None:
        felt = feel(parameters, state, inputs.wind, heard)
    velocity = blow(parameters, state, inputs.wind.force, driven, felt)
    if parameters.obstacles is None or state.moved is None or state.boxes is None:
        moved, boxes, after = state.moved, state.boxes, move_and_separate(
            parameters.fixed, bodies, state.pose, driven, state.impulse_velocity, dt,
            parameters.movers)
    else:
        proposed = move(bodies, state.pose, driven, state.impulse_velocity, dt)
        after, moved, boxes = separate_among(parameters.obstacles, state.moved, state.boxes,
                                             state.pose, proposed)
    data = inputs.rab_data.copy()
    data[:, 0] = advertised_millimetres(bodies.radius)
    measured_pose, measured_twist = odometry()
    twist = achieved_twists(state.pose, after.pose, dt)
    return SimulationState(
        tick=state.tick + 1, pose=after.pose, twist=twist,
        impulse_velocity=velocity, wind=felt.wind, free_wind=felt.free_wind,
        odometry=measured_pose, odometry_twist=measured_twist, wheel_scale=state.wheel_scale,
        rab_data=data, blocker=felt.blocker, collided=after.collided, reverted=after.reverted,
        acceleration=None if state.acceleration is None else accelerations(
            state.twist, state.pose[:, 2], twist, after.pose[:, 2], dt),
        imu_bias=state.imu_bias, moved=moved, boxes=boxes, momentum=momentum)


def driven_commands(parameters: SimulationParameters, state: SimulationState,
                    command: Array) -> tuple[Array, Momentum | None]:
    """Return the Twists (N, 3) that robots drive of commands (N, 3), and their new momentum."""
    if parameters.inertia is None or state.momentum is None:
        return command, None
    momentum, driven = Momentum(*(rows.copy() for rows in state.momentum)), np.empty_like(command)
    follow(parameters.bodies, parameters.inertia, momentum, command, state.tick, parameters.dt,
           driven)
    return driven, momentum


def move_and_separate(fixed: FixedObjects, bodies: BodyArrays, pose: Array, driven: Driven,
                      velocity: Array, dt: float, movers: Movers | None = None) -> Separation:
    """Return the outcome of motion and collisions in one tick (document 002 sections 4 and 5).

    Parameters
    ----------
    fixed, bodies : the world and N robots
    pose : (N, 3) x, y (m), yaw (rad), free of overlaps
    driven : by ``drive``
    velocity : (N, 2) m/s, of the impulses of the tick before
    dt : s
    movers : the robots' shapes; None: all are discs

    """
    return separated(fixed, bodies, movers, pose, move(bodies, pose, driven, velocity, dt))


def feel(parameters: SimulationParameters, state: SimulationState, wind: Wind,
         heard: Heard) -> Felt:
    """Return what the air does to the robots in this tick (document 000 sections 4.2 and 5.4).

    Parameters
    ----------
    parameters, state : the world
    wind : of this tick
    heard : who hears whom in this tick, as ``hear`` found it

    """
    bodies = parameters.bodies
    around = wind_around(wind.field, wind.velocity, state.pose, parameters.wind_height)
    if wind.gust.any():
        around = around + wind.gust
    free = np.ascontiguousarray(around[:, :2])
    if parameters.waves is not None:
        time = state.tick * parameters.dt
        free += gusts_at(parameters.waves, state.pose, wind.velocity[0] * time,
                         wind.velocity[1] * time, time)
    reduction, blocker = wake_reductions(parameters, state, free, heard)
    if parameters.hooks.effective_wind is None:
        effective = effective_wind(free, reduction)
    else:
        effective = call_hook(parameters.hooks, 'effective_wind', state.tick, free.shape, free,
                              reduction)
    push = np.zeros_like(free)
    if wind.force[:2].any():
        push += wind.force[:2] * parameters.dt / bodies.mass[:, np.newaxis]
    return Felt(free, reduction, effective, push, (1.0 - reduction) * around[:, 2], blocker)


def blow(parameters: SimulationParameters, state: SimulationState, force: Array,
         driven: Driven, felt: Felt) -> Array:
    """Return the velocity (N, 2) m/s of this tick's impulses: wind, drive and forces.

    Document 000 section 4.1; it moves the robots in the next tick. ``force`` is (3,) N.
    """
    impulse = summed_impulses(parameters, state.tick, state.pose[:, 2].copy(), force, driven,
                              felt.wind)
    return impulse_velocity(impulse, parameters.bodies.mass)


def summed_impulses(parameters: SimulationParameters, tick: int, yaw: Array, force: Array,
                    driven: Driven, wind: Array) -> Array:
    """Return the impulses (N, 2) kg m/s of wind, drive and forces.

    Parameters
    ----------
    parameters, tick : the world
    yaw : (N,) rad
    force : (2,) or wider, N
    driven : by ``motion.drive``
    wind : (N, 2) m/s, effective

    """
    bodies = parameters.bodies
    carried, forces = carried_speeds(bodies, driven), np.empty_like(wind)
    forces[:] = force[:2]
    hook = parameters.hooks.drive_impulse
    speed = carried if hook is None else np.zeros_like(carried)
    impulse = sum_impulses(bodies.mass, wind, forces, speed, yaw, parameters.dt)
    if hook is not None:
        impulse += call_hook(parameters.hooks, 'drive_impulse', tick, impulse.shape,
                             bodies.mass.copy(), carried, yaw)
    return impulse


def wake_reductions(parameters: SimulationParameters, state: SimulationState, free_wind: Array,
                    heard: Heard) -> tuple[Array, NDArray[np.int64]]:
    """Return the share (N,) of the wind that others take from each robot, and blockers (N,)."""
    wake, sensors, n = parameters.wake, parameters.sensors, state.pose.shape[0]
    if not wake.wake:
        return np.zeros(n), state.blocker
    if parameters.hooks.blocking is not None:
        return blocked_shares(parameters, state.tick, state.pose, free_wind, state.rab_data,
                              heard), state.blocker
    advertised = np.ascontiguousarray(state.rab_data[:, 0])
    own_radius = clamped_radius(parameters.bodies.radius)
    if sensors.range_and_bearing:
        return reductions(wake, *heard, np.ascontiguousarray(state.pose[:, 2]), free_wind,
                          advertised, own_radius), state.blocker
    return fast_reductions(wake, sensors.rab_range, sensors.line_of_sight, state.pose, free_wind,
                           advertised, own_radius, state.blocker, sensors.threads)


def blocked_shares(parameters: SimulationParameters, tick: int, pose: Array, free_wind: Array,
                   data: NDArray[np.uint8], heard: Heard) -> Array:
    """Return the share (N,) of the wind that others take, as the hook ``blocking`` has it."""
    return call_hook(parameters.hooks, 'blocking', tick, (len(pose),), parameters.wake, *heard,
                     pose[:, 2].copy(), free_wind.copy(), data[:, 0].copy(),
                     clamped_radius(parameters.bodies.radius))


def hear(parameters: SimulationParameters, pose: Array) -> Heard:
    """Return who hears whom at these poses; nobody when range and bearing is off.

    The wake kernel then searches for neighbours on its own.
    """
    sensors = parameters.sensors
    if not sensors.range_and_bearing and parameters.hooks.blocking is None:
        return nobody_heard(pose.shape[0])
    return neighbours(pose, sensors.rab_range, sensors.line_of_sight)


@njit
def achieved_twists(before: Array, after: Array, dt: float) -> Array:
    """Return what moved the robots (N, 3), in their new frames: m/s, m/s, rad/s."""
    out, yaw = np.empty_like(before), after[:, 2].copy()
    sine, cosine = np.empty(before.shape[0]), np.empty(before.shape[0])
    sincos_of(yaw, sine, cosine)
    for i in range(before.shape[0]):
        vx = (after[i, 0] - before[i, 0]) / dt
        vy = (after[i, 1] - before[i, 1]) / dt
        s, c = sine[i], cosine[i]
        out[i, 0] = c * vx + s * vy
        out[i, 1] = c * vy - s * vx
        out[i, 2] = wrap_yaw(after[i, 2] - before[i, 2]) / dt
    return out
