"""Warnings of a sweep: keys that change no run, and the values that a warning is about."""

import pytest
from sweep_users import write_scenario

from sbot.scenario.warnings import Warned
from sbot.sweeps.plan import Axis
from sbot.sweeps.request import read_sweep_file
from sbot.sweeps.warnings import Warnings


def warnings(folder, caplog, text):
    write_scenario(folder)
    path = folder / 'sweep.yaml'
    path.write_text(f'scenario: tiny.yaml\nseeds: 0:2\n{text}')
    read_sweep_file(str(path)).plan()
    return [record.getMessage() for record in caplog.records]


def test_a_swept_zone_is_told_to_change_no_run(tmp_path, caplog):
    text = 'grid: {world.zones.0.radius: [1, 2]}\nset: {world.zones: [{name: n, center: [1, 1]}]}'
    assert warnings(tmp_path, caplog, text) == [
        'override: world.zones.0.radius: has no effect on a run; it changes only pictures and '
        'files']


def test_a_setting_that_matters_at_another_swept_value_gives_no_warning(tmp_path, caplog):
    text = ('grid: {wind.wind_gust_speed_mean: [0.0, 1.0]}\n'
            'set: {wind.wind_gust_duration: 2.0}\n')
    assert warnings(tmp_path, caplog, text) == []
    text = text.replace('1.0', '-0.0')
    assert 'wind_gust_duration: has no effect without' in warnings(tmp_path, caplog, text)[0]


def test_a_warning_about_the_swept_key_itself_names_its_values(tmp_path, caplog):
    [warning] = warnings(tmp_path, caplog, 'grid: {wind.gamma_boost: [2.0, 3.0]}\n')
    assert 'gamma_boost: has no effect without wake' in warning
    assert warning.endswith(' (at wind.gamma_boost=3.0)')


def test_a_warning_of_a_sweep_over_seeds_names_no_value(tmp_path, caplog):
    [warning] = warnings(tmp_path, caplog, 'set: {wind.wind_gust_duration: 2.0}\n')
    assert ' (at ' not in warning


def test_a_warning_that_holds_for_all_values_names_none(tmp_path, caplog):
    text = ('grid: {wind.wind_gust_speed_mean: [0.0, 1.0], rate: [5, 10]}\n'
            'set: {wind.wind_gust_duration: 2.0, bodies.none.radius: 0.1}\n')
    [found] = warnings(tmp_path, caplog, text)
    assert 'no robot has this body' in found
    assert ' (at ' not in found


def test_a_warning_that_holds_for_a_later_value_is_told(tmp_path, caplog):
    text = 'grid: {robots.0.pose: [[2, 2, 0], [2, 2, 10], [2, 2, 20]], rate: [5, 10]}\n'
    [warning] = warnings(tmp_path, caplog, text)
    assert warning.endswith(' (at robots.0.pose=[2, 2, 10]; alike at 1 other value)')


def test_a_list_without_brackets_that_the_scenario_takes_as_a_text_is_told(tmp_path, caplog):
    text = "set: {robots.0.parameters.mood: '0.5,-1e3', name: 'here, there'}\ngrid: {rate: [5]}\n"
    assert warnings(tmp_path, caplog, text) == [
        "robots.0.parameters.mood: '0.5,-1e3' is one text; several values are a list: [0.5,-1e3]"]


def logged(caplog, axes, told):
    """What is logged of warnings: (axis, place), key and text of each."""
    found = Warnings(axes)
    for number, axis in enumerate(axes):
        for place in range(len(axis)):
            found.tell(number, place)
    for place, key, text in told:
        found.tell(*place)(Warned('here', key, text))
    found.log()
    return [record.getMessage() for record in caplog.records]


AXES = [Axis(('a',), ([1, 2, 3, 4, 5],)), Axis(('b', 'c'), ([6, 7], [8, 9]))]


@pytest.mark.parametrize(('places', 'note'), [
    ([(None, 0), *((0, i) for i in range(5)), (1, 0), (1, 1)], ''),
    ([(None, 0), (0, 0), (1, 0), (1, 1)], ' (at a=1)'),
    ([(None, 0), (0, 0), (1, 0)], ' (at a=1; b=6, c=8)'),
    ([(0, i) for i in range(1, 5)], ' (at a=2, 3, 4, …)'),
    ([(0, 2), (1, 1)], ' (at a=3 or b=7, c=9)')])
def test_a_warning_names_the_values_of_the_axes_that_matter(caplog, places, note):
    told = [(place, 'a', '100 % idle') for place in places]
    assert logged(caplog, AXES, told) == [f'here: 100 % idle{note}']


def test_warnings_about_one_key_are_one_unless_they_stand_together(caplog):
    told = [((0, i), 'wind.gust', f'ends at {i + 1} s') for i in range(3)]
    assert logged(caplog, AXES, told) == ['here: ends at 1 s (at a=1; alike at 2 other values)']
    caplog.clear()
    told = [((0, i), 'robots', f'robot {k} is lost') for i in range(5) for k in (1, 2)]
    assert logged(caplog, AXES, told) == ['here: robot 1 is lost', 'here: robot 2 is lost']
