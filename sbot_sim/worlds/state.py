# SPDX-License-Identifier: Apache-2.0
"""Arrays of a batch of worlds (robot i of world k has row k * N + i), and phases that use them.

A phase is a function of (first, end, a, z, batch) that works on the worlds first … end-1; what
concerns each robot alone, on the rows a … z-1 of these. Each is compiled on its own when it is
first needed, and called by address: a tick is a list of addresses, so scenarios pay only for the
phases they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot_common.arrays import Bytes, Flags, Floats, Floats32, Integers, Integers32
from sbot_common.compiled.jit import by_address, compiled_callback, njit_inline, njit_inner
from sbot_common.observation import BROADCAST_BYTES, INFRARED_SENSORS
from sbot_common.spatial import BucketGrid
from sbot_sim.collision.detection import FEW, QUANTUM, Scratch, make_scratch, most_cells
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.dynamics.inertia import Inertia, Momentum
from sbot_sim.sensors.rays import Fan, Fans
from sbot_sim.world.bodies import BodyArrays, Shapes
from sbot_sim.world.moving import Paths
from sbot_sim.world.scene import Discs, Scene, SortedDiscs, discs_of
from wind_model.grid import Lattice
from wind_model.parameters import WakeParameters

if TYPE_CHECKING:
    from sbot_common.compiled.records import Record

# Fixed objects of several layouts in shared arrays, and those of one layout as views of them.
#
# Worlds of a batch stand in one layout each: all in the same, or each in its own. Where obstacles
# move, each world has its own, with room to spare, and it is written anew at each tick.


@by_address
class _Rows(NamedTuple):
    """Arrays of several layouts, one after the other, perhaps with room between them."""

    values: NDArray[Any]
    starts: Integers  # (layouts,)
    ends: Integers  # (layouts,)


@by_address
class _Grids(NamedTuple):
    """``BucketGrid`` of each layout."""

    numbers: Floats  # (layouts, 3) x0, y0, cell
    shape: Integers  # (layouts, 2) nx, ny
    starts: _Rows
    items: _Rows


@by_address
class _FixedLayouts(NamedTuple):
    """``FixedObjects`` of each layout."""

    bounds: Floats  # (layouts, 4)
    boxes: _Rows
    grids: _Grids
    largest_radius: Floats  # (layouts,)


@by_address
class _Scenes(NamedTuple):
    """``Scene`` of each layout."""

    segments: _Rows
    circles: _Rows
    segment_grids: _Grids
    circle_grids: _Grids
    reach: Floats  # (layouts,)

    def replace(self, k: int, scene: Scene, circles_alone: bool = False) -> bool:
        """Update the scene of layout k for sensors; False, without a change, if there is no room.

        ``circles_alone``: segments are where they were.
        """
        parts = [(self.circles, scene.circles, self.circle_grids, scene.circle_grid)]
        if not circles_alone:
            parts.append((self.segments, scene.segments, self.segment_grids, scene.segment_grid))
        new = [pair for rows, array, grids, grid in parts for pair in (
            (rows, array), (grids.starts, grid.starts), (grids.items, grid.items))]
        for rows, array in new:
            last = k + 1 == len(rows.starts)
            if len(array) > (len(rows.values) if last else rows.starts[k + 1]) - rows.starts[k]:
                return False
        for rows, array in new:
            rows.ends[k] = rows.starts[k] + len(array)
            rows.values[rows.starts[k]:rows.ends[k]] = array
        for _, _, grids, grid in parts:
            grids.numbers[k] = grid.x0, grid.y0, grid.cell
            grids.shape[k] = grid.nx, grid.ny
        return True


def _rows(arrays: Sequence[NDArray[Any]], room: float) -> _Rows:
    if len(arrays) == 1 and room == 1.0:
        return _Rows(arrays[0], np.zeros(1, np.int64), np.array([len(arrays[0])]))
    lengths = np.array([len(array) for array in arrays], np.int64)
    starts = np.cumsum([0, *np.ceil(room * lengths)]).astype(np.int64)
    values = np.zeros((starts[-1], *arrays[0].shape[1:]), arrays[0].dtype)
    rows = _Rows(values, starts[:-1].copy(), starts[:-1] + lengths)
    for k, array in enumerate(arrays):
        values[rows.starts[k]:rows.ends[k]] = array
    return rows


def _grids(grids: Sequence[BucketGrid], room: float) -> _Grids:
    return _Grids(np.array([(g.x0, g.y0, g.cell) for g in grids]),
                  np.array([(g.nx, g.ny) for g in grids], np.int64),
                  _rows([g.starts for g in grids], room), _rows([g.items for g in grids], room))


def pack_fixed(layouts: Sequence[FixedObjects]) -> _FixedLayouts:
    """Return the tables of collisions of all layouts in shared arrays."""
    return _FixedLayouts(np.array([fixed.bounds for fixed in layouts]),
                        _rows([fixed.boxes for fixed in layouts], 1.0),
                        _grids([fixed.grid for fixed in layouts], 1.0),
                        np.array([fixed.largest_radius for fixed in layouts]))


def pack_scenes(scenes: Sequence[Scene], room: float = 1.0) -> _Scenes:
    """Return the scenes of all layouts for sensors, in shared arrays.

    Each has ``room`` times what it needs, for ``replace_scene``.
    """
    return _Scenes(_rows([scene.segments for scene in scenes], room),
                  _rows([scene.circles for scene in scenes], room),
                  _grids([scene.segment_grid for scene in scenes], room),
                  _grids([scene.circle_grid for scene in scenes], room),
                  np.array([float(scene.reach) for scene in scenes]))


@njit_inline
def _of(rows: _Rows, k: int) -> NDArray[Any]:
    return rows.values[rows.starts[k]:rows.ends[k]]


@njit_inline
def _grid_of(grids: _Grids, k: int) -> BucketGrid:
    return BucketGrid(grids.numbers[k, 0], grids.numbers[k, 1], grids.numbers[k, 2],
                      grids.shape[k, 0], grids.shape[k, 1], _of(grids.starts, k),
                      _of(grids.items, k))


@njit_inline
def fixed_of(layouts: _FixedLayouts, k: int) -> FixedObjects:
    """Return the fixed objects of layout k, as views."""
    return FixedObjects(layouts.bounds[k], _of(layouts.boxes, k), _grid_of(layouts.grids, k),
                        layouts.largest_radius[k])


@njit_inline
def scene_of(scenes: _Scenes, k: int) -> Scene:
    """Return the scene of layout k for sensors, as views."""
    return Scene(_of(scenes.segments, k), _of(scenes.circles, k),
                 _grid_of(scenes.segment_grids, k), _grid_of(scenes.circle_grids, k),
                 scenes.reach[k])


@by_address
class LaserTable(NamedTuple):
    """L lasers of the robots of all worlds; a robot carries those of its kit."""

    kit: Integers  # (K*N,) of each robot
    carried: Integers  # (L,) kit that a laser is part of
    column: Integers  # (L,) of ``Worlds.ranges``, where its beams begin
    columns: int  # of ``Worlds.ranges``
    fans: Fans  # L
    range_min: Floats  # (L,) m
    range_max: Floats  # (L,) m
    sees_robots: Flags  # (L,)
    mount: Floats  # (L, 3) x, y (m), yaw (rad) in base_link
    first_beams: Integers  # beams of the first laser of each kit
    first_range: Floats  # m, ``range_max`` of that


@by_address
class Sensing(NamedTuple):
    """What the robots of all worlds sense; a sensor that is off has 0 beams, or False."""

    lasers: LaserTable
    infrared_fan: Fan  # 0 beams: no infrared
    infrared_table: Floats  # (151,)
    infrared_range: float  # m
    infrared_sees_robots: bool
    range_and_bearing: bool
    heard: bool  # who hears whom is needed: of range and bearing, or of a hook
    rab_range: float  # m


@by_address
class Setting(NamedTuple):
    """What worlds are made of; changes between episodes only (domain randomisation)."""

    robots: int  # N, of a world
    wheels: int  # that odometry counts: of the robot with most of them
    dt: float  # s
    bodies: BodyArrays  # (K*N,) each, of the robots
    boxes: int  # B, that are pushed, of a world
    shapes: Shapes  # (K*(N + B),) each: of a world's robots, then of its boxes
    paths: Paths  # (K*M,) of obstacles that go along one
    layout: Integers  # (K,) the layout in which a world stands
    fixed: _FixedLayouts
    scan_scenes: _Scenes
    infrared_scenes: _Scenes
    line_of_sight: _Scenes
    sensing: Sensing
    wake: WakeParameters
    gridded: bool  # whether there is a ``field``
    field: Lattice
    wind_height: float  # m
    above_terrain: bool  # what ``wind_height`` is
    wind_velocity: Floats  # (K, 3) m/s outside the grid
    wind_force: Floats  # (K, 3) N on every robot
    gust_velocity: Floats  # (K, 3) m/s, added during a gust
    gust_force: Floats  # (K, 3) N, added during a gust
    gust_ticks: Integers  # (K, 2) the gust's first tick, and the first one after it
    scan_noise: Floats  # (K, L) m, of each laser
    infrared_noise: Floats  # (K,) fraction
    noise_radius: Floats  # (K*N,) of the odometry
    noise_slip: Floats  # (K*N,) sqrt(m)
    inertia: Inertia  # (K*N,) each, or (0,): no robot has any


@by_address
class Worlds(NamedTuple):
    """The state of K worlds and their readings; a row for each robot unless noted."""

    tick: Integers  # (K,)
    seed: Integers  # (K,) of the noise
    command: Floats  # (K*N, 3) vx, vy (m/s), omega (rad/s): what the next step acts on
    driven: Floats  # (K*N, 3) what inertia makes of it; ``command`` itself where none has any
    momentum: Momentum  # of robots with inertia
    pose: Floats  # (K*N, 3) x, y (m), yaw (rad)
    boxes: Floats  # (K*B, 3) x, y (m), yaw (rad) of boxes
    moved: Integers  # (K*M,) ticks in which obstacles on a path have moved
    sent_pose: Floats  # (K*N, 3) with yaw as decoded from a message
    twist: Floats  # (K*N, 3) what the last tick did: m/s, m/s, rad/s in the robot's own frame
    impulse_velocity: Floats  # (K*N, 2) m/s: last tick's impulses over mass, moves this tick only
    wind: Floats  # (K*N, 2) m/s, the effective wind of this tick, forces aside
    free_wind: Floats  # (K*N, 2) m/s, that wind before other robots took their share
    reduction: Floats  # (K*N,) share of the wind that others take
    observed_wind: Floats  # (K*N, 2) ``wind`` and what forces add, as observed
    observed_free_wind: Floats  # (K*N, 2) ``free_wind`` and what forces add
    updraft: Floats  # (K*N,) m/s, vertical part of the effective wind, which moves nothing
    odometry: Floats  # (K*N, 3) x, y, yaw by the wheels alone, frame `odom`
    odometry_twist: Floats  # (K*N, 3) by the wheels
    wheel_scale: Floats  # (K*N, wheels) way that a wheel measures over the true one
    rab_data: Bytes  # (K*N, 10) heard now
    rab_next: Bytes  # (K*N, 10) heard from the next tick on
    blocker: Integers  # (K*N,) who took all its wind, -1: nobody; where to look first
    collided: Flags  # (K*N,) intersected something in the last tick
    reverted: Flags  # (K*N,) was put back where it was
    ranges: Floats32  # (K*N, columns) m; NaN in columns that a robot has no beams for
    infrared: Floats32  # (K*N, 15, 2) m and reading; or (K*N, 0, 2)
    heard_starts: Integers  # (K, N + 1) rows of the following, for each world
    heard_robot: Integers  # (K, N*(N - 1)), or (K, 0); (0, 0) where ``Tick.heard`` is elsewhere
    heard_range: Floats  # (K, N*(N - 1)) m
    heard_bearing: Floats  # (K, N*(N - 1)) rad
    previous: Floats  # (K*N, 3) poses before the last step
    scratch: Scratch  # room for collisions, of each world or one for all
    row: NDArray[np.int32]  # (K*N,) 0, 1, 2 …
    x: Floats  # (K*N,) room for sensors
    y: Floats  # (K*N,)
    laser_discs: SortedDiscs  # the robots as lasers see them; of no world where none is seen
    infrared_discs: SortedDiscs
    crowd: SortedDiscs  # where threads share collisions: the robots' circles

    @property
    def hears(self) -> bool:
        """Whether there is room for who hears whom; else phases in Python find it."""
        return len(self.heard_robot) > 0

    @classmethod
    def make(cls, count: int, setting: Setting, hears: bool = True, shared: bool = False,
             apart: bool = True) -> Worlds:
        """Return the arrays of ``count`` worlds, which ``tick.begin`` fills.

        Parameters
        ----------
        count, setting : of the worlds
        hears : with room for who hears whom, be it all
        shared : with room for collisions that threads share
        apart : each world has room of its own for collisions, as several threads need it

        """
        n, sensing = setting.robots, setting.sensing
        many = n > FEW  # these are looked at in sorted cells, few one by one
        by_laser = many and sensing.lasers.columns and sensing.lasers.sees_robots.any()
        by_infrared = many and sensing.infrared_fan.beams and sensing.infrared_sees_robots
        rows, pairs = count * n, n * (n - 1) if sensing.heard and hears else 0
        heard = (count if hears else 0, pairs)

        def floats(columns: int) -> Floats:
            return np.zeros((rows, columns))

        command, inert = floats(3), len(setting.inertia.limited)
        return cls(
            tick=np.zeros(count, np.int64), seed=np.zeros(count, np.int64), command=command,
            driven=floats(3) if inert else command,
            momentum=Momentum.at_rest(inert, setting.inertia),
            pose=floats(3), boxes=np.zeros((count * setting.boxes, 3)),
            moved=np.zeros(len(setting.paths.radius), np.int64), sent_pose=floats(3),
            twist=floats(3), impulse_velocity=floats(2), wind=floats(2), free_wind=floats(2),
            reduction=np.zeros(rows), observed_wind=floats(2), observed_free_wind=floats(2),
            updraft=np.zeros(rows), odometry=floats(3),
            odometry_twist=floats(3), wheel_scale=floats(setting.wheels),
            rab_data=np.zeros((rows, BROADCAST_BYTES), np.uint8),
            rab_next=np.zeros((rows, BROADCAST_BYTES), np.uint8), blocker=np.zeros(rows, np.int64),
            collided=np.zeros(rows, np.bool_), reverted=np.zeros(rows, np.bool_),
            ranges=np.full((rows, sensing.lasers.columns), np.nan, np.float32),
            infrared=np.zeros((rows, INFRARED_SENSORS if sensing.infrared_fan.beams else 0, 2),
                              np.float32),
            heard_starts=np.zeros((count, n + 1), np.int64),
            heard_robot=np.zeros(heard, np.int64), heard_range=np.zeros(heard),
            heard_bearing=np.zeros(heard),
            previous=floats(3),
            scratch=make_scratch(n, 2, count if apart else 1),
            row=np.arange(rows, dtype=np.int32), x=np.zeros(rows), y=np.zeros(rows),
            laser_discs=SortedDiscs.room_for(count if by_laser else 0, n),
            infrared_discs=SortedDiscs.room_for(count if by_infrared else 0, n),
            crowd=SortedDiscs.room_for(count if shared else 0, n, most_cells(n)))


# Robots of one world within the rows of all worlds, for collisions and sensors.
#
# A world of few robots is one cell, whose items are the world's rows themselves: nothing is sorted
# and nothing copied. Of more robots a grid is made, as in the engine.

@njit_inner
def only_cell(ends: Integers32, rows: Integers32) -> BucketGrid:
    """Return a grid of one cell with the rows ends[0] … ends[1] - 1, whatever these are later."""
    return BucketGrid(0.0, 0.0, 1.0, 1, 1, ends, rows)


@njit_inner
def all_in_view(worlds: Worlds, radius: Floats, first: int, end: int, ends: Integers32) -> Discs:
    """Return the discs of the rows first … end-1 in one cell; ``ends`` chooses a world of them."""
    largest = 0.0
    for i in range(first, end):
        worlds.x[i], worlds.y[i] = worlds.pose[i, 0], worlds.pose[i, 1]
        largest = max(largest, radius[i])
    return Discs(worlds.x, worlds.y, radius, worlds.row, only_cell(ends, worlds.row), largest)


@njit_inline
def are_placed(worlds: Worlds, k: int) -> bool:
    """Tell whether ``crowd`` has the robots of the only world where they are now."""
    return len(worlds.tick) == 1 and len(worlds.crowd.shape) > 0 and worlds.crowd.shape[k, 0] > 0


@njit_inline
def discs_by_place(worlds: Worlds, k: int, n: int) -> Discs:
    """Return the n robots of world k as infrared sees them, sorted by place."""
    discs = discs_of(worlds.infrared_discs, k, n)
    if not are_placed(worlds, k):
        return discs
    crowd = discs_of(worlds.crowd, k, n)
    drift = worlds.crowd.shape[k, 2] * QUANTUM  # since they were sorted
    return Discs(crowd.x, crowd.y, discs.radius, crowd.robot, crowd.grid, discs.largest + drift)


@by_address
class Policy(NamedTuple):
    """What compiled controllers of K worlds of N robots work on (``sbot.worlds.policy``)."""

    inputs: Floats  # (K*N, I)
    outputs: Floats  # (K*N, O)
    memory: Floats  # (K*N, M) what a controller keeps from tick to tick
    weights: Floats  # (K, W)
    layers: NDArray[np.int64]  # (L,) numbers of neurons
    table: NDArray[np.int64]  # (kinds of inputs, 3) kind, first column, columns
    goal: Floats  # (K*N, 2) m
    limits: Floats  # greatest speed (m/s), and distance of wheels (m) or turn rate (rad/s): (2,)
    # of all robots, or (2 K N,) of each
    kept: Floats  # (ticks, K*N, columns) what is kept of each tick
    kept_columns: NDArray[np.int64]  # first column of each kind that can be kept; -1: none
    first_tick: NDArray[np.int64]  # (K,) that of the first row kept
    decision: Floats  # (1,) s, how long a decision lasts

    @classmethod
    def none(cls) -> Policy:
        """Return empty arrays, for worlds that Python commands."""
        none, nothing = np.zeros((0, 0)), np.zeros(0, np.int64)
        return cls(none, none, none, none, nothing, np.zeros((0, 3), np.int64), none, np.zeros(2),
                   np.zeros((0, 0, 0)), nothing, nothing, np.zeros(1))


class Batch(NamedTuple):
    """What phases work on."""

    setting: Setting
    worlds: Worlds
    policy: Policy


class Phase:
    """A function of (first, end, a, z, batch), compiled when it is first needed.

    Parameters
    ----------
    function : what it does
    shared : threads may share the rows of one world: it does whole what concerns the rows a … z-1,
        or of robots sorted by place those places, and writes nothing else
    apart : shared, but only once all threads have done the phases before it

    """

    def __init__(self, function: Callable[[int, int, int, int, Batch], None],
                 shared: bool = False, apart: bool = False) -> None:
        self.function, self.shared, self.apart = function, shared or apart, apart
        self._compiled: dict[Any, Any] = {}

    def address(self, batch: Record) -> int:
        """Return where its machine code for a type of batches is; almost all are of one."""
        if batch.kind not in self._compiled:
            from numba import types  # which the record has imported
            signature = types.void(*[types.int64] * 4, batch.kind)
            self._compiled[batch.kind] = compiled_callback(signature, self.function)
        return int(self._compiled[batch.kind].address)

    @classmethod
    def shared_apart(cls, function: Callable[[int, int, int, int, Batch], None]) -> Phase:
        """Return a phase whose rows threads may share once the phases before it are done."""
        return cls(function, apart=True)


def shared(function: Callable[[int, int, int, int, Batch], None]) -> Phase:
    """Return a phase whose rows threads may share."""
    return Phase(function, shared=True)
