"""The history of a run as arrays: what ``sbot.run`` returns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbot.files.limits import limits, too_large
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.model import Scenario
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, bad_value, install_command, unknown_name
from sbot_common.twist import OMEGA, VX, VY
from sbot_sim.engine.state import Snapshot
from sbot_sim.world.boxes import as_sent

if TYPE_CHECKING:
    import pandas

Array = NDArray[np.float64]
_ROW_BYTES = 8 * (3 + 3 + 2 + 2) + 1  # of a robot and a tick, without sensors
SENSORS = ('scans', 'infrared', 'odometry', 'imu', 'gnss')  # kept on request


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run; T ticks, N robots, frame `map`. Row k belongs to the stamp of tick k.

    The commands of the last row are not executed.
    """

    scenario: Scenario
    summary: dict[str, Any]  # as `sbot run --json` prints it
    stamps_ns: NDArray[np.int64]  # (T + 1,)
    poses: Array  # (T + 1, N, 3) x, y (m), yaw (rad) as messages carry them
    commands: Array  # (T + 1, N, 3) vx, vy (m/s), omega (rad/s) in the robot's own frame
    wind: Array  # (T + 1, N, 2) m/s, effective, and what forces add, as in ``observation.wind``
    free_wind: Array  # (T + 1, N, 2) m/s, the same, not reduced by wakes
    collided: NDArray[np.bool_]  # (T + 1, N) met something in the tick before
    scans: NDArray[np.float32] | None = None  # (T + 1, N, beams) m, +inf: no echo
    infrared: NDArray[np.float32] | None = None  # (T + 1, N, 15) readings
    odometry: Array | None = None  # (T + 1, N, 3) x, y (m), yaw (rad) by the wheels, frame `odom`
    imu: Array | None = None  # (T + 1, N, 4) yaw (rad), rad/s, m/s^2 forwards and to the left
    gnss: Array | None = None  # (T + 1, N, 3) latitude (deg), longitude (deg), altitude (m)
    obstacles: Array | None = None  # (T + 1, M, 2) m, centres of those that move
    boxes: Array | None = None  # (T + 1, B, 3) x, y (m), yaw (rad) of pushable boxes

    def __repr__(self) -> str:
        rows, robots = self.poses.shape[:2]
        return (f'<Run {self.scenario.name}, seed {self.scenario.seed}: {robots} robots, '
                f'{max(0, rows - 1)} ticks, {self.summary["sim_time_s"]:g} s>')

    @property
    def seconds(self) -> Array:
        """Simulated time of each row since the first (s); (T + 1,)."""
        seconds: Array = (self.stamps_ns - self.stamps_ns[:1]) / NANOSECONDS
        return seconds

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a table: a row for each tick and robot, columns with their units in the name.

        Raises
        ------
        InputError
            where pandas is not installed.

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
        if self.odometry is not None:
            tables.append((('odom_x_m', 'odom_y_m', 'odom_yaw_rad'), self.odometry))
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
    sense : which of ``SENSORS`` to keep, too

    Raises
    ------
    InputError
        for an unknown sensor, or one that the scenario's robots do not have.

    """

    def __init__(self, scenario: Scenario, ticks: int, sense: Collection[str] = ()) -> None:
        if isinstance(sense, str):
            raise bad_value('sense', sense, f"a list, e.g. ['{sense}']")
        for name in sense:
            if name not in SENSORS:
                raise unknown_name('sense', name, SENSORS)
        sensors = scenario.sensors
        for name, on in (('infrared', sensors.infrared.infrared), ('imu', sensors.imu.imu),
                         ('gnss', sensors.gnss.gnss)):
            if name in sense and not on:
                raise InputError(f'sense: {name} needs sensors.{name}: true in the scenario')
        self._scenario = scenario
        self._sense = sense
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

    def add(self, snapshot: Snapshot, commands: Array) -> None:
        """Keep one tick."""
        if not len(self._stamps):
            return
        values = {'poses': snapshot.pose, 'commands': commands, 'wind': snapshot.wind,
                  'free_wind': snapshot.free_wind, 'collided': snapshot.collided,
                  **{name: self._sensor(name, snapshot) for name in self._sense}}
        if snapshot.obstacles is not None:
            values['obstacles'] = snapshot.obstacles
        if snapshot.boxes is not None:
            values['boxes'] = as_sent(snapshot.boxes)
        for name, value in values.items():
            if name not in self._arrays:
                self._arrays[name] = np.zeros((len(self._stamps), *value.shape), value.dtype)
            self._arrays[name][snapshot.tick] = value

    @staticmethod
    def _sensor(name: str, snapshot: Snapshot) -> NDArray[Any]:
        if name == 'scans':
            return snapshot.ranges
        if name == 'odometry':
            return snapshot.odometry
        for own, readings in (('imu', snapshot.imu), ('gnss', snapshot.gnss)):
            if name == own:
                assert readings is not None
                return readings
        assert snapshot.infrared is not None
        return snapshot.infrared[:, :, -1]

    def run(self, summary: dict[str, Any]) -> Run:
        """Return the finished run, which may have ended before its last tick."""
        rows = slice(summary['ticks'] + 1)
        return Run(self._scenario, summary, self._stamps[rows],
                   **{name: array[rows] for name, array in self._arrays.items()})
