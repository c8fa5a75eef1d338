"""`sbot bench navigation`."""

import json
import shlex

import pytest

import sbot
from sbot.cli.main import main

pytestmark = pytest.mark.forked

FAST = ['--jobs', '1', '--quiet', '--set', 'duration=0.5']


def test_scenes_are_listed(capsys):
    assert main(['bench', 'navigation', '--list', 'doorway']) == 0
    assert 'doorway/1.2   Four against four through a door of 1.2 m.' in capsys.readouterr().out


def test_a_table_and_rows_that_are_checked(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ['bench', 'navigation', 'hallway', '--seeds', '0:2', *FAST]
    assert main([*given, '-o', 'kept']) == 0
    assert '| hallway | navigate (duration=0.5) | 0 of 2' in capsys.readouterr().out
    assert main([*given, '-o', 'kept', '--resume', '--format', 'jsonl']) == 0
    text = capsys.readouterr().out
    assert text == (tmp_path / 'kept' / 'rows.jsonl').read_text()
    assert main(['bench', 'navigation', '--check', 'kept/rows.jsonl', *FAST[:3]]) == 0
    assert capsys.readouterr().out == '2 rows run again, 0 differences\n'
    row = json.loads(text.splitlines()[0])
    (tmp_path / 'wrong.jsonl').write_text(json.dumps({**row, 'trajectory_sha256': 'no'}))
    assert main(['bench', 'navigation', '--check', 'wrong.jsonl', *FAST[:3]]) == 3
    assert 'hallway/pair#0 navigate: trajectory_sha256' in capsys.readouterr().out


def test_a_controller_with_which_nobody_arrives_comes_with_a_command_that_shows_it(
        capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(['bench', 'navigation', 'hallway/pair', '--seeds', '1:3', '--jobs', '1', '--set',
                 'duration=0.5']) == 0
    error = capsys.readouterr().err
    said = next(line for line in error.splitlines() if 'arrived' in line)
    begin, _, command = said.partition('To see one: ')
    assert begin == 'navigate: no robot arrived in 2 runs. '
    make, _, show = command.partition(' > scene.yaml && ')
    assert main(shlex.split(make)[1:]) == 0
    (tmp_path / 'scene.yaml').write_text(capsys.readouterr().out)
    assert main(shlex.split(show)[1:]) == 0
    assert capsys.readouterr().out.startswith('hallway/pair, seed 1: 0.5 s simulated')
    assert (tmp_path / 'tracks.png').exists()


def test_what_rows_name_is_executed_only_if_trusted(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'theirs_to_trust.py').write_text(
        "open('executed', 'w').close()\nclass Theirs:\n    def step(self, observation, rng):\n"
        '        return 0.1, 0.0\n')
    row = {'library': 1, 'scene': 'hallway/pair', 'seed': 0, 'controller': 'navigate', 'set': {}}
    for change, named in (({'controller': 'theirs_to_trust:Theirs'}, 'theirs_to_trust:Theirs'),
                          ({'set': {'python_path': ['/']}}, r"python_path=['/']"),
                          ({'set': {'robots.*.controller': 'theirs_to_trust:Theirs'}}, 'robots')):
        (tmp_path / 'rows').write_text(json.dumps({**row, **change}))
        assert main(['bench', 'navigation', '--check', 'rows', '--quiet']) == 2
        told = capsys.readouterr().err
        assert named in told
        assert 'if you trust it, add --trust' in told
        assert not (tmp_path / 'executed').exists()


def test_rows_of_several_files_come_in_one_table(capsys, tmp_path):
    row = {'library': 1, 'scene': 'hallway/pair', 'seed': 0, 'set': {}, 'success': 1, 'arrived': 1}
    for name in ('a', 'b'):
        (tmp_path / name).write_text(json.dumps({**row, 'controller': name}) + '\n')
    assert main(['bench', 'navigation', '--show', str(tmp_path / 'a'),
                 '--show', str(tmp_path / 'b')]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split('|')[2].strip() for line in lines] == ['controller', '----------', 'a', 'b']


def test_a_scene_is_printed_as_a_scenario_file(capsys, tmp_path):
    assert main(['bench', 'navigation', 'hallway/pair', '--seeds', '3', '--yaml']) == 0
    (tmp_path / 'hallway.yaml').write_text(capsys.readouterr().out)
    scenario = sbot.load(str(tmp_path / 'hallway.yaml'))
    assert (scenario.name, scenario.seed, len(scenario.robots)) == ('hallway/pair', 3, 2)
    assert main(['bench', 'navigation', 'doorway', '--seeds', '3', '--yaml']) == 2
    assert '--yaml: got 3 scenarios, expected one' in capsys.readouterr().err


def test_hidden_seeds_name_the_hash_of_their_secret(capsys, tmp_path):
    (tmp_path / 'secret').write_bytes(b'fish')
    assert main(['bench', 'navigation', 'hallway', '--seeds', '0:1', '--secret',
                 str(tmp_path / 'secret'), '--format', 'csv', *FAST]) == 0
    told = capsys.readouterr()
    assert 'SHA-256 b474a99a2705e23cf905a484ec6d14ef' in told.err
    assert 'hallway/pair,0,' not in told.out


def test_a_check_compares_seeds_with_a_secret(capsys, tmp_path):
    secret, other, file = tmp_path / 'secret', tmp_path / 'other', tmp_path / 'rows.jsonl'
    secret.write_bytes(b'fish')
    other.write_bytes(b'flesh')
    assert main(['bench', 'navigation', 'hallway', '--seeds', '0:2', '--secret', str(secret),
                 '--format', 'jsonl', *FAST]) == 0
    first, second = capsys.readouterr().out.splitlines()
    for rows, given, code in (([first, second], secret, 0), ([first, second], other, 3),
                              ([second], secret, 3), ([second, first], secret, 0)):
        file.write_text('\n'.join(rows) + '\n')
        assert main(['bench', 'navigation', '--check', str(file), '--secret', str(given),
                     '--jobs', '1', '--quiet']) == code
        told = capsys.readouterr().out
        assert ('seeds: got' in told) == (code == 3)
        assert told.endswith(f'{len(rows)} rows run again, {int(code == 3)} differences\n')


def test_what_is_wrong_is_one_line(capsys, tmp_path):
    for given, expected in ((['hallwy'], 'hallway'), (['--controller', 'no'], 'controller'),
                            (['--barn', str(tmp_path)], '--barn'),
                            (['--resume'], '--resume needs the folder'),
                            (['--secret', str(tmp_path / 'none')], 'none: cannot be read'),
                            (['--seeds', 'x'], '--seeds')):
        assert main(['bench', 'navigation', *given]) == 2, given
        told = capsys.readouterr().err
        assert told.count('\n') == 1
        assert expected in told


def test_options_of_the_measurement_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(['bench', '--seconds', '3', 'navigation', 'doorway', '--list'])
    assert 'options of sbot bench navigation come after that word' in capsys.readouterr().err
