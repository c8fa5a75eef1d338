"""Export poses and commands of a recording as CSV, one row per robot and tick."""

from __future__ import annotations

import csv
from typing import TextIO

from sbot.bag.reader import Bag
from sbot.bag.ticks import count_robots, rate_of, robot_of
from sbot_common.clock import NANOSECONDS
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, CMD_VEL, COMMAND_TYPES, resolve
from sbot_common.twist import Twist
from sbot_common.wire.cdr import little_endian
from sbot_common.wire.messages import PoseStamped, read_odometry, read_twist
from sbot_sim.drives.registry import DRIVES

POSE_COLUMNS = ('tick', 'time_s', 'robot', 'x_m', 'y_m', 'yaw_rad')
COMMAND_COLUMNS = ('v_mps', 'omega_radps', 'lateral_mps')


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
    types = {resolve(topic, robot, robots): kinds for robot in range(robots)
             for topic, kinds in ((BASE_POSE_GROUND_TRUTH, [BASE_POSE_GROUND_TRUTH.type]),
                                  (CMD_VEL, COMMAND_TYPES))}
    writer = csv.writer(out, lineterminator='\n')
    sideways = any(drive.sideways and drive.name in bag.scenario_text for drive in DRIVES)
    columns = COMMAND_COLUMNS[:3 if sideways else 2]
    writer.writerow(POSE_COLUMNS + columns)
    poses: dict[int, PoseStamped] = {}  # of each robot, waiting for the command
    commands: dict[int, Twist] = {}
    rows = 0

    def put(robot: int, pose: PoseStamped) -> None:
        command = [''] * 3
        if robot in commands:
            vx, vy, omega = commands[robot]
            command = [repr(vx), repr(omega), repr(vy)]
        seconds = (pose.stamp_ns - begin_ns) / NANOSECONDS
        writer.writerow([rate.tick(pose.stamp_ns), repr(seconds), robot,
                         repr(pose.x), repr(pose.y), repr(pose.yaw), *command[:len(columns)]])

    with bag.named_errors():
        for message in bag.messages_of(types):
            found = robot_of(message.name)
            assert found is not None
            robot = found[0]
            if found[1] == CMD_VEL.name:
                commands[robot] = read_twist(message.payload, message.type)
                continue
            if robot in poses:
                put(robot, poses[robot])
                rows += 1
            poses[robot] = read_odometry(little_endian(message.payload, message.type))
    for robot, pose in sorted(poses.items()):
        put(robot, pose)
    return rows + len(poses)
