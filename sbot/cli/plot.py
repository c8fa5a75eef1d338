"""`sbot plot`: a picture or a film of a run."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbot.bag.reader import Bag
from sbot.cli.bag import report_damage
from sbot.cli.simulate import (
    add_overrides,
    bag_named,
    check_outputs,
    name_files,
    overrides_of,
    report,
    simulated_time,
)
from sbot.runner.summary import QUIET, progress_bar
from sbot.scenario.load import load_scenario
from sbot_common.clock import in_seconds
from sbot_common.errors import SHOWN, InputError, bad_value, one_line, real_path

if TYPE_CHECKING:
    from sbot.figures.data import RunData


def _plot(args: argparse.Namespace) -> int:
    from sbot.figures import animation, picture
    from sbot.figures.data import is_bag, load_run
    from sbot.figures.film import FORMATS, Film, check_film, read_size
    formats = (*picture.FORMATS, *FORMATS)
    suffix = '.' + args.output.rpartition('.')[2].lower()
    if suffix not in formats:  # complain before the run
        page = '; for a page: sbot view BAG -o FILE.html' * (suffix == '.html')
        raise bad_value('--output', args.output,
                        f'a file that ends in {", ".join(formats)}{page}')
    film = Film(*read_size(args.size, '--size'), args.fps, args.speed)
    look = picture.Look(_times(args.at), args.colour, args.dark, args.title,
                        picture.read_width(film, suffix, '--'))
    picture.check_look(look, suffix in FORMATS, '--')
    check_film(film, suffix, '--')
    bag = Bag(args.source, partly=True) if is_bag(args.source) else None
    _check_place(args.output)
    data = _run(args) if bag is None else load_run(bag, overrides_of(args))
    if suffix in FORMATS:
        frames = animation.film_length(data, suffix, film)
        if not args.quiet and not sys.stderr.isatty():
            print(f'{one_line(args.output)}: drawing {frames} frames', file=sys.stderr)
        with progress_bar(' frames', frames, shown=not args.quiet,
                          desc=one_line(args.output, SHOWN)) as show:
            animation.animate_run(data, args.output, look, film, show)
    else:
        picture.plot_run(data, args.output, look)
    if not args.quiet:
        count = len(data.radius)
        print(f"{one_line(args.output)}: {count} robot{'s' * (count > 1)}, "
              f'{in_seconds(float(data.seconds[-1]))}', file=sys.stderr)
    return 0 if bag is None else report_damage(bag)


def _check_place(path: str) -> None:
    """Refuse a file that no folder can hold before anything runs or is drawn."""
    folder = os.path.dirname(path) or os.curdir
    try:
        os.stat(folder)
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)
    except OSError as error:
        raise InputError(f'{path}: cannot be written: {error.strerror}') from None


def _run(args: argparse.Namespace) -> RunData:
    from sbot.figures.data import from_result
    from sbot.runner.loop import run_scenario
    scenario = load_scenario(args.source, overrides_of(args))
    with simulated_time(scenario, args.quiet) as progress:
        return from_result(run_scenario(scenario, progress=progress))


def _times(text: str | None) -> tuple[float, ...]:
    """Return the times (s) of `--at`."""
    try:
        return tuple(float(each) for each in text.split(',')) if text is not None else ()
    except ValueError:
        raise bad_value('--at', text, 'times in seconds, e.g. 0,10,30') from None


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``plot``; it sets ``run``, which takes the arguments, returns the exit code.

    ``run`` raises InputError for an unusable bag, scenario or file name.
    """
    plot = subparsers.add_parser('plot', help='draw a recording or scenario as a picture or film')
    plot.add_argument('source', metavar='BAG_OR_SCENARIO',
                      help='a recording, or a scenario (file or name), which runs first')
    plot.add_argument('-o', '--output', metavar='FILE', required=True,
                      help='a picture (.png, .svg, .pdf) or a film (.mp4, .gif)')
    plot.add_argument('--at', metavar='SECONDS',
                      help='draw these moments side by side instead of whole tracks, e.g. 0,10,30')
    plot.add_argument('--colour', '--color', choices=('robot', 'time', 'heading'), default='',
                      help='what the colours show: robot (default for up to eight robots), time '
                           '(tracks only; default for more robots), or heading (films and --at)')
    plot.add_argument('--quiet', action='store_true', help=QUIET)
    plot.add_argument('--dark', action='store_true', help='draw on a dark background')
    plot.add_argument('--title', metavar='TEXT',
                      help="title of a picture, or name in a film; '' leaves it out (default: of "
                           'tracks and films, the name of the scenario)')
    plot.add_argument('--size', metavar='PIXELS',
                      help='width of a film or a .png, e.g. 1200; of a film also WIDTHxHEIGHT, '
                           'e.g. 1920x1080 (default: 840 for a film, 1400 for a .png; the height '
                           'follows from the arena)')
    films = plot.add_argument_group('films')
    films.add_argument('--fps', type=float, metavar='N',
                       help='frames per second, up to 120 in .mp4 (default: 25) and 50 in .gif '
                            '(default: 12.5)')
    films.add_argument('--speed', type=float, metavar='FACTOR',
                       help='speed relative to real time, e.g. 0.5 or 4 (default: 1; a run '
                            'longer than 20 s becomes a film of 20 s)')
    add_overrides(plot)
    plot.set_defaults(run=_plot)
    _add_view_parser(subparsers)


# `sbot view`: a recording or a running simulation in the browser.

_PORT = 8008


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
        return _run_view(args)
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
    from sbot.viewer.page import write_view
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


def _run_view(args: argparse.Namespace) -> int:
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


def _add_view_parser(subparsers: Any) -> None:  # noqa: ANN401 - as above
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
    view.add_argument('--port', type=int, default=_PORT, metavar='N',
                      help=f'with --live: port on localhost; 0 is any free one (default: {_PORT})')
    view.add_argument('--namespace', metavar='NAME',
                      help='with --live: follow the nodes of sbot up --namespace NAME')
    run = view.add_argument_group('with --live SCENARIO')
    add_overrides(run)
    run.add_argument('--record', metavar='DIR', help='record the run in a new directory '
                                                     '(rosbag2, MCAP)')
    view.set_defaults(run=_view)
