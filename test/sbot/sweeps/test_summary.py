"""Points of a sweep's figure."""

import csv

import pytest
from finished_sweep import make

from sbot.cli.main import main
from sbot.sweeps.show import Results, load_results
from sbot.sweeps.summary import points_of, write_summary
from sbot_common.errors import InputError


def results(values, **keys):
    return Results(tuple(keys), (), {'run': list(range(len(values))), **keys, 'metric': values})


def test_a_point_has_the_values_of_its_runs_and_how_many_began():
    found = points_of(results([1.5, None, 3.5, 4.5], x=[1, 1, 1, 2], y=['a', 'a', 'b', 'b']),
                      'metric', ['x', 'y'])
    assert found.lines == {('a',): {1: [1.5]}, ('b',): {1: [3.5], 2: [4.5]}}
    assert found.started == {(('a',), 1): 2, (('b',), 1): 1, (('b',), 2): 1}
    assert (found.numeric, found.share, found.counts) == (True, False, False)
    assert [found.lacks_values((label,)) for label in 'ab'] == [True, False]


@pytest.mark.parametrize(('values', 'band'), [
    ([0.5 * k for k in range(11)], (0.5, 2.5, 4.5)), ([3, 5, 4, 9], (3.0, 4.5, 9.0)),
    ([0, 1, 1, 1], (pytest.approx(0.30, abs=0.01), 0.75, pytest.approx(0.954, abs=0.01)))])
def test_bands_are_percentiles_of_numbers_and_counts_and_intervals_of_shares(values, band):
    found = points_of(results(values, x=[1] * len(values)), 'metric', ['x'])
    assert found.band(found.lines[()][1]) == band


def lines(path):
    with path.open(newline='') as file:
        return list(csv.DictReader(file))


def test_a_line_for_each_setting_has_statistics_of_numbers_and_shares(tmp_path):
    results = Results(('x',), (), {
        'run': list(range(6)), 'x': ['[1, 2]'] * 4 + ['b'] * 2,
        'time': [1.0, 2.0, 6.0, None, None, None], 'yes': [1, 0, 1, 1, None, 0],
        'error': [None] * 5 + ['no']})
    write_summary(results, tmp_path / 'a.csv', ['time', 'yes'])
    first, second = lines(tmp_path / 'a.csv')
    assert first == {
        'x': '[1, 2]', 'runs': '4', 'failed': '0', 'time_values': '3', 'time_mean': '3',
        'time_std': '2.64575', 'time_median': '2', 'time_p10': '1.2', 'time_p90': '5.2',
        'yes_values': '4', 'yes_share': '0.75', 'yes_low': '0.300642', 'yes_high': '0.954413'}
    assert (second['failed'], second['time_values'], second['time_mean']) == ('1', '0', '')


def test_the_command_writes_the_columns_of_its_table(tmp_path, capsys):
    folder = make(tmp_path / 'a', metrics=('m:mine',))
    path = tmp_path / 'table.csv'
    assert main(['sweep', 'show', str(folder), '--csv', str(path)]) == 0
    assert capsys.readouterr().out == f'{path}\n'
    assert len(lines(path)) == 6
    assert list(lines(path)[0])[:6] == [
        'wind.wind_speed_mean', 'controllers.potential_field.leader_filter', 'runs', 'failed',
        'mine_values', 'mine_mean']
    assert lines(path)[1]['goal_reached_s_median'] == '1.2'


def test_infinite_and_single_values_have_no_deviation(tmp_path):
    results = Results(('x',), (), {'run': [0, 1, 2], 'x': [1, 1, 2], 'error': [None] * 3,
                                   'time': [float('inf'), 1.0, 2.5]})
    write_summary(results, tmp_path / 'a.csv', ['time'])
    first, second = lines(tmp_path / 'a.csv')
    assert (first['time_mean'], first['time_std'], first['time_p90']) == ('inf', '', '')
    assert (second['time_mean'], second['time_std'], second['time_p10']) == ('2.5', '', '2.5')


@pytest.mark.parametrize('path', ['none/a.csv', 'a\0'])
def test_a_file_that_cannot_be_written_is_told(tmp_path, path):
    with pytest.raises(InputError, match='cannot be written: '):
        write_summary(load_results(make(tmp_path / 'a')), tmp_path / path)


def test_truth_values_are_written_as_in_the_table_of_runs(tmp_path):
    results = Results(('x',), (), {'run': [0, 1], 'x': [True, False], 'time': [1.0, 2.0],
                                   'error': [None] * 2})
    write_summary(results, tmp_path / 'a.csv', ['time'])
    assert [line['x'] for line in lines(tmp_path / 'a.csv')] == ['true', 'false']


@pytest.mark.parametrize('name', ['runs.csv', 'plan.json', '../a/times.csv'])
def test_files_of_the_results_are_not_overwritten(tmp_path, capsys, name):
    path = make(tmp_path / 'a') / name
    before = path.read_bytes()
    assert main(['sweep', 'show', str(tmp_path / 'a'), '--csv', str(path)]) == 2
    assert 'expected a name that no file of the results has' in capsys.readouterr().err
    assert path.read_bytes() == before
