# SPDX-License-Identifier: Apache-2.0
"""`sbot wind at|vtk|make|wake`: look up, export and generate wind fields; list wakes."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from sbot.cli.command import JSON, Command, flag, value
from sbot_common.errors import InputError, bad_value
from sbot_common.params import Spec, specs_of
from wind_model.generate import FLOWS, FieldParameters, generate
from wind_model.grid import velocity_at
from wind_model.rotors_text import read_grid, write_grid


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


_number.__name__ = 'finite number'  # argparse says that it expected one


def _at(args: argparse.Namespace) -> int:
    """Print u v w (m/s) at a point; outside the field is an error unless a default is given."""
    field = read_grid(args.field, typed=True).lattice(args.field)
    outside = np.full(3, np.nan) if args.outside is None else np.array(args.outside)
    wind = velocity_at(field, np.array([[args.x, args.y, args.z]]), outside)[0]
    if np.isnan(wind).any():
        raise InputError(
            f'{args.field}: the point ({args.x:g}, {args.y:g}, {args.z:g}) is outside the field, '
            f'which covers x {field.x[0]:g} to {field.x[-1]:g}, y {field.y[0]:g} to '
            f'{field.y[-1]:g} and z {field.z[0].min():g} to {field.z[-1].max():g} m')
    print(*(wind + 0.0).tolist())
    return 0


def _vtk(args: argparse.Namespace) -> int:
    """Write wind, terrain and picture next to the field or under a name of the user's."""
    # matplotlib takes long to import, and only this command needs it.
    from wind_model.export import write_preview, write_terrain, write_wind

    field = read_grid(args.field, typed=True).lattice(args.field)
    stem = Path(args.output) if args.output else Path(args.field).with_suffix('')
    wind, terrain, picture = (stem.with_name(stem.name + end)
                              for end in ('_wind.vtu', '_terrain.vtu', '.png'))
    write_wind(wind, field)
    write_terrain(terrain, field)
    middle = float(field.z[field.z.shape[0] // 2].mean())
    write_preview(picture, field, middle if args.height is None else args.height)
    for path in (wind, terrain, picture):
        print(path)
    return 0


def _make(args: argparse.Namespace) -> int:
    """Write a generated field."""
    path = Path(args.field)
    if path.exists() and not args.force:
        raise bad_value('FIELD', args.field, 'a new file (or --force)')
    grid = generate(args.kind, **{name: getattr(args, name) for name in FieldParameters._fields})
    write_grid(path, grid)
    print(f'{path}: {grid.n_x} x {grid.n_y} x {grid.n_z} points')
    return 0


def _wake(args: argparse.Namespace) -> int:
    """Print the terms of document 000 section 6 for each robot at a time of a run."""
    # The simulator takes long to import, and only this command needs it.
    from sbot.runner.loop import wake_report
    from sbot.scenario.load import load_scenario

    report = wake_report(load_scenario(args.scenario), args.time)
    if args.json:
        print(json.dumps(report))
        return 0
    print(f'at {report["time_s"]:g} s')
    for robot in report['robots']:
        wind = ', '.join(f'{c:.4f}' for c in robot['wind'])
        print(f'robot {robot["id"]}: wind ({wind}) m/s, r = {robot["r"]:.4f}')
        for term in robot['neighbours']:
            print(f'    robot {term["id"]}: along {term["along"]:.4f} m, lateral '
                  f'{term["lateral"]:.4f} m, r_i = {term["r_i"]:.4f}')
    return 0


def _field_option(spec: Spec) -> dict[str, Any]:
    unit = f' ({spec.unit})' if spec.unit else ''
    return value('N', f'{spec.text}{unit} Default: {spec.default}', dest=spec.name,
                 type=int if isinstance(spec.default, int) else _number, default=spec.default)


COMMANDS = {
    'at': Command(_at, {
        'field': value('FIELD', 'text file of the field'),
        **{axis: value(axis.upper(), f'{axis} (m)', type=_number) for axis in 'xyz'},
        '--outside': {
            'metavar': ('U', 'V', 'W'), 'nargs': 3, 'type': _number,
            'help': 'wind (m/s) to print for a point outside the field (default: an error)'},
    }, 'print the wind u v w (m/s) at a point'),
    'vtk': Command(_vtk, {
        'field': value('FIELD', 'text file of the field'),
        '-o --output': value(
            'NAME', 'beginning of the file names (default: FIELD without its ending)'),
        '--height': value(
            'Z', 'height (m) of the picture, e.g. the wind_height of a scenario (default: '
            'half-way up)', type=_number),
    }, 'write a field for ParaView (.vtu), and a picture'),
    'make': Command(_make, {
        'kind': value('KIND', 'one of ' + ', '.join(FLOWS), choices=list(FLOWS)),
        'field': value('FIELD', 'text file to write'),
        '--force': flag('replace an existing file'),
        **{'--' + spec.name.replace('_', '-'): _field_option(spec)
           for spec in specs_of(FieldParameters)},
    }, 'write a field of one of four kinds'),
    'wake': Command(_wake, {
        'scenario': value('SCENARIO', 'scenario file, or name of a shipped scenario'),
        '--time': value('T', 'simulated time (s; default: the first tick)', type=_number,
                        default=0.0),
        '--json': JSON,
    }, 'print how much the wakes of other robots reduce the wind at each robot'),
}
