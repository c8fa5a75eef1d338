"""`sbot plot`: a picture or a film of a run."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from sbot.bag.reader import Bag
from sbot.cli.bag import report_damage
from sbot.cli.simulate import (
    add_overrides,
    overrides_of,
    simulated_time,
)
from sbot.runner.summary import QUIET, progress_bar
from sbot.scenario.load import load_scenario
from sbot_common.clock import in_seconds
from sbot_common.errors import SHOWN, InputError, bad_value, one_line

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
                        picture.read_width(film, suffix, '--'), _inches(args.figsize))
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


def _inches(text: str | None) -> tuple[float, float] | None:
    """Return width and height (inches) of `--figsize`."""
    if text is None:
        return None
    try:
        width, height = map(float, text.lower().split('x'))
    except ValueError:
        raise bad_value('--figsize', text, 'WIDTHxHEIGHT in inches, e.g. 3.4x3.0') from None
    return width, height


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
    plot.add_argument('--figsize', metavar='WIDTHxHEIGHT',
                      help='size of a picture in inches, e.g. 3.4x3.0 for a column of a paper')
    films = plot.add_argument_group('films')
    films.add_argument('--fps', type=float, metavar='N',
                       help='frames per second, up to 120 in .mp4 (default: 25) and 50 in .gif '
                            '(default: 12.5)')
    films.add_argument('--speed', type=float, metavar='FACTOR',
                       help='speed relative to real time, e.g. 0.5 or 4 (default: 1; a run '
                            'longer than 20 s becomes a film of 20 s)')
    add_overrides(plot)
    plot.set_defaults(run=_plot)
