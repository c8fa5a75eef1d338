# SPDX-License-Identifier: Apache-2.0
"""`sbot replay`: replay a recording and compare every command bit for bit."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
from collections.abc import Callable, Collection, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sbot.bag.reader import Bag
from sbot.bag.recorder import RecorderError
from sbot.cli.bag import damage_code, report_damage
from sbot.cli.command import JSON, QUIET, Command, flag, repeated, value
from sbot.cli.trust import ask_for_trust
from sbot.figures.data import RunData, is_bag
from sbot.regression.commands import Tolerances, in_words
from sbot.regression.replay import ReplayResult, replay
from sbot.runner.session import Session
from sbot.runner.summary import progress_bar
from sbot.runner.warm_up import warm_up
from sbot.scenario.controllers import external_robots
from sbot.scenario.load import load_scenario, parse_override, parse_scenario
from sbot_common.errors import bad_value, one_line, refuse

if TYPE_CHECKING:
    from sbot.ros.node_replay import NodeReplayResult


def _run(args: argparse.Namespace) -> int:
    bag = Bag(args.bag, partly=True)
    overrides = dict(parse_override(text) for text in args.set)
    _check(args)
    if args.node is not None:
        return _run_node(bag, overrides, args)
    scenario = parse_scenario(bag.scenario_text, f'{bag.path}: scenario', Path.cwd(),
                              overrides=overrides, import_controllers=False)
    if not args.trust:
        ask_for_trust(f'{bag.path}: the recording', scenario, overrides)
    total = scenario.rate.ticks(scenario.duration) + 1
    with _bar(args, total) as show:
        try:
            result = replay(bag, overrides, args.output,
                            None if show is None else lambda tick: show(tick + 1))
        except RecorderError as error:
            print(error, file=sys.stderr)
            return 1
    if not args.json:
        if bag.corrupt:
            report_damage(bag)
        elif result.damage or bag.cut_short or not bag.complete:
            print(f'{bag.path}: the recording was cut short; replayed the {result.ticks} complete '
                  'ticks in it', file=sys.stderr)
        for said in filter(None, (result.left_out(), result.changes())):
            print(one_line(f'{bag.path}: {said}'), file=sys.stderr)
    code = _report(result, args, damage_code(bag), robots=_compared(result),
                   compared=len(result.compared))
    if result.commands == 0:
        print(f'{bag.path}: no command was compared', file=sys.stderr)
        return 2
    return code


def _run_debug(args: argparse.Namespace) -> int:
    """Take a run to a turn; open a prompt there."""
    import code  # slow to import
    overrides = {} if args.seed is None else {'seed': args.seed}
    bag = Bag(args.source) if is_bag(args.source) else None
    if bag is None:
        scenario = load_scenario(args.source, overrides)
    else:
        where = f'{bag.path}: scenario'
        if not args.trust:
            ask_for_trust(f'{bag.path}: the recording', parse_scenario(
                bag.scenario_text, where, Path.cwd(), import_controllers=False), {})
        scenario = parse_scenario(bag.scenario_text, where, Path.cwd(), overrides=overrides)
    warm_up(scenario)
    session = Session(scenario)
    last = session.scenario.rate.ticks(session.scenario.duration)
    tick = round(args.at * session.scenario.rate.hz)
    if not 0 <= tick <= last:
        raise bad_value('--at', args.at,
                        f'a time of the run, 0 to {session.scenario.duration:g} s')
    while session.tick < tick and not session.ended:
        session.step()
    names: dict[str, Any] = {'np': np, 'session': session}
    if args.robot is not None:
        names |= {'controller': session.controller(args.robot),
                  'observation': session.observation(args.robot)}
    if bag is not None and args.seed is None:
        recorded = RunData.from_bag(bag).poses[session.tick:session.tick + 1]
        if not np.array_equal(recorded, [session.snapshot.pose]):
            print(f'{bag.path}: the recorded robots are elsewhere at this tick: this run differs '
                  'from the recorded one; sbot replay says where it begins', file=sys.stderr)
    banner = f'{session!r}\n{", ".join(names)}; the end of input ends it'
    code.interact(banner=banner, local=names, exitmsg='')
    return 0


def _compared(result: ReplayResult) -> str:
    """Return in words which robots were compared and which not; '' where all were."""
    if not result.outside:
        return ''
    return f" (robot {', '.join(map(str, result.compared))}). {result.driven_outside()}"


def _bar(args: argparse.Namespace, total: int | None = None,
         ) -> contextlib.AbstractContextManager[Callable[[float], None] | None]:
    return progress_bar(' ticks', total, shown=not args.quiet and not args.json)


def _report(result: ReplayResult | NodeReplayResult, args: argparse.Namespace, damaged: int,
            agree: str = 'bit for bit', robots: str = '', compared: int = 0,
            stopped: str = '', what: str = 'commands') -> int:
    """Print how the commands compare; return the exit code.

    ``robots``: in words, which were compared; ``compared``: how many; ``stopped``: in words, where
    the replay ended too early; ``what``: was compared.
    """
    if args.json:
        print(_as_json({**result._asdict(), 'equal': result.equal}))
    elif result.first is not None:
        print(one_line(str(result.first)))
        if largest := getattr(result, 'largest', None):
            print(one_line(str(largest)))
        print(f'{result.differences} of {result.commands} {what} differ{robots}{stopped}')
        if said := in_words(result.differing, compared):
            print(said)
    elif result.commands:
        print(f'{one_line(result.scenario, 200)}: all {result.commands} {what} of '
              f'{result.ticks} ticks agree {agree}{robots}')
    return damaged or (0 if result.equal else 1)


def _as_json(result: Mapping[str, Any]) -> str:
    """Return JSON, which has no NaN and no infinities: they are the texts 'nan', 'inf', '-inf'."""
    def plain(value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, Mapping) or hasattr(value, '_asdict'):
            named = value if isinstance(value, Mapping) else value._asdict()
            return {name: plain(each) for name, each in named.items()}
        return [plain(each) for each in value] if isinstance(value, list | tuple) else value
    return json.dumps(plain(result), allow_nan=False)


def _check(args: argparse.Namespace) -> None:
    """Raise InputError for options that do not go together."""
    refuse((args.node is not None and args.output is not None,
            '--node cannot be combined with --output'),
           *((args.node is None and getattr(args, option) not in (None, []),
              f'--{option} needs --node COMMAND') for option in (
                   'robot', 'compare', 'tolerance', 'timeout')))
    if args.timeout is not None and not 0.0 < args.timeout <= 1e6:
        raise bad_value('--timeout', args.timeout, 'a number > 0 (s)')


def _run_node(bag: Bag, overrides: Mapping[str, object], args: argparse.Namespace) -> int:
    """Replay to a node of the user's."""
    from tqdm import tqdm

    from sbot.ros.processes import need_ros
    need_ros('--node')  # before what imports it
    from sbot.ros.node_replay import NodeReplayResult
    from sbot.ros.up import output_named

    def output(line: str) -> None:
        # Who is missing is said even then: nothing else happens for a minute.
        if line.startswith('waiting for ') or not (args.quiet or args.json):
            tqdm.write(line, file=sys.stderr)
    turns = count(1)
    with _bar(args) as show, output_named(args.quiet):
        result = NodeReplayResult.of(
            bag, args.node, robots=args.robot, tolerances=Tolerances(args.tolerance),
            timeout=args.timeout, overrides=overrides, output=output,
            progress=lambda _: None if show is None else show(next(turns)), compare=args.compare)
    named = ', '.join([*(f'robot {", ".join(map(str, result.robots))}',) * bool(result.robots),
                       *result.topics])
    code = _report(result, args, damage_code(bag),
                   'within the tolerance' if args.tolerance else 'bit for bit',
                   f' ({named})', len(result.robots), result.extent(),
                   'messages' if result.topics else 'commands')
    if result.first is not None and not args.quiet and not args.json and set(
            result.robots) <= set(_external(bag)):
        print('if the change is meant, record again: sbot up SCENARIO --record NEW --node COMMAND',
              file=sys.stderr)
    if bag.corrupt:
        report_damage(bag)
    return code


def _external(bag: Bag) -> Collection[int]:
    """Return the robots that users' nodes drove in the recorded run."""
    return external_robots(parse_scenario(bag.scenario_text, f'{bag.path}: scenario', Path.cwd(),
                                          import_controllers=False))


COMMANDS = {
    'replay': Command(_run, {
        'bag': value('BAG', 'a recording that was made in lockstep'),
        '--set': repeated(
            'KEY=VALUE', 'change a value of the recorded scenario, e.g. '
            'controllers.potential_field.angular_scaler_kappa=0.26'),
        '--output -o': value('DIR', 'record the new commands here'),
        '--node': value(
            'COMMAND', 'feed the recording to your own ROS 2 node instead, and compare its '
            "commands; e.g. 'ros2 run my_package my_node', or a Python file with its arguments. "
            'A command with {namespace}, {robot} (its number), {start_x}, {start_y}, '
            '{start_yaw}, {goal_x} or {goal_y} is started once for each robot that is compared. '
            'May be repeated', action='append'),
        '--robot': repeated(
            'N', 'with --node: compare the commands of this robot; may be repeated (default: '
            'robots with controller: external, or else those that the node drives; with '
            '--compare none)', type=int),
        '--compare': repeated(
            'TOPIC', 'with --node: compare the messages on this topic, one of record_topics of '
            'the scenario; may be repeated (default: all; with --robot none). Those that are not '
            'compared are played to the node'),
        '--tolerance': repeated(
            '[FIELD=]X', 'with --node: largest difference of floating-point numbers, e.g. 1e-6 '
            'for all, --tolerance nav_msgs/msg/Odometry=1e-6 for those of a type of message, or '
            '--tolerance angular.z=0.01 for a field and all within it, integers too; may be '
            'repeated (default: 0, equal bit for bit)'),
        '--timeout': value(
            'S', 'with --node: longest time to wait for each command (s; default: the '
            "scenario's lockstep_timeout, and a minute for the start)", type=float),
        '--trust': flag(
            'do not ask before importing modules from the folders that the recording names '
            '(python_path), or executing functions of its policy files'),
        '--json': JSON,
        '--quiet': QUIET,
    }, description='Feed the recorded inputs to the controllers again, or to your own nodes, and '
                   'compare every command with the recorded one. Exit code 0: all agree; 1: some '
                   'differ; 2: bad input, or nothing was compared. More: '
                   'docs/record_and_replay.md.'),
    'debug': Command(_run_debug, {
        'source': value('BAG|SCENARIO', 'a recording, or a scenario'),
        '--robot': value('N', 'whose controller to look into', type=int),
        '--at': value('S', 'simulated time (s; default: 0)', type=float, default=0.0),
        '--seed': value('N', 'another seed', type=int),
        '--trust': flag('do not ask before executing code that the recording names'),
    }, description='Run a recorded scenario, or any other, up to a time, and open a Python '
                   'prompt there. It has session; and with --robot controller and observation, '
                   'what the controller is given in its next turn. More: '
                   'docs/tutorials/find_a_bug.md.'),
}
