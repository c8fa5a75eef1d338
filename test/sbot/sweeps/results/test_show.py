"""Results as a table for people, and as a picture."""

import re

import matplotlib
import pytest
from matplotlib.text import Text

from sbot.cli.main import main
from sbot.figures.palette import LETTERS
from sbot.sweeps.plan import Plan, Source, grid_axes
from sbot.sweeps.results.figure import STYLE, draw_sweep
from sbot.sweeps.results.journal import Journal
from sbot.sweeps.results.plan_file import Settings, Stored, write_plan
from sbot.sweeps.results.rows import SUMMARY
from sbot.sweeps.results.show import WIDTH, format_results, load_results
from sbot.sweeps.results.table import write_tables
from sbot_common.errors import InputError

KEYS = {'wind.wind_speed_mean': [0.0, 0.1, 0.2],
        'controllers.potential_field.leader_filter': ['as_written', 'geometric']}


def make(folder, grid=KEYS, seeds=range(5), metrics=(), sources=1):
    plan = Plan(tuple(Source(f's{i}', '', 'f', '/', 1) for i in range(sources)), {},
                tuple(grid_axes(grid)), seeds, metrics)
    folder.mkdir()
    write_plan(folder, Stored(plan, '1', Settings()))
    with Journal(folder) as journal:
        for number in range(len(plan)):
            run = plan[number]
            setting = number // max(1, len(seeds))
            numbers = {name: None if kind == 'text' else setting for name, kind in SUMMARY.items()}
            row = {'run': number, 'scenario': plan.sources[run.source].name, **run.values,
                   'seed': run.seed, **numbers, 'goal_reached_s': setting + run.seed / 10,
                   'error': None, 'wall_time_s': 1.0, **{m.partition(':')[2]: 2.5
                                                         for m in metrics}}
            if number == 3:
                row = {key: row[key] for key in ('run', 'scenario', *run.values, 'seed',
                                                 'wall_time_s')} | {'error': 'ValueError: no'}
            journal.write([row])
    write_tables(folder, plan)
    return folder


def test_a_line_for_each_setting_with_medians_within_80_columns(tmp_path, capsys):
    folder = make(tmp_path / 'a')
    assert main(['sweep', 'show', str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0].split()[:5] == ['wind_speed_mean', 'leader_filter', 'runs', 'failed',
                                    'goal_reached_s']
    assert lines[1].split()[:5] == ['0', 'as_written', '5', '1', '0.15']  # seed 3 failed
    assert lines[2].split()[:5] == ['0', 'geometric', '5', '0', '1.2']
    assert len(lines) == 1 + 6 + 1 + 1
    assert lines[-2] == 'medians over the runs that have a value; goal_reached_s: of robot 0'
    assert lines[-1].startswith('not shown: ')
    assert lines[-1].endswith('(--metric NAME)')


def test_a_legend_tells_medians_of_few_runs_and_shares(tmp_path):
    folder = make(tmp_path / 'a', {'rate': [10, 20]}, seeds=range(6))
    results = load_results(folder)
    arrived = [1, 1, 0, None, 0, 0] + [1] * 6
    results.columns['robots_arrived'] = arrived
    results.columns['goal_reached_s'] = [9.0 if each else None for each in arrived]
    text = format_results(results, ['goal_reached_s', 'robots_arrived'])
    assert text.splitlines()[1].split() == ['10', '6', '1', '9', '0.4']
    assert ' '.join(text.splitlines()[3:]) == (
        'medians over the runs that have a value (goal_reached_s: at least 2 of 5); '
        'robots_arrived (only 0 and 1): share of runs with 1; goal_reached_s: of robot 0')
    assert 'robot 0' not in format_results(results, ['robots_arrived'])
    assert 'medians' not in format_results(results, ['robots_arrived'])
    assert 'share' not in format_results(results, ['goal_reached_s'])


def test_a_name_that_no_column_resembles_gets_the_list_of_columns(tmp_path):
    results = load_results(make(tmp_path / 'a'))
    with pytest.raises(InputError, match=r"'nonsense'; columns: .*overlaps, .*seed"):
        format_results(results, ['nonsense'])


def test_any_column_can_be_shown(tmp_path):
    results = load_results(make(tmp_path / 'a', metrics=('m:mine',)))
    assert 'mine' in format_results(results).splitlines()[0]
    lines = format_results(results, ['overlaps']).splitlines()
    assert lines[0].split()[-1] == 'overlaps'
    assert lines[3].split()[-1] == '2'
    with pytest.raises(InputError, match=r"did you mean 'overlaps'"):
        format_results(results, ['overlap'])


@pytest.mark.parametrize('grid', [{}, {'robots.0.goal': [[1.25, 2.5], [3.75, 4.5]]},
                                  {f'key_{i}_of_many_and_a_long_one': [1] for i in range(9)}])
def test_it_fits_whatever_is_swept(tmp_path, grid):
    lines = format_results(load_results(make(tmp_path / 'a', grid=grid, sources=2))).splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0].startswith('scena')


def first_columns(lines, count):
    return [tuple(re.split(r'  +', line)[:count]) for line in lines]


@pytest.mark.parametrize('values', [
    ['the_networks_of_this_year/one.json', 'the_networks_of_this_year/two.json'],  # their ends
    ['one_of_the_networks_of_this_year.json', 'two_of_the_networks_of_this_year.json'],
    ['the_networks_of_this_year/one_of_the_best.json',
     'the_networks_of_this_year/two_of_the_best.json'],  # the middle
    ['a_name_of_a_network', 'a_name_of_a_network_that_is_longer_than_the_others'],
    [[1.25, 2.5, 1.25, 2.5, 1.25, 2.5], [1.25, 2.5, 1.25, 2.25, 1.25, 2.5]]])
def test_cut_values_are_told_apart_within_80_columns(tmp_path, values):
    results = load_results(make(tmp_path / 'a', grid={'robots.0.parameters.network': values}))
    lines = format_results(results).splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert len(set(first_columns(lines[1:3], 1))) == 2
    assert any('…' in line for line in lines[1:3])
    assert 'goal_reached_s' in lines[0]


def test_values_that_no_cut_tells_apart_are_shown_whole(tmp_path):
    values = [f'{a}{"x" * 40}{b}{"y" * 40}{c}' for a in 'kl' for b in 'mn' for c in 'op']
    text = format_results(load_results(make(tmp_path / 'a', grid={'robots.0.name': values})))
    assert [line.split()[0] for line in text.splitlines()[1:9]] == values


@pytest.mark.parametrize(('keys', 'shown'), [
    (['controllers.dwa.max_speed', 'bodies.robot.max_speed'], ['dwa.max_speed',
                                                               'robot.max_speed']),
    (['controllers.dwa.max_speed', 'wind.wind_speed_mean'], ['max_speed', 'wind_speed_mean']),
    (['bodies.a.max_speed', 'bodies.b.a.max_speed'], ['bodies.a.max_speed', 'b.a.max_speed']),
    (['robots.0.goal', 'robots.1.goal'], ['robots.0.goal', 'robots.1.goal'])])
def test_names_of_parameters_are_as_long_as_tells_them_apart(tmp_path, keys, shown):
    results = load_results(make(tmp_path / 'a', grid={key: [1.0, 2.0] for key in keys}))
    assert format_results(results).split()[:2] == shown


def test_a_line_for_each_value_of_the_second_parameter(tmp_path):
    results = load_results(make(tmp_path / 'a'))
    figure = draw_sweep(results)
    [axes] = figure.axes
    assert axes.get_xlabel() == 'wind speed mean (m/s)\nwind.wind_speed_mean'
    assert axes.get_ylabel() == 'robot 0: goal reached (s)'
    assert [line.get_label().rpartition(' ')[2] for line in axes.lines] == ['as_written',
                                                                          'geometric']
    # Medians of the settings 1, 3, 5 (geometric) with seeds 0 to 4.
    assert axes.lines[1].get_xdata().tolist() == [0.0, 0.1, 0.2]
    assert axes.lines[1].get_ydata().tolist() == pytest.approx([1.2, 3.2, 5.2])
    band = axes.collections[1].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((1.04, 5.36))


def test_the_legend_stands_below_the_axes_and_letters_can_be_read_on_a_page(tmp_path):
    with matplotlib.rc_context(STYLE):
        figure = draw_sweep(load_results(make(tmp_path / 'a')))
        figure.draw_without_rendering()
    [legend] = figure.legends
    assert legend.get_title().get_text() == 'controllers.potential_field.leader_filter'
    assert [text.get_text() for text in legend.get_texts()] == ['as_written', 'geometric']
    assert legend.get_window_extent().y1 <= figure.axes[0].get_tightbbox().y0 + 1
    texts = [text for text in figure.findobj(Text) if text.get_text().strip()]
    assert min(text.get_fontsize() for text in texts) >= LETTERS
    title = figure.axes[0].title.get_window_extent()
    assert 0 <= title.x0 < title.x1 <= figure.bbox.x1


def test_words_stand_along_x_too(tmp_path):
    results = load_results(make(tmp_path / 'a'))
    [axes] = draw_sweep(results, 'overlaps', ['leader_filter']).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ['as_written', 'geometric']
    assert len(axes.lines) == 1


@pytest.mark.parametrize(('key', 'label'), [
    ('controllers.potential_field.rotate_speed_radps',
     'rotate speed radps (rad/s)'),
    ('sensors.scan_range_max', 'scan range max (m)'),
    ('controllers.mine:Mine.speed', 'speed'),
    ('sensors.scan_beams', 'scan beams'), ('robots.0.goal', 'goal')])
def test_axes_name_the_units_that_are_declared(tmp_path, key, label):
    results = load_results(make(tmp_path / 'a', grid={key: [1.0, 2.0]}, metrics=('m:dip_s',)))
    [axes] = draw_sweep(results, 'dip_s').axes
    assert axes.get_xlabel() == f'{label}\n{key}'
    assert axes.get_ylabel() == 'dip_s'  # a name of somebody's own


def test_the_command_writes_the_picture(tmp_path, capsys):
    folder = make(tmp_path / 'a')
    assert main(['sweep', 'plot', str(folder)]) == 0
    assert capsys.readouterr().out == f'{folder}/goal_reached_s.png\n'
    assert (folder / 'goal_reached_s.png').read_bytes()[:4] == b'\x89PNG'
    for options, message in [(['--by', 'nothing'], "unknown name 'nothing'"),
                             (['--metric', 'error'], "unknown name 'error'"),
                             (['-o', 'a.bmp'], 'a file that ends in .png')]:
        assert main(['sweep', 'plot', str(folder), *options]) == 2
        assert message in capsys.readouterr().err


def test_a_folder_without_results_is_told(tmp_path, capsys):
    assert main(['sweep', 'show', str(tmp_path)]) == 2
    assert 'holds no sweep' in capsys.readouterr().err


def test_text_of_a_results_folder_does_not_control_the_terminal(tmp_path, capsys):
    evil = 'm:a\x1b]0;title\x07/$\\frac{x$'
    folder = make(tmp_path / 'a', {'x\x1b[31m': ['v\x1b[2J\n', 'w\x9b31m']}, metrics=(evil,))
    assert main(['sweep', 'show', str(folder)]) == 0
    shown = capsys.readouterr().out
    assert main(['sweep', 'plot', str(folder)]) == 0  # in a file of this folder
    assert len(list(folder.glob('*.png'))) == 1
    shown += capsys.readouterr().out
    assert '\\x1b' in shown
    assert not {'\x1b', '\x07', '\x9b'} & set(shown)
@pytest.mark.parametrize('count', [1, 3, 9])
def test_the_hint_is_whole_however_much_is_left_out(tmp_path, count):
    grid = {f'key_{i}_of_many': [1] for i in range(4)}
    metrics = tuple(f'm:a_metric_of_mine_{i}' for i in range(count))
    text = format_results(load_results(make(tmp_path / 'a', grid=grid, metrics=metrics)))
    assert all(len(line) <= WIDTH for line in text.splitlines())
    hint = ' '.join(text.partition('not shown: ')[2].split())
    assert hint.endswith('overlaps (--metric NAME)')


def test_words_of_a_stranger_are_shown_as_they_are_but_escaped(tmp_path, capsys, recwarn):
    folder = make(tmp_path / 'a', grid={'robots.0.name': ['\x1b[31mred', '$\\frac$', '\n']})
    assert '\x1b' not in format_results(load_results(folder))
    assert main(['sweep', 'plot', str(folder)]) == 0
    assert main(['sweep', 'plot', str(folder), '-o', 'a\0.png']) == 2
    assert '\x1b' not in ''.join(capsys.readouterr()) + ''.join(str(w.message) for w in recwarn)


def test_a_table_that_is_not_the_plans_is_told(tmp_path):
    import pyarrow
    from pyarrow import parquet
    folder = make(tmp_path / 'a')
    parquet.write_table(pyarrow.table({'run': [1]}), folder / 'runs.parquet')
    with pytest.raises(InputError, match='damaged: has no column scenario'):
        load_results(folder)


def runs_texts(axes):
    return [(text.get_text(), *text.xy) for text in axes.texts if text.get_gid() == 'runs']


def test_a_point_says_how_many_of_its_runs_have_a_value(tmp_path):
    results = load_results(make(tmp_path / 'a'))
    [axes] = draw_sweep(results).axes  # run 3 failed
    assert runs_texts(axes) == [('4 of 5', 0.0, 1.0)]
    assert axes.get_title().endswith('; 5 runs at each point; n of N: n runs have a value')
    times = list(results.columns['goal_reached_s'])
    times[10:15] = [None] * 5  # the first line's second point
    missing = results._replace(columns={**results.columns, 'goal_reached_s': times})
    [axes] = draw_sweep(missing).axes
    assert ('0 of 5', 0.1, 1.0) in runs_texts(axes)
    assert axes.lines[0].get_xdata().tolist() == [0.0, 0.2]


def test_points_of_complete_settings_say_nothing(tmp_path):
    results = load_results(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0, 0.1]}, [7]))
    [axes] = draw_sweep(results).axes
    assert not runs_texts(axes)
    assert axes.get_title().endswith('; 1 run at each point')


def test_counts_are_points_at_whole_numbers(tmp_path):
    results = load_results(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0, 0.1, 0.2]}))
    [axes] = draw_sweep(results, 'robots_arrived').axes
    assert axes.lines[0].get_linestyle() == 'None'
    assert axes.lines[0].get_ydata().tolist() == [0, 1, 2]
    assert all(float(tick).is_integer() for tick in axes.get_yticks())
    # Run 3, of the first line, failed: its medians are over other runs at each point.
    [axes] = draw_sweep(results, 'goal_reached_s').axes
    assert [line.get_linestyle() for line in axes.lines] == ['None']
    results.columns['goal_reached_s'][3] = 1.0
    [axes] = draw_sweep(results, 'goal_reached_s').axes
    assert axes.lines[0].get_linestyle() == '-'


def test_the_axis_of_counts_begins_at_zero(tmp_path):
    results = load_results(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0]}, range(3)))
    results.columns['robots_arrived'] = [40, 41, 41]
    [axes] = draw_sweep(results, 'robots_arrived').axes
    assert -2 < axes.get_ylim()[0] < 0
    assert min(tick for tick in axes.get_yticks() if tick >= axes.get_ylim()[0]) == 0


def test_labels_stand_above_all_marks(tmp_path):
    results = load_results(make(tmp_path / 'a'))
    times = results.columns['goal_reached_s']
    times[5], times[11], times[16] = None, None, None  # of both lines
    figure = draw_sweep(results)
    figure.draw_without_rendering()
    [axes] = figure.axes
    labels = [text.get_window_extent() for text in axes.texts if text.get_gid() == 'runs']
    marks = [mark.get_window_extent() for mark in (*axes.lines, *axes.collections)]
    assert len(labels) == 4
    assert min(label.y0 for label in labels) > max(mark.y1 for mark in marks)
    assert not any(a.overlaps(b) for i, a in enumerate(labels) for b in labels[:i])


@pytest.mark.parametrize(('values', 'ticked'), [
    ([0.0, 0.05, 0.15], True), ([0.1 * k for k in range(8)], True), ([0.3], True),
    ([0.1 * k for k in range(9)], False), ([0.0, 0.001, 1.0], False)])
def test_ticks_stand_at_a_few_swept_numbers(tmp_path, values, ticked):
    results = load_results(make(tmp_path / 'a', {'wind.wind_speed_mean': values}))
    [axes] = draw_sweep(results, 'robots_arrived').axes
    assert (axes.get_xticks().tolist() == pytest.approx(values)) == ticked


def test_bands_of_counts_end_at_whole_numbers(tmp_path):
    results = load_results(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0]}, range(6)))
    counted = results._replace(columns={**results.columns,
                                        'robots_arrived': [0, 2, 3, None, 3, 4]})
    [axes] = draw_sweep(counted, 'robots_arrived').axes
    [ends] = axes.collections[0].get_segments()
    assert ends.tolist() == [[0.0, 0.0], [0.0, 4.0]]


def test_points_of_equal_counts_stand_side_by_side_within_the_axes(tmp_path):
    figure = draw_sweep(load_results(make(tmp_path / 'a')), 'robots_arrived')
    figure.draw_without_rendering()
    [axes] = figure.axes
    left, right = (line.get_window_extent() for line in axes.lines)
    assert left.x0 < right.x0
    for drawn in (left, right):
        assert axes.bbox.x0 < drawn.x0 < drawn.x1 < axes.bbox.x1
        assert axes.bbox.y0 < drawn.y0 < drawn.y1 < axes.bbox.y1
