"""Motion and collisions of a block of worlds.

What is computed of each robot alone is computed of all rows in one loop; what is between robots,
or between a robot and its world, world by world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbot_common.compiled.jit import njit_inner
from sbot_common.elementary.copying import copy_numbers, copy_rows
from sbot_sim.collision.separation import PASSES, free_of_overlaps, scratch_of
from sbot_sim.dynamics.impulses import impulse_velocity
from sbot_sim.dynamics.impulses import sum_impulses as total_impulses
from sbot_sim.dynamics.inertia import Inertia, Momentum, follow
from sbot_sim.dynamics.motion import achieved_twists, carried_speeds, drive, move
from sbot_sim.world.body_arrays import BodyArrays, Drives
from sbot_sim.worlds.air import force_of
from sbot_sim.worlds.batch import Batch, Phase, shared
from sbot_sim.worlds.layouts import fixed_of
from wind_model.wake import advertised_millimetres

Floats = NDArray[np.float64]


@njit_inner
def drives_of(bodies: BodyArrays, a: int, z: int) -> Drives:
    """Return what moves the robots of the rows a … z-1."""
    return Drives(bodies.wheel_distance[a:z], bodies.wheel_radius[a:z],
                  bodies.max_wheel_speed[a:z], bodies.mass[a:z], bodies.drive[a:z],
                  bodies.numbers[a:z])


@shared
def gain_speed(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Let robots with inertia follow their commands (``dynamics.inertia``); before all others."""
    setting, worlds = batch.setting, batch.worlds
    n, inertia, momentum = setting.robots, setting.inertia, worlds.momentum
    for k in range(first, end):
        i, j = max(a, k * n), min(z, (k + 1) * n)
        follow(drives_of(setting.bodies, i, j),
               Inertia(inertia.acceleration[i:j], inertia.deceleration[i:j], inertia.angular[i:j],
                       inertia.delay[i:j], inertia.limited[i:j]),
               Momentum(momentum.twist[i:j], momentum.asked[i:j]), worlds.command[i:j],
               worlds.tick[k], setting.dt, worlds.driven[i:j])


@shared
def sum_impulses(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Sum this tick's impulses, which move the robots in the next: wind, drive and forces.

    Document 000 section 4.1.
    """
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    drives, force = drives_of(setting.bodies, a, z), np.empty((z - a, 2))
    for k in range(first, end):
        x, y = force_of(setting, worlds, k)
        for row in range(max(a, k * n), min(z, (k + 1) * n)):
            force[row - a, 0], force[row - a, 1] = x, y
    speed = np.zeros(z - a)
    if (drives.drive != 0).any():
        speed = carried_speeds(drives, drive(drives, worlds.driven[a:z]))
    impulse = total_impulses(drives.mass, worlds.wind[a:z], force, speed,
                             worlds.pose[a:z, 2].copy(), setting.dt)
    copy_rows(impulse_velocity(impulse, drives.mass), worlds.next_impulse_velocity[a:z])


@shared
def propose(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Move the robots, collisions aside: document 002 section 4, and last tick's impulses."""
    setting, worlds = batch.setting, batch.worlds
    drives = drives_of(setting.bodies, a, z)
    proposed = move(drives, worlds.pose[a:z], drive(drives, worlds.driven[a:z]),
                    worlds.impulse_velocity[a:z], setting.dt)
    for row in range(a, z):
        for c in range(3):
            worlds.previous[row, c] = worlds.pose[row, c]
            worlds.pose[row, c] = proposed[row - a, c]


@Phase
def end_tick(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Go one tick on; after ``propose`` and collisions."""
    worlds = batch.worlds
    for row in range(a, z):
        for c in range(2):
            worlds.impulse_velocity[row, c] = worlds.next_impulse_velocity[row, c]
    for k in range(first, end):
        worlds.tick[k] += 1


@shared
def broadcast(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Update the bytes that robots broadcast, if any robot listens."""
    setting, worlds = batch.setting, batch.worlds
    copy_rows(worlds.rab_next[a:z], worlds.rab_data[a:z])
    copy_numbers(advertised_millimetres(setting.bodies.radius[a:z]), worlds.rab_data[a:z, 0])


@shared
def update_twists(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Compute the motion of the robots; after collisions."""
    setting, worlds = batch.setting, batch.worlds
    copy_rows(achieved_twists(worlds.previous[a:z], worlds.pose[a:z], setting.dt),
              worlds.twist[a:z])


@Phase
def resolve_overlaps(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Free robots that are all discs of overlaps, world by world (``collision.separation``)."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    fixed = fixed_of(setting.fixed, setting.layout[first])
    # The room of the first world, for all in turn: it stays in the processor's nearest cache.
    scratch = scratch_of(worlds.scratch, slice(first * n, (first + 1) * n))
    for k in range(first, end):
        rows = slice(k * n, (k + 1) * n)
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            fixed = fixed_of(setting.fixed, setting.layout[k])
        free_of_overlaps(fixed, setting.bodies.shape.outer_radius[rows], None,
                         worlds.previous[rows], worlds.pose[rows], scratch,
                         worlds.collided[rows], worlds.reverted[rows], PASSES)
