# SPDX-License-Identifier: Apache-2.0
"""`sbot bag info|diff|csv|tables`: summary, comparison and tables of recordings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.bag.tables import FORMATS, write_csv, write_tables
from sbot.bag.ticks import rate_of
from sbot.cli.command import BAG, JSON, Command, repeated, value
from sbot.files.yaml_text import load_mapping
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, one_line, writing
from sbot_common.topics import SCENARIO


def _information(bag: Bag) -> dict[str, Any]:
    """Return the content of ``sbot bag info``; reads the whole bag."""
    topics = bag.topics()
    first = min((topic.first_ns for topic in topics.values()), default=0)
    last = max((topic.last_ns for topic in topics.values()), default=0)
    scenario = _scenario(bag)
    return {
        'bag': str(bag.path),
        'size_bytes': _size(bag.path),
        'complete': bag.complete and not bag.damage and not bag.cut_short,
        'damage': bag.damage,
        'cut_short': bag.cut_short,
        'scenario': scenario.get('name'),
        'seed': scenario.get('seed') if bag.seed is None else bag.seed,
        'version': scenario.get('version'),
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


def _scenario(bag: Bag) -> dict[str, Any]:
    """Return name and seed of the recorded scenario, and the version that ran it, if known."""
    found: dict[str, Any] = {}
    with suppress(InputError):
        found['version'] = bag.maker.version
        scenario = load_mapping(bag.scenario_text, 'scenario')
        if 'name' in scenario:
            found['name'] = one_line(str(scenario['name']), 200)
        if isinstance(scenario.get('seed'), int):
            found['seed'] = scenario['seed']
    return found


def _info(args: argparse.Namespace) -> int:
    bag = Bag(args.bag, partly=True)
    found = _information(bag)
    if args.json:
        print(json.dumps(found))
        return damage_code(bag)
    if bag.corrupt:
        state = 'damaged; readable up to there'
    elif found['cut_short']:
        state = f'the run was cut short: {one_line(found["cut_short"], 200)}'
    elif found['complete']:
        state = 'complete'
    else:
        state = 'without a complete index (was its recorder killed?); readable'
    if found['damage']:
        state += f' ({found["damage"]})'
    name, seed, version = ('unknown' if found[key] is None else found[key]
                           for key in ('scenario', 'seed', 'version'))
    _print(f'bag       {found["bag"]} ({found["size_bytes"] / 1e6:.1f} MB)')
    _print(f'state     {state}')
    _print(f'scenario  {name}, seed {seed}, recorded with version {version}')
    _print(f'duration  {found["duration_s"]:.3f} s, {found["messages"]} messages')
    names = {one_line(name, 300): topic for name, topic in found['topics'].items()}
    width = max(map(len, names), default=0)
    digits = max((len(str(topic['messages'])) for topic in names.values()), default=0)
    for name, topic in names.items():
        _print(f'  {name:{width}}  {topic["messages"]:{digits}}  {topic["type"]}')
    return damage_code(bag)


def _print(text: str) -> None:
    """Print a line; what a recording says must not control the terminal."""
    print(one_line(text))


def damage_code(*bags: Bag) -> int:
    """Return 2, the exit code of bad input, if one of the bags is damaged, else 0."""
    return 2 if any(bag.corrupt for bag in bags) else 0


def report_damage(bag: Bag) -> int:
    """Say where a bag that was read to its end is damaged or cut off; return ``damage_code``."""
    if bag.damage:
        print(one_line(f'sbot: {bag.path}: {bag.damage}; read up to there'), file=sys.stderr)
    return damage_code(bag)


def _diff(args: argparse.Namespace) -> int:
    bags = Bag(args.first, partly=True), Bag(args.second, partly=True)
    result = Comparison.of(*bags)
    if args.json:
        print(json.dumps({
            'equal': result.equal, 'messages': result.messages, 'different': result.different,
            'unpaired': result.unpaired, 'only_first': result.only_first,
            'only_second': result.only_second,
            'first': None if result.first is None else result.first._asdict(),
            'distances_m': {str(robot): d for robot, d in result.distances.items()}}))
    else:
        _print_diff(result, args.first, args.second)
    code = max(map(report_damage, bags))
    return code or (0 if result.equal else 1)


def _print_diff(result: Comparison, first: str, second: str) -> None:
    if result.equal:
        print(f'equal: {result.messages} messages of the common topics')
    if result.first is not None:
        _print(f'first difference: {result.first}')
        if SCENARIO.name in result.different:
            print('the scenarios or seeds differ')
        print(f'{sum(result.different.values())} of {result.messages} messages differ, on '
              f'{len(result.different)} topics')
    for name, (a, b) in sorted(result.unpaired.items()):
        _print(f'{name}: {a} more messages in {first}' if a else
               f'{name}: {b} more messages in {second}')
    for bag, names in ((first, result.only_first), (second, result.only_second)):
        if names:
            _print(f'only in {bag}: {", ".join(names)}')
    if result.distances:
        robot, distance = max(result.distances.items(), key=lambda item: item[1])
        of_robot = f', of robot {robot}' if distance > 0.0 else ''
        print(f'largest distance at the end: {distance:.9g} m{of_robot}')


def _csv(args: argparse.Namespace) -> int:
    bag = Bag(args.bag, partly=True)
    rate_of(bag)  # complain before the file is made
    if args.output is None:
        try:
            write_csv(bag, sys.stdout)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has closed it, e.g. `head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return report_damage(bag)
    with writing(args.output), open(args.output, 'w', encoding='utf-8', newline='') as file:
        rows = write_csv(bag, file)
    print(f'{args.output}: {rows} rows', file=sys.stderr)
    return report_damage(bag)


def _tables(args: argparse.Namespace) -> int:
    bag = Bag(args.bag, partly=True)
    with writing(args.output):
        written = write_tables(bag, Path(args.output), args.format, args.topic)
    for path, rows in written.items():
        print(f'{path}: {rows} rows', file=sys.stderr)
    return report_damage(bag)


COMMANDS = {
    'info': Command(_info, {'bag': BAG, '--json': JSON},
                    'print topics, length, scenario and state of a bag'),
    'diff': Command(_diff, {'first': {**BAG, 'metavar': 'A'}, 'second': {**BAG, 'metavar': 'B'},
                            '--json': JSON},
                    'print the first difference between two bags, and how far apart their robots '
                    'end'),
    'csv': Command(_csv, {
        'bag': BAG,
        '-o --output': value('FILE', 'file to write (default: the screen)'),
    }, 'write poses and commands as a table'),
    'tables': Command(_tables, {
        'bag': BAG,
        '-o --output': value('DIR', 'folder to write to', required=True),
        '--format': value(None, 'format of the files (default: csv)', choices=FORMATS,
                          default='csv'),
        '--topic': repeated('NAME', 'write this topic only; may be repeated'),
    }, 'write all messages, a table for each topic'),
}
