# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node `potfield_bot` (document 001, section 18), its diagnostics and markers."""

from __future__ import annotations

import math
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rclpy.utilities import remove_ros_args

from potential_field_bot.bot import PotentialField, check_frequency, warm_up
from potential_field_bot.controller import State, Turn
from potential_field_bot.parameters import OWN_SPECS, SPECS
from sbot_common import ros, topics
from sbot_common.clock import Rate
from sbot_common.compilation_notice import Expected
from sbot_common.controller_inputs import Inputs
from sbot_common.elementary import atan2, hypot, log10, sincos
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import LEADER
from sbot_common.params import Value
from sbot_common.ros.controller_host import ControllerHost
from sbot_common.wire.templates import ARROW, encode_marker_array, marker

# Forces as arrow markers for rviz (visualization_msgs/MarkerArray).

# Diagnostics line of document 001 section 17.

_FORMAT = ('%2d Pose:%6.2f,%6.2f,%+7.4f; F:%+10.4f,%+10.4f (%+7.4f); thetaD:%+7.4f; v:%10.4f;'
           ' omega:%+9.4f; goal:%6.2f,%6.2f; pEMA:%6.2f,%6.2f; onGoal:%1d')


def _diagnostic_line(robot_id: int, pose: Sequence[float], turn: Turn, state: State,
                     on_goal: bool) -> str:
    """Return pose (m, m, rad), force, command, goal and average of one turn as one line."""
    angle = atan2(turn.total_y, turn.total_x)
    return _FORMAT % (robot_id, *pose, turn.total_x, turn.total_y, angle, turn.theta, turn.v,
                      turn.omega, state.goal_x, state.goal_y, state.ema_x, state.ema_y, on_goal)


# Name, components of a Turn, colour (red, green, blue).
_ARROWS = (
    ('attraction', 'attraction_x', 'attraction_y', (0.2, 0.8, 0.2)),
    ('repulsion', 'repulsion_x', 'repulsion_y', (0.9, 0.2, 0.2)),
    ('random', 'random_x', 'random_y', (0.6, 0.6, 0.6)),
    ('total', 'total_x', 'total_y', (0.2, 0.4, 1.0)),
)


def _arrow_length(force: float) -> float:
    """Return how long to draw a force (m): 0.25 for 1, half a metre more for each factor of ten.

    Forces range from nothing to infinity, so the scale is logarithmic and ends at 3 m.
    """
    return min(3.0, 0.5 * log10(1.0 + 2.2 * force)) if force > 0 else 0.0


def _write_forces(stamp_ns: int, robot_id: int, x: float, y: float, turn: Turn) -> bytes:
    """Return visualization_msgs/MarkerArray: one arrow in `map` from (x, y) (m) for each force."""
    forces = {**turn._asdict(), 'repulsion_x': turn.laser_x + turn.other_x,
              'repulsion_y': turn.laser_y + turn.other_y}
    arrows = []
    for number, (name, name_x, name_y, (red, green, blue)) in enumerate(_ARROWS):
        fx, fy = float(forces[name_x]), float(forces[name_y])
        angle = atan2(fy, fx)
        length = _arrow_length(hypot(fx, fy)) if math.isfinite(angle) else 0.0
        sine, cosine = sincos(angle)
        tip = (x, y) if length == 0.0 else (x + length * cosine, y + length * sine)
        arrows.append(marker(
            f'potential_field_{robot_id}/{name}', number, ARROW, (0.05, 0.1, 0.15),
            (red, green, blue, 1.0), stamp_ns=stamp_ns, lifetime=1,
            points=[(x, y, 0.1), (*tip, 0.1)]))
    return encode_marker_array(arrows)


_CONTROLLER_NAMES = frozenset(spec.name for spec in SPECS)
_COMPILING = Expected(8, 4.0)


class PotentialFieldNode(ControllerHost):
    """Feeds one ``PotentialField`` and publishes its commands.

    Parameters
    ----------
    given : values that replace the defaults of ROS parameters
    name : of the node
    options : as for ``rclpy.node.Node``

    """

    def __init__(self, given: Mapping[str, Value] = {}, name: str = 'potfieldbot_0',
                 **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, (*OWN_SPECS, *SPECS), {'seed': secrets.randbits(31), **given},
                         **options)
        # The lines of the document's log (section 18), each when it is true.
        self.get_logger().info('ROS initialized.')
        single = self.num_robots == 1
        self.get_logger().info(f'Node handle created: {"Single" if single else "Group"} Mode')
        values = self.values
        self._check_frequencies(values)
        goal = values['goal_x'], values['goal_y']
        self._bot = PotentialField(goal=goal, **_constants(values))
        self.get_logger().info(f'seed: {values["seed"]}')
        with _COMPILING.announced(self.get_logger().info):
            warm_up()
        self.advertise(topics.POTENTIAL_FIELD_FORCES)
        self.drive(self._forgetful_bot, goal, Rate.parse(values['loop_rate'], 'loop_rate'),
                   ('scan',), takes_goals=self.robot_id == LEADER, follows=LEADER)
        self.get_logger().info('Node Initialized.' if single else 'Node initialized.')
        self._has_begun = False

    def _forgetful_bot(self) -> PotentialField:
        """Return the controller as it was at the start; changes of its constants stay."""
        self._bot.reset()
        return self._bot

    def _check_frequencies(self, values: Mapping[str, Any]) -> None:
        if values['diagnostics_frequency_hz'] > values['loop_rate']:
            raise bad_value('parameter diagnostics_frequency_hz',
                            values['diagnostics_frequency_hz'], 'at most loop_rate')

    def change_parameters(self, new: dict[str, Any], values: dict[str, Any]) -> None:
        """Take over the controller's constants."""
        self._check_frequencies(values)
        self._bot.set_parameters(**_constants(new))

    def report(self, inputs: Inputs) -> None:
        """Publish the forces and log the diagnostic line, where asked for."""
        if not self._has_begun:  # all poses are in: the average and a first goal are set
            self._has_begun = True
            self.get_logger().info('Post-initialization completed.')
            self.get_logger().info('Entering spin.')
        turn, state = self._bot.turn, self._bot.state
        if turn is None or state is None:
            return
        self.log_state('standing still:',
                  [] if turn.valid else ['the force or the pose is not a number'])
        pose = inputs.poses[self.robot_id].tolist()
        if self.values['publish_forces']:
            self.publish(topics.POTENTIAL_FIELD_FORCES, _write_forces(
                inputs.stamp_ns, self.robot_id, pose[0], pose[1], turn))
        hz = self.values['diagnostics_frequency_hz']
        if hz > 0 and check_frequency(state.tick_counter, hz, self.values['loop_rate']):
            line = _diagnostic_line(self.robot_id, pose, turn, state, self._bot.on_goal)
            if self._bot.invalid_turns:  # docs/errata.md P2
                line += f'; turns without a force: {self._bot.invalid_turns}'
            self.get_logger().info(line)


def _constants(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those parameters that are constants of the controller."""
    return {name: value for name, value in values.items() if name in _CONTROLLER_NAMES}


# The command line of document 001 section 18: ROBOT_NUM_ID NUM_ROBOTS GOAL_X GOAL_Y.

_USAGE = 'Usage: potfield_bot [ROBOT_NUM_ID] [NUM_ROBOTS] [GOAL_X] [GOAL_Y]'

_HELP = f"""{_USAGE}
The controller of one robot (document 001). It subscribes to /robot_<i>/base_pose_ground_truth of
every robot and to its own base_scan, and publishes cmd_vel. A single robot has no namespace.

ROBOT_NUM_ID    number of this robot, from 0; robot 0 is the leader
NUM_ROBOTS      number of robots
GOAL_X, GOAL_Y  goal of the leader (m)

All other values are ROS parameters: append
  --ros-args -p conversion_constant_zeta:=0.2
While the node runs, ros2 param list and ros2 param describe show them."""

_COUNT = 4  # of arguments


def _number(name: str, text: str, kind: type[int | float]) -> float:
    try:
        number = kind(text) if '_' not in text else math.inf
    except ValueError:
        number = math.inf
    most = 2**31 - 1 if kind is int else sys.float_info.max  # as in C++
    if not abs(number) <= most:
        raise bad_value(name, text[:40], f'a whole number of at most {most}' if kind is int else
                        'a finite number')
    return number


def _parse(arguments: Sequence[str]) -> dict[str, Value]:
    """Return the parameters that four arguments give; more mean nothing (docs/errata.md P17).

    Raises
    ------
    InputError
        for fewer arguments, anything that is not a number, a robot number below 0
        or not below the number of robots (docs/errata.md P8)

    """
    if len(arguments) < _COUNT:
        raise InputError(f'got {len(arguments)} arguments, expected {_COUNT}')
    given = {name: _number(name.upper(), text, kind) for name, text, kind in zip(
        ('robot_id', 'num_robots', 'goal_x', 'goal_y'), arguments, (int, int, float, float),
        strict=False)}
    if given['num_robots'] <= 0:
        raise bad_value('NUM_ROBOTS', given['num_robots'], '1 or more')
    if not 0 <= given['robot_id'] < given['num_robots']:
        raise bad_value('ROBOT_NUM_ID', given['robot_id'], f"0 to {given['num_robots'] - 1}")
    return {**given}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the node until a signal.

    Returns 0, or 1 after a bad command line, or 2 after a bad parameter.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    own = remove_ros_args(['potfield_bot', *arguments])[1:]
    if '-h' in own or '--help' in own:
        print(_HELP)
        return 0
    print('Entered main.', flush=True)
    given: dict[str, Value] = {}
    if own or '--ros-args' not in arguments:
        try:
            given.update(_parse(own))
        except InputError as error:
            print(f'potfield_bot: {error}\n{_USAGE}', file=sys.stderr)
            return 1
        if more := own[_COUNT:]:
            print(f'potfield_bot: uses four arguments; ignored: {" ".join(more)}',
                  file=sys.stderr)
        robot_id = str(given['robot_id'])
    else:
        named = re.search(r'(?:^| )robot_id:=(\d+)', ' '.join(arguments))
        robot_id = named[1] if named else '0'
    return ros.run(lambda: PotentialFieldNode(given, f'potfieldbot_{robot_id}'),
                   ['potfield_bot', *arguments])
