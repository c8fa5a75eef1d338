# SPDX-License-Identifier: Apache-2.0
"""`sbot run`, `sbot pack` and `sbot up`: options, progress bar, summary, picture."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.cli.command import (
    OVERRIDES,
    QUIET,
    RECORD,
    Command,
    Options,
    flag,
    repeated,
    value,
)
from sbot.cli.trust import ask_for_trust
from sbot.controllers.registry import is_outside
from sbot.figures.look import PICTURES
from sbot.files.limits import TemporaryFolder
from sbot.runner.summary import format_summary, progress_bar
from sbot.scenario.controllers import external_robots, own_nodes
from sbot.scenario.load import load_scenario, log_warned, parse_override, parse_scenario
from sbot.scenario.model import Scenario
from sbot_common.errors import SHOWN, bad_value, first_of, one_line, real_path, refuse

if TYPE_CHECKING:
    from sbot.runner.packed import Packed

Progress = Callable[[int, int], None]

_SHOWN = 10  # robots in a line
_SHARE = 'share the bag and the node, and replay with --node (docs/share_a_run.md)'


def overrides_of(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the changes that the options in ``OVERRIDES`` ask for, by dotted key path."""
    overrides = dict(parse_override(text) for text in arguments.set)
    given = {key: getattr(arguments, key) for key in ('seed', 'duration')}
    return {**overrides, **{key: value for key, value in given.items() if value is not None}}


@contextlib.contextmanager
def bag_named(directory: str | None) -> Iterator[None]:
    """Say where the recording is when Ctrl-C or SIGTERM ends a run."""
    try:
        yield
    except KeyboardInterrupt:
        if directory is not None and Path(directory).is_dir():
            print(one_line(f'recorded until then: {directory} (sbot bag info {directory})'),
                  file=sys.stderr)
        raise


@contextlib.contextmanager
def simulated_time(scenario: Scenario, quiet: bool) -> Iterator[Progress | None]:
    """Yield a callback that shows simulated time on stderr, or None."""
    dt = scenario.rate.dt
    with progress_bar(
            ' s', scenario.rate.ticks(scenario.duration) * dt, shown=not quiet,
            desc=one_line(scenario.name, SHOWN),
            bar_format='{desc}: {n:.1f}/{total:.1f}{unit} simulated |{bar}| {elapsed}') as show:
        yield None if show is None else lambda done, _: show(done * dt)


def check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written before anything runs."""
    refuse((arguments.record is not None and os.path.exists(arguments.record),
            f'--record: {arguments.record} exists already, and a recording is never overwritten; '
            'give another name, or remove it first'))
    if getattr(arguments, 'plot', None) is not None:
        path = Path(arguments.plot)
        other = {'.html': '; for a page: --record DIR, then sbot view DIR -o FILE.html',
                 '.mp4': '; for a film: sbot plot SCENARIO -o FILE.mp4',
                 '.gif': '; for a film: sbot plot SCENARIO -o FILE.gif'}
        refuse((path.suffix.lower() not in PICTURES,
                f'--plot: got {arguments.plot}, expected a .png, .svg or .pdf file'
                f'{other.get(path.suffix.lower(), "")}'),
               (not os.path.isdir(real_path(path).parent),
                f'--plot: {path.parent} is not a directory'))


def name_files(arguments: argparse.Namespace) -> None:
    """Print on stderr which files a run has written, unless ``--quiet``."""
    if not arguments.quiet:
        for what, option in (('recording', 'record'), ('picture', 'plot')):
            path = getattr(arguments, option, None)
            if path is not None:
                print(one_line(f'{what}: {path}'), file=sys.stderr)


def _finish(scenario: Scenario, summary: dict[str, Any], arguments: argparse.Namespace) -> int:
    """Print the summary, and on stderr what to look at next; return the exit code."""
    print(json.dumps(summary) if arguments.json else format_summary(summary), flush=True)
    name_files(arguments)
    _name_next_step(scenario, summary, arguments)
    return 0


def _name_next_step(scenario: Scenario, summary: dict[str, Any],
                    arguments: argparse.Namespace) -> None:
    """Print on stderr what to look at if no robot with a goal arrived, unless ``--quiet``."""
    controllers = [robot.controller for robot in scenario.robots if robot.goal is not None]
    arrived = any(robot['goal_reached_s'] is not None for robot in summary['robots'])
    if arguments.quiet or arrived or not controllers:
        return
    if arguments.record is not None:
        look = f'sbot view {arguments.record} -o run.html shows the run'
    elif arguments.plot is not None:
        look = f'{arguments.plot} shows the tracks'
    else:
        look = '--plot tracks.png shows the tracks'
    ours = not all(map(is_outside, controllers))
    why = next((robot['reason'] for robot in summary['robots'] if 'reason' in robot), None)
    advice = why or ('--duration gives more time'
                     + '; sbot docs results says which controllers arrive' * ours)
    print(one_line(f'0 of {len(controllers)} robots with a goal arrived: {look}; {advice}'),
          file=sys.stderr)


def _number_or_auto(text: str) -> int | str:
    return text if text == 'auto' else int(text)


def _run(arguments: argparse.Namespace) -> int:
    from sbot.runner.packed import PYTHON, unpacked
    overrides = overrides_of(arguments)
    is_packed = arguments.scenario.endswith('.zip')
    refuse((not is_packed and (arguments.check or arguments.trust),
            '--check and --trust need a packed run (sbot pack)'),
           (arguments.check and (overrides or arguments.no_hash),
            '--check cannot be combined with --seed, --duration, --set and --no-hash: it compares '
            'with the packed run'))
    if not is_packed:
        return _run_scenario(load_scenario(arguments.scenario, overrides), arguments)
    with unpacked(arguments.scenario) as packed:
        load = partial(parse_scenario, packed.text, f'{arguments.scenario}: scenario.yaml',
                       packed.folder, overrides=overrides)
        if not arguments.trust:
            ask_for_trust(f'{arguments.scenario}: the packed run', load(import_controllers=False),
                          overrides, packed.modules)
        # Before modules of the same names elsewhere.
        sys.path[:0] = [str(packed.folder / PYTHON)] * bool(packed.modules)
        return _run_scenario(load(tell=log_warned), arguments, packed)


def _run_scenario(scenario: Scenario, arguments: argparse.Namespace,
                  packed: Packed | None = None) -> int:
    from sbot.runner.loop import run_scenario
    from sbot.runner.warm_up import warm_up
    check_outputs(arguments)
    refuse((arguments.threads != 'auto' and arguments.threads < 1,
            f'--threads: got {arguments.threads}, expected a whole number >= 1, or auto'))
    warm_up(scenario, arguments.quiet)
    with bag_named(arguments.record), simulated_time(scenario, arguments.quiet) as progress:
        result = run_scenario(scenario, record=arguments.record, threads=arguments.threads,
                              progress=progress, keep=arguments.plot is not None,
                              overlaps=not arguments.no_overlaps, hashed=not arguments.no_hash)
    if arguments.plot is not None:
        from sbot.figures.data import RunData
        from sbot.figures.picture import plot_run
        plot_run(RunData.from_result(result), arguments.plot)
    differences = packed.differences(result.summary) if arguments.check and packed else []
    checked = {'same': not differences, 'differences': differences} if arguments.check else {}
    _finish(scenario, {**result.summary, **checked}, arguments)
    if arguments.check and not arguments.json:
        print('\n'.join(map(one_line, differences))
              or 'the same trajectory as the packed run, bit for bit')
    return int(bool(differences))


def _pack(arguments: argparse.Namespace) -> int:
    from sbot.figures.data import is_bag
    from sbot.runner.loop import run_scenario
    from sbot.runner.packed import pack
    from sbot.runner.warm_up import warm_up
    if not arguments.output.endswith('.zip') or not os.path.isdir(
            real_path(arguments.output).parent):
        raise bad_value('--output', arguments.output,
                        'a file that ends in .zip, in a folder that exists')
    if os.path.exists(arguments.output) and not arguments.force:
        raise bad_value('--output', arguments.output, 'a new file (or --force)')
    refuse((is_bag(arguments.scenario), f'{arguments.scenario}: cannot pack a recording, only a '
            f'scenario; for a run of your own node {_SHARE}'))
    scenario = load_scenario(arguments.scenario, overrides_of(arguments))
    robots = own_nodes(scenario)
    refuse((bool(robots),
            f'{arguments.scenario}: cannot pack robot {first_of([*map(str, robots)], _SHOWN)} '
            f'with controller external: {_SHARE}'))
    warm_up(scenario, arguments.quiet)
    with simulated_time(scenario, arguments.quiet) as progress:
        summary = run_scenario(scenario, progress=progress, keep=False, overlaps=False).summary
    names = pack(scenario, summary, arguments.output, arguments.add)
    print(one_line(f'{arguments.output}: {", ".join(names)}'))
    print(f"trajectory {summary['trajectory_sha256']}")
    return 0


def _up(arguments: argparse.Namespace) -> int:
    from sbot.ros.domain import FREE, parse_domain
    from sbot.ros.processes import parse_namespace, simulator_parameters
    from sbot.ros.up import output_named, run_up
    from sbot.runner.warm_up import warm_up
    burger = {'robots.*.body': 'turtlebot3_burger'} if arguments.turtlebot3 else {}
    scenario = load_scenario(arguments.scenario, {**burger, **overrides_of(arguments)})
    check_outputs(arguments)
    refuse((arguments.standard_services and find_spec('simulation_interfaces') is None,
            '--standard-services needs the package simulation_interfaces; install it (apt: '
            'ros-$ROS_DISTRO-simulation-interfaces), or make it: python -m sbot.ros.interfaces '
            '(docs/ros2_topics.md)'))
    domain = None if arguments.domain is None else parse_domain(arguments.domain)
    if arguments.domain == FREE and not arguments.quiet:
        print(f'ROS_DOMAIN_ID={domain}', file=sys.stderr)
    namespace = parse_namespace(arguments.namespace)
    short = {'publish_contact': arguments.contact,
             'simulation_interfaces': arguments.standard_services}
    parameters = {**{name: True for name, given in short.items() if given},
                  **simulator_parameters(arguments.parameter)}
    _name_awaited_nodes(scenario, arguments)
    warm_up(scenario, arguments.quiet)

    def output(line: str) -> None:
        if not arguments.quiet:
            from tqdm import tqdm
            tqdm.write(line, file=sys.stderr)

    with bag_named(arguments.record), simulated_time(scenario, arguments.quiet) as progress, \
            TemporaryFolder('up') as folder, output_named(arguments.quiet):
        # A picture without --record needs a bag for a moment.
        bag = arguments.record or (os.path.join(folder, 'bag') if arguments.plot else None)
        summary = run_up(scenario, record=bag, composed=arguments.composed, domain=domain,
                         namespace=namespace, own=arguments.node, names=arguments.names,
                         progress=progress, output=output, parameters=parameters)
        if arguments.plot is not None and bag is not None:
            from sbot.figures.data import RunData
            from sbot.figures.picture import plot_run
            plot_run(RunData.from_bag(bag), arguments.plot)
    return _finish(scenario, summary, arguments)


def _name_awaited_nodes(scenario: Scenario, arguments: argparse.Namespace) -> None:
    """Print on stderr which robots need a node of the user's, if the command starts none."""
    robots = [str(robot) for robot in external_robots(scenario)]
    if robots and not arguments.node and not arguments.quiet:
        print(f'robot {first_of(robots, _SHOWN)}: controller external: the run waits for your '
              'node; start it in another terminal, or give --node COMMAND', file=sys.stderr)


_SCENARIO = 'scenario file (.yaml, .argos, .world) or name of a shipped scenario'
_BOTH: Options = {
    **OVERRIDES,
    '--record': RECORD,
    '--plot': value('FILE', 'draw the run (.png, .svg, .pdf)'),
    '--json': flag('print the summary as one JSON object'),
    '--quiet': QUIET,
}
COMMANDS = {
    'run': Command(_run, {
        'scenario': value('SCENARIO', f'{_SCENARIO}, or a packed run (.zip)'),
        **_BOTH,
        '--threads': value(
            'N', 'threads to use, or auto: as many as there are processors; the result is the '
            'same (default: 1)', type=_number_or_auto, default=1),
        '--no-overlaps': flag('faster: do not count overlaps in every tick'),
        '--no-hash': flag('faster: do not compute the hash of the trajectory'),
        '--check': flag('of a packed run: compare its hash with that of the packed run; exit code '
                        '1 if it differs'),
        '--trust': flag('of a packed run: execute the Python code in it'),
    }, description='Simulate a scenario in this process. The same scenario and seed give the '
                   'same result bit for bit, here and over ROS 2 (sbot up). The summary has a '
                   'line for each robot: its last position; the time at which it reached its '
                   'goal (-: it did not); the length of its path; collisions (ticks in which it '
                   'touched something); reverts (ticks in which it returned to its last pose, '
                   'because no pose without overlap was found); its greatest and its last '
                   'distance to the leader. More: docs/command_line.md.'),
    'pack': Command(_pack, {
        'scenario': value('SCENARIO', _SCENARIO),
        **OVERRIDES,
        '--output -o': value('FILE', 'the file (.zip)', required=True),
        '--add': repeated('FILE', "also pack a file that the scenario's Python code opens beside "
                          'itself; may be repeated'),
        '--force': flag('replace an existing file'),
        '--quiet': QUIET,
    }, description='Run a scenario, and write it with all that its run needs into one file: the '
                   'scenario with the changes, its own Python modules, maps, networks and other '
                   'files that it names, the version and the hash of the trajectory. sbot run '
                   'FILE --check runs it anywhere and compares the hash. More: '
                   'docs/share_a_run.md.'),
    'up': Command(_up, {
        'scenario': value('SCENARIO', _SCENARIO),
        **_BOTH,
        '--composed': flag('run all nodes in one process: faster, with the same result'),
        '--domain': value(
            'N', "ROS domain, instead of ROS_DOMAIN_ID; 'free' selects one in which no "
            'simulation runs'),
        '--namespace': value(
            'NAME', 'ROS namespace of the run, with its own /clock and /tf, so that several '
            'runs fit side by side', default=''),
        '--parameter': repeated(
            'NAME=VALUE', 'set a parameter of the node sbot_sim, e.g. '
            'publish_robot_description=true; may be repeated'),
        '--names': value(
            'A,B,...', 'names of the robots: their topics are in the namespaces /A, /B, ... '
            'instead of /robot_0, /robot_1, ...', default=''),
        '--turtlebot3': flag(
            'every robot is a TurtleBot3 Burger, as with `body: turtlebot3_burger`: scans also '
            'on `scan`, and cmd_vel as TwistStamped'),
        '--standard-services': flag('offer the services of the package simulation_interfaces'),
        '--contact': flag(
            'publish `contact`: whether each robot touched something in the last tick'),
        '--node': repeated(
            'COMMAND', 'also start your own node, for robots with `controller: external`. '
            "COMMAND is e.g. 'ros2 run my_package my_node', or a Python file with its "
            'arguments. With several robots the node of robot N needs its namespace: '
            '--ros-args -r __ns:=/robot_N. A command with {namespace}, {robot} (its number), '
            '{start_x}, {start_y}, {start_yaw}, {goal_x} or {goal_y} is started once for each '
            'of these robots, with its values in the scenario. May be repeated'),
    }, description='Start the simulator, the wind and one controller per robot as ROS 2 nodes. '
                   'This needs no `ros2 launch`. The nodes discover nodes on this machine only, '
                   'unless ROS_AUTOMATIC_DISCOVERY_RANGE is set.'),
}
