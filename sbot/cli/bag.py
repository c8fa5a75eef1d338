"""`sbot bag info|diff|csv`: summary, comparison and CSV table of recordings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from sbot.bag.compare import Comparison, compare
from sbot.bag.csv_export import write_csv
from sbot.bag.reader import Bag
from sbot.bag.ticks import rate_of
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError
from sbot_common.topics import SCENARIO


def information(bag: Bag) -> dict[str, Any]:
    """Return what ``sbot bag info`` shows; reads the whole bag."""
    topics = bag.topics()
    first = min((topic.first_ns for topic in topics.values()), default=0)
    last = max((topic.last_ns for topic in topics.values()), default=0)
    return {
        'bag': str(bag.path),
        'size_bytes': _size(bag.path),
        'complete': bag.complete and not bag.damage,
        'damage': bag.damage,
        'scenario': _scenario_name(bag),
        'seed': bag.seed,
        'version': bag.metadata.get('version'),
        'duration_s': (last - first) / NANOSECONDS,
        'messages': sum(topic.messages for topic in topics.values()),
        'topics': {name: {'type': topic.type, 'messages': topic.messages,
                          'first_s': topic.first_ns / NANOSECONDS,
                          'last_s': topic.last_ns / NANOSECONDS}
                   for name, topic in sorted(topics.items())},
    }


def _size(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob('*') if file.is_file()]
    return sum(file.stat().st_size for file in files)


def _scenario_name(bag: Bag) -> str | None:
    try:
        scenario = yaml.safe_load(bag.scenario_text)
    except (InputError, yaml.YAMLError):
        return None
    return str(scenario['name']) if isinstance(scenario, dict) and 'name' in scenario else None


def _info(args: argparse.Namespace) -> int:
    found = information(Bag(args.bag))
    if args.json:
        print(json.dumps(found))
        return 0
    state = 'complete' if found['complete'] else 'its writer was killed or stopped; readable'
    if found['damage']:
        state += f' ({found["damage"]})'
    unknown = 'unknown'
    print(f'bag       {found["bag"]} ({found["size_bytes"] / 1e6:.1f} MB)')
    print(f'state     {state}')
    print(f'scenario  {found["scenario"] or unknown}, seed {_or(found["seed"], unknown)}, '
          f'recorded with version {_or(found["version"], unknown)}')
    print(f'duration  {found["duration_s"]:.3f} s, {found["messages"]} messages')
    width = max((len(name) for name in found['topics']), default=0)
    for name, topic in found['topics'].items():
        print(f'  {name:{width}}  {topic["messages"]:8}  {topic["type"]}')
    return 0


def _or(value: object, otherwise: str) -> object:
    return otherwise if value is None else value


def _diff(args: argparse.Namespace) -> int:
    result = compare(Bag(args.first), Bag(args.second))
    if args.json:
        print(json.dumps({
            'equal': result.equal, 'messages': result.messages, 'different': result.different,
            'unpaired': result.unpaired, 'only_first': result.only_first,
            'only_second': result.only_second,
            'first': None if result.first is None else result.first._asdict(),
            'distances_m': {str(robot): d for robot, d in result.distances.items()}}))
    else:
        _print_diff(result, args.first, args.second)
    return 0 if result.equal else 1


def _print_diff(result: Comparison, first: str, second: str) -> None:
    if result.equal:
        print(f'equal: {result.messages} messages of the common topics')
    if result.first is not None:
        print(f'first difference: {result.first}')
        if SCENARIO.name in result.different:
            print('they were made from different scenarios or seeds')
        print(f'{sum(result.different.values())} of {result.messages} messages differ, on '
              f'{len(result.different)} topics')
    for name, (a, b) in sorted(result.unpaired.items()):
        print(f'{name}: {a} more messages in {first}' if a else
              f'{name}: {b} more messages in {second}')
    for bag, names in ((first, result.only_first), (second, result.only_second)):
        if names:
            print(f'only in {bag}: {", ".join(names)}')
    if result.distances:
        robot, distance = max(result.distances.items(), key=lambda item: item[1])
        print(f'at the end robots are at most {distance:.9g} m apart (robot {robot})')


def _csv(args: argparse.Namespace) -> int:
    bag = Bag(args.bag)
    rate_of(bag)  # complain before the file is made
    if args.output is None:
        try:
            write_csv(bag, sys.stdout)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has closed it, e.g. `head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    try:
        with open(args.output, 'w', encoding='utf-8', newline='') as file:
            rows = write_csv(bag, file)
    except OSError as error:
        raise InputError(f'{args.output}: cannot be written: {error.strerror}') from None
    print(f'{args.output}: {rows} rows', file=sys.stderr)
    return 0


def add_parsers(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public type for it
    """Add the command ``bag``; each of its commands sets ``run``, which takes the arguments.

    ``run`` returns the exit code: 0, or 1 when ``diff`` found a difference; it raises InputError
    for an unusable bag.
    """
    bag = subparsers.add_parser('bag', help='look into recordings')
    commands = bag.add_subparsers(required=True, metavar='COMMAND')
    info = commands.add_parser('info', help='topics, length, scenario and state of a bag')
    info.add_argument('bag', metavar='BAG')
    info.add_argument('--json', action='store_true', help='print one JSON object')
    info.set_defaults(run=_info)
    diff = commands.add_parser(
        'diff', help='first difference of two bags, and the distance of robots at the end')
    diff.add_argument('first', metavar='A')
    diff.add_argument('second', metavar='B')
    diff.add_argument('--json', action='store_true', help='print one JSON object')
    diff.set_defaults(run=_diff)
    table = commands.add_parser('csv', help='poses and commands as a table')
    table.add_argument('bag', metavar='BAG')
    table.add_argument('-o', '--output', metavar='FILE', help='write here, not to the screen')
    table.set_defaults(run=_csv)
