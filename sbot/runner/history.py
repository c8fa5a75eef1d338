# SPDX-License-Identifier: Apache-2.0
"""The history of a run as arrays: what ``sbot.run`` returns, and its ``episode``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.files.limits import limits, too_large
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.controllers import checked_senses
from sbot.scenario.model import Scenario
from sbot_common.arrays import Flags, Floats
from sbot_common.clock import NANOSECONDS, in_seconds
from sbot_common.errors import InputError, install_command
from sbot_common.observation import OMEGA, VX, VY
from sbot_sim.engine.simulation import Snapshot
from sbot_sim.sensors.registry import check_name, sensors
from sbot_sim.world.moving import as_sent

# Episode: arrays of many worlds, or of one run, for functions that measure a fitness.



class Episode(NamedTuple):
    """What happened in K worlds of N robots in T ticks; row t is the moment before tick t.

    ``Worlds.run`` returns one, ``Run.episode`` is one with K = 1, and the ``Track`` of a task's
    metric has the same fields; so one function measures all three. Fields that were not asked for
    are None. Printed, it is a line.
    """

    pose: Floats | None  # (T, K, N, 3) m, m, rad
    command: Floats | None  # (T, K, N, 3) vx, vy (m/s), omega (rad/s)
    collided: Flags | None  # (T, K, N) intersected something in the tick before
    infrared: Floats | None  # (T, K, N, 15) readings
    wind: Floats | None  # (T, K, N, 2) m/s
    dt: float  # s, length of a tick

    def __repr__(self) -> str:
        kept = {name: rows for name, rows in self._asdict().items()
                if isinstance(rows, np.ndarray)}
        if not kept:
            return f'<Episode: nothing kept, ticks of {self.dt:g} s>'
        name, rows = next(iter(kept.items()))
        ticks, *worlds, robots = rows.shape if name == 'collided' else rows.shape[:-1]
        counts = [*zip(worlds, ['world'], strict=False), (robots, 'robot'), (ticks, 'tick')]
        size = ', '.join(f"{count} {unit}{'s' * (count != 1)}" for count, unit in counts)
        return f"<Episode: {size} of {self.dt:g} s; {', '.join(kept)}>"


if TYPE_CHECKING:
    import pandas

_ROW_BYTES = 8 * (3 + 3 + 2 + 2) + 1  # of a robot and a tick, without sensors


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run of T ticks and N robots, in frame `map`. Row k has the stamp of tick k.

    The commands of the last row are not executed.
    """

    scenario: Scenario
    summary: dict[str, Any]  # as `sbot run --json` prints it
    stamps_ns: NDArray[np.int64]  # (T + 1,)
    # (T + 1, N, 3) x, y (m), yaw (rad) as messages carry them; NaN while not in the world
    poses: Floats
    commands: Floats  # (T + 1, N, 3) vx, vy (m/s), omega (rad/s) in the robot's own frame
    wind: Floats  # (T + 1, N, 2) m/s, effective, and what forces add, as in ``observation.wind``
    free_wind: Floats  # (T + 1, N, 2) m/s, the same, not reduced by wakes
    collided: NDArray[np.bool_]  # (T + 1, N) touched something in the last tick
    obstacles: Floats | None = None  # (T + 1, M, 2) m, centres of moving obstacles
    boxes: Floats | None = None  # (T + 1, B, 3) x, y (m), yaw (rad) of pushable boxes
    # Readings of the sensors in ``sense``, by their names in ``sbot_sim.sensors.registry``, with
    # T + 1 rows. A run also has a field for each sensor, e.g. ``scan``; None: not in ``sense``.
    sensed: Mapping[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of a sensor
        if not name.startswith('_'):
            try:
                check_name('run', name)
            except InputError as error:
                raise AttributeError(str(error)) from None
            return self.sensed.get(name)
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *sensors()]

    def __repr__(self) -> str:
        rows, robots = self.poses.shape[:2]
        several = 's' * (robots > 1)
        return (f'<Run {self.scenario.name}, seed {self.scenario.seed}: {robots} robot{several}, '
                f'{max(0, rows - 1)} ticks, {in_seconds(self.summary["sim_time_s"])}>')

    def _repr_html_(self) -> Any:  # noqa: ANN401 - text or None, of what knows the viewer
        return sys.modules['sbot']._frame(self)

    @property
    def seconds(self) -> Floats:
        """Simulated time (s) since the first row, (T + 1,)."""
        seconds: Floats = (self.stamps_ns - self.stamps_ns[:1]) / NANOSECONDS
        return seconds

    @property
    def episode(self) -> Episode:
        """The run as ``Worlds.run`` returns it, (T, 1, N, …): a fitness takes either.

        ``infrared`` is there if ``sense`` named it.
        """
        ticks = max(0, len(self.poses) - 1)
        infrared = self.sensed.get('infrared')
        if infrared is not None:
            infrared = infrared.astype(np.float64)
        arrays = self.poses, self.commands, self.collided, infrared, self.wind
        rows: list[Any] = [None if each is None else each[:ticks, np.newaxis] for each in arrays]
        return Episode._make([*rows, self.scenario.rate.dt])

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a table with a row for each tick and robot, and units in the columns' names.

        Raises
        ------
        InputError
            if pandas is not installed.

        """
        try:
            import pandas
        except ImportError:
            raise InputError(f'to_dataframe() needs pandas: {install_command("pandas")}') from None
        rows, robots = self.poses.shape[:2]
        columns: dict[str, NDArray[Any]] = {
            'tick': np.repeat(np.arange(rows), robots),
            'time_s': np.repeat(self.seconds, robots),
            'robot': np.tile(np.arange(robots), rows),
        }
        command = {'v_mps': VX, 'omega_radps': OMEGA}
        if any(body.is_holonomic for body in robot_bodies(self.scenario)):
            command['lateral_mps'] = VY
        tables = [(('x_m', 'y_m', 'yaw_rad'), self.poses),
                  (tuple(command), self.commands[..., list(command.values())]),
                  (('wind_x_mps', 'wind_y_mps'), self.wind)]
        if 'odometry' in self.sensed:
            tables.append((('odom_x_m', 'odom_y_m', 'odom_yaw_rad'), self.sensed['odometry']))
        for names, table in tables:
            columns.update(zip(names, table.reshape(rows * robots, -1).T, strict=True))
        columns['collided'] = self.collided.reshape(-1)
        return pandas.DataFrame(columns)


class History:
    """Collects the arrays of a run, tick by tick.

    Parameters
    ----------
    scenario : of the run
    ticks : how many it has; -1: keep nothing
    sense : names of sensors to keep, too

    Raises
    ------
    InputError
        for an unknown sensor, or one that the scenario's robots do not have.

    """

    def __init__(self, scenario: Scenario, ticks: int, sense: Collection[str] = ()) -> None:
        self._scenario = scenario
        self._sense = [sensors()[name] for name in checked_senses(sense, scenario)
                       if name != 'wind']  # which is kept anyway
        rows, n = ticks + 1, len(scenario.robots)
        needed = rows * n * _ROW_BYTES
        if needed > limits().run_bytes:
            raise too_large(f'{scenario.name}: history of {rows} ticks and {n} robots', 'bytes',
                            needed, 'run_bytes')
        self._stamps = np.array([scenario.rate.stamp_ns(k) for k in range(rows)], np.int64)
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((rows, n, width)) for name, width in (
                ('poses', 3), ('commands', 3), ('wind', 2), ('free_wind', 2))}
        self._arrays['collided'] = np.zeros((rows, n), np.bool_)
        self._sensed: dict[str, Any] = {}  # arrays, or tuples of such

    def add(self, snapshot: Snapshot, commands: Floats) -> None:
        """Keep one tick."""
        if not len(self._stamps):
            return
        values = {'poses': snapshot.pose, 'commands': commands, 'wind': snapshot.wind,
                  'free_wind': snapshot.free_wind, 'collided': snapshot.collided}
        if snapshot.obstacles is not None:
            values['obstacles'] = snapshot.obstacles
        if snapshot.boxes is not None:
            values['boxes'] = as_sent(snapshot.boxes)
        readings = {sensor.name: sensor.kept(snapshot) for sensor in self._sense}

        def write(room: NDArray[Any], value: NDArray[Any]) -> None:
            room[snapshot.tick] = value
        for arrays, new in ((self._arrays, values), (self._sensed, readings)):
            for name, value in new.items():
                if name not in arrays:
                    arrays[name] = _of_parts(lambda each: np.zeros(
                        (len(self._stamps), *each.shape), each.dtype), value)
                _of_parts(write, arrays[name], value)

    def run(self, summary: dict[str, Any]) -> Run:
        """Return the finished run, which may have ended before its last tick."""
        rows = slice(summary['ticks'] + 1)
        return Run(self._scenario, summary, self._stamps[rows],
                   **{name: array[rows] for name, array in self._arrays.items()},
                   sensed={name: _of_parts(lambda each: each[rows], kept)
                           for name, kept in self._sensed.items()})


def _of_parts(function: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401
    """Return what a function makes of arrays, or of the parts of tuples of such."""
    if isinstance(given[0], tuple):
        return type(given[0])(*map(function, *given))
    return function(*given)
