"""Read poses and commands of a recording into arrays, all in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.bag.reader import Bag
from sbot.bag.ticks import count_robots, rate_of, ticks
from sbot.files.yaml_plain import load_mapping
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, CMD_VEL, resolve
from sbot_common.wire.messages import read_odometry, read_twist


class Recording(NamedTuple):
    """Poses and commands of a lockstep recording; T ticks, N robots."""

    scenario_text: str
    stamps_ns: NDArray[np.int64]  # (T,)
    poses: NDArray[np.float64]  # (T, N, 3) x, y (m), yaw (rad)
    # (T, N, 3) vx, vy (m/s), omega (rad/s); NaN for robots that send none. Of an external robot
    # the newest command.
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
    free = _answering_freely(bag)
    answering = [robot for robot in range(robots) if robot not in free]
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
    free_names = {name: robot for robot in free
                  if (name := resolve(CMD_VEL, robot, robots)) in names}
    for name, _, log_ns, payload in bag.messages(list(free_names)) if free_names else ():
        robot = free_names[name]
        with bag.named_errors():
            command = read_twist(payload, types[robot])
        recording.commands[recording.stamps_ns >= log_ns, robot] = command
    return recording


def _answering_freely(bag: Bag) -> list[int]:
    """Return the robots whose commands answer no tick, only times: those of users' own nodes."""
    scenario = load_mapping(bag.scenario_text, f'{bag.path}: scenario')
    entries = scenario.get('robots')
    return [i for i, entry in enumerate(entries if isinstance(entries, list) else [])
            if isinstance(entry, dict) and entry.get('controller') == 'external']
