"""``python -m sbot.learn.proof``: rows, policies, curve, table."""

import csv
import json

import numpy as np
import pytest
from matplotlib.figure import Figure

import sbot
from sbot.learn.proof.__main__ import main
from sbot.learn.proof.report import Row, _results, cells, draw_curves
from sbot.learn.proof.training import play
from sbot.learn.tasks.registry import entry_of
from sbot.navigation.table import as_markdown
from sbot_common.errors import InputError


def read_rows(path):
    with path.open(newline='') as file:
        return [Row(*line[:2], *map(int, line[2:4]), float(line[4]))
                for line in list(csv.reader(file))[1:]]


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
        ('random', 0), ('rule', 0), ('evolved', 1), ('evolved', 2)}
    assert {row.seed for row in rows} == {5001, 5002, 5003}
    entry = entry_of('avoid_obstacles')
    again = entry.metric.of(play(entry, [5001, 5002, 5003], *sbot.load_network(
        tmp_path / 'out' / 'avoid_obstacles_evolved_2.json')))
    assert np.array_equal(_results(rows, 'avoid_obstacles', 'evolved')[1], again)
    made = json.loads((tmp_path / 'out' / 'made_by.json').read_text())
    assert made['command'].startswith('python -m sbot.learn.proof avoid_obstacles --trainings 2')
    assert made['seeds'] == [5001, 5003]
    assert made['numpy'] == np.__version__
    assert (tmp_path / 'out' / 'curve.csv').read_text().count('\n') == 3
    assert (tmp_path / 'out' / 'curves.png').stat().st_size > 3000


def test_an_earlier_result_is_not_replaced_without_a_word(tmp_path, capsys, monkeypatch):
    def stop(*_):
        raise InputError('here')
    monkeypatch.setattr('sbot.learn.proof.__main__.baselines', stop)
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
    rows = [Row('coverage', 'rule', 0, seed, 0.1 * seed) for seed in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('sbot.learn.proof.report.entry_of', lambda _: entry)
        assert cells(rows)[1][1:3] == ['covered, higher is better', 'rule']


@pytest.mark.parametrize(('words', 'said'), [
    (['coverage', '--first-seed', '1000'], '--first-seed: got 1000, expected a whole number'),
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


def test_the_table_says_who_is_better_in_the_direction_of_the_metric():
    rows = [Row('reach_goal', policy, training, seed, value + 0.1 * seed)
            for policy, training, value in (
                ('random', 0, 30.0), ('rule', 0, 10.0), ('evolved', 1, 8.0), ('evolved', 2, 11.0))
            for seed in range(8)]
    lines = {line[2]: line for line in cells(rows)[1:]}
    assert lines['random'][4:] == ['', '0 %']  # nothing was trained
    assert lines['evolved'][4:] == ['1 of 2', '50 %']  # a shorter time is better
    assert lines['rule'][3].startswith('10.3 (')
    assert lines['rule'][1] == 'time, s, lower is better'


def test_without_a_rule_no_column_compares_with_it():
    rows = [Row('reach_goal', 'random', 0, seed, 30.0) for seed in range(4)]
    assert cells(rows) == [['task', 'metric', 'policy', 'interquartile mean (95 %)'], [
        '`reach_goal`', 'time, s, lower is better', 'random', '30 (30 to 30)']]


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
    for folder, rows in (('one', ['coverage,evolved,1,1.0,10,0.2', 'coverage,evolved,1,2.0,20,0.3',
                                  'coverage,evolved,2,1.0,10,0.1']),
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
        ('coverage, evolution', 'covered (no unit)', 2), ('coverage, PPO', 'episode return', 1),
        ('reach_goal, evolution', 'fitness (no unit)', 1)]
    assert [axes.get_xlabel() for axes in shown] == ['processor time (s)'] * 3
    assert shown[0].lines[0].get_xydata().tolist() == [[1.0, 0.2], [2.0, 0.3]]
    draw_curves(tmp_path / 'two', tmp_path / 'curves.png')
    assert figures[1].get_suptitle() == 'Mean scores while robots learn: one training'
