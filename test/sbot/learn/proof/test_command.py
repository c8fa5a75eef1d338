"""``python -m sbot.learn.proof``: rows, policies, curve, table."""

import json
import shutil

import numpy as np
import pytest
from matplotlib.figure import Figure

import sbot
from sbot.learn.evaluation import play
from sbot.learn.proof.__main__ import main
from sbot.learn.proof.report import Row, _results, cells, draw_curves, read_rows, write_rows
from sbot.learn.proof.training import Trained, _Judge
from sbot.learn.tasks.registry import entry_of
from sbot.navigation.table import as_markdown
from sbot_common.errors import InputError


def row(task, policy, training, seed, value, clean=1.0):
    return Row(task, policy, training, seed, value, 0.0, clean, 'a.json', 'abc')


def test_it_trains_and_compares_on_seeds_of_its_own(tmp_path, capsys):
    pytest.importorskip('cma', reason='cma is missing (extra evolve)')
    words = ['avoid_obstacles', '--trainings', '2', '--processes', '2', '--generations', '1',
             '--episodes', '3', '--first-seed', '5001', '-o', str(tmp_path / 'out')]
    assert main(words) == 0
    said, told = capsys.readouterr()
    assert f'learning curves: {tmp_path}/out/curves.png, ' in told
    rows = read_rows(tmp_path / 'out' / 'rows.csv')
    assert said.endswith(as_markdown(cells(rows)) + '\n')
    assert {(row.policy, row.training) for row in rows} == {
        ('rule', 1), ('rule', 2), ('evolved', 1), ('evolved', 2)}
    assert {row.seed for row in rows} == {5001, 5002, 5003}
    entry = entry_of('avoid_obstacles')
    again = entry.metric.of(play(entry, [5001, 5002, 5003], *sbot.load_network(
        tmp_path / 'out' / 'avoid_obstacles_evolved_2.json')))
    assert np.array_equal(_results(rows, 'avoid_obstacles', 'evolved')[1], again)
    made = json.loads((tmp_path / 'out' / 'made_by.json').read_text())
    assert made['command'].startswith('python -m sbot.learn.proof avoid_obstacles --trainings 2')
    assert made['seeds'] == [5001, 5003]
    assert made['numpy'] == np.__version__
    assert (tmp_path / 'out' / 'curve.csv').read_text().count('\n') == 5
    assert (tmp_path / 'out' / 'curves.png').stat().st_size > 3000


def test_an_earlier_result_is_not_replaced_without_a_word(tmp_path, capsys, monkeypatch):
    def stop(*_):
        raise InputError('here')
    monkeypatch.setattr('sbot.learn.proof.__main__.navigate_rows', stop)
    assert main(['coverage', '-o', str(tmp_path)]) == 2
    assert capsys.readouterr().err == 'sbot.learn.proof: here\n'
    (tmp_path / 'rows.csv').write_text('')
    assert main(['coverage', '-o', str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f'sbot.learn.proof: {tmp_path}: this run replaces the results of an earlier one; to keep '
        'them, give another folder (-o)\nsbot.learn.proof: here\n')


@pytest.mark.parametrize('unit', ['', '1'])
def test_a_metric_without_a_unit_names_none(unit):
    entry = entry_of('coverage')
    entry = entry._replace(metric=entry.metric._replace(unit=unit))
    rows = [row('coverage', 'rule', 0, seed, 0.1 * seed) for seed in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('sbot.learn.proof.report.entry_of', lambda _: entry)
        assert cells(rows)[1][1:3] == ['covered, higher is better', 'rule']


@pytest.mark.parametrize(('words', 'said'), [
    (['coverage', '--first-seed', '999981'], '--first-seed: got 999981, expected a whole number'),
    ([], 'name a task, e.g. coverage'), (['--check', 'none.csv'], '--check: none.csv: '),
    (['coverag'], "'coverag'; did you mean 'coverage'")])
def test_bad_words_are_one_line(words, said, tmp_path, capsys):
    assert main([*words, '-o', str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count('\n') == 1


@pytest.mark.parametrize('name', ['trainings', 'episodes', 'generations', 'decisions', 'threads',
                                  'processes'])
def test_numbers_begin_at_one(name, tmp_path, capsys):
    assert main(['coverage', f'--{name}', '0', '-o', str(tmp_path / 'out')]) == 2
    assert capsys.readouterr().err.startswith(
        f'sbot.learn.proof: --{name}: got 0, expected a whole number from 1 to ')
    assert not (tmp_path / 'out').exists()


def test_a_folder_that_cannot_be_made_is_one_line(capsys):
    assert main(['coverage', '-o', '/dev/null/x']) == 2
    assert capsys.readouterr().err == (
        'sbot.learn.proof: --output: /dev/null/x: Not a directory\n')


def table(*results, task='reach_goal'):
    """The lines of (policy, training, value, clean), each of eight seeds that differ a little."""
    return [line[2:] for line in cells([
        row(task, policy, training, seed, value + 0.1 * seed, clean)
        for policy, training, value, clean in results for seed in range(8)])[1:]]


def test_the_best_tuned_rule_is_the_opponent_in_the_direction_of_the_metric():
    [rule, evolved] = table(('rule', 1, 10.0, 1.0), ('rule', 2, 9.0, 1.0), ('rule', 3, 12.0, 1.0),
                            ('evolved', 1, 8.0, 1.0), ('evolved', 2, 9.5, 1.0))
    assert rule[1].startswith('9.35 (')
    assert rule[2:4] == ['0.00 s', '100 %']
    assert rule[4].startswith('1: ')  # one file
    assert evolved[5:] == ['1 of 2', 'no difference']  # a shorter time is better


@pytest.mark.parametrize(('value', 'clean', 'said'), [
    (8.0, 1.0, 'wins'), (8.0, 0.9, 'wins, less clean'), (9.0, 1.0, 'no difference'),
    (11.0, 1.0, 'loses')])
def test_bands_apart_and_clean_are_a_win(value, clean, said):
    assert table(('rule', 1, 9.0, 1.0), ('evolved', 1, value, clean))[1][-1] == said


def test_navigate_is_an_opponent_too_and_a_task_that_is_lost_comes_first():
    rows = [row(task, policy, 0, seed, value + 0.1 * seed) for task, policy, value in (
        ('doorway', 'rule', 9.0), ('doorway', 'evolved', 7.0), ('reach_goal', 'rule', 9.0),
        ('reach_goal', 'navigate', 5.0), ('reach_goal', 'evolved', 7.0)) for seed in range(8)]
    assert [(line[0], line[2], line[-1]) for line in cells(rows)[1:]] == [
        ('`reach_goal`', 'rule', ''), ('`reach_goal`', 'navigate', ''),
        ('`reach_goal`', 'evolved', 'loses'),
        ('`doorway`', 'rule', ''), ('`doorway`', 'evolved', 'wins')]


def test_without_a_rule_no_column_compares_with_it():
    rows = [row('reach_goal', 'evolved', 1, seed, 30.0) for seed in range(4)]
    assert cells(rows)[1][:6] == ['`reach_goal`', 'clean time, s, lower is better', 'evolved',
                                  '30 (30 to 30)', '0.00 s', '100 %']
    assert len(cells(rows)[1]) == 7


@pytest.fixture(scope='module')
def proved(tmp_path_factory):
    pytest.importorskip('cma', reason='cma is missing (extra evolve)')
    folder = tmp_path_factory.mktemp('proved')
    assert main(['reach_goal', '--trainings', '1', '--generations', '1', '--episodes', '2', '-q',
                 '-o', str(folder)]) == 0
    return folder


def test_rows_are_made_again_from_their_policies(proved, tmp_path, capsys):
    check = ['--check', str(shutil.copytree(proved, tmp_path / 'other') / 'rows.csv')]
    assert main(check) == 0
    assert capsys.readouterr().out.endswith('every row again, to the bit\n')
    file = tmp_path / 'other' / 'rows.csv'
    rows = read_rows(file)
    assert {(row.policy, row.file, len(row.sha256)) for row in rows} == {
        ('navigate', '', 0), ('rule', 'reach_goal_rule_1.json', 64),
        ('evolved', 'reach_goal_evolved_1.json', 64)}
    write_rows(file, [row._replace(value=row.value + 1e-9) if row.policy == 'navigate'
                      else row for row in rows])
    policy = tmp_path / 'other' / 'reach_goal_evolved_1.json'
    policy.write_text(policy.read_text() + ' ')
    assert main(check) == 1
    assert capsys.readouterr().out.splitlines() == [
        'reach_goal navigate 0: other bits for the seeds [90001, 90002]',
        'reach_goal_evolved_1.json: another file than that of the rows']


def test_a_rule_is_tuned_by_its_constants_alone(proved):
    entry = entry_of('reach_goal')
    _, weights = sbot.load_policy(proved / 'reach_goal_rule_1.json')
    assert (weights != np.array(entry.rule.weights)).tolist() == [True] * 5 + [False] * 24


def test_trainings_share_no_scene(monkeypatch):
    pytest.importorskip('cma', reason='cma is missing (extra evolve)')
    seen = []
    monkeypatch.setattr(_Judge, '__call__', lambda self, weights, seeds: (
        seen.append(seeds), np.arange(float(len(weights))))[1])
    for seed in (1, 2):
        Trained.evolve(entry_of('coverage'), seed, generations=5)
    assert {each // 1_000_000 for seeds in seen[:5] for each in seeds} == {1}
    assert {each // 1_000_000 for seeds in seen[5:] for each in seeds} == {2}
    assert len({each for seeds in seen for each in seeds}) == 60


def test_a_curve_shows_every_generation(tmp_path, monkeypatch):
    rows = ''.join(f'coverage,evolved,1,{k},10,{float(k != 201)}\n' for k in range(330))
    (tmp_path / 'curve.csv').write_text(
        f'task,policy,training,processor_s,agent_steps,score\n{rows}')
    figures = []
    monkeypatch.setattr(Figure, 'savefig', lambda self, *_, **__: figures.append(self))
    draw_curves(tmp_path, tmp_path / 'curves.png')
    assert figures[0].axes[0].lines[0].get_ydata().tolist().count(0.0) == 1


def test_each_learner_of_a_task_has_a_panel_with_its_own_score(tmp_path, monkeypatch):
    header = 'task,policy,training,processor_s,agent_steps,score\n'
    for folder, rows in (('one', ['flocking,evolved,1,1.0,10,0.2', 'flocking,evolved,1,2.0,20,0.3',
                                  'flocking,evolved,2,1.0,10,0.1']),
                         ('two', ['coverage,ppo,1,1.0,10,5.0', 'reach_goal,evolved,1,3.0,9,-1'])):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / 'curve.csv').write_text(header + '\n'.join(rows) + '\n')
    figures = []
    monkeypatch.setattr(Figure, 'savefig', lambda self, *_, **__: figures.append(self))
    draw_curves([tmp_path / 'one', tmp_path / 'two'], tmp_path / 'curves.png')
    [figure] = figures
    assert 'one of 1 to 2 trainings' in figure.get_suptitle()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [(axes.get_title('left'), axes.get_ylabel(), len(axes.lines)) for axes in shown] == [
        ('flocking, evolution', 'flock (no unit)', 2), ('coverage, PPO', 'episode return', 1),
        ('reach_goal, evolution', 'fitness (no unit)', 1)]
    assert [axes.get_xlabel() for axes in shown] == ['processor time (s)'] * 3
    assert shown[0].lines[0].get_xydata().tolist() == [[1.0, 0.2], [2.0, 0.3]]
    draw_curves(tmp_path / 'two', tmp_path / 'curves.png')
    assert figures[1].get_suptitle() == 'Mean scores while robots learn: one training'
