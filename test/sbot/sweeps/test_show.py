"""Names of parameters and columns for people."""

import csv

import pytest
from finished_sweep import make

from sbot.cli.main import main
from sbot.sweeps.figure import _column_label, _draw_sweep
from sbot.sweeps.show import WIDTH, Results, _short_names, frequent_errors, wilson_interval
from sbot_common.errors import InputError


@pytest.mark.parametrize(('keys', 'names'), [
    (['robots.*.parameters.spacing', 'wind.wake_fade'], ['spacing', 'wake_fade']),
    (['robots.0.goal'], ['goal']), (['robots.0.pose.0', 'robots.0.pose.1'], ['pose.0', 'pose.1']),
    (['robots.0.goal', 'robots.1.goal'], ['robots.0.goal', 'robots.1.goal']),
    (['robots.*.parameters.speed', 'controllers.dwa.speed'], ['parameters.speed', 'dwa.speed'])])
def test_a_short_name_is_the_end_of_a_key_and_tells_it_from_others(keys, names):
    assert _short_names(keys) == names


@pytest.mark.parametrize(('column', 'label'), [
    ('collisions', 'collisions of all robots (ticks)'),
    ('collisions_max', 'collisions, greatest of one robot (ticks)'),
    ('overlaps', 'overlaps (pairs × ticks)'),
    ('path_length_m_mean', 'path length, mean of robots (m)'),
    ('goal_reached_s', 'robot 0: goal reached (s)'),
    ('robot_1_goal_reached_s', 'robot 1: goal reached (s)'), ('sim_time_s', 'sim time (s)'),
    ('lane.error (m)', 'lane.error (m)'), ('dip_s', 'dip_s')])
def test_labels_have_units(column, label):
    assert _column_label(column) == label


def test_the_most_frequent_errors_come_first_whatever_their_ticks():
    errors = ['no\x1b', *(f'robot 0 at tick {k}: ValueError: 12 / 0' for k in (7, 30)), 'b', 'c',
              'd']
    assert frequent_errors(errors) == ['2 runs: robot 0 at tick 7: ValueError: 12 / 0',
                                       '1 run: no\\x1b', '1 run: b', '2 runs: other errors']
    assert frequent_errors([]) == []


def test_a_line_for_each_setting_with_medians_within_80_columns(tmp_path, capsys):
    assert main(['sweep', 'show', str(make(tmp_path / 'a'))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0].split()[:5] == ['wind_speed_mean', 'leader_filter', 'runs', 'failed',
                                    'goal_reached_s']
    assert lines[1].split()[:5] == ['0', 'as_written', '5', '1', '0.15']  # seed 3 failed
    assert lines[2].split()[:5] == ['0', 'geometric', '5', '0', '1.2']
    assert len(lines) == 1 + 6 + 1 + 1 + 1
    assert lines[-1] == 'failed: 1 run: ValueError: no'
    assert lines[-3] == 'medians over the runs that have a value; goal_reached_s: of robot 0'
    assert lines[-2].startswith('not shown: ')
    assert lines[-2].endswith('(--metric NAME)')


def test_a_legend_tells_medians_of_few_runs_and_shares(tmp_path):
    results = Results.load(make(tmp_path / 'a', {'rate': [10, 20]}, seeds=range(6)))
    arrived = [1, 1, 0, None, 0, 0] + [1] * 6
    results.columns['robots_arrived'] = arrived
    results.columns['goal_reached_s'] = [9.0 if each else None for each in arrived]
    text = results.text(['goal_reached_s', 'robots_arrived'])
    assert text.splitlines()[1].split() == ['10', '6', '1', '9', '0.4']
    assert ' '.join(text.splitlines()[3:-1]) == (
        'medians over the runs that have a value (goal_reached_s: at least 2 of 5); '
        'robots_arrived (only 0 and 1): share of runs with 1; goal_reached_s: of robot 0')
    results.columns['collisions'] = [3] * 12
    assert results.text(['collisions']).splitlines()[-2].endswith(
        '; collisions: ticks, of all robots')
    assert 'robot 0' not in results.text(['robots_arrived'])
    assert 'medians' not in results.text(['robots_arrived'])
    assert 'share' not in results.text(['goal_reached_s'])


def test_what_is_missing_of_an_unfinished_sweep_is_told(tmp_path):
    results = Results.load(make(tmp_path / 'a'))
    assert 'missing' not in results.text()
    text = results._replace(planned=32).text()
    assert '2 of 32 runs are missing (sbot sweep --resume runs them)' in text.splitlines()
    assert results._replace(planned=31).unfinished == '1 of 31 runs is missing'
    figure = _draw_sweep(results._replace(planned=32), 'ticks')
    assert figure.axes[0].get_title().endswith('\n2 of 32 runs are missing')


def test_any_column_can_be_shown(tmp_path):
    results = Results.load(make(tmp_path / 'a', metrics=('m:mine',)))
    assert 'mine' in results.text().splitlines()[0]
    lines = results.text(['overlaps']).splitlines()
    assert lines[0].split()[-1] == 'overlaps'
    assert lines[3].split()[-1] == '2'
    with pytest.raises(InputError, match=r"did you mean 'overlaps'"):
        results.text(['overlap'])


def test_a_metric_without_a_value_in_any_run_is_told(tmp_path):
    results = Results.load(make(tmp_path / 'a', metrics=('m:mine',)))
    assert 'no value' not in results.text()
    results.columns['mine'] = [None for _ in results.columns['mine']]
    text = results.text()
    assert 'mine' not in text.splitlines()[0]
    assert text.splitlines()[-1] == 'no value in any run: mine'
    with pytest.raises(InputError, match='--metric: mine has no value in any of 30 runs'):
        results.text(['mine'])


@pytest.mark.parametrize('grid', [{}, {f'key_{i}_of_many_and_a_long_one': [1] for i in range(9)}])
def test_it_fits_whatever_is_swept(tmp_path, grid):
    lines = Results.load(make(tmp_path / 'a', grid=grid, sources=2)).text().splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0].startswith('scena')


def lines(path):
    with path.open(newline='') as file:
        return list(csv.DictReader(file))


def test_a_line_for_each_setting_has_statistics_of_numbers_and_shares(tmp_path):
    results = Results(('x',), (), {
        'run': list(range(6)), 'x': ['[1, 2]'] * 4 + ['b'] * 2,
        'time': [1.0, 2.0, 6.0, None, None, None], 'yes': [1, 0, 1, 1, None, 0],
        'error': [None] * 5 + ['no']})
    results.write_summary(tmp_path / 'a.csv', ['time', 'yes'])
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
    results.write_summary(tmp_path / 'a.csv', ['time'])
    first, second = lines(tmp_path / 'a.csv')
    assert (first['time_mean'], first['time_std'], first['time_p90']) == ('inf', '', '')
    assert (second['time_mean'], second['time_std'], second['time_p10']) == ('2.5', '', '2.5')


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InputError, match='cannot be written: '):
        Results.load(make(tmp_path / 'a')).write_summary(tmp_path / 'none/a.csv')


@pytest.mark.parametrize('name', ['runs.csv', 'plan.json', '../a/times.csv'])
def test_files_of_the_results_are_not_overwritten(tmp_path, capsys, name):
    path = make(tmp_path / 'a') / name
    before = path.read_bytes()
    assert main(['sweep', 'show', str(tmp_path / 'a'), '--csv', str(path)]) == 2
    assert 'expected a name that no file of the results has' in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize(('count', 'runs'), [(0, 1), (1, 1), (0, 20), (7, 20), (20, 20),
                                             (999, 1000)])
def test_the_interval_is_that_of_scipy(count, runs):
    stats = pytest.importorskip('scipy.stats', reason='scipy is missing (extra fit)')
    expected = stats.binomtest(count, runs).proportion_ci(0.95, method='wilson')
    low, high = wilson_interval(count, runs)
    assert (low, high) == pytest.approx(tuple(expected), abs=1e-12)
    assert (low == 0.0, high == 1.0) == (count == 0, count == runs)
