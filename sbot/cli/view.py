"""`sbot view`: a recording or a running simulation in the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from sbot_common.errors import InputError, bad_value

PORT = 8008


def _view(args: argparse.Namespace) -> int:
    if args.live:
        if args.bag is not None or args.output is not None:
            raise InputError('--live: follows a running simulation; expected no bag and no -o')
        from sbot.viewer.live import follow
        return follow(args.port)
    if args.bag is None:
        raise InputError('sbot view: expected a bag, or --live')
    output = args.output or Path(args.bag).resolve().stem + '.html'
    if not str(output).endswith(('.html', '.htm')):
        raise bad_value('--output', output, 'a file that ends in .html')
    from sbot.viewer.page import write_view
    write_view(args.bag, output)
    size = Path(output).stat().st_size / 1e6
    print(f'{output}: {size:.1f} MB; opens in any browser, offline', file=sys.stderr)
    return 0


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``view``; it sets ``run``, which takes the arguments, returns the exit code.

    ``run`` raises InputError for an unusable bag, file name or port, or where rclpy is missing.
    """
    view = subparsers.add_parser('view', help='replay a recording in the browser, or watch live')
    view.add_argument('bag', metavar='BAG', nargs='?', help='a recording')
    view.add_argument('-o', '--output', metavar='FILE',
                      help='the page to write (default: name of the bag + .html)')
    view.add_argument('--live', action='store_true',
                      help='serve a page that follows a running simulation (needs ROS 2)')
    view.add_argument('--port', type=int, default=PORT, metavar='N',
                      help=f'with --live: port on localhost, 0: any free one (default: {PORT})')
    view.set_defaults(run=_view)
