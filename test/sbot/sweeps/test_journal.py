"""Sources of a sweep: scenarios of any kind as text, checked with every value that is tried."""

import json
from pathlib import Path

import pytest

import sbot
from sbot.scenario.load import parse_scenario
from sbot.scenario.shipped import shipped_scenarios
from sbot.sweeps.journal import (
    NAME,
    PLAN_NAME,
    Journal,
    Settings,
    Stored,
    is_file,
    named_source,
    read_index,
    read_plan,
    read_rows,
    source_of,
    with_hint,
    write_plan,
)
from sbot.sweeps.plan import Axis, Plan, Source, grid_axes, zip_axis
from sbot_common.errors import InputError

DATA = {'name': 'small', 'seed': 3, 'duration': 1, 'world': {'bounds': [0, 0, 4, 4]},
        'robots': [{'pose': [1, 1, 0], 'controller': 'none'}]}
TEXT = ('name: small\nseed: 3\nduration: 1\nworld: {bounds: [0, 0, 4, 4]}\n'
        'robots: [{pose: [1, 1, 0], controller: none}]\n')


def same(source):
    text, file, directory, given = source
    assert given == {}
    return parse_scenario(text, file, Path(directory), 'small')


def test_every_form_of_a_scenario_is_the_same_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'small.yaml').write_text(TEXT)
    expected = sbot.load(DATA)
    for form in (DATA, TEXT, sbot.load(DATA), tmp_path / 'small.yaml', 'small.yaml'):
        assert same(source_of(form)) == expected


def test_a_relative_path_starts_at_the_folder_that_is_given(tmp_path):
    (tmp_path / 'leader_follower').write_text(TEXT)
    assert source_of('leader_follower', tmp_path)[2] == str(tmp_path)
    shipped = source_of('leader_follower')
    assert shipped[1] == str(shipped_scenarios()['leader_follower'])


def test_controllers_from_python_go_along(tmp_path):
    class Own:
        def step(self, observation, rng):
            return 0.0, 0.0

    text, _, _, given = source_of({**DATA, 'robots': [{'pose': [1, 1, 0], 'controller': Own}]})
    name, = given
    assert given[name] is Own
    assert name in text


def test_a_source_has_the_name_and_seed_of_its_scenario(tmp_path):
    found = named_source(TEXT, 'here.yaml', str(tmp_path), {}, {}, {}, (), ())
    assert (found.name, found.seed) == ('small', 3)
    drawn = named_source(TEXT.replace('seed: 3', 'seed: null'), 'here.yaml', str(tmp_path), {},
                         {}, {}, (), ())
    assert drawn.seed is None, 'each run draws its own'
    with pytest.raises(InputError, match=r'here\.yaml.*duration'):
        named_source(TEXT, 'here.yaml', str(tmp_path), {'duration': -1}, {}, {}, (), ())
    with pytest.raises(InputError, match='metric'):
        named_source(TEXT, 'here.yaml', str(tmp_path), {}, {}, {}, ['no_such_module:f'], ())


def test_a_list_that_was_taken_apart_is_explained():
    axis = Axis(('robots.0.pose',), ([1, 1, 0],))
    error = InputError('override: robots.0.pose: got 1, expected [x, y, yaw]')
    assert 'one value that is a list is written [[...]]' in str(with_hint(error, [axis]))
    unknown = "override: robots.0.pose: unknown name 'pose'"
    for text in ('other', unknown):
        assert with_hint(InputError(text), [axis]).args == (text,)


@pytest.mark.parametrize('key', ['wind.wind_speed_mean', 'robots.*.pose'])
def test_a_list_without_brackets_is_explained(key):
    error = InputError(f"override: {key.replace('*', '1')}: got '0,0.1', expected a number")
    for axes, fixed in (([], {key: '0,0.1'}), ([Axis((key,), (['0,0.1'],))], {})):
        assert str(with_hint(error, axes, fixed)).endswith(
            'expected a number; several values are a list: [0,0.1]')
    assert with_hint(error, [], {f'{key}s': '0,0.1', key: 'calm'}) is error


def test_names_that_no_file_can_have_are_no_files(tmp_path):
    assert not is_file(Path('a\0b'))
    assert not is_file(tmp_path)
    assert not is_file(Path('x' * 9999))


PLAN = Plan((Source('one', 'text', 'one.yaml', '/', None),), {'rate': 10.5},
            (*grid_axes({'a': [0.1, [1, 'x']], 'b': range(3)}),
             *zip_axis({'c': [1, 2], 'd': [3, None]})),
            range(5), ('m:f',), overlaps=False)
STORED = Stored(PLAN, '1.2', Settings(('/x',), 2.5, 2**30, 'failed'))


def test_it_comes_back_as_it_was(tmp_path):
    write_plan(tmp_path, STORED)
    again = read_plan(tmp_path)
    assert again.plan.fingerprint == PLAN.fingerprint
    assert again.plan.differences(PLAN) == []
    assert [again.plan[i] for i in range(len(PLAN))] == [PLAN[i] for i in range(len(PLAN))]
    assert (again.version, again.settings) == (STORED.version, STORED.settings)


def test_every_flipped_bit_is_told(tmp_path):
    write_plan(tmp_path, STORED)
    good = (tmp_path / PLAN_NAME).read_bytes()
    for place in range(len(good)):
        (tmp_path / PLAN_NAME).write_bytes(
            good[:place] + bytes([good[place] ^ 1 << place % 8]) + good[place + 1:])
        with pytest.raises(InputError, match=r'plan\.json: '):
            read_plan(tmp_path)


@pytest.mark.parametrize('text', ['', '[]', '{}', '[' * 100_000, '\udcff'])
def test_what_is_no_plan_is_told(tmp_path, text):
    (tmp_path / PLAN_NAME).write_bytes(text.encode('utf-8', 'surrogateescape'))
    with pytest.raises(InputError, match=r'plan\.json: '):
        read_plan(tmp_path)


def test_no_plan_and_one_that_would_wait_for_ever(tmp_path):
    import os
    with pytest.raises(InputError, match='holds no sweep'):
        read_plan(tmp_path)
    os.mkfifo(tmp_path / PLAN_NAME)
    with pytest.raises(InputError, match='holds no sweep'):
        read_plan(tmp_path)


def rows(*numbers):
    return [{'run': number, 'value': 0.1 * number, 'wall_time_s': 1.0} for number in numbers]


def test_rows_come_back_by_their_places(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write(rows(4, 2))
        journal.write(rows(7))
    index, end, damaged = read_index(tmp_path)
    assert damaged == []
    assert sorted(index) == [2, 4, 7]
    assert end == (tmp_path / NAME).stat().st_size
    assert list(read_rows(tmp_path, [index[2], index[7]])) == rows(2, 7)


@pytest.mark.parametrize('tail', [b'{"run": 9, "va', b'{"run": 9}'])
def test_a_torn_line_is_cut_off_and_written_over(tmp_path, tail):
    with Journal(tmp_path) as journal:
        journal.write(rows(1, 2))
    with (tmp_path / NAME).open('ab') as file:
        file.write(tail)
    assert sorted(read_index(tmp_path).places) == [1, 2]
    assert read_index(tmp_path).damaged == []
    with Journal(tmp_path) as journal:
        journal.write(rows(9))
    lines = (tmp_path / NAME).read_text().splitlines()
    assert [json.loads(line)['run'] for line in lines] == [1, 2, 9]


@pytest.mark.parametrize('place', range(0, 60, 10))
def test_a_flipped_bit_costs_its_row_only_and_is_told(tmp_path, place):
    with Journal(tmp_path) as journal:
        journal.write(rows(*range(6)))
    lines = (tmp_path / NAME).read_bytes().splitlines(keepends=True)
    place %= len(lines[1]) - 1  # not its end: two lines would be one
    changed = bytes([lines[1][place] ^ 1])
    lines[1] = lines[1][:place] + changed + lines[1][place + 1:]
    (tmp_path / NAME).write_bytes(b''.join(lines))
    index = read_index(tmp_path)
    assert sorted(index.places) == [0, 2, 3, 4, 5]
    assert index.damaged == [2]
    assert index.damage() == ('1 damaged row (line 2); the 5 whole ones are kept, runs without '
                              'one are done again')
    with Journal(tmp_path) as journal:
        journal.write(rows(1))
    assert sorted(read_index(tmp_path).places) == [0, 1, 2, 3, 4, 5]
    assert list(read_rows(tmp_path, [read_index(tmp_path).places[1]])) == rows(1)


@pytest.mark.parametrize('line', [b'[]\n', b'\n', b'{"run": 9}\n', b'{"run": 9, "crc32": 7}\n',
    b'[' * 100_000 + b'\n'])
def test_lines_that_are_no_rows_are_counted(tmp_path, line):
    with Journal(tmp_path) as journal:
        journal.write(rows(1))
    with (tmp_path / NAME).open('ab') as file:
        file.write(line * 7)
    with Journal(tmp_path) as journal:
        journal.write(rows(2))
        assert journal.index.damage().startswith('7 damaged rows (lines 2, 3, 4, 5, 6, ...);')
    index = read_index(tmp_path)
    assert (sorted(index.places), len(index.damaged)) == ([1, 2], 7)


def test_rows_are_in_the_file_at_once(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write(rows(1))
        assert list(read_index(tmp_path).places) == [1]


def test_the_last_row_of_a_run_counts(tmp_path):
    with Journal(tmp_path) as journal:
        journal.write([{'run': 1, 'value': 1}, {'run': 1, 'value': 2}])
    [row] = read_rows(tmp_path, read_index(tmp_path).places.values())
    assert row['value'] == 2


def test_one_sweep_at_a_time(tmp_path):
    with Journal(tmp_path), pytest.raises(InputError, match='another sweep is writing'):
        Journal(tmp_path)
    with Journal(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match='cannot be written'):
        Journal(tmp_path / 'none')


def test_a_journal_that_is_no_file_is_told(tmp_path):
    import os
    os.mkfifo(tmp_path / NAME)  # would wait for ever
    with pytest.raises(InputError, match='not a regular file'):
        Journal(tmp_path)
