# SPDX-License-Identifier: Apache-2.0
"""Golden bags; poses, commands and controllers' inputs read from recordings.

They hold what controllers read and answer and no pictures: small, and good for `sbot replay`.
The same on every machine, because results are made of ``sbot_common.elementary``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.bag.compare import IGNORED, compare
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import Tick, count_robots, rate_of, robot_of, ticks
from sbot.controllers.shipped import EXTERNAL as EXTERNAL
from sbot.files.limits import TemporaryFolder
from sbot.files.yaml_text import load_mapping
from sbot.runner.loop import run_scenario
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot_common.controller_inputs import Inputs
from sbot_common.errors import InputError
from sbot_common.observation import STOP
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    CMD_VEL,
    COMMAND_TYPES,
    GOAL,
    POSES,
    SCENARIO,
    Topic,
    resolve,
)
from sbot_common.wire.messages import read_odometry, read_poses, read_twist
from sbot_sim.ros.external import External
from sbot_sim.sensors.registry import codecs

# Controller inputs from recorded messages.

def _sensor_topics() -> list[Topic]:
    """Return the topics of all sensors, each once."""
    return list(dict.fromkeys(topic for topic, _ in codecs().values()))


def recorded_inputs(tick: Tick) -> Callable[[int, Sequence[str]], Inputs]:
    """Return a function from a robot's id, and fields of its ``Observation``, to its inputs.

    ``tick`` is of a bag with the topics of the fields. Poses are taken from `/poses` where the
    controllers took them from there. A field that was not recorded is left out.
    """
    odometry = tick.inputs[BASE_POSE_GROUND_TRUTH.name]
    together = tick.inputs.get(POSES.name, [None])[0]
    if together is not None:
        poses = read_poses(together, len(odometry))[1]
    else:
        rows = [read_odometry(raw) for raw in odometry if raw is not None]
        poses = np.array([(row.x, row.y, row.yaw) for row in rows])
        poses.flags.writeable = False

    def inputs(robot: int, fields: Sequence[str]) -> Inputs:
        values = {}
        for field in fields:
            topic, read = codecs()[field]
            raw = tick.inputs[topic.name][robot]
            if raw is not None:
                try:
                    values[field] = read(raw)[1]
                except InputError as error:
                    raise InputError(f'tick {tick.tick}: robot {robot}: {topic.name}: {error}'
                                     ) from None
        return Inputs(tick.stamp_ns, poses, values)

    return inputs


# Read poses and commands of a recording into arrays, all in memory.

class Recording(NamedTuple):
    """Poses and commands of a lockstep recording; T ticks, N robots."""

    scenario_text: str
    stamps_ns: NDArray[np.int64]  # (T,)
    poses: NDArray[np.float64]  # (T, N, 3) x, y (m), yaw (rad)
    # (T, N, 3) vx, vy (m/s), omega (rad/s); NaN for robots that send none. Of an external robot
    # the one that held.
    commands: NDArray[np.float64]


def read_recording(bag: Bag) -> Recording:
    """Return the complete ticks of a bag.

    Raises
    ------
    InputError
        if it has no poses or no scenario, or a message is missing in the middle.

    """
    robots = count_robots(bag)
    names = bag.names()
    types = [names.get(resolve(CMD_VEL, robot, robots), CMD_VEL.type) for robot in range(robots)]
    stamps, poses, commands = [], [], []
    external = _external(bag)
    answering = [robot for robot in range(robots) if robot not in external]
    for tick in ticks(bag, robots, rate_of(bag), (BASE_POSE_GROUND_TRUTH,), answering):
        stamps.append(tick.stamp_ns)
        rows = [read_odometry(raw) for raw in tick.inputs[BASE_POSE_GROUND_TRUTH.name]
                if raw is not None]
        poses.append([(row.x, row.y, row.yaw) for row in rows])
        commands.append([(np.nan,) * 3 if raw is None else read_twist(raw, type_name)
                         for raw, type_name in zip(tick.commands, types, strict=True)])
    recording = Recording(bag.scenario_text, np.array(stamps, np.int64),
                          np.array(poses, np.float64).reshape(-1, robots, 3),
                          np.array(commands, np.float64).reshape(-1, robots, 3))
    for robot, held in held_commands(bag, recording.stamps_ns, robots, external).items():
        recording.commands[:, robot] = held
    return recording


def _external(bag: Bag) -> dict[int, External]:
    """Return the robots whose commands answer no tick, only times: those of users' own nodes."""
    where = f'{bag.path}: scenario'
    entries = load_mapping(bag.scenario_text, where).get('robots')
    found = [i for i, entry in enumerate(entries if isinstance(entries, list) else [])
             if isinstance(entry, dict) and entry.get('controller') == EXTERNAL.name]
    if not found:  # only poses and commands are needed of a scenario, whatever else is in it
        return {}
    scenario = parse_scenario(bag.scenario_text, where, Path.cwd(), import_controllers=False)
    return {i: External() for i in found} | external_robots(scenario)


def held_commands(bag: Bag, stamps_ns: NDArray[np.int64], robots: int,
                  external: Mapping[int, External]) -> dict[int, NDArray[np.float64]]:
    """Return the commands (T, 3) that held at the ticks of a recording, by external robot.

    A command holds from the tick at which it came to the next one, or for the robot's
    ``command_timeout``. One that is not finite is taken as 0. Before the first they are NaN.

    Parameters
    ----------
    bag : of this package, so a message's log time is the stamp of its tick
    stamps_ns : (T,) of the ticks
    robots : how many there are
    external : how the nodes take part, by robot

    """
    robot_of = {resolve(CMD_VEL, robot, robots): robot for robot in external}
    heard_ns: dict[int, list[int]] = {robot: [] for robot in external}
    sent = {robot: [(np.nan,) * 3] for robot in external}
    for message in bag.messages_of(dict.fromkeys(robot_of, COMMAND_TYPES)):
        with bag.named_errors():
            twist = read_twist(message.payload, message.type)
        robot = robot_of[message.name]
        heard_ns[robot].append(message.stamp_ns)
        sent[robot].append(twist if np.isfinite(twist).all() else STOP)
    held = {}
    for robot, each in external.items():
        known = np.array(heard_ns[robot], np.int64)
        newest = np.searchsorted(known, stamps_ns, side='right')  # 0: none
        held[robot] = np.array(sent[robot], np.float64)[newest]
        if len(known):  # where none has come yet, the age is negative
            ages = (stamps_ns - known[newest - 1]).tolist()
            held[robot][[each.too_old(age) for age in ages]] = STOP
    return held


def record_golden(scenario: Scenario, directory: str | Path) -> None:
    """Run a scenario and make (or replace) its golden bag.

    Raises
    ------
    InputError
        if the directory cannot be written.

    """
    directory = Path(directory)
    kept = {topic.name for topic in (*_sensor_topics(), CMD_VEL, GOAL, SCENARIO)}
    with TemporaryFolder('golden') as folder:
        run_scenario(scenario, record=Path(folder) / 'run', keep=False)
        source = Bag(Path(folder) / 'run')
        new = Path(folder) / directory.name
        with Recorder(new, metadata=source.metadata) as recorder:
            for message in source.messages():
                found = robot_of(message.name)
                own = found[1] if found else message.name
                if own in kept:
                    topic = Topic(own, message.type, own in (SCENARIO.name, GOAL.name))
                    recorder.write(message.name, topic, message.stamp_ns, message.payload)
        if directory.exists():
            shutil.rmtree(directory)
        directory.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(new, directory)


def check_golden(scenario: Scenario, directory: str | Path) -> str:
    """Run a scenario; return how it differs from its golden bag, '' if in no bit.

    Raises
    ------
    InputError
        if the golden bag cannot be read.

    """
    golden = Bag(directory)
    with TemporaryFolder('golden') as folder:
        run_scenario(scenario, record=Path(folder) / 'run', keep=False)
        result = compare(golden, Bag(Path(folder) / 'run'), (*IGNORED, SCENARIO.name))
    if result.first is not None:
        return f'{golden.path}: golden != run: {result.first}'
    if result.unpaired:
        return f'{golden.path}: numbers of messages differ: {result.unpaired}'
    if result.only_first:
        return f'{golden.path}: topics missing in the run: {result.only_first}'
    return ''
