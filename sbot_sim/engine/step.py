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
from sbot_sim.dynamics.motion import body_twists, move, wheel_commands, wrap_yaw
from sbot_sim.dynamics.omnidirectional import limited_twists, move_omnidirectional
from sbot_sim.dynamics.wake_kernel import fast_reductions
from sbot_sim.engine.obstacles import separate_among, separated
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.engine.state import Felt, SimulationState, StepInputs, Wind, view_of
from sbot_sim.sensors.fitted import next_memories
from sbot_sim.sensors.odometry import draw_slip, measure
from sbot_sim.sensors.range_and_bearing import Heard, neighbours, nobody_heard
from sbot_sim.sensors.record import Motion
from sbot_sim.sensors.wheels.four_wheel_odometry import WHEELS, measure_all
from sbot_sim.world.bodies import BY_IMPULSE, BodyArrays
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
    wheel_speed = wheel_commands(bodies, command)
    noise_slip = np.full(state.pose.shape[0], parameters.odometry.odometry_noise_slip)
    threads, n, driven = parameters.sensors.threads, state.pose.shape[0], None
    if parameters.omnidirectional:
        driven = limited_twists(bodies, command)
        odometry = in_background(threads, n, measure_all, bodies, state.odometry,
                                 state.wheel_scale, wheel_speed, driven, draw_slip(
                                     noise_slip, seed, state.tick, WHEELS), noise_slip, dt)
    else:
        odometry = in_background(threads, n, measure, bodies, state.odometry, state.wheel_scale,
                                 wheel_speed, draw_slip(noise_slip, seed, state.tick, 2),
                                 noise_slip, dt)
    if felt is None:
        felt = feel(parameters, state, inputs.wind, heard)
    velocity = blow(parameters, state, inputs.wind.force, wheel_speed, felt)
    if parameters.obstacles is None or state.moved is None or state.boxes is None:
        moved, boxes, after = state.moved, state.boxes, move_and_separate(
            parameters.fixed, bodies, state.pose, wheel_speed, state.impulse_velocity, dt, driven,
            parameters.movers)
    else:
        proposed = move_all(bodies, state.pose, wheel_speed, state.impulse_velocity, dt, driven)
        after, moved, boxes = separate_among(parameters.obstacles, state.moved, state.boxes,
                                             state.pose, proposed)
    data = inputs.rab_data.copy()
    data[:, 0] = advertised_millimetres(bodies.radius)
    measured_pose, measured_twist = odometry()
    twist = achieved_twists(state.pose, after.pose, dt)
    new = SimulationState(
        tick=state.tick + 1, pose=after.pose, twist=twist,
        impulse_velocity=velocity, wind=felt.wind, free_wind=felt.free_wind,
        odometry=measured_pose, odometry_twist=measured_twist, wheel_scale=state.wheel_scale,
        rab_data=data, blocker=felt.blocker, collided=after.collided, reverted=after.reverted,
        moved=moved, boxes=boxes, momentum=momentum)
    return new if not state.memories else new._replace(memories=next_memories(
        parameters.sensors.fitted, state.memories, Motion(state.pose, state.twist),
        view_of(parameters, new, seed)))


def driven_commands(parameters: SimulationParameters, state: SimulationState,
                    command: Array) -> tuple[Array, Momentum | None]:
    """Return the Twists (N, 3) that robots drive of commands (N, 3), and their new momentum."""
    if parameters.inertia is None or state.momentum is None:
        return command, None
    momentum, driven = Momentum(*(rows.copy() for rows in state.momentum)), np.empty_like(command)
    follow(parameters.bodies, parameters.inertia, momentum, command, state.tick, parameters.dt,
           driven)
    return driven, momentum


def move_and_separate(fixed: FixedObjects, bodies: BodyArrays, pose: Array, wheel_speed: Array,
                      velocity: Array, dt: float, driven: Array | None = None,
                      movers: Movers | None = None) -> Separation:
    """Return the outcome of motion and collisions in one tick (document 002 sections 4 and 5).

    Parameters
    ----------
    fixed, bodies : the world and N robots
    pose : (N, 3) x, y (m), yaw (rad), free of overlaps
    wheel_speed : (N, 2) left, right (rad/s)
    velocity : (N, 2) m/s, of the impulses of the tick before
    dt : s
    driven : (N, 3) Twists of omnidirectional robots; None: there are none
    movers : the robots' shapes; None: all are discs

    """
    moved = move_all(bodies, pose, wheel_speed, velocity, dt, driven)
    return separated(fixed, bodies, movers, pose, moved)


def move_all(bodies: BodyArrays, pose: Array, wheel_speed: Array, velocity: Array, dt: float,
             driven: Array | None) -> Array:
    """Return the poses (N, 3) after one tick, collisions aside, with every drive.

    Parameters are those of ``move_and_separate``.
    """
    moved = move(bodies, pose, wheel_speed, velocity, dt)
    if driven is not None:
        move_omnidirectional(bodies, pose, driven, velocity, dt, moved)
    return moved


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
         wheel_speed: Array, felt: Felt) -> Array:
    """Return the velocity (N, 2) m/s of this tick's impulses: wind, drive and forces.

    Document 000 section 4.1; it moves the robots in the next tick. ``force`` is (3,) N,
    ``wheel_speed`` (N, 2) rad/s, saturated.
    """
    impulse = summed_impulses(parameters, state.tick, state.pose[:, 2].copy(), force, wheel_speed,
                              felt.wind)
    return impulse_velocity(impulse, parameters.bodies.mass)


def summed_impulses(parameters: SimulationParameters, tick: int, yaw: Array, force: Array,
                    wheel_speed: Array, wind: Array) -> Array:
    """Return the impulses (N, 2) kg m/s of wind, drive and forces.

    Parameters
    ----------
    parameters, tick : the world
    yaw : (N,) rad
    force : (2,) or wider, N
    wheel_speed : (N, 2) rad/s, saturated
    wind : (N, 2) m/s, effective

    """
    bodies = parameters.bodies
    drive, forces = drive_speeds(bodies, wheel_speed), np.empty_like(wind)
    forces[:] = force[:2]
    hook = parameters.hooks.drive_impulse
    driven = drive if hook is None else np.zeros_like(drive)
    impulse = sum_impulses(bodies.mass, wind, forces, driven, yaw, parameters.dt)
    if hook is not None:
        impulse += call_hook(parameters.hooks, 'drive_impulse', tick, impulse.shape,
                             bodies.mass.copy(), drive, yaw)
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


@njit
def drive_speeds(bodies: BodyArrays, wheel_speed: Array) -> Array:
    """Return the speeds (N,) m/s that impulses drive, 0 for robots on wheels.

    ``wheel_speed`` is (N, 2) rad/s.
    """
    speed, carried = np.zeros(wheel_speed.shape[0]), 0
    for i in range(wheel_speed.shape[0]):
        carried += bodies.drive[i] == BY_IMPULSE
    if carried == 0:
        return speed
    driven = body_twists(bodies, wheel_speed)
    for i in range(wheel_speed.shape[0]):
        if bodies.drive[i] == BY_IMPULSE:
            speed[i] = driven[i, 0]
    return speed


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
