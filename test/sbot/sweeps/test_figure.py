"""Which swept parameter is along x, which tell curves apart, which are taken together."""

import matplotlib
import pytest
from finished_sweep import make
from matplotlib.text import Text

from sbot.figures.look import LETTERS
from sbot.sweeps.figure import (
    MOST_CURVES,
    STYLE,
    Words,
    _choose_curves,
    _Curves,
    _draw_sweep,
    _points_of,
)
from sbot.sweeps.show import Results
from sbot_common.errors import InputError


def results(**keys):
    """Results of all combinations of so many values of each key, 0, 1, ..."""
    rows = [()]
    for count in keys.values():
        rows = [(*row, value) for row in rows for value in range(count)]
    columns = {key: [row[i] for row in rows] for i, key in enumerate(keys)}
    return Results(tuple(keys), (), {'run': list(range(len(rows))), **columns})


@pytest.mark.parametrize(('by', 'pool', 'curves', 'note'), [
    ([], [], _Curves('x', ('y', 'z')), ''),
    (['y'], [], _Curves('y', ('x', 'z')), ''),
    (['y'], ['x'], _Curves('y', ('z',), ('x',)), 'over 3 values of x'),
    (['y', 'x'], [], _Curves('y', ('x',), ('z',)), 'over 2 values of z'),
    (['x'], ['y', 'z'], _Curves('x', (), ('y', 'z')), 'over 4 values of y; over 2 values of z'),
    ([], ['x'], _Curves('y', ('z',), ('x',)), 'over 3 values of x')])
def test_each_swept_parameter_has_a_place(by, pool, curves, note):
    swept = results(x=3, y=4, z=2)
    found = _choose_curves(swept, by, pool)
    assert found == curves
    assert found.note(swept) == note


def test_parameters_with_too_many_values_for_curves_are_taken_together():
    swept = results(x=2, y=MOST_CURVES, z=2)
    assert _choose_curves(swept) == _Curves('x', ('y',), ('z',))
    assert _choose_curves(results(x=2, y=MOST_CURVES + 1, z=2)) == _Curves('x', ('z',), ('y',))
    with pytest.raises(InputError, match='with at most 10 values, not 20'):
        _choose_curves(swept, ['x', 'y', 'z'])


def test_what_changes_together_with_x_is_no_curve_but_is_told():
    pair = Results(('a', 'b.c', 'd'), (), {'run': [0, 1, 2], 'a': [1, 2, 3], 'b.c': [4, 5, 5],
                                           'd': [7, 7, 7]})
    found = _choose_curves(pair)
    assert found == _Curves('a', (), (), ('b.c',))
    assert found.note(pair) == 'c changes too'


@pytest.mark.parametrize(('by', 'pool', 'message'), [
    (['x', 'x'], [], '--by, --pool: x: is given twice'), (['q'], [], "--by: unknown name 'q'"),
    ([], ['q'], "--pool: unknown name 'q'"), (['x'], ['x'], 'x: is given twice'),
    ([], ['x', 'y'], '--pool cannot be combined with no parameter along x')])
def test_mistakes_are_told(by, pool, message):
    with pytest.raises(InputError, match=message):
        _choose_curves(results(x=2, y=2), by, pool)


def test_a_sweep_over_seeds_alone_has_no_figure():
    with pytest.raises(InputError, match='needs a swept parameter; this sweep has only seeds'):
        _choose_curves(results())


def test_a_line_for_each_value_of_the_second_parameter(tmp_path):
    [axes] = _draw_sweep(Results.load(make(tmp_path / 'a'))).axes
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
        figure = _draw_sweep(Results.load(make(tmp_path / 'a')))
        figure.draw_without_rendering()
    [legend] = figure.legends
    assert legend.get_title().get_text() == 'leader_filter'
    assert [text.get_text() for text in legend.get_texts()] == ['as_written', 'geometric']
    assert legend.get_window_extent().y1 <= figure.axes[0].get_tightbbox().y0 + 1
    texts = [text for text in figure.findobj(Text) if text.get_text().strip()]
    assert min(text.get_fontsize() for text in texts) >= LETTERS
    title = figure.axes[0].title.get_window_extent()
    assert 0 <= title.x0 < title.x1 <= figure.bbox.x1


def test_words_stand_along_x_too(tmp_path):
    [axes] = _draw_sweep(Results.load(make(tmp_path / 'a')), 'overlaps', ['leader_filter']).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ['as_written', 'geometric']
    assert len(axes.lines) == 3


@pytest.mark.parametrize(('key', 'label'), [
    ('controllers.potential_field.rotate_speed_radps', 'rotate speed radps (rad/s)'),
    ('controllers.mine:Mine.speed', 'speed'), ('sensors.scan_beams', 'scan beams')])
def test_axes_name_the_units_that_are_declared(tmp_path, key, label):
    results = Results.load(make(tmp_path / 'a', grid={key: [1.0, 2.0]}, metrics=('m:dip_s',)))
    [axes] = _draw_sweep(results, 'dip_s').axes
    assert axes.get_xlabel() == f'{label}\n{key}'
    assert axes.get_ylabel() == 'dip_s'  # a name of somebody's own


def runs_texts(axes):
    return [(text.get_text(), *text.xy) for text in axes.texts if text.get_gid() == 'runs']


def test_a_point_says_how_many_of_its_runs_have_a_value(tmp_path):
    results = Results.load(make(tmp_path / 'a'))
    [axes] = _draw_sweep(results).axes  # run 3 failed
    assert runs_texts(axes) == [('4 of 5', 0.0, 1.0)]
    assert axes.get_title().endswith('; 5 runs at each point; n of N: n runs have a value')
    times = list(results.columns['goal_reached_s'])
    times[10:15] = [None] * 5  # the first line's second point
    missing = results._replace(columns={**results.columns, 'goal_reached_s': times})
    [axes] = _draw_sweep(missing).axes
    assert ('0 of 5', 0.1, 1.0) in runs_texts(axes)
    assert axes.lines[0].get_xdata().tolist() == [0.0, 0.2]


def test_points_of_complete_settings_say_nothing(tmp_path):
    results = Results.load(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0, 0.1]}, [7]))
    [axes] = _draw_sweep(results).axes
    assert not runs_texts(axes)
    assert axes.get_title().endswith('; 1 run at each point')


def test_counts_are_points_at_whole_numbers(tmp_path):
    results = Results.load(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0, 0.1, 0.2]}))
    [axes] = _draw_sweep(results, 'robots_arrived').axes
    assert axes.lines[0].get_linestyle() == 'None'
    assert axes.lines[0].get_ydata().tolist() == [0, 1, 2]
    assert all(float(tick).is_integer() for tick in axes.get_yticks())
    # Run 3, of the first line, failed: its medians are over other runs at each point.
    [axes] = _draw_sweep(results, 'goal_reached_s').axes
    assert [line.get_linestyle() for line in axes.lines] == ['None']
    results.columns['goal_reached_s'][3] = 1.0
    [axes] = _draw_sweep(results, 'goal_reached_s').axes
    assert axes.lines[0].get_linestyle() == '-'


def test_the_axis_of_counts_begins_at_zero(tmp_path):
    results = Results.load(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0]}, range(3)))
    results.columns['robots_arrived'] = [40, 41, 41]
    [axes] = _draw_sweep(results, 'robots_arrived').axes
    assert -2 < axes.get_ylim()[0] < 0
    assert min(tick for tick in axes.get_yticks() if tick >= axes.get_ylim()[0]) == 0


def test_labels_stand_above_all_marks(tmp_path):
    results = Results.load(make(tmp_path / 'a'))
    times = results.columns['goal_reached_s']
    times[5], times[11], times[16] = None, None, None  # of both lines
    figure = _draw_sweep(results)
    figure.draw_without_rendering()
    [axes] = figure.axes
    labels = [text.get_window_extent() for text in axes.texts if text.get_gid() == 'runs']
    marks = [mark.get_window_extent() for mark in (*axes.lines, *axes.collections)]
    assert len(labels) == 4
    assert min(label.y0 for label in labels) > max(mark.y1 for mark in marks)
    assert not any(a.overlaps(b) for i, a in enumerate(labels) for b in labels[:i])


@pytest.mark.parametrize(('values', 'ticked'), [([0.1 * k for k in range(8)], True),
    ([0.1 * k for k in range(9)], False), ([0.0, 0.001, 1.0], False)])
def test_ticks_stand_at_a_few_swept_numbers(tmp_path, values, ticked):
    results = Results.load(make(tmp_path / 'a', {'wind.wind_speed_mean': values}))
    [axes] = _draw_sweep(results, 'robots_arrived').axes
    assert (axes.get_xticks().tolist() == pytest.approx(values)) == ticked


def test_bands_of_counts_end_at_whole_numbers(tmp_path):
    results = Results.load(make(tmp_path / 'a', {'wind.wind_speed_mean': [0.0]}, range(6)))
    counted = results._replace(columns={**results.columns,
                                        'robots_arrived': [0, 2, 3, None, 3, 4]})
    [axes] = _draw_sweep(counted, 'robots_arrived').axes
    [ends] = axes.collections[0].get_segments()
    assert ends.tolist() == [[0.0, 0.0], [0.0, 4.0]]


def test_points_of_equal_counts_stand_side_by_side_within_the_axes(tmp_path):
    figure = _draw_sweep(Results.load(make(tmp_path / 'a')), 'robots_arrived')
    figure.draw_without_rendering()
    [axes] = figure.axes
    left, right = (line.get_window_extent() for line in axes.lines)
    assert left.x0 < right.x0
    for drawn in (left, right):
        assert axes.bbox.x0 < drawn.x0 < drawn.x1 < axes.bbox.x1
        assert axes.bbox.y0 < drawn.y0 < drawn.y1 < axes.bbox.y1


def test_other_swept_parameters_tell_curves_apart_or_are_named_in_the_title(tmp_path):
    results = Results.load(make(tmp_path / 'a'))
    figure = _draw_sweep(results, 'ticks', ['leader_filter'])
    assert figure.legends[0].get_title().get_text() == 'wind_speed_mean (m/s)'
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ['0', '0.1', '0.2']
    assert 'over' not in figure.axes[0].get_title()
    with matplotlib.rc_context(STYLE):
        pooled = _draw_sweep(results, 'ticks', ['leader_filter'], ['wind_speed_mean'])
        pooled.draw_without_rendering()
    [axes] = pooled.axes
    assert axes.get_title().endswith(
        '; 15 runs at each point; n of N: n runs have a value\nover 3 values of wind_speed_mean')
    assert axes.title.get_window_extent().y1 <= pooled.bbox.y1
    assert not pooled.legends
    assert len(axes.lines) == 1


def test_labels_and_title_are_those_that_a_user_gives(tmp_path):
    results = Results.load(make(tmp_path / 'a'))
    [axes] = _draw_sweep(results, words=Words('wind (m/s)', 'time (s)', 'In $wind\x1b[31m')).axes
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_title()] == [
        'wind (m/s)', 'time (s)', 'In $wind\\x1b[31m']
    [axes] = _draw_sweep(results, words=Words('', '', '')).axes
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_title()] == ['', '', '']


def test_points_at_which_other_parameters_change_too_are_not_joined(tmp_path):
    results = Results.load(make(tmp_path / 'a', {'rate': [5, 10]}))
    results.columns['goal_reached_s'] = [float(k) for k in range(10)]
    [axes] = _draw_sweep(results).axes
    assert axes.lines[0].get_linestyle() == '-'
    drawn = results._replace(keys=('rate', 'gain'), columns={
        **results.columns, 'gain': [0.3] * 5 + [0.7] * 5})
    [axes] = _draw_sweep(drawn).axes
    assert axes.lines[0].get_linestyle() == 'None'
    assert axes.get_title().endswith('\ngain changes too')


def results_of(values, **keys):
    return Results(tuple(keys), (), {'run': list(range(len(values))), **keys, 'metric': values})


def test_a_point_has_the_values_of_its_runs_and_how_many_began():
    found = _points_of(results_of([1.5, None, 3.5, 4.5], x=[1, 1, 1, 2], y=['a', 'a', 'b', 'b']),
                      'metric', ['x', 'y'])
    assert found.lines == {('a',): {1: [1.5]}, ('b',): {1: [3.5], 2: [4.5]}}
    assert found.started == {(('a',), 1): 2, (('b',), 1): 1, (('b',), 2): 1}
    assert (found.numeric, found.share, found.counts) == (True, False, False)
    assert [found.lacks_values((label,)) for label in 'ab'] == [True, False]


@pytest.mark.parametrize(('values', 'band'), [
    ([0.5 * k for k in range(11)], (0.5, 2.5, 4.5)), ([3, 5, 4, 9], (3.0, 4.5, 9.0)),
    ([0, 1, 1, 1], (pytest.approx(0.30, abs=0.01), 0.75, pytest.approx(0.954, abs=0.01)))])
def test_bands_are_percentiles_of_numbers_and_counts_and_intervals_of_shares(values, band):
    found = _points_of(results_of(values, x=[1] * len(values)), 'metric', ['x'])
    assert found.band(found.lines[()][1]) == band
