"""`sbot replay`: replay a recording and compare every command to the bit."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sbot.bag.reader import Bag
from sbot.bag.recorder import RecorderError
from sbot.regression.replay import replay
from sbot.scenario.load import parse_scenario
from sbot.scenario.overrides import parse_override


def _run(args: argparse.Namespace) -> int:
    bag = Bag(args.bag)
    overrides = dict(parse_override(text) for text in args.set)
    scenario = parse_scenario(bag.scenario_text, f'{bag.path}: scenario', Path.cwd())
    total = scenario.rate.ticks(scenario.duration) + 1
    with tqdm(total=total, unit=' ticks', leave=False, file=sys.stderr,
              disable=True if args.quiet or args.json else None) as bar:
        try:
            result = replay(bag, overrides, args.output,
                            lambda tick: bar.update(max(0, tick + 1 - bar.n)))
        except RecorderError as error:
            print(error, file=sys.stderr)
            return 1
    if args.json:
        print(json.dumps({**result._asdict(), 'equal': result.equal,
                          'first': result.first and result.first._asdict()}))
        return 0 if result.equal else 1
    if result.damage or not bag.complete:
        print(f'{bag.path}: the recording was cut short; replayed the {result.ticks} complete '
              'ticks in it', file=sys.stderr)
    if result.first is not None:
        print(result.first)
        print(f'{result.differences} of {result.commands} commands differ')
    elif not args.quiet:
        print(f'{result.scenario}: all {result.commands} commands of {result.ticks} ticks agree '
              'to the bit')
    return 0 if result.equal else 1


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``replay``; it sets ``run``, which takes the arguments.

    ``run`` returns 0 if all commands agree, else 1; it raises InputError for an unusable bag.
    """
    parser = subparsers.add_parser(
        'replay', help='feed a recording to the controllers and compare every command')
    parser.add_argument('bag', metavar='BAG')
    parser.add_argument('--set', metavar='KEY=VALUE', action='append', default=[],
                        help='change a value of the recorded scenario, e.g. '
                             'controllers.potential_field.gamma=0.2')
    parser.add_argument('--output', '-o', metavar='DIR', help='record the new commands here')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.add_argument('--quiet', action='store_true', help='print differences only')
    parser.set_defaults(run=_run)

