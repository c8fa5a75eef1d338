"""`sbot view`: a recording or a running simulation in the browser."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from sbot.bag.reader import Bag
from sbot.cli.bag import report_damage
from sbot.cli.simulate import (
    add_overrides,
    bag_named,
    check_outputs,
    name_files,
    overrides_of,
    report,
)
from sbot.runner.summary import QUIET
from sbot.scenario.load import load_scenario
from sbot_common.errors import InputError, bad_value, one_line, real_path

PORT = 8008


def _view(args: argparse.Namespace) -> int:
    if args.live:
        if args.output is not None:
            raise InputError('--live cannot be combined with -o: it serves a page and writes no '
                             'file')
        if args.source is None:
            return _follow(args)
        if args.namespace is not None:
            raise InputError('--namespace cannot be combined with a SCENARIO: it selects running '
                             'ROS 2 nodes')
        return _run(args)
    if args.source is None:
        raise InputError('sbot view needs a recording, or --live')
    if args.namespace is not None:
        raise InputError('--namespace needs --live: it selects running ROS 2 nodes')
    if overrides_of(args) or args.record is not None:
        raise InputError('--seed, --duration, --set and --record need a scenario that runs; '
                         'use --live SCENARIO')
    output = args.output or real_path(args.source).stem + '.html'
    if not str(output).endswith(('.html', '.htm')):
        raise bad_value('--output', output, 'a file that ends in .html')
    from sbot.figures.data import is_bag
    if not is_bag(args.source) and os.path.isfile(args.source):
        raise InputError(f'{args.source} is not a recording; record it first (sbot run '
                         f'{args.source} '
                         '--record DIR), or watch it with --live')
    from sbot.viewer.data import write_view
    bag = Bag(args.source, partly=True)
    write_view(bag, output)
    if not args.quiet:
        size = Path(output).stat().st_size / 1e6
        print(f'{one_line(output)}: {size:.1f} MB; opens in any browser, offline', file=sys.stderr)
    return report_damage(bag)


def _follow(args: argparse.Namespace) -> int:
    if overrides_of(args) or args.record is not None:
        raise InputError('--live without a SCENARIO follows running nodes; it cannot be combined '
                         'with --seed, --duration, --set or --record')
    from sbot.ros.processes import parse_namespace
    from sbot.viewer.live import follow
    return follow(args.port, parse_namespace(args.namespace or ''))


def _run(args: argparse.Namespace) -> int:
    from sbot.runner.warm_up import warm_up
    from sbot.viewer.live import run_live
    check_outputs(args)
    scenario = load_scenario(args.source, overrides_of(args))
    warm_up(scenario, args.quiet)
    with bag_named(args.record):
        run = run_live(scenario, args.port, args.record, lambda line: print(line, flush=True))
    report(run.summary, as_json=False)
    name_files(args)
    return 0


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``view``; it sets ``run``, which takes the arguments, returns the exit code.

    ``run`` raises InputError for an unusable bag, file name or port, or where rclpy is missing.
    """
    view = subparsers.add_parser('view', help='show a recording in the browser, or a run live')
    view.add_argument('source', metavar='BAG_OR_SCENARIO', nargs='?',
                      help='a recording; with --live: a scenario to run')
    view.add_argument('-o', '--output', metavar='FILE',
                      help="the page to write (default: the bag's name with .html)")
    view.add_argument('--quiet', action='store_true', help=QUIET)
    view.add_argument('--live', action='store_true',
                      help='serve a page that shows a running simulation: SCENARIO in this '
                           'process, or, without SCENARIO, the ROS 2 nodes that run. Space '
                           'pauses, '
                           'a full stop steps, arrow keys drive robots without a controller')
    view.add_argument('--port', type=int, default=PORT, metavar='N',
                      help=f'with --live: port on localhost; 0 is any free one (default: {PORT})')
    view.add_argument('--namespace', metavar='NAME',
                      help='with --live: follow the nodes of sbot up --namespace NAME')
    run = view.add_argument_group('with --live SCENARIO')
    add_overrides(run)
    run.add_argument('--record', metavar='DIR', help='record the run in a new directory '
                                                     '(rosbag2, MCAP)')
    view.set_defaults(run=_view)
