"""Statistics of settings as CSV."""

import csv

import pytest
from finished_sweep import make

from sbot.cli.main import main
from sbot.sweeps.results.show import Results, load_results
from sbot.sweeps.results.summary import write_summary
from sbot_common.errors import InputError


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
