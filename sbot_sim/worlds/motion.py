"""Motion and collisions of a block of worlds: ``engine.step`` for many worlds at once.

What is computed of each robot alone is computed of all robots of the block in one loop; what is
between robots, or between a robot and its world, world by world. The formulas are those of the
engine, so world k is, to the bit, what the engine makes of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import borrowed, njit_inner
from sbot_sim.collision.narrow_phase import Crowd
from sbot_sim.collision.repositioning import free_everybody
from sbot_sim.collision.separation import PASSES, separate_arrays
from sbot_sim.collision.tunnelling import steps_needed
from sbot_sim.dynamics.impulses import impulse_velocity
from sbot_sim.dynamics.impulses import sum_impulses as total_impulses
from sbot_sim.dynamics.inertia import Inertia, Momentum, follow
from sbot_sim.dynamics.motion import carried_speeds, drive, move
from sbot_sim.engine.step import achieved_twists
from sbot_sim.sensors.odometry import draw_slip, measure
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.worlds.air import force_of
from sbot_sim.worlds.batch import Batch, Phase
from sbot_sim.worlds.crowds import FEW, grid_of_world, only_cell
from sbot_sim.worlds.layouts import fixed_of
from sbot_sim.worlds.state import Setting, Worlds
from wind_model.wake import advertised_millimetres

Floats = NDArray[np.float64]


@njit_inner
def _bodies_of(setting: Setting, first: int, end: int) -> BodyArrays:
    """Return the bodies of the worlds first … end-1."""
    bodies = setting.bodies
    a, z = first * setting.robots, end * setting.robots
    return BodyArrays(bodies.radius[a:z], bodies.safety_radius[a:z], bodies.wheel_distance[a:z],
                      bodies.wheel_radius[a:z], bodies.max_wheel_speed[a:z], bodies.mass[a:z],
                      bodies.drive[a:z], bodies.numbers[a:z])


@Phase
def gain_speed(first: int, end: int, batch: Batch) -> None:
    """Let robots with inertia follow their commands (``dynamics.inertia``); before all others."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n, inertia, momentum = setting.robots, setting.inertia, worlds.momentum
    for k in range(first, end):
        a, z = k * n, (k + 1) * n
        follow(_bodies_of(setting, k, k + 1),
               Inertia(inertia.acceleration[a:z], inertia.deceleration[a:z], inertia.angular[a:z],
                       inertia.delay[a:z], inertia.limited[a:z]),
               Momentum(momentum.twist[a:z], momentum.asked[a:z]), worlds.command[a:z],
               worlds.tick[k], setting.dt, worlds.driven[a:z])


@Phase
def sum_impulses(first: int, end: int, batch: Batch) -> None:
    """Sum this tick's impulses, which move the robots in the next (``engine.step.blow``)."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n = setting.robots
    a, z = first * n, end * n
    bodies, force = _bodies_of(setting, first, end), np.empty((z - a, 2))
    for k in range(first, end):
        x, y = force_of(setting, worlds, k)
        for i in range((k - first) * n, (k - first + 1) * n):
            force[i, 0], force[i, 1] = x, y
    speed = np.zeros(z - a)
    if (bodies.drive != 0).any():
        speed = carried_speeds(bodies, drive(bodies, worlds.driven[a:z]))
    impulse = total_impulses(bodies.mass, worlds.wind[a:z], force, speed,
                           worlds.pose[a:z, 2].copy(), setting.dt)
    worlds.next_impulse_velocity[a:z] = impulse_velocity(impulse, bodies.mass)


@njit_inner
def _slips(first: int, end: int, setting: Setting, worlds: Worlds) -> Floats:
    """Return this tick's standard normal numbers (rows, wheels) of the wheels' slip."""
    n, slip = setting.robots, np.empty(((end - first) * setting.robots, setting.wheels))
    for k in range(first, end):
        slip[(k - first) * n:(k - first + 1) * n] = draw_slip(
            setting.noise_slip[k * n:(k + 1) * n], worlds.seed[k], worlds.tick[k],
            setting.wheels)
    return slip


@Phase
def turn_wheels(first: int, end: int, batch: Batch) -> None:
    """Measure odometry; before ``end_tick``, which counts the tick."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    a, z = first * setting.robots, end * setting.robots
    bodies, noise_slip = _bodies_of(setting, first, end), setting.noise_slip[a:z]
    worlds.odometry[a:z], worlds.odometry_twist[a:z] = measure(
        bodies, worlds.odometry[a:z], worlds.wheel_scale[a:z],
        drive(bodies, worlds.driven[a:z]),
        _slips(first, end, setting, worlds), noise_slip, setting.dt)


@Phase
def propose(first: int, end: int, batch: Batch) -> None:
    """Move the robots, collisions aside (``motion.move``); after ``sum_impulses``."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    a, z = first * setting.robots, end * setting.robots
    bodies = _bodies_of(setting, first, end)
    proposed = move(bodies, worlds.pose[a:z], drive(bodies, worlds.driven[a:z]),
                    worlds.impulse_velocity[a:z], setting.dt)
    for row in range(a, z):
        for c in range(3):
            worlds.previous[row, c] = worlds.pose[row, c]
            worlds.home[row, c] = worlds.pose[row, c] = proposed[row - a, c]


@Phase
def end_tick(first: int, end: int, batch: Batch) -> None:
    """Go one tick on; after ``propose`` and collisions."""
    worlds, n = borrowed(batch.worlds), batch.setting.robots
    for row in range(first * n, end * n):
        for c in range(2):
            worlds.impulse_velocity[row, c] = worlds.next_impulse_velocity[row, c]
    for k in range(first, end):
        worlds.tick[k] += 1


@Phase
def broadcast(first: int, end: int, batch: Batch) -> None:
    """Send what robots broadcast from now on; where anybody listens."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    a, z = first * setting.robots, end * setting.robots
    worlds.rab_data[a:z] = worlds.rab_next[a:z]
    worlds.rab_data[a:z, 0] = advertised_millimetres(setting.bodies.radius[a:z])


@Phase
def update_twists(first: int, end: int, batch: Batch) -> None:
    """Compute what moved the robots; after collisions."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    a, z = first * setting.robots, end * setting.robots
    worlds.twist[a:z] = achieved_twists(worlds.previous[a:z], worlds.pose[a:z], setting.dt)


@Phase
def resolve_overlaps(first: int, end: int, batch: Batch) -> None:
    """Free the robots of overlaps, world by world (``collision.separation.separate``)."""
    setting, worlds = borrowed(batch.setting), borrowed(batch.worlds)
    n, radius, pose = setting.robots, setting.bodies.safety_radius, worlds.pose
    queue, found, ends = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(2, np.int32)
    grid, nothing = only_cell(ends, worlds.row), np.empty(0)
    fixed = fixed_of(setting.fixed, setting.layout[first])
    for k in range(first, end):
        a, z = k * n, (k + 1) * n
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            fixed = fixed_of(setting.fixed, setting.layout[k])
        one_step = steps_needed(a, z, radius, worlds.previous, pose) == 1
        for i in range(a, z):
            one_step &= math.isfinite(pose[i, 0] + pose[i, 1] + pose[i, 2])
            worlds.collided[i] = worlds.reverted[i] = False
        if not one_step:  # rare: as the engine does it, in arrays of its own
            freed, _, hit, back, _ = separate_arrays(fixed, radius[a:z], worlds.previous[a:z],
                                                     pose[a:z], PASSES)
            pose[a:z], worlds.collided[a:z], worlds.reverted[a:z] = freed, hit, back
            continue
        ends[0], ends[1] = a, z
        if n > FEW:
            grid = grid_of_world(worlds.home, a, z, fixed.largest_radius)
        crowd = Crowd(radius, radius, worlds.previous, pose, worlds.home, grid, worlds.queued,
                      worlds.shift, worlds.retreats, worlds.reverted, nothing.reshape(0, 7),
                      nothing, nothing)
        free_everybody(fixed, borrowed(crowd), worlds.collided, PASSES, a, n, borrowed(queue),
                       borrowed(found))
    ends[0] = queue[0] = found[0] = 0  # keeps these alive until here
