"""SimulationState, inputs and snapshot of a simulation: tuples of arrays, a row for each robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_sim.dynamics.inertia import Momentum, at_rest
from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.sensors.odometry import draw_wheel_scale, most_wheels
from sbot_sim.sensors.positioning.imu import draw_biases
from sbot_sim.sensors.range_and_bearing import DATA_BYTES, Heard
from wind_model.grid import Lattice
from wind_model.wake import advertised_millimetres

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


_CALM = np.zeros(3)


class Snapshot(NamedTuple):
    """The world at one tick as messages carry it; N robots, frame `map` unless said."""

    tick: int
    pose: Array  # (N, 3) x, y (m), yaw (rad) as decoded from the quaternion that is sent
    twist: Array  # (N, 3) m/s, m/s, rad/s in the robot's own frame, wind included
    wind: Array  # (N, 2) m/s, effective wind of this tick and the push of forces
    free_wind: Array  # (N, 2) m/s, the same before other robots took their share
    true_pose: Array  # (N, 3) with the simulator's own yaw
    odometry: Array  # (N, 3) frame `odom`
    odometry_twist: Array  # (N, 3) by the wheels
    ranges: Floats  # (N, beams) m
    infrared: Floats | None  # (N, 15, 2) range (m), reading
    heard: Heard  # compressed rows
    heard_sent: bool  # range and bearing is on
    rab_data: NDArray[np.uint8]  # (N, 10)
    updraft: Array  # (N,) m/s, vertical part of the effective wind
    imu: Array | None = None  # (N, 4) as ``sensors.positioning.imu`` reads
    gnss: Array | None = None  # (N, 3) latitude (deg), longitude (deg), altitude (m)
    obstacles: Array | None = None  # (M, 2) m, centres of those on a path
    boxes: Array | None = None  # (B, 3) x, y (m), yaw (rad) of pushable boxes


class SimulationState(NamedTuple):
    """The world at the start of a tick; N robots, frame `map` unless said."""

    tick: int
    pose: Array  # (N, 3) x, y (m), yaw (rad)
    twist: Array  # (N, 3) what the last tick did: m/s, m/s, rad/s in the robot's own frame
    impulse_velocity: Array  # (N, 2) m/s: last tick's impulses over mass, moves this tick only
    wind: Array  # (N, 2) m/s: the effective wind in those impulses
    free_wind: Array  # (N, 2) m/s: that wind before other robots took their share
    odometry: Array  # (N, 3) x, y, yaw by the wheels alone, frame `odom`
    odometry_twist: Array  # (N, 3) by the wheels
    wheel_scale: Array  # (N, wheels) way that a wheel measures over the true one
    rab_data: NDArray[np.uint8]  # (N, 10) what each robot broadcasts this tick
    blocker: NDArray[np.int64]  # (N,) who took all its wind, -1: nobody; where to look first
    collided: NDArray[np.bool_]  # (N,) intersected something in the last tick
    reverted: NDArray[np.bool_]  # (N,) was put back where it was
    acceleration: Array | None = None  # (N, 2) m/s^2, own frame; None without IMU
    imu_bias: Array | None = None  # (N, 4)
    moved: NDArray[np.int64] | None = None  # (M,) ticks in which each obstacle has moved
    boxes: Array | None = None  # (B, 3) x, y (m), yaw (rad); None like ``moved``: no obstacles
    momentum: Momentum | None = None  # None: no robot has inertia


class Wind(NamedTuple):
    """The wind of one tick, as in `/wind/velocity`, `/wind/force` and `/wind/field`."""

    velocity: Array  # (3,) m/s outside the grid
    force: Array  # (3,) N on every robot
    field: Lattice | None = None
    gust: Array = _CALM  # (3,) m/s, added to the wind inside and outside the grid


class Felt(NamedTuple):
    """What the air does to N robots in a tick, before it moves them."""

    free_wind: Array  # (N, 2) m/s, before other robots took their share
    reduction: Array  # (N,) the share that they took
    wind: Array  # (N, 2) m/s, effective
    push: Array  # (N, 2) m/s, velocity that the forces' impulses give
    updraft: Array  # (N,) m/s, vertical part of the effective wind, which moves nothing
    blocker: NDArray[np.int64]  # (N,) as in ``SimulationState``


class StepInputs(NamedTuple):
    """What one tick acts on."""

    command: Array  # (N, 3) vx, vy (m/s), omega (rad/s), as ``sbot_common.twist.Twist``
    wind: Wind
    rab_data: NDArray[np.uint8]  # (N, 10) heard in the next tick; byte 0 is overwritten


def still_air() -> Wind:
    """Return no wind and no force."""
    return Wind(np.zeros(3), np.zeros(3))


def initial_state(parameters: SimulationParameters, pose: Array,
                  seed: int) -> SimulationState:
    """Return the state at tick 0: everybody at rest at ``pose`` (N, 3), odometry at its origin.

    Nothing was summed before the first tick, so no impulse moves it (docs/errata.md W3).
    ``seed`` is that of the errors drawn once: of wheels' radii and of the IMU.
    """
    n = pose.shape[0]
    noise = np.full(n, parameters.odometry.odometry_noise_radius)
    wheel_scale = draw_wheel_scale(noise, seed, most_wheels(parameters.bodies))
    imu = parameters.sensors.imu
    data = np.zeros((n, DATA_BYTES), np.uint8)
    data[:, 0] = advertised_millimetres(parameters.bodies.radius)
    return SimulationState(
        tick=0, pose=pose.copy(), twist=np.zeros((n, 3)), impulse_velocity=np.zeros((n, 2)),
        wind=np.zeros((n, 2)), free_wind=np.zeros((n, 2)), odometry=np.zeros((n, 3)),
        odometry_twist=np.zeros((n, 3)), wheel_scale=wheel_scale, rab_data=data,
        blocker=np.full(n, -1),
        collided=np.zeros(n, np.bool_), reverted=np.zeros(n, np.bool_),
        acceleration=None if imu is None else np.zeros((n, 2)),
        imu_bias=None if imu is None else draw_biases(imu, n, seed),
        moved=None if parameters.obstacles is None else np.zeros(
            len(parameters.obstacles.discs.radius), np.int64),
        boxes=None if parameters.obstacles is None else parameters.obstacles.boxes.start.copy(),
        momentum=None if parameters.inertia is None else at_rest(n, parameters.inertia))


def teleported(state: SimulationState, robot: int, pose: Array) -> SimulationState:
    """Return the state with one robot at rest at ``pose`` (3,); odometry knows nothing of it."""
    poses, twist = state.pose.copy(), state.twist.copy()
    velocity, wind = state.impulse_velocity.copy(), state.wind.copy()
    poses[robot], twist[robot], velocity[robot], wind[robot] = pose, 0.0, 0.0, 0.0
    momentum = state.momentum
    if momentum is not None:
        momentum = Momentum(*(rows.copy() for rows in momentum))
        momentum.twist[robot] = momentum.asked[robot] = 0.0
    return state._replace(pose=poses, twist=twist, impulse_velocity=velocity, wind=wind,
                          momentum=momentum)
