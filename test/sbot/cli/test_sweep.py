"""`sbot sweep`: options to plans, dry runs, one line for every mistake."""

import sys

import pytest
from sweep_users import MOOD, write_scenario

from sbot.cli.main import main, make_parser
from sbot.cli.sweep import FAILED
from sbot.sweeps import sources
from sbot.sweeps.show import Results

pytestmark = pytest.mark.forked


def plan_of(*options):
    from sbot.cli.sweep import _request
    return sources.plan_of(_request(make_parser('sweep').parse_args(['sweep', *options])))


def test_options_make_the_plan(tmp_path):
    plan = plan_of(str(write_scenario(tmp_path)), '--seeds', '0:2', '--set', 'duration=0.3',
                   '--set', 'wind.wind_speed_mean=0:0.3:0.1', '--set',
                   'robots.0.goal=[[8, 2], [8, 3]]', '--zip', 'robots.0.parameters.speed=[1, 2]',
                   '--zip', 'robots.1.body=[robot, s-bot]', '--sample',
                   'robots.0.goal_tolerance=[0.1, 0.2]', '--samples', '3')
    assert len(plan) == 2 * 3 * 2 * 2 * 3
    assert plan.fixed == {'duration': 0.3}
    assert [axis.keys for axis in plan.axes] == [
        ('wind.wind_speed_mean',), ('robots.0.goal',),
        ('robots.0.parameters.speed', 'robots.1.body'), ('robots.0.goal_tolerance',)]


def test_options_come_over_those_of_a_sweep_file(tmp_path):
    write_scenario(tmp_path)
    path = tmp_path / 'sweep.yaml'
    path.write_text('scenario: tiny.yaml\nseeds: 0:9\ngrid: {rate: [5, 10], duration: [1, 2]}\n')
    plan = plan_of(str(path), '--seeds', '3', '--set', 'rate=20')
    assert (list(plan.seeds), plan.fixed, plan.keys) == ([3], {'rate': 20}, ('duration',))


@pytest.mark.parametrize(('seeds', 'hints'), [
    ('10', ['--seeds 10: is one seed; 10 seeds are 0:10']), ('0:10', []), ('1', []),
    ('20240131', []), ('7,8', [])])
def test_a_number_that_may_mean_so_many_seeds_gets_a_hint(tmp_path, caplog, seeds, hints):
    path = str(write_scenario(tmp_path))
    plan_of(path, '--seeds', seeds)
    assert caplog.messages == hints
    caplog.clear()
    plan_of(path, '--seeds', seeds, '--quiet')
    assert caplog.messages == []


def test_a_dry_run_says_how_many_and_how_long_and_leaves_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_scenario(tmp_path)
    assert main(['sweep', str(path), '--seeds', '0:500', '--set', 'rate=[10, 20]', '--dry-run',
                 '--jobs', '2']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == '1,000 runs: 2 rate x 500 seeds'
    assert lines[1].startswith('about ')
    assert lines[1].endswith(' on 2 processes of this machine, if every run lasts its whole '
                             'duration')
    assert lines[2] == '(estimated from the first 2 s of 3 of the runs)'
    assert [each.name for each in tmp_path.iterdir()] == ['tiny.yaml']


def test_a_dry_run_refuses_the_folders_that_a_sweep_refuses(tmp_path, capsys):
    path = str(write_scenario(tmp_path))
    for folder, message in (('.', 'is not empty; give a new folder'),
                            ('tiny.yaml/results', 'cannot be written: Not a directory')):
        for last in ('--dry-run', '--quiet'):
            assert main(['sweep', path, '--seeds', '1', '-o', str(tmp_path / folder), last]) == 2
            assert message in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ['tiny.yaml']


def test_a_dry_run_of_a_resumed_sweep_says_what_is_missing(tmp_path, capsys):
    path, folder = str(write_scenario(tmp_path)), str(tmp_path / 'results')
    assert main(['sweep', path, '--set', 'rate=[5, 10]', '-o', folder, '--jobs', '1',
                 '--quiet']) == 0
    capsys.readouterr()
    assert main(['sweep', '--resume', '--dry-run', '-o', folder]) == 0
    assert capsys.readouterr().out == '2 runs: 2 rate x 1 seed\n0 runs of these still to do\n'
    journal = tmp_path / 'results' / 'journal.jsonl'
    journal.write_bytes(b''.join(journal.read_bytes().splitlines(keepends=True)[1:]))
    assert main(['sweep', '--resume', '--dry-run', '-o', folder]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == '1 run of these still to do'
    assert lines[2].startswith('about ')
    assert main(['sweep', path, '--resume', '--dry-run', '-o', folder]) == 2
    assert 'holds another sweep' in capsys.readouterr().err


@pytest.mark.parametrize(('options', 'message'), [
    (['SCENARIO'], 'needs a folder for the results'),
    ([], 'needs a scenario, a sweep file, or --resume'),
    (['--resume', '-o', 'x', '--seeds', '1'], '--resume cannot be combined with'),
    (['SCENARIO', '--seeds', 'x'], "--seeds: got 'x'"),
    (['SCENARIO', '--set', 'rate'], "--set: got 'rate', expected KEY=VALUE"),
    (['SCENARIO', '--set', 'rate=5,10'], 'several values are a list: [5,10]'),
    (['SCENARIO', '--sample', 'rate=[1,2]'], '--sample and --samples N need each other'),
    (['SCENARIO', '--jobs', '-1'], "--jobs: got '-1'"),
    (['SCENARIO', '--jobs', '1e9', '-o', 'x'], 'expected a whole number from 0 to 1024'),
    (['SCENARIO', '--sample', 'rate=[1,2]', '--samples', '1e8'], 'from 1 to 100000'),
    (['SCENARIO', '--zip', 'rate=[1, 2]', '--zip', 'rate=[1, 2]'], '--zip rate: is given twice'),
    (['SCENARIO', '--timeout', '0'], '--timeout: got 0'),
    (['SCENARIO', '--memory', 'x'], "--memory: got 'x'")])
def test_mistakes_are_one_line(tmp_path, capsys, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    path = str(write_scenario(tmp_path))
    assert main(['sweep', *(path if option == 'SCENARIO' else option for option in options)]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert message in errors[0]


def test_a_metric_that_cannot_be_imported_is_one_error_before_the_first_run(
        tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = str(write_scenario(tmp_path))
    before = list(sys.path)
    for metric, message in [('no_such_module:f', "metric: cannot import 'no_such_module'"),
                            ('sweep_users:none', "module 'sweep_users' has no function 'none'")]:
        assert main(['sweep', path, '--seeds', '0:4', '--metric', metric, '-o', 'results']) == 2
        [error] = capsys.readouterr().err.splitlines()
        assert message in error
    assert not (tmp_path / 'results').exists()
    assert sys.path == before


def test_failed_runs_have_an_exit_code_of_their_own(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = str(write_scenario(tmp_path))
    assert main(['sweep', path, '--set', f'{MOOD}=[calm, raise, interrupt]', '-o', 'results',
                 '--jobs', '1', '--quiet']) == FAILED == 3
    first, *errors = capsys.readouterr().out.splitlines()
    assert first.startswith('3 runs, 2 failed (column error): results/')
    assert errors[0].startswith('1 run: robot 0 at tick 0: Moody.step(): ValueError: no way of')
    assert errors[1].startswith('1 run: KeyboardInterrupt')
    assert main(['sweep', '--resume', '-o', 'results', '--quiet']) == FAILED
    assert Results.load(tmp_path / 'results').columns['error'][2].startswith('KeyboardInterrupt')
