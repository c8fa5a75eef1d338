# SPDX-License-Identifier: Apache-2.0
"""Replay: recorded inputs to new controllers, every command compared bit for bit."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import Tick, count_robots, ticks
from sbot.controllers.registry import NONE, is_outside
from sbot.regression.commands import Differing, DifferingRobot
from sbot.runner.loop import changed_files, open_recorder
from sbot.scenario.controllers import controlled_robots, observed_fields
from sbot.scenario.load import parse_scenario
from sbot.scenario.model import Scenario
from sbot.version import THIS, Maker, signed
from sbot_common import topics
from sbot_common.controller_inputs import Inputs
from sbot_common.errors import InputError, bad_value, refuse
from sbot_common.observation import Decision, Point, Twist
from sbot_common.signals import Held
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    POSES,
)
from sbot_common.wire.cdr import decode, encode
from sbot_common.wire.controller import write_command
from sbot_common.wire.messages import (
    PoseStamped,
    read_poses,
    read_twist,
    write_string,
    write_twist,
)
from sbot_sim.sensors.registry import codecs, sensors

# Of `sbot run` even such a bag is replayed: in one process every run is in lockstep.
_FREE_RUNNING = ('the nodes ran free (lockstep: false), so the recording does not show which '
                 'poses and scans a command answers; record with lockstep: true')


def _recorded_inputs(tick: Tick) -> Callable[[int, Sequence[str]], Inputs]:
    """Return a function from a robot's id, and fields of its ``Observation``, to its inputs.

    ``tick`` is of a bag with the topics of the fields. Poses are taken from `/poses` where the
    controllers took them from there. A field that was not recorded is left out.
    """
    odometry = tick.inputs[BASE_POSE_GROUND_TRUTH.name]
    together = tick.inputs.get(POSES.name, [None])[0]
    if together is not None:
        poses = read_poses(together, len(odometry))[1]
    else:
        rows = [PoseStamped.of_odometry(raw) for raw in odometry if raw is not None]
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


class _FirstDifference(NamedTuple):
    """The earliest command that is not as recorded."""

    tick: int
    stamp_ns: int
    robot: int
    recorded: Twist
    new: Twist

    def __str__(self) -> str:
        return (f'first difference: tick {self.tick}, robot {self.robot}: recorded '
                f'{_in_words(self.recorded)}; now {_in_words(self.new)}')


def _robots(numbers: Sequence[int]) -> str:
    return f'robot{"s" * (len(numbers) > 1)} {", ".join(map(str, numbers))}'


def _in_words(command: Twist) -> str:
    vy = '' if command.vy == 0.0 else f'vy = {command.vy!r} m/s, '
    return f'vx = {command.vx!r} m/s, {vy}omega = {command.omega!r} rad/s'


class ReplayResult(NamedTuple):
    """Result of a replay."""

    scenario: str  # name
    ticks: int
    commands: int  # compared
    differences: int  # of them, not equal bit for bit
    first: _FirstDifference | None
    damage: str  # where the bag was cut off, else ''
    # Robots that other nodes drove, and robots whose controllers draw random numbers, if the
    # recording has others than this version: those are compared up to the first draw only.
    not_compared: tuple[int, ...] = ()
    version: str = ''  # of the recording, if there are robots of the second kind
    outside: tuple[tuple[int, str], ...] = ()  # robots of the first kind, their controllers
    compared: tuple[int, ...] = ()  # all other robots
    differing: tuple[DifferingRobot, ...] = ()  # robots with differences, by id
    changed_files: tuple[str, ...] = ()  # of the controllers, changed since the recording
    random_numbers: str = ''  # generator of the recording's, if `version` is given

    @property
    def equal(self) -> bool:
        """Whether commands were compared, and all are as recorded."""
        return self.commands > 0 and self.differences == 0

    def left_out(self) -> str:
        """Say which robots drew other random numbers, so that none is compared; '' if none."""
        outside = dict(self.outside)
        drew = [robot for robot in self.not_compared if robot not in outside]
        if not drew:
            return ''
        return (f'recorded with {Maker(self.version, self.random_numbers)}; this is {THIS}: the '
                f'commands of controllers that draw some are not compared ({_robots(drew)})')

    def changes(self) -> str:
        """Say which files of controllers have changed since the recording; '' if none."""
        files = ', '.join(self.changed_files)
        return f'changed since the recording: {files}' if files else ''

    def driven_outside(self) -> str:
        """Return in words which robots other nodes drove, so that none is compared; '' if none."""
        if not self.outside:
            return ''
        whose = 'its node' if len(self.outside) == 1 else 'their nodes'
        names = ', '.join(f'robot {robot} ({controller})' for robot, controller in self.outside)
        return f'Not compared: {names}; give {whose} with --node'


def replay(bag: Bag, overrides: Mapping[str, object] | None = None,
           output: str | Path | None = None,
           progress: Callable[[int], object] | None = None,
           controllers: Mapping[str, Any] | None = None) -> ReplayResult:
    """Run a bag's controllers on its poses, scans and goals, and compare their commands.

    A recording of a version with other random numbers is compared where controllers draw none.

    Parameters
    ----------
    bag : recorded in lockstep
    overrides : scenario values by dotted key path that replace the recorded ones
    output : directory of a new bag for the new commands
    progress : called with the number of the last tick after each tick
    controllers : classes or objects by the names that the recorded scenario has for them

    Raises
    ------
    InputError
        if the bag cannot be replayed: no scenario, no inputs, no commands, a gap, no tick 0, or a
        run of free-running nodes.

    """
    scenario = parse_scenario(bag.scenario_text, f'{bag.path}: scenario', Path.cwd(),
                              overrides=overrides, controllers=controllers)
    replayed = _Controllers(bag, scenario)
    count = 0
    try:
        with contextlib.ExitStack() as stack:
            signals = stack.enter_context(Held())
            recorder = None if output is None else _recorder(output, scenario, stack)
            for tick in ticks(bag, len(scenario.robots), scenario.rate, replayed.topics,
                              replayed.commands):
                signals.deliver()
                if count == 0 and tick.tick != 0:
                    raise InputError(
                        f'{bag.path}: the bag begins at tick {tick.tick}, and a replay needs tick '
                        '0, where controllers start; start the recorder before the simulation, '
                        'and without --use-sim-time')
                for robot, command in replayed.decide(tick).items():
                    replayed.compare(tick, robot, command)
                    if recorder is not None:
                        recorder.write(*replayed.message(robot, tick.stamp_ns, command))
                count += 1
                if progress is not None:
                    progress(tick.tick)
    except InputError as error:
        if scenario.lockstep:
            raise
        raise InputError(f'{error} ({_FREE_RUNNING})') from None
    replayed.check(bag, overridden=bool(overrides))
    others = replayed.drew_other_numbers
    return ReplayResult(scenario.name, count, replayed.compared, replayed.differences,
                        replayed.first, bag.damage, tuple(sorted({*others, *replayed.outside})),
                        bag.maker.version if others else '',
                        tuple(replayed.outside.items()),
                        tuple(sorted(replayed.commands.keys() - others)),
                        replayed.differing.robots(),
                        tuple(changed_files(bag.metadata, scenario)),
                        bag.maker.random_numbers if others else '')


def _recorder(output: str | Path, scenario: Scenario, stack: contextlib.ExitStack) -> Recorder:
    """Return a recorder of new commands, closed with ``stack``; it begins with the scenario."""
    recorder = open_recorder(output, scenario)
    stack.callback(recorder.close)
    recorder.write(topics.SCENARIO.name, topics.SCENARIO, scenario.rate.stamp_ns(0),
                   write_string(signed(scenario.to_yaml())))
    return recorder


class _Controllers:
    """New controllers, the topics of their inputs and commands, and how these compare."""

    def __init__(self, bag: Bag, scenario: Scenario) -> None:
        self._scenario = scenario
        self._n = len(scenario.robots)
        recorded = count_robots(bag)
        if recorded != self._n:
            raise bad_value(f'{bag.path}: number of robots with poses', recorded,
                            f'{self._n}, as in its scenario')
        names = bag.names()
        self._fields = [observed_fields(scenario, robot) for robot in scenario.robots]
        found = [sensors()[field].topic for fields in self._fields for field in fields]
        self.topics = [*dict.fromkeys([topics.BASE_POSE_GROUND_TRUTH, *found]),
                       *([topics.POSES] if scenario.poses_topic else [])]
        self.commands: dict[int, topics.Topic] = {}
        self.outside: dict[int, str] = {}  # robots that other nodes drove: their controllers
        for robot, entry in enumerate(scenario.robots):
            name = topics.CMD_VEL.resolve(robot, self._n)
            if is_outside(entry.controller):
                if entry.controller != NONE or name in names:
                    self.outside[robot] = entry.controller
                continue
            if name not in names:
                raise InputError(f'{bag.path}: a replay needs the commands of robot {robot}, the '
                                 f'topic {name}')
            known = {topic.type: topic for topic in (topics.CMD_VEL, topics.CMD_VEL_STAMPED)}
            if names[name] not in known:
                raise bad_value(f'{bag.path}: type of {name}', names[name], topics.CMD_VEL.type)
            self.commands[robot] = known[names[name]]
        if not self.commands:
            raise InputError(f'{bag.path}: no robot has a controller to replay: other nodes drove '
                             'them (controller: none or external); give --node COMMAND, or '
                             'another controller by --set')
        self._robots = controlled_robots(scenario, self.commands)
        self._other_numbers = not bag.maker.draws_ours
        # Robots that have drawn numbers which the recorded run did not have.
        self.drew_other_numbers: set[int] = set()
        self.compared = self.differences = 0  # commands
        self.first: _FirstDifference | None = None
        self.differing = Differing()

    def decide(self, tick: Tick) -> dict[int, Twist]:
        """Return the new command of each robot that has a controller."""
        if tick.restarted:
            self._robots = controlled_robots(self._scenario, self.commands)
        inputs_of, commands = _recorded_inputs(tick), {}
        for i in self.commands:
            inputs = inputs_of(i, self._fields[i])
            if i in tick.goals:
                pose = PoseStamped.of_pose(tick.goals[i])
                decision = self._step_to_goal(i, inputs, (pose.x, pose.y))
            else:
                decision = self._robots[i].step(*inputs)
            commands[i] = decision.command
            if self._other_numbers and self._robots[i].rng.drawn:
                self.drew_other_numbers.add(i)
        return commands

    def _step_to_goal(self, i: int, inputs: Inputs, goal: Point) -> Decision:
        """Step a robot at the tick at which this goal was announced.

        A robot may have come to it by itself (its first goal, a random walk) or have been sent
        there; only the outcome tells. So try without, and if that gives another goal, with it.
        """
        if self._robots[i].keeper is not None:
            before = copy.deepcopy(self._robots[i])
            decision = self._robots[i].step(*inputs)
            if (topics.GOAL, goal) in decision.announced:
                return decision
            self._robots[i] = before
        self._robots[i].set_goal(*goal)
        return self._robots[i].step(*inputs)

    def message(self, robot: int, stamp_ns: int, command: Twist,
                ) -> tuple[str, topics.Topic, int, bytes]:
        """Return a command as the recorder takes it."""
        topic = self.commands[robot]
        frame_id = topics.frame('base_link', robot, self._n)
        return (topic.resolve(robot, self._n), topic, stamp_ns,
                write_command(topic, stamp_ns, frame_id, command))

    def is_same(self, robot: int, recorded: bytes, command: Twist) -> bool:
        """Tell whether a recorded message carries exactly this command."""
        topic, new = self.commands[robot], write_twist(*command)
        if topic == topics.CMD_VEL and recorded == new:
            return True
        message = decode(recorded, topic.type)
        return encode(message if topic == topics.CMD_VEL else message.twist) == new

    def compare(self, tick: Tick, robot: int, command: Twist) -> None:
        """Compare a new command with the recorded one."""
        recorded = tick.commands[robot]
        assert recorded is not None
        if robot in self.drew_other_numbers:
            return
        self.compared += 1
        if not self.is_same(robot, recorded, command):
            self.differences += 1
            self.differing.add(robot, tick.tick)
            self.first = self.first or _FirstDifference(
                tick.tick, tick.stamp_ns, robot,
                read_twist(recorded, self.commands[robot].type), command)

    def check(self, bag: Bag, *, overridden: bool) -> None:
        """Raise InputError if the result means nothing."""
        lockstep = self._scenario.lockstep
        why = '' if lockstep else f' ({_FREE_RUNNING})'
        refuse(
            (self.differences and not lockstep and not overridden,
             f'{bag.path}: {self.differences} of {self.compared} commands differ, but they cannot '
             f'be compared: {_FREE_RUNNING}'),
            (self.compared == 0 and not self.drew_other_numbers,
             f'{bag.path}: a replay needs a complete tick: poses, scans and a command of each '
             f'robot{why}'))
