"""Warnings of a sweep: keys that change no run, and the values that a warning is about."""

from sweep_users import write_scenario

from sbot.sweeps.request import read_sweep_file


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


def test_a_warning_names_the_swept_values_that_it_is_about(tmp_path, caplog):
    text = ('grid: {wind.wind_gust_speed_mean: [0.0, 1.0]}\n'
            'set: {wind.wind_gust_duration: 2.0}\n')
    [warning] = warnings(tmp_path, caplog, text)
    assert 'wind_gust_duration: has no effect without' in warning
    assert warning.endswith(' (at wind.wind_gust_speed_mean=0.0)')


def test_a_warning_of_a_sweep_over_seeds_names_no_value(tmp_path, caplog):
    [warning] = warnings(tmp_path, caplog, 'set: {wind.wind_gust_duration: 2.0}\n')
    assert ' (at ' not in warning


def test_every_warning_of_a_sweep_names_the_swept_values(tmp_path, caplog):
    text = ('grid: {wind.wind_gust_speed_mean: [0.0, 1.0]}\n'
            'set: {wind.wind_gust_duration: 2.0, bodies.none.radius: 0.1}\n')
    found = warnings(tmp_path, caplog, text)
    assert ['wind_gust_duration: has no effect without' in found[0],
            'no robot has this body' in found[1]] == [True, True]
    assert all(each.endswith(' (at wind.wind_gust_speed_mean=0.0)') for each in found)
