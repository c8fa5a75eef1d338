# SPDX-License-Identifier: Apache-2.0
"""Tick of a batch of worlds: which phases it has, in which order (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache

from sbot_common.angles import decoded_yaws
from sbot_common.arrays import Integers
from sbot_common.elementary import copy_numbers, copy_rows
from sbot_sim.sensors.odometry import draw_wheel_scale
from sbot_sim.sensors.range_and_bearing import Heard, hear
from sbot_sim.sensors.rays import Fan
from sbot_sim.sensors.registry import simulated
from sbot_sim.world.scene import gather_discs, is_shaped, number_places, shape_cells, sort_places
from sbot_sim.worlds import air, motion
from sbot_sim.worlds.batch import Interpreted
from sbot_sim.worlds.parameters import SimulationParameters
from sbot_sim.worlds.python_phases import (
    FittedSensors,
    MovingObstacles,
    ReplaceScenes,
    WorldByWorld,
)
from sbot_sim.worlds.state import Batch, Phase, Setting, Worlds, are_placed, shared
from wind_model.gust import Waves
from wind_model.wake import advertised_millimetres

# Yaws as sent, of a block of worlds; ``sensors`` has what the sensors read.

@cache
def no_beams() -> Fan:
    """Return the table of a sensor that is off."""
    return Fan.uneven([])


@shared
def _decode_yaws(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Decode the yaws as receivers of messages do."""
    worlds = batch.worlds
    copy_rows(worlds.pose[a:z], worlds.sent_pose[a:z])
    copy_numbers(decoded_yaws(worlds.pose[a:z, 2]), worlds.sent_pose[a:z, 2])


# Robots sorted by place, once for all lasers and once for infrared, whose cells are much smaller;
# but where collisions have just sorted them infrared takes their cells.


@Phase
def _choose_cells(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Begin to sort the robots: choose cells that fit the farthest laser, and infrared."""
    setting, worlds = batch.setting, batch.worlds
    n, lasers, bodies, farthest = setting.robots, setting.sensing.lasers, setting.bodies, 0.0
    for m in range(len(lasers.column)):
        if lasers.sees_robots[m]:
            farthest = max(farthest, lasers.range_max[m])
    for k in range(first, end):
        rows, tick = slice(k * n, (k + 1) * n), worlds.tick[k]
        if len(worlds.laser_discs.shape) > 0 and not is_shaped(worlds.laser_discs, k, tick):
            shape_cells(worlds.laser_discs, k, worlds.pose[rows], bodies.laser_radius[rows],
                        farthest / 2)
        if len(worlds.infrared_discs.shape) > 0 and not is_shaped(worlds.infrared_discs, k, tick):
            shape_cells(worlds.infrared_discs, k, worlds.pose[rows], bodies.radius[rows],
                        setting.infrared_scenes.reach[setting.layout[k]])


@Phase.shared_apart
def _find_cells(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Find the robots' cells."""
    n, worlds = batch.setting.robots, batch.worlds
    for room, done in ((worlds.laser_discs, False),
                       (worlds.infrared_discs, are_placed(worlds, first))):
        for k in range(first, end if len(room.shape) > 0 and not done else first):
            number_places(room, k, max(a, k * n), min(z, (k + 1) * n), worlds.pose)


@Phase
def _sort(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Sort the robots by their cells."""
    worlds = batch.worlds
    for room, done in ((worlds.laser_discs, False),
                       (worlds.infrared_discs, are_placed(worlds, first))):
        for k in range(first, end if len(room.shape) > 0 and not done else first):
            sort_places(room, k, batch.setting.robots)


@Phase.shared_apart
def _gather(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """End sorting: copy the robots' discs in the order of their cells."""
    n, worlds, bodies = batch.setting.robots, batch.worlds, batch.setting.bodies
    placed = are_placed(worlds, first)
    for room, radius, done in ((worlds.laser_discs, bodies.laser_radius, False),
                               (worlds.infrared_discs, bodies.radius, placed)):
        for k in range(first, end if len(room.shape) > 0 and not done else first):
            gather_discs(room, max(a, k * n), min(z, (k + 1) * n), k * n, worlds.pose, radius)
    if placed and len(worlds.infrared_discs.shape) > 0:
        for place in range(a, z):
            worlds.infrared_discs.radius[place] = bodies.radius[worlds.crowd.robot[place]]


@Phase
def _begin(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Put worlds at rest where their robots stand, with the noise of their seeds, at tick 0."""
    setting, worlds = batch.setting, batch.worlds
    n = setting.robots
    for row in range(a, z):
        for c in range(3):
            worlds.command[row, c] = worlds.driven[row, c] = worlds.twist[row, c] = 0.0
            worlds.odometry[row, c] = worlds.odometry_twist[row, c] = 0.0
        for c in range(2):
            worlds.impulse_velocity[row, c] = 0.0
            worlds.wind[row, c] = worlds.free_wind[row, c] = 0.0
        worlds.blocker[row] = -1
        worlds.collided[row] = worlds.reverted[row] = False
    if len(setting.inertia.limited) > 0:
        worlds.momentum.twist[a:z] = 0.0
        worlds.momentum.asked[a:z] = 0.0
    worlds.rab_data[a:z] = 0
    copy_numbers(advertised_millimetres(setting.bodies.radius[a:z]), worlds.rab_data[a:z, 0])
    copy_rows(worlds.rab_data[a:z], worlds.rab_next[a:z])
    for k in range(first, end):
        rows = slice(k * n, (k + 1) * n)
        worlds.tick[k] = 0
        if len(worlds.crowd.shape) > 0:
            worlds.crowd.shape[k, 0] = 0  # of robots that were elsewhere
        copy_rows(draw_wheel_scale(setting.noise_radius[rows], worlds.seed[k], setting.wheels),
                  worlds.wheel_scale[rows])


Phases = list[Phase | Interpreted]


class Tick:
    """Phases that K worlds need: compiled ones, and Python ones for rare features.

    Parameters
    ----------
    parameters : (K,) of each world
    setting, worlds : of the batch
    senses : what is sensed
    waves_of : the waves of world k with a seed; None: no turbulence there
    replace_scenes : as in ``MovingObstacles``
    shared : whether threads share the robots of a world

    """

    def __init__(self, parameters: Sequence[SimulationParameters], setting: Setting,
                 worlds: Worlds, senses: Collection[str],
                 waves_of: Callable[[int, int], Waves | None],
                 replace_scenes: ReplaceScenes, *, shared: bool = False) -> None:
        self._worlds, self._senses, self._hooks = worlds, senses, parameters[0].hooks
        self._shared = shared
        moves = parameters[0].obstacles is not None
        self.moving = MovingObstacles(parameters, setting, worlds,
                                      replace_scenes) if moves else None
        self._discs = setting.shapes.equal_discs
        self._simulated = [each for each in simulated() if each.name in senses]
        current = list(parameters) if self.moving is None else self.moving.parameters
        self.fitted = FittedSensors(current, setting, worlds, senses)
        self._by_world = WorldByWorld(current, setting, worlds)
        turbulent = any(p.waves is not None for p in parameters)
        self._turbulent = air.TurbulentAir(waves_of, setting, worlds) if turbulent else None
        # A user's function need not be one for several threads, and tables of the whole batch are
        # made anew where obstacles move.
        self.in_one_thread = any(hook is not None for hook in self._hooks) or any(
            p.obstacles is not None for p in parameters)

    def reset(self, chosen: Iterable[int], seeds: Integers) -> None:
        """Reset state outside the arrays of the batch to tick 0."""
        worlds = list(chosen)
        if self.moving is not None:
            self.moving.reset(worlds)
        self.fitted.reset(worlds)
        if self._turbulent is not None:
            self._turbulent.reset(worlds, seeds)

    def restore(self, k: int, seeds: Integers, heard: Heard | None) -> None:
        """Let world k have the air of its seed, and whom its robots hear in a large world."""
        if self._turbulent is not None:
            self._turbulent.reset([k], seeds)
        if heard is not None:
            self._by_world.found[k] = heard

    def heard(self, k: int) -> Heard:
        """Return the robots that each robot of world k hears now."""
        return self._by_world.heard(k)

    def beginning(self, setting: Setting) -> Phases:
        """Return the phases that put worlds to tick 0 and read the sensors there, but the wind."""
        return [_begin, *self.sensing(setting)]

    def advancing(self, setting: Setting) -> Phases:
        """Return the phases from the wind at the robots to the poses of the next tick."""
        phases: Phases = [motion.gain_speed] * bool(len(setting.inertia.limited))
        hooked = self._hooks.drive_impulse is not None
        phases += [self._by_world.sum_impulses] * hooked
        for each in self._simulated:
            phases += each.driving(setting)
        phases += [motion.propose,
                   self._by_world.take_impulses if hooked else motion.sum_impulses]
        if self._discs and self.moving is None:
            phases += motion.SHARED_COLLISIONS if self._shared else [motion.resolve_overlaps]
        elif self._discs:
            phases.append(motion.resolve_overlaps_among_moving)
        else:
            phases.append(motion.resolve_overlaps_of_shapes)
        phases += [self.moving.place] if self.moving is not None else []
        phases.append(motion.end_tick)
        if setting.sensing.range_and_bearing or setting.wake.wake:
            phases.append(motion.broadcast)
        if self.fitted.remember_motion:
            phases.append(self.fitted.update_twists)
        elif self.fitted.readings or 'twist' in self._senses:
            phases.append(motion.update_twists)
        return phases

    def sensing(self, setting: Setting, sent: bool = True) -> Phases:
        """Return the phases that read all sensors but for the wind.

        ``sent`` : with ``Worlds.sent_pose``, which no other phase of a tick reads
        """
        phases: Phases = [_decode_yaws] * sent
        if len(self._worlds.laser_discs.shape) or len(self._worlds.infrared_discs.shape):
            phases += [_choose_cells, _find_cells, _sort, _gather]
        for each in self._simulated:
            phases += each.seeing(setting)
        phases += self.hearing(setting)
        if self.fitted.readings:
            phases.append(self.fitted.read)
        return phases

    def hearing(self, setting: Setting) -> Phases:
        """Return the phase that finds the robots that each robot hears, if it is needed."""
        if not setting.sensing.heard:
            return []
        return [hear if self._worlds.hears else self._by_world.hear]

    def sensing_wind(self, setting: Setting) -> Phases:
        """Return the phases that find the wind at the robots; after ``sensing``."""
        phases = self._air(setting)
        for each in self._simulated:
            phases += each.in_wind(setting)
        return phases

    def _air(self, setting: Setting) -> Phases:
        wake = setting.wake.wake
        if self._turbulent is None and self._hooks.effective_wind is None and not (
                setting.gridded or wake):
            return [air.set_uniform_wind]
        phases: Phases = [air.set_free_wind]
        if self._turbulent is not None:
            phases.append(self._turbulent.add)
        if wake:
            phases.append(self._reducing(setting))
        phases.append(air.set_effective_wind if self._hooks.effective_wind is None
                      else self._by_world.set_effective_wind)
        return phases

    def _reducing(self, setting: Setting) -> Phase | Interpreted:
        if self._hooks.blocking is not None:
            return self._by_world.reduce
        if not setting.sensing.range_and_bearing:
            return air.reduce_by_wakes
        return air.reduce_by_heard if self._worlds.hears else self._by_world.reduce
