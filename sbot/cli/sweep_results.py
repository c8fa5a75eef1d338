# SPDX-License-Identifier: Apache-2.0
"""`sbot sweep show` and `sbot sweep plot`: results of a sweep as a table and as a figure."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from sbot.cli.command import Command, repeated, value
from sbot.sweeps.journal import CSV, PARQUET, PLAN_NAME, TIMES
from sbot.sweeps.journal import NAME as JOURNAL
from sbot.sweeps.show import Results
from sbot_common.errors import bad_value, one_line


def _show(arguments: argparse.Namespace) -> int:
    results = Results.load(arguments.folder)
    if arguments.csv is None:
        print(results.text(arguments.metric))
    else:
        taken = JOURNAL, PLAN_NAME, CSV, PARQUET, TIMES
        if os.path.abspath(arguments.csv) in [
                os.path.abspath(Path(arguments.folder) / name) for name in taken]:
            raise bad_value('--csv', arguments.csv, 'a name that no file of the results has')
        results.write_summary(arguments.csv, arguments.metric)
        if arguments.csv != '-':
            print(one_line(arguments.csv))
    return 0


def _plot(arguments: argparse.Namespace) -> int:
    from sbot.sweeps.figure import Words, plot_sweep
    results = Results.load(arguments.folder)
    metric = arguments.metric or (*results.metrics, 'goal_reached_s')[0]
    # A column's name is text of the folder, and may be a path elsewhere.
    stem = re.sub(r'[^\w.-]', '_', metric)
    path = arguments.output or str(Path(arguments.folder) / f'{stem}.png')
    plot_sweep(results, path, metric, arguments.by, arguments.pool,
               Words(arguments.xlabel, arguments.ylabel, arguments.title))
    print(one_line(path))
    return 0


COMMANDS = {
    'sweep show': Command(_show, {
        'folder': value('DIR', 'folder of the results'),
        '--metric': repeated('COLUMN', 'a column of runs.csv; may be repeated'),
        '--csv': value(
            'FILE', 'write a CSV file instead: mean, standard deviation, median and percentiles '
            'of each setting; - prints it'),
    }, description='Print the medians of each setting of a sweep; of columns with only 0 and 1, '
                   'the share of runs.'),
    'sweep plot': Command(_plot, {
        'folder': value('DIR', 'folder of the results'),
        '--metric': value(
            'COLUMN', 'a column of runs.csv (default: your metric, else goal_reached_s)',
            default=''),
        '--by': repeated(
            'KEY', 'swept parameter along x, or the end of its path (default: the first); given '
            'again: a curve for each of its values'),
        '--pool': repeated(
            'KEY', 'swept parameter whose values are taken together; may be repeated'),
        '--xlabel': value('TEXT', "label of the x axis; '' leaves it out"),
        '--ylabel': value('TEXT', "label of the y axis; '' leaves it out"),
        '--title': value(
            'TEXT', "title; it replaces the line that says what is drawn; '' leaves it out"),
        '-o --output': value('FILE', '.png, .svg or .pdf (default: DIR/COLUMN.png)'),
    }, description='Draw a metric against a swept parameter: medians and the middle 80 % of the '
                   'runs. Other swept parameters tell curves apart, if there are at most 10; the '
                   'title names those that do not.'),
}
