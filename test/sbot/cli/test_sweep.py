"""`sbot sweep`: options to plans, dry runs, one line for every mistake."""

import pytest
from sweep_users import write_scenario

from sbot.cli.main import main, make_parser


def plan_of(*options):
    from sbot.cli.sweep import _request
    arguments = make_parser('sweep').parse_args(['sweep', *options])
    return _request(arguments).plan()


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


def test_a_dry_run_says_how_many_and_how_long_and_leaves_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_scenario(tmp_path)
    assert main(['sweep', str(path), '--seeds', '0:500', '--set', 'rate=[10, 20]', '--dry-run',
                 '--jobs', '2']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == '1,000 runs: 2 rate x 500 seeds'
    assert lines[1].startswith('about ')
    assert lines[1].endswith(' on 2 processes of this machine')
    assert [each.name for each in tmp_path.iterdir()] == ['tiny.yaml']


@pytest.mark.parametrize(('options', 'message'), [
    (['SCENARIO'], '--output: expected a folder'),
    ([], 'SCENARIO is missing'),
    (['--resume', '-o', 'x', '--seeds', '1'], 'expected no change of the sweep'),
    (['--resume', '-o', 'x'], 'holds no sweep'),
    (['SCENARIO', '--seeds', 'x'], "--seeds: got 'x'"),
    (['SCENARIO', '--set', 'rate'], "--set: got 'rate', expected KEY=VALUE"),
    (['SCENARIO', '--set', 'rat=1'], "unknown name 'rat'; did you mean 'rate'"),
    (['SCENARIO', '--sample', 'rate=[1,2]'], 'expected --samples N with it'),
    (['SCENARIO', '--jobs', '-1'], "--jobs: got '-1'"),
    (['SCENARIO', '--timeout', '0'], '--timeout: got 0'),
    (['SCENARIO', '--memory', 'x'], "--memory: got 'x'"),
])
def test_mistakes_are_one_line(tmp_path, capsys, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    path = str(write_scenario(tmp_path))
    assert main(['sweep', *(path if option == 'SCENARIO' else option for option in options)]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert message in errors[0]


def test_help_names_the_other_two_commands(capsys):
    for words, text in ((['sweep', '--help'], 'sbot sweep plot DIR'),
                        (['sweep', 'show', '--help'], 'usage: sbot sweep show'),
                        (['sweep', 'plot', '--help'], 'usage: sbot sweep plot')):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        assert text in ' '.join(capsys.readouterr().out.split())
