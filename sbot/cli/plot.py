"""`sbot plot`: a picture or a film of a run."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from sbot.scenario.overrides import parse_override
from sbot_common.errors import bad_value

if TYPE_CHECKING:
    from pathlib import Path

    from sbot.figures.data import RunData

# matplotlib is imported when something is drawn: other commands should not wait for it.


def plot_run(data: RunData, path: str | Path) -> None:
    """Write the picture of a run; see ``plot_figure.plot_run``."""
    from sbot.figures.picture import plot_run as write
    write(data, path)


def _plot(args: argparse.Namespace) -> int:
    from sbot.figures import animation as animate
    from sbot.figures import picture as plot_figure
    from sbot.figures.data import load_run
    formats = animate.FORMATS if args.animate else plot_figure.FORMATS
    suffix = '.' + args.output.rpartition('.')[2].lower()
    if suffix not in formats:  # complain before the run
        other = ' with --animate' if args.animate else ' (with --animate: .mp4, .gif)'
        raise bad_value('--output', args.output,
                        f'a file that ends in {", ".join(formats)}{other}')
    overrides = dict(parse_override(text) for text in args.set)
    for name in ('seed', 'duration'):
        if getattr(args, name) is not None:
            overrides[name] = getattr(args, name)
    data = load_run(args.source, overrides)
    if args.animate:
        animate.animate_run(data, args.output)
    else:
        plot_figure.plot_run(data, args.output)
    print(f'{args.output}: {len(data.radius)} robots, {data.seconds[-1]:.4g} s', file=sys.stderr)
    return 0


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``plot``; it sets ``run``, which takes the arguments, returns the exit code.

    ``run`` raises InputError for an unusable bag, scenario or file name.
    """
    plot = subparsers.add_parser('plot', help='picture or film of a recording or a scenario')
    plot.add_argument('source', metavar='BAG_OR_RUN',
                      help='a bag, or a scenario (file or name), which is then run')
    plot.add_argument('-o', '--output', metavar='FILE', required=True,
                      help='.png, .svg or .pdf; with --animate .mp4 or .gif')
    plot.add_argument('--animate', action='store_true', help='make a film')
    plot.add_argument('--seed', type=int, help="the run's seed")
    plot.add_argument('--duration', type=float, metavar='S', help='how long to run')
    plot.add_argument('--set', action='append', default=[], metavar='KEY=VALUE',
                      help='change a value of the scenario')
    plot.set_defaults(run=_plot)
