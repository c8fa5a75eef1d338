"""Packed runs: what is in them, and what a check says."""

import json
import sys
import zipfile
from pathlib import Path

import pytest

import sbot
from sbot.cli.main import main
from sbot.runner.packed import unpacked
from sbot_common.errors import InputError

PATROL = """
from pathlib import Path
from patrols.speeds import SPEED
TABLE = Path(__file__).with_name('turns.txt')
class Patrol:
    def __init__(self, gains=''):
        self.gain = float(Path(gains).read_text())
    def step(self, observation, rng):
        import patrol_turns
        return self.gain * SPEED * rng.random(), patrol_turns.turn(TABLE)
"""
SCENARIO = """
world: {map: maps/yard.yaml}
duration: 0.5
controllers: {"patrol_of_mine:Patrol": {gains: gains.txt}}
robots: [{count: 3, controller: "patrol_of_mine:Patrol"}]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A scenario with own modules, one imported late, and files; forgotten afterwards."""
    folder = tmp_path / 'mine'
    for name, text in {
            'patrol_of_mine.py': PATROL, 'patrols/speeds.py': 'SPEED = 0.4\n',
            'patrol_turns.py': 'def turn(path):\n    return float(path.read_text())\n',
            'turns.txt': '0.3', 'gains.txt': '1.5', 'unused.py': '', 'yard.yaml': SCENARIO,
            'maps/yard.yaml': 'image: ../pictures/yard.pgm\nresolution: 1\norigin: [0, 0, 0]\n'
                              'negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n',
            'pictures/yard.pgm': 'P2\n6 6\n255\n' + '255 ' * 35 + '0\n'}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    yield folder
    forget()


def forget():
    for name in [name for name in sys.modules if name.startswith('patrol')]:
        del sys.modules[name]


@pytest.fixture
def archive(folder, tmp_path, capsys):
    """The packed run, alone: what it was made of is gone."""
    path = tmp_path / 'run.zip'
    assert main(['pack', str(folder / 'yard.yaml'), '-o', str(path), '--seed', '7', '--quiet',
                 '--add', str(folder / 'turns.txt')]) == 0
    folder.rename(tmp_path / 'gone')
    forget()
    capsys.readouterr()
    return path


def test_a_packed_run_has_all_that_it_needs_and_nothing_else(archive):
    with zipfile.ZipFile(archive) as file:
        assert sorted(file.namelist()) == [
            'files/gains.txt', 'files/yard.pgm', 'files/yard.yaml', 'python/patrol_of_mine.py',
            'python/patrol_turns.py', 'python/patrols/speeds.py', 'python/turns.txt',
            'run.json', 'scenario.yaml']
        assert b'mine/' not in file.read('scenario.yaml')  # no path of the author's


def test_a_packed_run_gives_the_same_hash_elsewhere(archive, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['run', 'run.zip', '--check', '--trust', '--quiet']) == 0
    assert 'the same trajectory as the packed run, bit for bit' in capsys.readouterr().out


def test_modules_of_the_archive_come_before_others_of_their_names(
        archive, tmp_path, monkeypatch, capsys):
    (tmp_path / 'elsewhere').mkdir()
    (tmp_path / 'elsewhere' / 'patrol_turns.py').write_text('raise RuntimeError')
    monkeypatch.syspath_prepend(tmp_path / 'elsewhere')
    assert main(['run', str(archive), '--check', '--trust', '--quiet']) == 0


def test_code_of_a_packed_run_is_named_and_needs_trust(archive, capsys):
    assert main(['run', str(archive), '--check', '--quiet']) == 2
    error = capsys.readouterr().err
    assert 'python/patrol_of_mine.py, python/patrol_turns.py' in error
    assert '(patrol_of_mine:Patrol); if you trust it, add --trust' in error
    assert 'patrol_of_mine' not in sys.modules


def ahead(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = 1.0


def test_a_policy_in_a_packed_run_needs_trust(tmp_path, monkeypatch, capsys):
    sbot.save_policy(tmp_path / 'p.json', sbot.function_policy(
        ahead, ['pose'], weights=0, outputs='twist'), [])
    (tmp_path / 'a.yaml').write_text(
        'world: {bounds: [0, 0, 9, 9]}\nduration: 0.2\nrobots: [{pose: [1, 1, 0], controller: '
        'function_policy, parameters: {policy: p.json}}]\n')
    assert main(['pack', str(tmp_path / 'a.yaml'), '-o', str(tmp_path / 'a.zip'), '--quiet']) == 0
    (tmp_path / 'p.json').unlink()
    (tmp_path / 'away').mkdir()
    monkeypatch.chdir(tmp_path / 'away')
    assert main(['run', '../a.zip', '--check', '--quiet']) == 2
    assert f'runs the function in {Path("files", "p.json")}; if you' in capsys.readouterr().err
    assert main(['run', '../a.zip', '--check', '--quiet', '--trust']) == 0


def test_a_check_says_what_differs(archive, tmp_path, capsys):
    changed = tmp_path / 'changed.zip'
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(changed, 'w') as new:
        for name in old.namelist():
            text = old.read(name).decode()
            new.writestr(name, text.replace('0.4', '0.41').replace('"numpy": "', '"numpy": "9'))
    assert main(['run', str(changed), '--check', '--trust', '--quiet', '--json']) == 1
    summary = json.loads(capsys.readouterr().out)
    assert not summary['same']
    hashes, numpy = summary['differences']
    assert hashes.startswith('trajectory_sha256: ')
    assert hashes.endswith(f"{summary['trajectory_sha256']} here")
    assert numpy.startswith('numpy: 9')


def test_the_same_run_packs_to_the_same_bytes_and_shipped_files_stay_out(tmp_path):
    for name in 'ab':
        assert main(['pack', 'leader_in_gusts', '--duration', '0.2', '-o',
                     str(tmp_path / f'{name}.zip'), '--quiet']) == 0
    assert (tmp_path / 'a.zip').read_bytes() == (tmp_path / 'b.zip').read_bytes()
    with zipfile.ZipFile(tmp_path / 'a.zip') as file:
        assert file.namelist() == ['run.json', 'scenario.yaml']
    assert main(['run', str(tmp_path / 'a.zip'), '--check', '--quiet']) == 0


@pytest.mark.parametrize(('words', 'said'), [
    (['pack', 'single_robot', '-o', 'a.tar'], 'expected a file that ends in .zip'),
    (['pack', 'single_robot', '-o', 'nowhere/a.zip'], 'in a folder that exists'),
    (['pack', 'single_robot', '-o', 'there.zip'], 'a new file (or --force)'),
    (['run', 'there.zip'], 'not a packed run, nor another .zip'),
    (['pack', 'single_robot', '--duration', '0.1', '-o', 'a.zip', '--add', 'x'], 'it has none'),
    (['run', 'single_robot', '--check'], 'need a packed run'),
    (['run', 'a.zip', '--check', '--seed', '3'], 'cannot be combined with --seed')])
def test_options_that_mean_nothing_are_refused(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'there.zip').write_text('hello')
    assert main([*words, '--quiet']) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize('content', [b'', b'PK\x03\x04', None])
def test_what_is_no_packed_run_is_refused(content, tmp_path):
    path = tmp_path / 'a.zip'
    if content is None:
        with zipfile.ZipFile(path, 'w') as file:
            file.writestr('run.json', '{"format": 1}')
    else:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r'a\.zip: not a packed run'), unpacked(path):
        pass


def test_a_packed_run_that_fills_the_disk_is_refused(archive, monkeypatch):
    monkeypatch.setenv('SBOT_LIMITS', 'run_bytes=100')
    with pytest.raises(InputError, match='too large'), unpacked(archive):
        pass


def test_runs_of_own_nodes_are_not_packed_and_the_way_to_share_them_is_named(tmp_path, capsys):
    path, share = tmp_path / 'two.yaml', (
        'share the bag and the node, and replay with --node (docs/share_a_run.md)\n')
    path.write_text('world: {bounds: [0, 0, 9, 9]}\nrobots:\n'
                    '  - {count: 2, controller: external}\n'
                    '  - {pose: [1, 1, 0], controller: none}\n')
    for source, words in ((path, 'cannot pack robot 0, 1 with controller external: '),
                          (tmp_path, 'cannot pack a recording, only a scenario; for a run of your '
                                     'own node ')):
        assert main(['pack', str(source), '-o', str(tmp_path / 'run.zip')]) == 2
        assert capsys.readouterr().err == f'sbot: {source}: {words}{share}'
