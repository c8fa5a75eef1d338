"""`sbot plot`: a picture or a film of a run."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from sbot.bag.reader import Bag
from sbot.cli.bag import report_damage
from sbot.cli.simulate import add_overrides, overrides_of
from sbot_common.errors import InputError, bad_value


def _plot(args: argparse.Namespace) -> int:
    from sbot.figures import animation, picture
    from sbot.figures.data import is_bag, load_run
    formats = (*picture.FORMATS, *animation.FORMATS)
    suffix = '.' + args.output.rpartition('.')[2].lower()
    if suffix not in formats:  # complain before the run
        raise bad_value('--output', args.output, f'a file that ends in {", ".join(formats)}')
    times = _times(args.at)
    if times and suffix in animation.FORMATS:
        raise InputError(f'--at cannot be combined with a film ({args.output})')
    if args.colour == 'heading' and not times and suffix not in animation.FORMATS:
        raise InputError('--colour heading needs --at or a film; give one')
    bag = Bag(args.source, partly=True) if is_bag(args.source) else None
    data = load_run(args.source if bag is None else bag, overrides_of(args))
    write = animation.animate_run if suffix in animation.FORMATS else picture.plot_run
    write(data, args.output, picture.Look(times, args.colour, args.dark))
    print(f'{args.output}: {len(data.radius)} robots, {data.seconds[-1]:.4g} s', file=sys.stderr)
    return 0 if bag is None else report_damage(bag)


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
                      help='draw these times (s) side by side instead of whole tracks, e.g. '
                           '0,10,30')
    plot.add_argument('--colour', choices=('robot', 'heading'), default='robot',
                      help='colour of robots in films and with --at: one each (default), or by '
                           'heading')
    plot.add_argument('--dark', action='store_true', help='draw on a dark background')
    add_overrides(plot)
    plot.set_defaults(run=_plot)
