"""Makes small bags of made-up motion, without a simulator."""

import math
import random

import numpy as np

from sbot.bag.recorder import Recorder
from sbot_common.angles import quaternion_from_yaw
from sbot_common.clock import Rate
from sbot_common.topics import BASE_POSE_GROUND_TRUTH, BASE_SCAN, CLOCK, CMD_VEL, SCENARIO, frame
from sbot_common.wire.messages import write_clock, write_string, write_twist
from sbot_common.wire.templates import OdometryTemplate, ScanTemplate

RATE = Rate.parse('100/3')
SCENARIO_TEXT = 'name: made_up\nrate: 100/3\n'


def flush(recorder):
    """Wait until all that was recorded is in the file."""
    with recorder._changed:
        recorder._seal()
        assert recorder._changed.wait_for(lambda: not recorder._queue, 240.0)


def pose(tick, robot):
    angle = 0.01 * tick + robot
    return (robot + math.cos(angle), math.sin(angle), math.remainder(angle + 1.5, math.tau))


def command(tick, robot):
    return 0.1 + 1e-3 * tick, 0.0, 0.01 * robot - 0.1 / (tick + 1)


def tick_messages(tick, robots, with_scans=True):
    stamp = RATE.stamp_ns(tick)
    out = [(CLOCK.name, CLOCK, write_clock(stamp))]
    for robot in range(robots):
        x, y, yaw = pose(tick, robot)
        template = OdometryTemplate('map', frame('base_link', robot, robots))
        out.append((BASE_POSE_GROUND_TRUTH.resolve(robot, robots), BASE_POSE_GROUND_TRUTH,
                    template.fill(stamp, x, y, *quaternion_from_yaw(yaw), 0.1, 0.0, 0.2)))
        if with_scans:
            scan = ScanTemplate(frame('laser', robot, robots), 5, -1.0, 1.0, 0.5, 0.03, 0.1, 30.0)
            ranges = np.array([1.0, 2.0, math.inf, tick + 1, robot + 1], np.float32)
            out.append((BASE_SCAN.resolve(robot, robots), BASE_SCAN, scan.fill(stamp, ranges)))
    for robot in range(robots):
        payload = write_twist(*command(tick, robot))
        out.append((CMD_VEL.resolve(robot, robots), CMD_VEL, payload))
    return out


def make_bag(directory, robots=3, length=40, change=lambda tick, name, payload: payload,
             shuffle=None):
    """Record a bag; ``change`` may replace a payload or drop it (None).

    With ``shuffle`` (a seed) the messages of a tick come in any order, as a subscriber's.
    """
    metadata = {'scenario': SCENARIO_TEXT, 'seed': '1', 'version': '0'}
    with Recorder(directory, metadata=metadata) as r:
        r.write(SCENARIO.name, SCENARIO, RATE.stamp_ns(0), write_string(SCENARIO_TEXT))
        for tick in range(length):
            group = tick_messages(tick, robots)
            if shuffle is not None:
                random.Random(shuffle + tick).shuffle(group)
            for name, topic, payload in group:
                changed = change(tick, name, payload)
                if changed is not None:
                    r.write(name, topic, RATE.stamp_ns(tick), changed)
    return directory
