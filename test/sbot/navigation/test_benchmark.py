"""Rows that anybody can check."""


import pytest

import sbot
from sbot.navigation.benchmark import PublishedRows, run_controllers, scene_sources
from sbot.navigation.library import VERSION, chosen_scenes, families
from sbot.navigation.table import as_csv, as_json_lines, as_markdown, read_rows_file, table
from sbot.sweeps.experiment import Options
from sbot_common.errors import InputError

pytestmark = pytest.mark.forked

MINE = """
class Mine:
    def __init__(self, speed=0.5):
        self.speed = speed

    def step(self, observation, rng):
        return self.speed, 0.0
"""
OPTIONS = Options(jobs=1, progress=False)
SCENES = list(scene_sources(chosen_scenes(families(), ['hallway', 'moving']), [3, 4]))
CHANGES = {'duration': 1.0, 'bodies.robot.max_acceleration': 1.0}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp('navigation')
    (place / 'mine.py').write_text(MINE)
    return place


@pytest.fixture(scope='module')
def rows(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return run_controllers(SCENES, ['navigate', 'mine:Mine'], CHANGES, OPTIONS,
                               folder / 'kept')


def test_a_row_says_what_was_run_and_what_came_out(rows):
    assert [(row['scene'], row['seed'], row['controller']) for row in rows] == [
        (scene, seed, controller) for scene in ('hallway/pair', 'moving/six') for seed in (3, 4)
        for controller in ('navigate', 'mine:Mine')]
    for row in rows:
        assert row['error'] is None
        assert row['library'] == VERSION
        assert row['set'] == CHANGES
        assert (row['controller_sha256'] is None) == (row['controller'] == 'navigate')
        assert 0 <= row['spl'] <= 1
    assert len({row['trajectory_sha256'] for row in rows}) == len(rows)


def test_a_row_is_the_run_of_its_scenario(rows, folder, monkeypatch):
    monkeypatch.chdir(folder)
    alone = sbot.run(SCENES[0][1], **{**CHANGES, 'robots.*.controller': 'mine:Mine'})
    assert rows[1]['trajectory_sha256'] == alone.summary['trajectory_sha256']


def test_rows_are_checked_by_running_them_again(rows, folder, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    file = tmp_path / 'rows.jsonl'
    file.write_text(as_json_lines(rows[:3]) + '\n')
    read = read_rows_file(file)
    assert read == rows[:3]
    assert PublishedRows(read).check(families(), OPTIONS) == []
    read[1]['trajectory_sha256'] = 'f' * 64
    wrong = PublishedRows(read).check(families(), OPTIONS)
    assert len(wrong) == 1
    assert 'hallway/pair#3 mine:Mine: trajectory_sha256' in wrong[0]


def test_a_changed_number_and_a_family_in_a_row_are_found(rows, folder, monkeypatch):
    monkeypatch.chdir(folder)
    changed = [{**rows[0], 'success': 1 - rows[0]['success'], 'time_s': 0.5}]
    found = PublishedRows(changed).check(families(), OPTIONS)
    assert [line.split(': ')[1] for line in found] == ['success', 'time_s']
    lacks = {key: value for key, value in rows[0].items() if key != 'contact_s'}
    wrong = PublishedRows([lacks]).check(families(), OPTIONS)
    assert [line.split(': ')[1] for line in wrong] == ['contact_s']
    assert PublishedRows([{**lacks, 'version': '0.1.0'}]).check(families(), OPTIONS) == []
    with pytest.raises(InputError, match=r"got 'slit', expected one scene, e\.g\. slit/10"):
        PublishedRows([{**rows[0], 'scene': 'slit'}]).check(families(), OPTIONS)


def test_a_sweep_that_is_kept_is_not_run_again(rows, folder, monkeypatch):
    monkeypatch.chdir(folder)
    again = run_controllers(SCENES, ['navigate', 'mine:Mine'], CHANGES, OPTIONS, folder / 'kept',
                            resume=True)
    assert again == rows  # wall time, too


def test_a_run_that_fails_is_a_row_without_success(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / 'broken.py').write_text('class Broken:\n    def step(self, observation, rng):\n'
                                      '        return None\n')
    row, = run_controllers(SCENES[:1], ['broken:Broken'], CHANGES, OPTIONS)
    assert 'robot 0 at tick 0' in row['error']
    assert table([row])[1][2] == '0 of 1'


def test_unknown_controllers_and_keys_are_one_line(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for controller, changes in (('navigat', {}), ('mine:Yours', {}),
                                ('navigate', {'durration': 1.0})):
        with pytest.raises(InputError):
            run_controllers(SCENES[:1], [controller], changes, OPTIONS)


def test_tables_have_a_line_for_each_family_and_controller(rows):
    lines = table(rows)
    assert [line[:2] for line in lines[1:]] == [
        [family, f'{controller} (duration=1.0, bodies.robot.max_acceleration=1.0)']
        for family in ('hallway', 'moving') for controller in ('mine:Mine', 'navigate')]
    assert 'BARN' not in lines[0]
    assert len(table(rows, 'scene')) == 5
    assert as_markdown(lines).count('\n') == 5
    assert as_csv(rows).count('\n') == len(rows)
