# SPDX-License-Identifier: Apache-2.0
"""Time series of topics as arrays, and recordings as CSV or Parquet, one table for each topic."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from sbot.bag.reader import Bag
from sbot.bag.ticks import count_robots, rate_of, robot_of
from sbot.files.yaml_text import LARGEST
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, install_command, shown, unknown_name
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    BASE_SCAN,
    CMD_VEL,
    COMMAND_TYPES,
    WIND,
)
from sbot_common.wire import cdr
from sbot_common.wire.cdr import END, Layout, little_endian
from sbot_common.wire.messages import PoseStamped, read_header_stamp, read_twist
from sbot_sim.drives.registry import DRIVES

# Time series of one topic as arrays: poses, vectors or scans.

# Of each type: the fields that are kept, from the first up to the second; kind of the numbers.
_KEPT = {
    BASE_POSE_GROUND_TRUTH.type: (('pose.pose', 'pose.covariance'), '<f8'),
    WIND.type: (('vector', END), '<f8'),
    BASE_SCAN.type: (('angle_min', 'intensities#'), '<f4'),
}


class Series:
    """The messages of one topic, each with its header's stamp and a row of numbers.

    Rows of nav_msgs/Odometry are the seven numbers of the pose, of geometry_msgs/Vector3Stamped
    x, y, z; of sensor_msgs/LaserScan seven numbers from angle_min to range_max, the count of
    ranges (an integer) and the ranges.
    """

    def __init__(self, name: str, type_name: str) -> None:
        self._name = name
        self.type = type_name
        paths, self._dtype = _KEPT[type_name]
        self._layout = Layout(type_name, *paths)
        self._stamps: list[int] = []
        self._rows: list[bytes] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, payload: bytes) -> int:
        """Keep the numbers of one message and return its stamp (ns)."""
        payload = little_endian(payload, self.type)
        begin, end = self._layout.find(payload)
        if end > len(payload):
            raise InputError(f'{self._name}: a message ends after {len(payload)} bytes')
        stamp_ns = read_header_stamp(payload)
        self._stamps.append(stamp_ns)
        self._rows.append(payload[begin:end])
        return stamp_ns

    def clear(self) -> None:
        """Forget everything."""
        self._stamps.clear()
        self._rows.clear()

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return stamps (M,) (ns) and rows (M, width), in the order of the stamps.

        Raises
        ------
        InputError
            if the messages do not all hold the same count of numbers.

        """
        width = len(self._rows[0]) if self._rows else 0
        if any(len(row) != width for row in self._rows):
            raise InputError(f'{self._name}: its messages differ in size')
        stamps = np.array(self._stamps, np.int64)
        rows = np.frombuffer(b''.join(self._rows), self._dtype)
        rows = rows.reshape(len(stamps), width // rows.itemsize)
        order = np.argsort(stamps, kind='stable')
        return stamps[order], rows[order]


def held(stamps: NDArray[np.int64], known: NDArray[np.int64], rows: NDArray[Any]) -> NDArray[Any]:
    """Return at each of ``stamps`` the latest row that is known by then, else the first one."""
    place = np.searchsorted(known, stamps, side='right') - 1
    result: NDArray[Any] = rows[np.clip(place, 0, None)]
    return result


# Export poses and commands of a recording as CSV, one row per robot and tick.

_POSE_COLUMNS = ('tick', 'time_s', 'robot', 'x_m', 'y_m', 'yaw_rad')
_COMMAND_COLUMNS = ('v_mps', 'omega_radps', 'lateral_mps')


def write_csv(bag: Bag, out: TextIO) -> int:
    """Write the table; return how many rows it has.

    Numbers have as many digits as it takes to read the same number back. Columns are called as in
    ``Run.to_dataframe``, and ``time_s`` is 0 at tick 0, too. ``v_mps`` and ``omega_radps`` are the
    robot's newest command before its next pose (in lockstep: its answer to this tick), empty while
    it has sent none. ``lateral_mps`` is there where a drive of the scenario moves to the side.

    Raises
    ------
    InputError
        if the bag has no poses or no scenario, or a topic is of another type.

    """
    robots = count_robots(bag)
    rate = rate_of(bag)
    begin_ns = rate.stamp_ns(0)
    types = {topic.resolve(robot, robots): kinds for robot in range(robots)
             for topic, kinds in ((BASE_POSE_GROUND_TRUTH, [BASE_POSE_GROUND_TRUTH.type]),
                                  (CMD_VEL, COMMAND_TYPES))}
    writer = csv.writer(out, lineterminator='\n')
    sideways = any(drive.sideways and drive.name in bag.scenario_text for drive in DRIVES)
    columns = _COMMAND_COLUMNS[:3 if sideways else 2]
    writer.writerow(_POSE_COLUMNS + columns)
    poses: dict[int, PoseStamped] = {}  # of each robot, waiting for the command
    commands: dict[int, list[str]] = {}
    rows = 0

    def put(robot: int, pose: PoseStamped) -> None:
        seconds = (pose.stamp_ns - begin_ns) / NANOSECONDS
        command = commands.get(robot, [''] * 3)[:len(columns)]
        writer.writerow([rate.tick(pose.stamp_ns), repr(seconds), robot,
                         repr(pose.x), repr(pose.y), repr(pose.yaw), *command])

    with bag.named_errors():
        for message in bag.messages_of(types):
            robot, name = robot_of(message.name) or (0, '')
            if name == CMD_VEL.name:
                vx, vy, omega = read_twist(message.payload, message.type)
                commands[robot] = [repr(vx), repr(omega), repr(vy)]
            else:
                if robot in poses:
                    put(robot, poses[robot])
                poses[robot] = PoseStamped.of_odometry(
                    little_endian(message.payload, message.type))
                rows += 1
    for robot, pose in sorted(poses.items()):
        put(robot, pose)
    return rows


FORMATS = ('csv', 'parquet')
_OPEN = 100  # files at a time; more topics are more passes through the bag
_ROWS = 1000  # of a Parquet row group
_LONGEST_STEM = 200  # characters of a file's name before its ending


def write_tables(bag: Bag, folder: Path, format: str = 'csv',
                 topics: Collection[str] = ()) -> dict[Path, int]:
    """Write a table for each topic; return how many rows each file has.

    A row is a message: ``stamp_ns``, then its fields by dotted name. Numbers read back to the same
    bits. Arrays of numbers are lists in Parquet and JSON in CSV, lists of messages are JSON.

    Parameters
    ----------
    bag : to read
    folder : to write into; must not hold files of these names
    format : 'csv' or 'parquet'
    topics : which; none: all

    Raises
    ------
    InputError
        for an unknown topic, a file that exists, a message that cannot be read, a topic of two
        types, in Parquet a whole number beyond 64 bits with a sign, or without pyarrow.

    """
    if format == 'parquet' and find_spec('pyarrow') is None:
        raise InputError(f'--format parquet needs pyarrow: {install_command("sweep")}; --format '
                         'csv needs nothing')
    known = bag.names()
    for name in topics:
        if name not in known:
            raise unknown_name('--topic', name, known)
    paths = _paths(sorted(topics or known), folder, format)
    for path in paths.values():
        if path.exists():
            raise InputError(f'{path}: exists already; give a new name')
    folder.mkdir(parents=True, exist_ok=True)
    rows = dict.fromkeys(paths, 0)
    names = list(paths)
    for first in range(0, len(names), _OPEN):
        some = set(names[first:first + _OPEN])
        with ExitStack() as stack, bag.named_errors():
            add: dict[str, Callable[[dict[str, Any]], object]] = {}
            types: dict[str, str] = {}
            for message in bag.messages(some):
                kind = types.setdefault(message.name, message.type)
                if message.type != kind:
                    raise InputError(f'{bag.path}: {message.name} has messages of types '
                                     f'{shown(kind)} and {shown(message.type)}, expected one type')
                row = {'stamp_ns': message.stamp_ns,
                       **dict(_flat(cdr.decode(message.payload, message.type), ''))}
                if message.name not in add:
                    begin = _begin_csv if format == 'csv' else _begin_parquet
                    add[message.name] = begin(paths[message.name], row, stack)
                add[message.name](row)
                rows[message.name] += 1
    return {paths[name]: count for name, count in rows.items() if count}


def _paths(topics: Collection[str], folder: Path, format: str) -> dict[str, Path]:
    """Return a file for each topic: `/robot_0/odom` becomes `robot_0.odom.csv`.

    A name that is too long for a file is cut off; equal ones are numbered.
    """
    paths: dict[str, Path] = {}
    taken = set[Path]()
    for topic in topics:
        stem = re.sub(r'[^\w-]', '.', topic.strip('/'), flags=re.ASCII)[:_LONGEST_STEM] or 'topic'
        path, number = folder / f'{stem}.{format}', 1
        while path in taken:
            number += 1
            path = folder / f'{stem}.{number}.{format}'
        taken.add(path)
        paths[topic] = path
    return paths


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any message
    """Yield the fields of a message by dotted name."""
    if is_dataclass(value):
        for each in fields(value):
            if not each.name.startswith('__'):
                yield from _flat(getattr(value, each.name),
                                 f'{name}.{each.name}' if name else each.name)
    elif isinstance(value, list):
        yield name, json.dumps([_plain(item) for item in value])
    else:
        yield name, value


def _plain(value: Any) -> Any:  # noqa: ANN401 - any message
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)
                if not each.name.startswith('__')}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _begin_csv(path: Path, row: dict[str, Any],
               stack: ExitStack) -> Callable[[dict[str, Any]], object]:
    """Begin a file with the names of a row; return what adds rows to it until the stack ends."""
    writer = csv.writer(stack.enter_context(path.open('w', encoding='utf-8', newline='')),
                        lineterminator='\n')
    writer.writerow(row)
    return lambda row: writer.writerow([
        json.dumps(value.tolist()) if isinstance(value, np.ndarray) else value
        for value in row.values()])


def _begin_parquet(path: Path, row: dict[str, Any],
                   stack: ExitStack) -> Callable[[dict[str, Any]], object]:
    """Begin a file with columns for a row; return what adds rows to it until the stack ends."""
    import pyarrow
    from pyarrow import parquet
    plain = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64()}
    schema = pyarrow.schema([
        (name, pyarrow.list_(pyarrow.from_numpy_dtype(value.dtype))
         if isinstance(value, np.ndarray) else plain.get(type(value), pyarrow.string()))
        for name, value in row.items()])
    writer = stack.enter_context(parquet.ParquetWriter(path, schema))
    whole = [name for name, value in row.items() if type(value) is int]
    rows: list[dict[str, Any]] = []

    def flush() -> None:
        columns = {name: [row[name] for row in rows] for name in schema.names}
        rows.clear()
        for name in whole:  # a stamp of an MCAP file has no sign
            if any(abs(number) > LARGEST for number in columns[name]):
                raise InputError(f'{path}: {name} has numbers that Parquet cannot hold (64 bits '
                                 'with a sign); use --format csv')
        writer.write_table(pyarrow.table(columns, schema))

    def add(row: dict[str, Any]) -> None:
        rows.append(row)
        if len(rows) >= _ROWS:
            flush()
    stack.callback(flush)
    return add
