"""`sbot sweep show` and `sbot sweep plot`: the results of a sweep as a table and as a figure."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from sbot_common.errors import bad_value, one_line


def _show_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog='sbot sweep show', description='Print the medians of each setting of a sweep; of '
                                            'columns with only 0 and 1, the share of runs.')
    parser.add_argument('folder', metavar='DIR', help='folder of the results')
    parser.add_argument('--metric', action='append', default=[], metavar='COLUMN',
                        help='a column of runs.csv; may be repeated')
    parser.add_argument('--csv', metavar='FILE',
                        help='write a CSV file instead: mean, standard deviation, median and '
                             'percentiles of each setting; - prints it')
    parser.set_defaults(run=_show)
    return parser


def _plot_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog='sbot sweep plot', description='Draw a metric against a swept parameter: medians and '
                                            'the middle 80 % of the runs. Other swept '
                                            'parameters tell curves apart, if there are at most '
                                            '10; the title names those that do not.')
    parser.add_argument('folder', metavar='DIR', help='folder of the results')
    parser.add_argument('--metric', default='', metavar='COLUMN',
                        help='a column of runs.csv (default: your metric, else goal_reached_s)')
    parser.add_argument('--by', action='append', default=[], metavar='KEY',
                        help='swept parameter along x, or the end of its path (default: the '
                             'first); given again: a curve for each of its values')
    parser.add_argument('--pool', action='append', default=[], metavar='KEY',
                        help='swept parameter whose values are taken together; may be repeated')
    for name, what in (('xlabel', 'label of the x axis'), ('ylabel', 'label of the y axis'),
                       ('title', 'title; it replaces the line that says what is drawn')):
        parser.add_argument(f'--{name}', metavar='TEXT', help=f"{what}; '' leaves it out")
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='.png, .svg or .pdf (default: DIR/COLUMN.png)')
    parser.set_defaults(run=_plot)
    return parser


OTHERS = {'show': _show_parser, 'plot': _plot_parser}  # as `sbot sweep show`


def _show(arguments: argparse.Namespace) -> int:
    from sbot.sweeps.results.show import format_results, load_results
    results = load_results(arguments.folder)
    if arguments.csv is None:
        print(format_results(results, arguments.metric))
    else:
        from sbot.sweeps.results import journal, plan_file, table
        from sbot.sweeps.results.summary import write_summary
        taken = journal.NAME, plan_file.NAME, table.CSV, table.PARQUET, table.TIMES
        if os.path.abspath(arguments.csv) in [
                os.path.abspath(Path(arguments.folder) / name) for name in taken]:
            raise bad_value('--csv', arguments.csv, 'a name that no file of the results has')
        write_summary(results, arguments.csv, arguments.metric)
        if arguments.csv != '-':
            print(one_line(arguments.csv))
    return 0


def _plot(arguments: argparse.Namespace) -> int:
    from sbot.sweeps.results.figure import Words, plot_sweep
    from sbot.sweeps.results.show import load_results
    results = load_results(arguments.folder)
    metric = arguments.metric or (*results.metrics, 'goal_reached_s')[0]
    # A column's name is text of the folder, and may be a path elsewhere.
    stem = re.sub(r'[^\w.-]', '_', metric)
    path = arguments.output or str(Path(arguments.folder) / f'{stem}.png')
    plot_sweep(results, path, metric, arguments.by, arguments.pool,
               Words(arguments.xlabel, arguments.ylabel, arguments.title))
    print(one_line(path))
    return 0
