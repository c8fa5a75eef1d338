# SPDX-License-Identifier: Apache-2.0
"""`sbot plot` and `sbot view`: a run as a picture or film, or in the browser."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path

from sbot.bag.reader import Bag
from sbot.cli.bag import report_damage
from sbot.cli.command import OVERRIDES, QUIET, RECORD, Command, flag, value
from sbot.cli.simulate import (
    bag_named,
    check_outputs,
    name_files,
    overrides_of,
    simulated_time,
)
from sbot.figures.data import RunData, is_bag
from sbot.figures.look import COLOURS, Look, asked
from sbot.runner.loop import run_scenario
from sbot.runner.summary import format_summary, progress_bar
from sbot.scenario.load import load_scenario
from sbot_common.clock import in_seconds
from sbot_common.errors import SHOWN, bad_value, one_line, real_path, refuse, writing

_PORT = 8008


def _plot(args: argparse.Namespace) -> int:
    look, film = asked(args.output, Look(_times(args.at), args.colour, args.dark, args.title,
                                         inches=_inches(args.figsize)),
                       args.size, args.fps, args.speed, '--')
    bag = Bag(args.source, partly=True) if is_bag(args.source) else None
    refuse((bag is not None and overrides_of(args),
            f'{args.source}: is a recording, which cannot be changed'))
    with writing(args.output):  # complain before the run
        os.stat(os.path.dirname(args.output) or os.curdir)
        with contextlib.suppress(FileNotFoundError):
            os.lstat(args.output)
    data = _simulated(args) if bag is None else RunData.from_bag(bag)
    if film is None:
        from sbot.figures.picture import plot_run
        plot_run(data, args.output, look)
    else:
        from sbot.figures.film import animate_run, film_length
        frames = film_length(data, Path(args.output).suffix.lower(), film)
        if not args.quiet and not sys.stderr.isatty():
            print(f'{one_line(args.output)}: drawing {frames} frames', file=sys.stderr)
        with progress_bar(' frames', frames, shown=not args.quiet,
                          desc=one_line(args.output, SHOWN)) as show:
            animate_run(data, args.output, look, film, show)
    if not args.quiet:
        count = len(data.radius)
        print(f"{one_line(args.output)}: {count} robot{'s' * (count > 1)}, "
              f'{in_seconds(float(data.seconds[-1]))}', file=sys.stderr)
    return 0 if bag is None else report_damage(bag)


def _simulated(args: argparse.Namespace) -> RunData:
    scenario = load_scenario(args.source, overrides_of(args))
    with simulated_time(scenario, args.quiet) as progress:
        return RunData.from_result(run_scenario(scenario, progress=progress))


def _times(text: str | None) -> tuple[float, ...]:
    """Return the times (s) of `--at`."""
    try:
        return tuple(float(each) for each in text.split(',')) if text is not None else ()
    except ValueError:
        raise bad_value('--at', text, 'times in seconds, e.g. 0,10,30') from None


def _inches(text: str | None) -> tuple[float, ...] | None:
    """Return width, or width and height (inches) of `--figsize`."""
    if text is None:
        return None
    try:
        return tuple(map(float, text.lower().split('x', 1)))
    except ValueError:
        raise bad_value('--figsize', text, 'WIDTH or WIDTHxHEIGHT in inches, e.g. 3.4x3.0'
                        ) from None


def _view(args: argparse.Namespace) -> int:
    live, source = args.live, args.source
    is_changed = overrides_of(args) or args.record is not None
    refuse(
        (live and args.output is not None,
         '--live cannot be combined with -o: it serves a page and writes no file'),
        (live and source is not None and args.namespace is not None,
         '--namespace cannot be combined with a SCENARIO: it selects running ROS 2 nodes'),
        (live and source is None and is_changed,
         '--live without a SCENARIO follows running nodes; it cannot be combined with --seed, '
         '--duration, --set or --record'),
        (not live and source is None, 'sbot view needs a recording, or --live'),
        (not live and args.namespace is not None,
         '--namespace needs --live: it selects running ROS 2 nodes'),
        (not live and is_changed,
         '--seed, --duration, --set and --record need a scenario that runs; use --live SCENARIO'))
    if live:
        return _follow(args) if source is None else _run_live(args)
    output = args.output or real_path(source).stem + '.html'
    from sbot.viewer.data import check_name, write_view
    check_name(output, '--output')
    refuse((not is_bag(source) and os.path.isfile(source),
            f'{source} is not a recording; record it first (sbot run {source} --record DIR), or '
            'watch it with --live'))
    bag = Bag(source, partly=True)
    write_view(bag, output)
    if not args.quiet:
        size = Path(output).stat().st_size / 1e6
        print(f'{one_line(output)}: {size:.1f} MB; opens in any browser, offline', file=sys.stderr)
    return report_damage(bag)


def _follow(args: argparse.Namespace) -> int:
    from sbot.ros.processes import parse_namespace
    from sbot.viewer.live import follow
    return follow(args.port, parse_namespace(args.namespace or ''))


def _run_live(args: argparse.Namespace) -> int:
    from sbot.runner.warm_up import warm_up
    from sbot.viewer.live import run_live
    check_outputs(args)
    scenario = load_scenario(args.source, overrides_of(args))
    warm_up(scenario, args.quiet)
    with bag_named(args.record):
        run = run_live(scenario, args.port, args.record, lambda line: print(line, flush=True))
    print(format_summary(run.summary), flush=True)
    name_files(args)
    return 0


COMMANDS = {
    'plot': Command(_plot, {
        'source': value('BAG_OR_SCENARIO',
                        'a recording, or a scenario (file or name), which runs first'),
        '-o --output': value('FILE', 'a picture (.png, .svg, .pdf) or a film (.mp4, .gif)',
                             required=True),
        '--at': value(
            'SECONDS', 'draw these moments side by side instead of whole tracks, e.g. 0,10,30'),
        '--colour --color': value(
            None, 'what the colours show: robot (default for up to eight robots), time (tracks '
            'only; default for more robots), or heading (films and --at)',
            choices=COLOURS, default=''),
        '--quiet': QUIET,
        '--dark': flag('draw on a dark background'),
        '--title': value(
            'TEXT', "title of a picture, or name in a film; '' leaves it out (default: of tracks "
            'and films, the name of the scenario)'),
        '--size': value(
            'PIXELS', 'width of a film or a .png, e.g. 1200; of a film also WIDTHxHEIGHT, e.g. '
            '1920x1080 (default: 840 for a film, 1400 for a .png; the height follows from the '
            'arena)'),
        '--figsize': value(
            'INCHES', 'width of a picture, or WIDTHxHEIGHT, e.g. 3.4x3.0 for a column of a paper'),
        **OVERRIDES,
    }, more=(('films', {
        '--fps': value(
            'N', 'frames per second, up to 120 in .mp4 (default: 25) and 50 in .gif (default: '
            '12.5)', type=float),
        '--speed': value(
            'FACTOR', 'speed relative to real time, e.g. 0.5 or 4 (default: 1; a run longer than '
            '20 s becomes a film of 20 s)', type=float),
    }),)),
    'view': Command(_view, {
        'source': value('BAG_OR_SCENARIO', 'a recording; with --live: a scenario to run',
                        nargs='?'),
        '-o --output': value('FILE', "the page to write (default: the bag's name with .html)"),
        '--quiet': QUIET,
        '--live': flag(
            'serve a page that shows a running simulation: SCENARIO in this process, or, without '
            'SCENARIO, the ROS 2 nodes that run. Space pauses, a full stop steps, arrow keys '
            'drive robots without a controller'),
        '--port': value(
            'N', f'with --live: port on localhost; 0 is any free one (default: {_PORT})', type=int,
            default=_PORT),
        '--namespace': value(
            'NAME', 'with --live: follow the nodes of sbot up --namespace NAME'),
    }, more=(('with --live SCENARIO', {**OVERRIDES, '--record': RECORD}),)),
}
