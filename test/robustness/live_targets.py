"""Fuzzed messages to what listens: wind fields, controllers' turns, a live view."""

import struct
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from mutate import mutated

from navigate.bot import Navigate
from potential_field_bot.bot import PotentialField
from potential_field_bot.messages import write_forces
from sbot.bag.reader import Bag
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario
from sbot.viewer.follower import Follower
from sbot.viewer.server import Live
from sbot_common import topics
from sbot_common.clock import Rate
from sbot_common.controlled_robot import ControlledRobot
from sbot_common.controller_inputs import Latest, Lockstep
from sbot_common.errors import InputError
from sbot_common.random.generators import TickGenerator
from sbot_common.random.purposes import CONTROLLER
from sbot_common.wire import cdr, messages, point_cloud
from sbot_common.wire.controller import FIELDS, read_inputs, sources, write_command
from sbot_sim.messages.snapshot import read_rab_data
from sbot_sim.ros.inbox import Inbox
from wind_model.generate import generate
from wind_model.grid import make_lattice
from wind_model.interpolate import sample
from wind_model.messages import decode_field, decode_vector, encode_field

RATE = Rate(10, 1)
SCENARIO = b"""\
name: live
rate: 10
duration: 0.4
world: {bounds: [-1, -1, 9, 5], circles: [{center: [6, 3], radius: 0.5}],
  moving: [{radius: 0.2, path: [[1, 4], [3, 4]], speed: 0.5}],
  boxes: [{center: [4, 4], size: [0.3, 0.3], mass: 2}]}
sensors: {infrared: true, scan_beams: 12, range_and_bearing: true}
wind: {wind_speed_mean: 0.3}
robots:
- {pose: [1, 1, 0], goal: [8, 2]}
- {pose: [3, 1, 0.5]}
- {pose: [5, 1, 0.5], controller: none}
"""
_HEAD = struct.Struct('<HI')  # number of a topic, length of a message
_EXTREMES = [0, 1, 7, 8, 2**16, 2**28, 2**29, 2**31 - 8, 2**31 - 1, 2**31, 2**32 - 8, 2**32 - 1]


# Point clouds: those of wind fields, with hostile numbers in their head, and any mutation.

def clouds(folder: Path) -> list[bytes]:
    """Wind fields, and clouds of infrared and of neighbours, full and empty."""
    fields = [make_lattice(generate(kind, resolution=6.0, layers=2)) for kind in
              ('vortex', 'uniform')]
    heard = [first for name, first in _first(_recorded(folder)).items()
             if name.endswith(('/infrared', '/range_and_bearing'))]
    return [*(encode_field(5, field) for field in (*fields, None)), *heard]


def cloud_of(seeds: list[bytes], random: Random) -> bytes:
    """Return a cloud with some of its numbers changed, or bytes changed anywhere."""
    raw = random.choice(seeds)
    if random.random() < 0.3:
        return mutated(raw, seeds, random)
    cloud = cdr.decode(raw, topics.WIND_FIELD.type)
    names = ['height', 'width', 'point_step', 'row_step', *['offset', 'datatype', 'count'] * 2]
    for _ in range(random.choice([1, 1, 2, 4])):
        name = random.choice(names)
        near = [cloud.point_step + k for k in (-8, -4, -1, 0, 1)]
        number = random.choice([*_EXTREMES, *near, random.getrandbits(32), random.randrange(100)])
        if hasattr(cloud, name):
            setattr(cloud, name, max(0, number) & 2**32 - 1)
        else:
            field = random.choice(cloud.fields)
            setattr(field, name, max(0, number) & (255 if name == 'datatype' else 2**32 - 1))
    if random.random() < 0.2:
        cloud.fields = random.choices(cloud.fields, k=random.choice([0, 1, 9, 2000]))
    if random.random() < 0.2:
        cloud.data = np.frombuffer(mutated(cloud.data.tobytes(), [raw], random), np.uint8)
    return cdr.encode(cloud)


def read_cloud(data: bytes, folder: Path) -> None:
    """Read as each of the clouds; what a simulator takes for a field, it asks for its wind."""
    refused = None
    for read in (decode_field, point_cloud.read_point_cloud, FIELDS['infrared'][1],
                 FIELDS['neighbours'][1]):
        try:
            found = read(data)
        except cdr.DamagedMessage as error:
            refused = error
            continue
        if read is decode_field and found is not None:
            middle = np.array([[found.x.mean(), found.y.mean(), found.z.mean()]])
            sample(found, middle, np.zeros(3))
        elif read is point_cloud.read_point_cloud:
            assert all(column.tobytes() is not None for column in found[1].values())
        refused = None
        break
    if refused is not None:
        raise refused


# Messages of a run, in their order, some of them changed.

def _recorded(folder: Path) -> Path:
    path = folder / 'live_bag'
    if not path.exists():
        run_scenario(parse_scenario(SCENARIO.decode(), 'x', folder), record=path, keep=False)
    return path


def _first(bag: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for message in Bag(bag).messages():
        found.setdefault(message.name, message.payload)
    return found


@cache
def _names(folder: Path) -> list[str]:
    return sorted(Bag(_recorded(folder)).names())


def _session(folder: Path) -> bytes:
    """The messages of a run as one input: number of the topic, length, bytes."""
    names = _names(folder)
    return b''.join(_HEAD.pack(names.index(message.name), len(message.payload)) + message.payload
                    for message in Bag(_recorded(folder)).messages())


def _unpacked(data: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 0
    while at + _HEAD.size <= len(data):
        number, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size + length
        found.append((number, data[at - length:at]))
    return found


def messages_of(seeds: list[bytes], random: Random) -> bytes:
    """Return a run with a few of its messages changed, doubled or left out."""
    run = _unpacked(random.choice(seeds))
    every = [raw for _, raw in run]
    for _ in range(random.choice([1, 3, 10])):
        at = random.randrange(len(run))
        number, raw = run[at]
        kind = random.random()
        if kind < 0.8:
            run[at] = number, mutated(raw, every, random)
        elif kind < 0.9:
            run.insert(random.randrange(len(run)), run[at])
        elif len(run) > 1:
            del run[at]
    return b''.join(_HEAD.pack(number, len(raw)) + raw for number, raw in run)


_KNOWN: list[str] = []  # topics by number


def turns(folder: Path) -> list[bytes]:
    """Sessions, after every controller is compiled."""
    _KNOWN[:] = _names(folder)
    return [_session(folder)]


def lives(folder: Path) -> list[bytes]:
    """Sessions of a live view."""
    return turns(folder)


def read_turn(data: bytes, folder: Path) -> None:
    """Give messages to two controllers, in lockstep and by a timer, and to a simulator's inbox.

    As nodes do, each goes on after a damaged message; the last is what is told.
    """
    refused: InputError | None = None
    robots = [ControlledRobot(0, PotentialField(goal=(8.0, 2.0), rate_hz=10.0),
                              TickGenerator(1, 0, CONTROLLER), (8.0, 2.0), RATE),
              ControlledRobot(1, Navigate(), TickGenerator(1, 1, CONTROLLER), None, RATE)]
    fields = [('scan',), ('scan', 'twist', 'odometry', 'infrared', 'neighbours', 'wind')]
    kept = [(Lockstep(3, each, RATE), Latest(i, 3, each)) for i, each in enumerate(fields)]
    heard = [{topics.resolve(source.topic, source.robot, 3): source
              for source in sources(i, 3, each, False)} for i, each in enumerate(fields)]
    inbox = Inbox(3)
    for number, raw in _unpacked(data):
        name = _KNOWN[number % len(_KNOWN)]
        for robot, (lockstep, latest), listens in zip(robots, kept, heard, strict=True):
            try:
                if name in listens:
                    stamp_ns, values = read_inputs(listens[name], 3, raw)
                    arrival = lockstep.put(stamp_ns, values)
                    latest.put(stamp_ns, values, 5)
                    if arrival.inputs is not None:
                        _turn(robot, arrival.inputs)
                        if not latest.missing():
                            _turn(robot, latest.inputs())
            except cdr.DamagedMessage as error:
                refused = error
        try:
            _take(inbox, name, raw)
        except InputError as error:
            refused = error
    inbox.inputs()
    if refused is not None:
        raise refused


def _turn(robot: ControlledRobot, inputs) -> None:
    if not np.isfinite(inputs.poses).all():
        return
    decision = robot.step(inputs)
    write_command(topics.CMD_VEL_STAMPED, inputs.stamp_ns, 'base_link', decision.command)
    messages.write_pose(inputs.stamp_ns, 'map', *inputs.poses[robot.robot_id].tolist())
    turn = getattr(robot.controller, 'turn', None)
    if isinstance(robot.controller, PotentialField) and turn is not None:
        x, y, _ = inputs.poses[robot.robot_id].tolist()
        write_forces(inputs.stamp_ns, robot.robot_id, x, y, turn)


def _take(inbox: Inbox, name: str, raw: bytes) -> None:
    """Let a simulator's inbox read what comes for it."""
    own = name.rpartition('/')[2]
    if own == topics.GOAL.name:
        inbox.on_teleport(0, topics.TELEPORT, raw)
    elif own == topics.RAB_DATA.name:
        read_rab_data(raw)
    elif own == topics.WIND.name:
        inbox.on_wind('velocity', decode_vector(raw).vector)
    elif own == topics.CMD_VEL.name:
        messages.read_twist(raw)


def read_live(data: bytes, folder: Path) -> None:
    """Give messages to the follower of a live view; a page is made of what it shows."""
    refused: InputError | None = None
    live = Live()
    callbacks = {}
    follower = Follower(live, lambda topic, name, callback: callbacks.update({name: callback}))
    for count, (number, raw) in enumerate(_unpacked(data)):
        try:
            name = _KNOWN[number % len(_KNOWN)]
            if name in callbacks:
                callbacks[name](raw)
        except InputError as error:
            refused = error
        if count % 20 == 0:
            follower.show()
    follower.show()
    if refused is not None:
        raise refused
