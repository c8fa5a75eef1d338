"""SimulationState, inputs and snapshot of a simulation: tuples of arrays, a row for each robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_sim.engine.parameters import SimulationParameters
from sbot_sim.sensors.odometry import initial_odometry
from sbot_sim.sensors.range_and_bearing import DATA_BYTES, Heard
from sbot_sim.sensors.rng_array import States
from wind_model.grid import Lattice
from wind_model.wake import advertised_millimetres

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


class Generators(NamedTuple):
    """The sensors' random generators, advanced in place by ``observe`` and ``step``.

    Arrays of states (``rng_array``) have a row for each robot.
    """

    infrared: States
    scan: States
    odometry: list[np.random.Generator]


class Snapshot(NamedTuple):
    """The world at one tick as messages carry it; N robots, frame `map` unless said."""

    tick: int
    pose: Array  # (N, 3) x, y (m), yaw (rad) as decoded from the quaternion that is sent
    twist: Array  # (N, 3) m/s, m/s, rad/s in the robot's own frame, wind included
    wind: Array  # (N, 2) m/s, effective wind now moving the robot
    free_wind: Array  # (N, 2) m/s, before other robots took their share
    true_pose: Array  # (N, 3) with the simulator's own yaw
    odometry: Array  # (N, 3) frame `odom`
    odometry_twist: Array  # (N, 2)
    ranges: Floats  # (N, beams) m
    infrared: Floats | None  # (N, 15, 2) range (m), reading
    heard: Heard  # compressed rows
    heard_sent: bool  # range and bearing is on
    rab_data: NDArray[np.uint8]  # (N, 10)


class SimulationState(NamedTuple):
    """The world at the start of a tick; N robots, frame `map` unless said."""

    tick: int
    pose: Array  # (N, 3) x, y (m), yaw (rad)
    twist: Array  # (N, 3) what the last tick did: m/s, m/s, rad/s in the robot's own frame
    impulse_velocity: Array  # (N, 2) m/s: last tick's impulses over mass, moves this tick only
    wind: Array  # (N, 2) m/s: the effective wind in those impulses
    free_wind: Array  # (N, 2) m/s: that wind before other robots took their share
    odometry: Array  # (N, 3) x, y, yaw by the wheels alone, frame `odom`
    odometry_twist: Array  # (N, 2) m/s, rad/s by the wheels
    wheel_scale: Array  # (N, 2) way that a wheel measures over the true one
    rab_data: NDArray[np.uint8]  # (N, 10) what each robot broadcasts this tick
    blocker: NDArray[np.int64]  # (N,) who took all its wind, -1: nobody; where to look first
    collided: NDArray[np.bool_]  # (N,) intersected something in the last tick
    reverted: NDArray[np.bool_]  # (N,) was put back where it was


class Wind(NamedTuple):
    """The wind of one tick, as in `/wind/velocity`, `/wind/force` and `/wind/field`."""

    velocity: Array  # (3,) m/s outside the grid
    force: Array  # (3,) N on every robot
    field: Lattice | None = None


class StepInputs(NamedTuple):
    """What one tick acts on."""

    command: Array  # (N, 2) linear.x (m/s), angular.z (rad/s)
    wind: Wind
    rab_data: NDArray[np.uint8]  # (N, 10) heard in the next tick; byte 0 is overwritten


def still_air() -> Wind:
    """Return no wind and no force."""
    return Wind(np.zeros(3), np.zeros(3))


def initial_state(parameters: SimulationParameters, pose: Array,
                  generators: Generators) -> SimulationState:
    """Return the state at tick 0: everybody at rest at ``pose`` (N, 3), odometry at its origin.

    Nothing was summed before the first tick, so no impulse moves it (docs/errata.md W3). With
    noise of the wheels' radius the odometry's generators are advanced, two draws each.
    """
    n = pose.shape[0]
    odometry, wheel_scale = initial_odometry(parameters.odometry, generators.odometry)
    data = np.zeros((n, DATA_BYTES), np.uint8)
    data[:, 0] = advertised_millimetres(parameters.bodies.radius)
    return SimulationState(
        tick=0, pose=pose.copy(), twist=np.zeros((n, 3)), impulse_velocity=np.zeros((n, 2)),
        wind=np.zeros((n, 2)), free_wind=np.zeros((n, 2)), odometry=odometry,
        odometry_twist=np.zeros((n, 2)), wheel_scale=wheel_scale, rab_data=data,
        blocker=np.full(n, -1), collided=np.zeros(n, np.bool_), reverted=np.zeros(n, np.bool_))


def teleported(state: SimulationState, robot: int, pose: Array) -> SimulationState:
    """Return the state with one robot at rest at ``pose`` (3,); odometry knows nothing of it."""
    poses, twist = state.pose.copy(), state.twist.copy()
    velocity, wind = state.impulse_velocity.copy(), state.wind.copy()
    poses[robot], twist[robot], velocity[robot], wind[robot] = pose, 0.0, 0.0, 0.0
    return state._replace(pose=poses, twist=twist, impulse_velocity=velocity, wind=wind)
